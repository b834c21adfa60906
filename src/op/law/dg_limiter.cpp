// The limiter of a conservation law's states on a device.
#include "kernel/law/dg_limiter.h"
#include "op/law/law_rates.h"

namespace weft {

void LawRates::make_limiter() {
  using enum ArgumentRole;
  for (std::size_t s = 0; s < parts_.size(); ++s) {
    std::vector<std::int32_t> plus_groups;
    for (const std::int32_t unit : mesh_.sets[s].plus_unit)
      plus_groups.push_back(static_cast<std::int32_t>(mesh_.group_at(unit)));
    const DgLimiterMatrices matrices = dg_limiter_matrices(mesh_.sets[s].operators);
    Buffers &buffers = parts_[s].buffers;
    buffers[{plus_group}] = upload(device_, plus_groups, "neighbours");
    buffers[{weights}] = reals(matrices.weights, "limiter");
    buffers[{mass}] = reals(matrices.mass, "limiter");
    buffers[{high_modes}] = reals(matrices.high_modes, "limiter");
    buffers[{linear}] = reals(matrices.linear, "limiter");
    buffers[{lobatto}] = reals(matrices.lobatto, "limiter");
  }
  shared_[{means}] = make_vector(device_, mesh_.size_of_cells_with_ghosts(law_.num_components),
                                 settings_.precision, "means of cells")
                         .buffer;
}

// Squared, of the components whose gradients are limited.
void LawRates::upload_limiter_scale() {
  const DgValues values = dg_values(law_);
  if (values.limiters == 0)
    return;
  std::vector<double> squares;
  for (const int k : values.with_gradient)
    squares.push_back(d_.limiter_scale[k] * d_.limiter_scale[k]);
  shared_[{ArgumentRole::limiter_scale}] = reals(squares, "scales of limiters");
}

// The limiter of finite volumes is of gradients.
bool LawRates::limits_states() const {
  return law_.limiter != "none" && !law_.finite_volume;
}

void LawRates::limit(double time, Vector &q) {
  if (!limits_states())
    return;
  const LawCall call{.time = time, .q = &q, .out = &q};
  if (!means_halo_) {
    launch(DgStage::means, DgRange::all, call);
    launch(DgStage::limit, DgRange::all, call);
    return;
  }
  LawMessages messages;
  launch(DgStage::means, DgRange::border, call); // what others wait for
  messages.begin(means_halo_, shared_.at({ArgumentRole::means}));
  launch(DgStage::means, DgRange::inner, call);
  launch_meanwhile(DgStage::limit, call, messages);
  messages.forget();
}

} // namespace weft
