#include "run/kernel_timing.h"

#include <algorithm>

#include "base/system/interruption.h"
#include "base/timer.h"
#include "run/phase.h"

namespace weft {

std::vector<double> time_calls(Device &device, int repeats, const std::function<void()> &work) {
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    throw_if_interrupted();
    const Timer timer;
    work();
    device.finish();
    seconds.push_back(timer.seconds());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

void first_residual(Simulation &s) {
  NonlinearOperator *op = s.model->system();
  if (op == nullptr) // its first kernel is that of a step
    return;
  const Phase phase("first residual");
  StageTimer timer(s.timings, "first_residual");
  Vector u = make_vector(*s.device, op->layout(), op->precision(), "state");
  Vector r = make_vector(*s.device, op->layout(), op->precision(), "residual");
  op->set_dofs(s.state, u);
  op->residual(u, r);
  s.device->finish();
  s.timings.add("first_kernel", seconds_since_process_start());
}

std::vector<KernelRecord> time_kernels(Simulation &s) {
  std::vector<KernelRecord> records;
  for (RecordedWork &work : s.model->recorded_works(s.state)) {
    work.run(); // compiles
    work.record.seconds = median(time_calls(*s.device, 5, work.run));
    records.push_back(std::move(work.record));
  }
  return records;
}

} // namespace weft
