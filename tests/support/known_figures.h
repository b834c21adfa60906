// What the device of a test can do, without measuring it where a test run already has.
#pragma once

#include "tune/database/tuning_database.h"
#include "tune/measure/measure_machine.h"

namespace weft {

// As `weft devices --measure` kept them, else measured at small sizes, which are not kept.
inline MachineFigures known_figures(Device &device) {
  TuningDatabase database;
  if (const auto kept = database.machine(device.info(), machine_generator()))
    return *kept;
  return measure_machine(device, {.quick = true});
}

} // namespace weft
