// Figures that are measured once for a device and driver.
#include "base/log.h"
#include "base/timer.h"
#include "tune/measure_machine.h"

namespace weft {

MachineFigures machine_figures(Device &device, TuningDatabase *database,
                               const MeasureOptions &options) {
  const std::string generator = machine_generator();
  if (database && !options.again)
    if (const auto kept = database->machine(device.info(), generator))
      return *kept;
  log::info("measuring what {} can do (once; about 20 s)", device.info().name);
  const Timer timer;
  MachineFigures figures = measure_machine(device, options);
  const Figure peak = figures.figures.at(device.info().has_f64 ? "rate.multiply_add.f64.gops"
                                                               : "rate.multiply_add.f32.gops");
  if (peak.high > 1.5 * peak.median)
    log::notice("the device was busy with something else while it was measured: its arithmetic was "
                "up to {:.1f} times as fast as in the median; `weft devices --measure --again` "
                "measures anew",
                peak.high / peak.median);
  const bool kept = database && database->store_machine(device.info(), generator, figures);
  log::info("measured {} figures in {:.1f} s{}", figures.figures.size(), timer.seconds(),
            kept ? "; they are kept" : "");
  return figures;
}

} // namespace weft
