// The launches of assembly: variants, arguments, costs.
#include "op/assembly/assembly_plan.h"

namespace weft {

MatrixVariant AssemblyPlan::variant_of(const CellIntegral &in, const Part &part) const {
  const bool is_cpu = device_.info().is_cpu;
  MatrixVariant variant;
  variant.loop_order = assembly_.loop_order.value_or(usual_loop_order(in, is_cpu));
  variant.stream = is_cpu;
  if (blocks_ && !part.on_facets) {
    variant.destination = MatrixDestination::csr;
    variant.leaves_per_block = leaves_per_block_;
    return variant;
  }
  variant.destination = MatrixDestination::interleaved;
  take_groups(variant, device_.info());
  return variant;
}

std::vector<IntegralLaunch> AssemblyPlan::make_matrix_launches() {
  std::vector<IntegralLaunch> launches;
  for (Part &part : parts_) {
    const MatrixVariant variant = variant_of(describe(IntegralKind::matrix, part), part);
    const bool csr = variant.destination == MatrixDestination::csr;
    launches.push_back(make_matrix_launch(part, variant, csr ? stage_entries_[place_of(part)] : 0,
                                          csr ? stages_[place_of(part)] : StageCounts{}));
  }
  return launches;
}

KernelArgument AssemblyPlan::argument(const ArgumentSpec &spec, const CellIntegral &in,
                                      Part &part) {
  switch (spec.role) {
  case ArgumentRole::element_matrices:
    return part.element_vectors;
  case ArgumentRole::entry_map:
    return entry_maps_[place_of(part)];
  case ArgumentRole::matrix_blocks:
    return part.blocks;
  case ArgumentRole::matrix_values:
    return matrix_.values();
  case ArgumentRole::matrix_interface:
    return interface_entries_;
  default:
    return FormPlan::argument(spec, in, part);
  }
}

} // namespace weft
