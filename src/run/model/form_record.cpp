#include "run/model/form_record.h"

namespace weft {

KernelRecord shared_record(FormOperator &op, const Discretisation &d) {
  const DeviceInfo &info = op.device().info();
  KernelRecord record;
  record.form = op.settings().form_name;
  record.device = info.name;
  if (info.is_cpu)
    record.threads = info.compute_units;
  record.precision = to_string(op.precision());
  record.dofs = d.num_global;
  return record;
}

void add_launch(KernelRecord &record, const FormOperator &op, const IntegralLaunch &launch) {
  record.cell = to_string(launch.cell);
  record.element = "P" + std::to_string(launch.order);
  record.cells = launch.num_cells;
  record.variant = launch.variant;
  record.strategy = to_string(launch.on_facets ? Strategy::cell : op.strategy());
  record.geometry =
      to_string(launch.on_facets ? GeometrySource::on_the_fly : op.settings().geometry);
}

KernelRecord make_kernel_record(FormOperator &op, const Discretisation &d, IntegralKind kind,
                                double seconds) {
  KernelRecord record = shared_record(op, d);
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
  if (launches.empty()) { // a product with the matrix
    record.kernel = op.costs(kind).front().name;
    record.strategy = "assembled";
  } else {
    record.strategy = to_string(op.strategy());
    record.geometry = to_string(op.settings().geometry);
  }
  record.seconds = seconds;
  record.flops = op.flops(kind);
  record.bytes = op.bytes(kind);
  return record;
}

} // namespace weft
