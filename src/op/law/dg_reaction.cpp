#include "op/law/dg_reaction.h"

namespace weft {

DgReaction::DgReaction(Device &device, const Discretisation &d, const DgMesh &mesh,
                       const SplitReactions &reactions, const DgNodeSpec &spec)
    : substeps_(reactions.substeps), num_components_(reactions.law.num_components),
      launcher_(device, d, mesh, spec, reactions.cell_table,
                [&](const DgNodeSpec &of_cells) {
                  return make_reaction_kernel(of_cells, reactions.law, reactions.rush_larsen,
                                              device.info().backend);
                },
                {{ArgumentRole::substeps, static_cast<std::int32_t>(reactions.substeps)}}) {}

void DgReaction::react(double time, double h, Vector &q) {
  launcher_.launch({.time = time, .h = h / substeps_, .q = &q});
}

std::vector<NamedCost> DgReaction::costs() const {
  const double components = num_components_;
  // The times and lengths of a step's two parts.
  return launcher_.costs({.steps = double(substeps_),
                          .reads = components,
                          .writes = components,
                          .scalars_a_step = {.additions = 3, .multiplications = 3}});
}

} // namespace weft
