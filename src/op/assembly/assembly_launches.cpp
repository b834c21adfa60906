// The launches of assembly: variants, arguments, costs.
#include "op/assembly/assembly_plan.h"

namespace weft {

namespace {

constexpr int gpu_element_group = 64;  // work-items of a group that leaves element matrices
constexpr int cpu_groups_an_item = 16; // lane groups
// Loop order tensor is written out entry by entry: with more rows it takes seconds to compile.
constexpr int most_tensor_rows = 10;
// Loop order qss keeps a lane's element matrices in a work-item's own memory, which on a CPU is a
// thread's stack of 8 MB.
constexpr std::int64_t most_private_bytes = 4 << 20;

} // namespace

MatrixVariant AssemblyPlan::variant_of(const CellIntegral &in, const Part &part) const {
  const bool is_cpu = device_.info().is_cpu;
  MatrixVariant variant;
  const bool tensor = in.num_rows() <= most_tensor_rows && tensor_possible(in);
  const bool fits = num_matrix_entries(in) * in.lanes * real_bytes() <= most_private_bytes;
  variant.loop_order = assembly_.loop_order.value_or(tensor ? LoopOrder::tensor
                                                     : fits ? LoopOrder::qss
                                                            : LoopOrder::sqs);
  variant.stream = is_cpu;
  if (blocks_ && !part.on_facets) {
    variant.destination = MatrixDestination::csr;
    variant.leaves_per_block = leaves_per_block_;
    return variant;
  }
  variant.destination = MatrixDestination::interleaved;
  variant.group_size = is_cpu ? 1 : gpu_element_group;
  variant.groups_per_item = is_cpu ? cpu_groups_an_item : 1;
  return variant;
}

std::vector<IntegralLaunch> AssemblyPlan::make_matrix_launches() {
  std::vector<IntegralLaunch> launches;
  for (Part &part : parts_)
    launches.push_back(make_matrix_launch(part));
  return launches;
}

IntegralLaunch AssemblyPlan::make_matrix_launch(Part &part) {
  const CellIntegral in = describe(IntegralKind::matrix, part);
  const MatrixVariant variant = variant_of(in, part);
  const bool csr = variant.destination == MatrixDestination::csr;
  IntegralLaunch launch;
  launch.source = make_matrix_kernel(in, variant, device_.info().backend,
                                     csr ? stage_entries_[place_of(part)] : 0);
  launch.program = device_.build(
      {.name = launch.source.name, .text = launch.source.text, .kernels = {launch.source.name}});
  launch.variant = to_string(variant, lanes_);
  launch.on_facets = part.on_facets;
  launch.cell = in.cell;
  launch.order = in.families[in.tests[0].family].element.order;
  launch.num_cells = part.counts.cells;
  launch.launch = matrix_launch(variant, part.counts);
  launch.cost = matrix_cost(in, variant, part.counts, csr ? stages_[place_of(part)] : StageCounts{},
                            launch.source.cost);
  launch.needed = static_cast<double>(part.counts.cells) * launch.source.cost.operations;
  bind(launch, in, part);
  return launch;
}

KernelArgument AssemblyPlan::argument(const ArgumentSpec &spec, const CellIntegral &in,
                                      Part &part) {
  switch (spec.role) {
  case ArgumentRole::coordinate_image:
    return node_image_;
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
