// A tuning database as text, to be read, compared and shared: a header line, then a record a line,
// each a JSON object.
//
//   {"weft_tuning":1,"program":"0.1.0"}
//   {"machine":{"name":"cpu","figures":{"memory.copy.f64.gbps":[20.1,18.0,21.5]},...}}
//   {"result":{"kernel":"fem_integrate","variant":"strategy=block lanes=8","seconds":0.0012,...}}
//   {"search":{"kernel":"fem_integrate","trials":[{"variant":"...","seconds":[0.0012,...]},...],...}}
#pragma once

#include <string>

#include "tune/database/tuning_records.h"

namespace weft {

// The same records give the same text.
std::string write_tuning_text(const TuningContents &records);
// Every record is marked as imported. Throws `input` for the first line that is wrong: no JSON, an
// unknown or missing member, a value that can't be. `where`: the file it came from.
TuningContents read_tuning_text(const std::string &text, const std::string &where);

} // namespace weft
