// What a machine was measured to do, for people.
#pragma once

#include "device/device.h"
#include "output/plot/plot.h"
#include "tune/machine_figures.h"

namespace weft {

// Tables of all figures, each with the range that holds nine tenths of its measurements.
std::string machine_table(const DeviceInfo &info, const MachineFigures &machine);

// The sweep over arithmetic intensity as points, the limits by bandwidth and arithmetic as lines.
Plot roofline_plot(const DeviceInfo &info, const MachineFigures &machine);

} // namespace weft
