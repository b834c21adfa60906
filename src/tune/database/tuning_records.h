// What a tuning database holds, record by record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tune/database/tuning_database.h"
#include "tune/machine_figures.h"
#include "tune/search/tuner.h"

namespace weft {

// Where and when something was measured.
struct Provenance {
  std::int64_t time_us = 0; // microseconds since 1970, UTC
  std::string program;      // version of Weft
  bool imported = false;    // read from a text, not measured by who owns the database
};

// The best variant of a key.
struct ResultRecord {
  TuningKey key;
  Provenance from;
  Variant variant;
  double seconds = 0;
  double predicted_s = 0; // 0: not predicted
};

// One search of a key with all its timings.
struct SearchRecord {
  TuningKey key;
  Provenance from;
  TuningOutcome outcome;
};

struct KeptMachine {
  std::string device, architecture, vendor, driver, name; // as DeviceInfo has them
  std::string generator;                                  // hash of the micro-benchmarks
  Provenance from;
  MachineFigures figures;
};

// Everything that is kept.
struct TuningContents {
  std::vector<KeptMachine> machines;
  std::vector<ResultRecord> results;
  std::vector<SearchRecord> searches;
};

std::int64_t now_us();
std::string time_text(std::int64_t time_us); // "2026-11-21T12:00:00.123456Z"
std::optional<std::int64_t> time_from_text(const std::string &text); // nothing if it is not one

} // namespace weft
