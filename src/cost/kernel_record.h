// What is known of one kernel's run: the same entry in results.json and in a benchmark's rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace weft {

// Empty texts and numbers that are not there are null in the files.
struct KernelRecord {
  std::string kernel; // name of the generated kernel
  std::string form;
  std::string cell;     // "tetrahedron"
  std::string element;  // "P1"
  std::string strategy; // "block"
  std::string geometry; // "on_the_fly" or "stored"
  std::string variant;  // the settings of the strategy
  std::string device;
  std::optional<int> threads;
  std::string precision; // "f64"
  std::optional<std::int64_t> cells;
  std::optional<std::int64_t> dofs;  // scalars: nodes times components
  std::optional<double> seconds;     // median of one application
  std::optional<double> flops;       // of one application, by our own count
  std::optional<double> bytes;       // likewise
  std::optional<double> stream_gbps; // bandwidth of the same cores
  std::optional<double> peak_gflops;
  std::optional<double> predicted_s;
  std::optional<double> fraction; // of the limit that the machine sets
  // What disturbed the timings, in words; empty: nothing that shows. Open: it was not looked at.
  std::optional<std::string> disturbance;
  bool in_cache = false; // `bytes` fit into the last cache: memory's bandwidth is no limit then
};

} // namespace weft
