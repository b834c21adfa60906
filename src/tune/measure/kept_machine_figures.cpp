// Figures that are measured once for a device and driver, and anew where that was on a busy
// machine.
#include <fmt/format.h>

#include "base/log.h"
#include "base/timer.h"
#include "tune/disturbance.h"
#include "tune/measure/measure_machine.h"

namespace weft {

namespace {

// Whether kept figures do; says why where they are of a busy machine.
bool may_use(const MachineFigures &kept, const DeviceInfo &device, const MeasureOptions &options) {
  const std::string disturbance = disturbance_of(kept);
  if (disturbance.empty())
    return true;
  const std::string when = fmt::format("what {} can do was measured while it was disturbed ({})",
                                       device.name, disturbance);
  if (!measured_beside_others(kept)) {
    log::notice("{}; `weft devices --measure --again` measures anew", when);
    return true;
  }
  const std::string busy = busy_now(options.look());
  if (busy.empty()) {
    log::info("{}; the machine is quiet now, and is measured anew", when);
    return false;
  }
  log::notice("{}, and is used as it is: still {}. The next run that finds the machine quiet "
              "measures anew",
              when, busy);
  return true;
}

void keep(TuningDatabase &database, const DeviceInfo &device, const MachineFigures &figures,
          bool has_undisturbed) {
  const std::string disturbance = disturbance_of(figures);
  if (disturbance.empty() || !has_undisturbed) {
    database.store_machine(device, machine_generator(), figures);
    return;
  }
  log::notice("figures that were measured while the machine was quiet are kept already: these are "
              "not");
}

} // namespace

MachineFigures machine_figures(Device &device, TuningDatabase *database,
                               const MeasureOptions &options) {
  const DeviceInfo &info = device.info();
  std::optional<MachineFigures> kept;
  if (database)
    kept = database->machine(info, machine_generator());
  if (kept && !options.again && may_use(*kept, info, options))
    return *kept;
  log::info("measuring what {} can do (once; about 20 s where nothing else runs, and no new round "
            "after {:.0f} s)",
            info.name, options.most_s);
  const Timer timer;
  const MachineFigures figures = measure_machine(device, options);
  log::info("measured {} figures in {:.1f} s", figures.figures.size(), timer.seconds());
  if (const std::string disturbance = disturbance_of(figures); !disturbance.empty())
    log::notice("{} was busy while it was measured: {}. {}", info.name, disturbance,
                measured_beside_others(figures) ? "The next run that finds it quiet measures anew"
                                                : "`weft devices --measure --again` measures anew");
  if (database)
    keep(*database, info, figures, kept && disturbance_of(*kept).empty());
  return figures;
}

} // namespace weft
