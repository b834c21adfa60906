// What the ranks of a conservation law exchange, and what they compute meanwhile.
#include "op/law/law_rates.h"

namespace weft {

void LawRates::make_halos() {
  const DgValues values = dg_values(law_);
  const auto make = [&](std::optional<Halo> &halo, bool by_cell, int stride) {
    halo.emplace(device_, *d_.ranks, dg_halo_places(mesh_, by_cell, stride), settings_.precision);
  };
  make(state_halo_, mesh_.state_by_cell, law_.num_components);
  if (values.gradients > 0)
    make(gradient_halo_, false, values.gradients);
  if (values.limiters > 0)
    make(limiter_halo_, false, values.limiters);
  if (limits_states())
    means_halo_.emplace(device_, *d_.ranks, dg_cell_halo_places(mesh_, law_.num_components),
                        settings_.precision);
}

void LawRates::send_gradients(LawMessages &messages) {
  if (gradient_halo_)
    messages.begin(gradient_halo_, shared_.at({ArgumentRole::gradient}));
  if (limiter_halo_)
    messages.begin(limiter_halo_, shared_.at({ArgumentRole::limiter}));
}

void LawRates::launch_meanwhile(DgStage part, const LawCall &call, LawMessages &messages) {
  if (!messages.any() || !dg_reads_neighbours(part, law_))
    return launch(part, DgRange::all, call);
  launch(part, DgRange::inner, call);
  messages.end();
  launch(part, DgRange::border, call);
}

std::vector<DgRange> LawRates::ranges_of(DgStage part) const {
  if (!state_halo_ || !dg_reads_neighbours(part, law_))
    return {DgRange::all};
  return {DgRange::inner, DgRange::border};
}

void LawRates::exchange(const Vector &q) {
  LawMessages messages;
  messages.begin(state_halo_, q.buffer);
  messages.end();
  send_gradients(messages);
  messages.end();
}

HaloCounts LawRates::halo_per_stage() const {
  HaloCounts counts;
  for (const std::optional<Halo> *halo :
       {&state_halo_, &gradient_halo_, &limiter_halo_, &means_halo_})
    if (*halo)
      counts += (*halo)->counts();
  return counts;
}

} // namespace weft
