// Kernel records as JSON and CSV; one list of keys for results.json and benchmarks.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cost/kernel_record.h"
#include "cost/machine_record.h"

namespace weft {

// All keys in their order; rates follow from seconds. Unknown figures are null.
nlohmann::ordered_json to_json(const KernelRecord &record);

// Where the output of every benchmark comes from: version, commit (of git, where it was built from
// a checkout), date (now, in UTC) and processor.
nlohmann::ordered_json provenance();

// What a benchmark's JSON file begins with: provenance(), and `machine`.
nlohmann::ordered_json bench_json_head(const MachineRecord &machine);
// `weft bench NAME --json FILE`: an object with that head and `rows`. Errors: system.
void write_bench_json(const std::string &path, const MachineRecord &machine,
                      const std::vector<KernelRecord> &rows);
// Rows with further keys.
void write_bench_json(const std::string &path, const MachineRecord &machine,
                      const std::vector<nlohmann::ordered_json> &rows);
// A line of the first object's keys, which all of them have, and of those of provenance(), then one
// line a row; null is empty. Errors: system.
void write_rows_csv(const std::string &path, const std::vector<nlohmann::ordered_json> &rows);
// `--csv FILE`: a line of keys, then one line a row; unknown figures are empty. Errors: system.
void write_bench_csv(const std::string &path, const std::vector<KernelRecord> &rows);

} // namespace weft
