// The sources of a conservation law that are split from it, on a device.
#pragma once

#include "op/law/dg_node_launcher.h"

namespace weft {

class DgReaction {
public:
  // `reactions`: of the discretisation. It, the mesh and the discretisation must outlive this.
  DgReaction(Device &device, const Discretisation &d, const DgMesh &mesh,
             const SplitReactions &reactions, const DgNodeSpec &spec);

  // Takes the state from `time` to time + h, see ExplicitOperator::react().
  void react(double time, double h, Vector &q);

  // [set]: kernels, and what react() costs.
  const std::vector<LawLaunch> &launches() const { return launcher_.launches(); }
  std::vector<NamedCost> costs() const;

private:
  int substeps_;
  int num_components_;
  DgNodeLauncher launcher_;
};

} // namespace weft
