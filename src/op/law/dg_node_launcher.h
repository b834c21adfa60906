// Kernels that look at each node alone, launched over all cells of a mesh.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "kernel/law/dg_node_kernel.h"
#include "op/law/law_launch.h"
#include "op/law/mesh/dg_mesh.h"
#include "op/problem/class_table.h"

namespace weft {

class DgNodeLauncher {
public:
  // Makes the kernel of the cells of one type.
  using MakeKernel = std::function<KernelSource(const DgNodeSpec &spec)>;
  using Arguments = std::map<ArgumentRole, KernelArgument>;

  // What all cells have in common of DgNodeSpec is taken from `spec`. `cell_table`: values of the
  // parameters that the kernel reads. `own`: arguments that never change, beside what the launcher
  // knows by itself. The mesh must outlive the launcher.
  DgNodeLauncher(Device &device, const Discretisation &d, const DgMesh &mesh, DgNodeSpec spec,
                 const ClassTable &cell_table, const MakeKernel &make, const Arguments &own);

  void launch(const LawCall &call);

  // [set]
  const std::vector<LawLaunch> &launches() const { return launches_; }

  // What a launch does with the values of each node.
  struct Work {
    double steps = 1;          // each with the kernel's operations
    double reads = 0;          // values of a node
    double writes = 0;         // likewise
    Operations scalars_a_step; // of a group of lanes
  };
  // [set]
  std::vector<NamedCost> costs(const Work &work) const;

private:
  Launch launch_size(const DgSet &set) const;
  std::int64_t nodes_of(const DgSet &set) const;

  Device &device_;
  const DgMesh &mesh_;
  Precision precision_;
  int known_values_;                // of a node
  int parameters_;                  // of a region
  std::vector<LawLaunch> launches_; // [set]
};

} // namespace weft
