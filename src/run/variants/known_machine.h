// What a device can do, as it is known or measured now.
#pragma once

#include "tune/measure/measure_machine.h"

namespace weft {

// machine_figures() with a line of progress where it measures.
MachineFigures known_machine(Device &device, TuningDatabase &database, MeasureOptions options = {});

} // namespace weft
