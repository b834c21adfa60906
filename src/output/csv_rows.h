// Tables that write_rows_csv() wrote, read again.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace weft {

// An object a line with the keys of the first; numbers are numbers, `true` and `false` truths, what
// is empty null, the rest texts (RFC 4180). Errors: input, with the line.
std::vector<nlohmann::ordered_json> read_rows_csv(const std::string &path);

} // namespace weft
