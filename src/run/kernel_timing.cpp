#include "run/kernel_timing.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/system/interruption.h"
#include "base/timer.h"
#include "op/law/dg_tuning.h"

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
  StageTimer timer(s.timings, "first_residual");
  Vector u = make_vector(*s.device, s.op->size(), s.op->precision(), "state");
  Vector r = make_vector(*s.device, s.op->size(), s.op->precision(), "residual");
  set_vector(*s.device, u, s.state);
  s.op->residual(u, r);
  s.device->finish();
  s.timings.add("first_kernel", seconds_since_process_start());
}

KernelRecord make_kernel_record(FormOperator &op, const Discretisation &d, IntegralKind kind,
                                double seconds) {
  KernelRecord record;
  const DeviceInfo &info = op.device().info();
  const auto &launches = op.launches(kind);
  for (const IntegralLaunch &launch : launches) {
    if (launch.on_facets && launches.size() > 1)
      continue;
    record.kernel += (record.kernel.empty() ? "" : " + ") + launch.source.name;
    record.cell += (record.cell.empty() ? "" : " + ") + to_string(launch.cell);
    record.variant = launch.variant;
    record.element = "P" + std::to_string(launch.order);
    record.cells = record.cells.value_or(0) + launch.num_cells;
  }
  record.form = op.settings().form_name;
  if (launches.empty()) { // a product with the matrix
    record.kernel = op.costs(kind).front().name;
    record.strategy = "assembled";
  } else {
    record.strategy = to_string(op.strategy());
    record.geometry = to_string(op.settings().geometry);
  }
  record.device = info.name;
  if (info.is_cpu)
    record.threads = info.compute_units;
  record.precision = to_string(op.precision());
  record.dofs = d.num_dofs;
  record.seconds = seconds;
  record.flops = op.flops(kind);
  record.bytes = op.bytes(kind);
  return record;
}

KernelRecord make_law_record(DgOperator &op, const Discretisation &d, DgStage stage,
                             const StageUpdate &update) {
  KernelRecord record;
  const DeviceInfo &info = op.device().info();
  double bytes = 0;
  for (const NamedCost &cost : op.costs_of(stage, update)) {
    record.kernel += (record.kernel.empty() ? "" : " + ") + cost.name;
    bytes += cost.cost.bytes();
  }
  for (const CellSet &set : d.mesh->sets)
    record.cell += (record.cell.empty() ? "" : " + ") + to_string(set.type);
  record.form = op.settings().form_name;
  record.element = d.law->fields.front().element();
  record.strategy = op.settings().fused ? "fused" : "separate";
  record.geometry = to_string(GeometrySource::stored);
  record.variant = to_string(variant_of(op.settings(), info.is_cpu));
  record.device = info.name;
  if (info.is_cpu)
    record.threads = info.compute_units;
  record.precision = to_string(op.precision());
  record.cells = d.mesh->num_cells();
  record.dofs = d.num_dofs;
  record.flops = op.needed_operations(stage, update).flops();
  record.bytes = bytes;
  return record;
}

KernelRecord make_matrix_record(const Simulation &s, const StageUpdate &update) {
  KernelRecord record = make_law_record(*s.dg, s.discretisation, DgStage::fused, update);
  const NamedCost cost = s.matrix_rates->cost(update);
  record.kernel = cost.name;
  record.strategy = "assembled";
  record.flops = cost.cost.operations.flops();
  record.bytes = cost.cost.bytes();
  return record;
}

std::vector<KernelRecord> time_law_kernels(Simulation &s) {
  DgOperator &op = *s.dg;
  const StageUpdate update = tuned_update();
  Vector q = make_vector(*s.device, op.size(), op.precision(), "state");
  op.set_state(s.state, q);
  Vector sum = make_vector(*s.device, op.size(), op.precision(), "sum of stages");
  op.set_sum(s.state, sum);
  Vector out = make_vector(*s.device, op.size(), op.precision(), "next state");
  std::vector<KernelRecord> records;
  if (s.matrix_rates) {
    const auto work = [&] {
      s.matrix_rates->stage(s.discretisation.time, 0, update, q, nullptr, &sum, out);
    };
    work(); // compiles
    records.push_back(make_matrix_record(s, update));
    records.back().seconds = median(time_calls(*s.device, 5, work));
    return records;
  }
  for (const DgStage part : op.parts_of_stage(op.settings().fused)) {
    const auto work = [&] {
      op.launch_part(part, s.discretisation.time, 0, update, q, nullptr, &sum, out);
    };
    work(); // compiles
    records.push_back(make_law_record(op, s.discretisation, part, update));
    records.back().seconds = median(time_calls(*s.device, 5, work));
  }
  return records;
}

std::vector<KernelRecord> time_kernels(Simulation &s) {
  if (s.dg)
    return time_law_kernels(s);
  Vector u = make_vector(*s.device, s.op->size(), s.op->precision(), "state");
  Vector r = make_vector(*s.device, s.op->size(), s.op->precision(), "result");
  set_vector(*s.device, u, s.state);
  s.op->linearise(u);
  const auto seconds = time_calls(*s.device, 5, [&] { s.op->apply(u, r); });
  return {make_kernel_record(*s.op, s.discretisation, IntegralKind::linearised, median(seconds))};
}

} // namespace weft
