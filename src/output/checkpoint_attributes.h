// The one list of the texts and numbers of a checkpoint that stand beside its arrays.
#pragma once

namespace weft {

// Calls visit(name, member) for each. `Any`: Checkpoint, const or not.
template <typename Any, typename Visitor>
void for_each_attribute(Any &checkpoint, const Visitor &visit) {
  auto &identity = checkpoint.identity;
  visit("unknowns", identity.unknowns);
  visit("mesh", identity.mesh);
  visit("mesh_name", identity.mesh_name);
  visit("scheme", identity.scheme);
  auto &state = checkpoint.state;
  visit("time", state.time);
  visit("num_steps", state.num_steps);
  visit("wanted_step", state.wanted_step);
  visit("time_before", state.time_before);
  visit("arc_state_scale", state.arc_state_scale);
  visit("arc_load_scale", state.arc_load_scale);
  visit("previous_error", state.previous_error);
  visit("residual_scale", state.residual_scale);
  visit("unit_step", state.unit_step);
  visit("trusted_norm", state.trusted_norm);
  visit("driven_norm", state.driven_norm);
  visit("stable_cfl", state.stable_cfl);
  visit("stable_unit_step", state.stable_unit_step);
  visit("num_rejected", state.num_rejected);
  visit("num_newton_steps", state.num_newton_steps);
  visit("num_iterations", state.num_iterations);
}

} // namespace weft
