#include "kernel/text/constant_table.h"

#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>

namespace weft {

std::string integer_table(const char *name, const std::vector<int> &values) {
  std::string text = fmt::format("WEFT_CONSTANT i32 {}[{}] = {{", name, values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i % 16 == 0 ? ",\n" : ", ", values[i]);
  return text + "};\n";
}

namespace {

// Bytes of the tables that a text defines, by integer_table() or by table_definition().
std::int64_t table_bytes(const std::string &text, Precision precision) {
  const std::string qualifier = "WEFT_CONSTANT ", reals = "real ";
  constexpr std::int64_t integer_bytes = 4;
  std::int64_t bytes = 0;
  for (std::size_t at = text.find(qualifier); at != std::string::npos;
       at = text.find(qualifier, at)) {
    at += qualifier.size();
    const std::int64_t each = text.compare(at, reals.size(), reals) == 0
                                  ? static_cast<std::int64_t>(size_bytes(precision))
                                  : integer_bytes;
    at = text.find('[', at) + 1;
    bytes += each * std::strtoll(text.c_str() + at, nullptr, 10);
  }
  return bytes;
}

} // namespace

std::string tables_head(const std::string &backend, const std::string &tables, Precision precision,
                        bool apart) {
  constexpr std::int64_t most_constant_bytes = 60000; // of 64 KiB, with what aligns the tables
  return backend == "cuda" && (apart || table_bytes(tables, precision) > most_constant_bytes)
             ? "#define WEFT_TABLES_IN_MEMORY\n"
             : "";
}

} // namespace weft
