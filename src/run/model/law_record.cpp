#include "run/model/law_record.h"

#include "op/law/dg_tuning.h"

namespace weft {

KernelRecord shared_record(LawRates &op, const Discretisation &d) {
  const DeviceInfo &info = op.device().info();
  KernelRecord record;
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
  record.cells = 0; // of this rank
  for (std::size_t set = 0; set < d.mesh->sets.size(); ++set)
    *record.cells += num_own_cells(*d.mesh, set);
  record.dofs = d.num_owned;
  return record;
}

KernelRecord make_law_record(LawRates &op, const Discretisation &d, DgStage part,
                             const StageUpdate &update) {
  KernelRecord record = shared_record(op, d);
  double bytes = 0;
  for (const NamedCost &cost : op.costs_of(part, update)) {
    record.kernel += (record.kernel.empty() ? "" : " + ") + cost.name;
    bytes += cost.cost.bytes();
  }
  record.flops = op.needed_operations(part, update).flops();
  record.bytes = bytes;
  return record;
}

} // namespace weft
