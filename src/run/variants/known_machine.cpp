#include "run/variants/known_machine.h"

#include "output/progress.h"

namespace weft {

MachineFigures known_machine(Device &device, TuningDatabase &database, MeasureOptions options) {
  Progress progress("measure", "");
  options.progress = [&](double fraction) { progress.update(fraction); };
  return machine_figures(device, &database, options);
}

} // namespace weft
