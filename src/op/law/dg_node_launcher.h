// Kernels that look at each node alone, launched over all cells of a mesh.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kernel/law/dg_node_kernel.h"
#include "linalg/vector.h"
#include "op/law/mesh/dg_mesh.h"
#include "op/problem/class_table.h"

namespace weft {

class DgNodeLauncher {
public:
  // Makes the kernel of the cells of one type.
  using MakeKernel = std::function<DgNodeKernel(const DgNodeSpec &spec)>;

  // What all cells have in common of DgNodeSpec is taken from `spec`. `cell_table`: values of the
  // parameters that the kernel reads. The mesh and the discretisation must outlive the launcher.
  DgNodeLauncher(Device &device, const Discretisation &d, const DgMesh &mesh, DgNodeSpec spec,
                 const ClassTable &cell_table, const MakeKernel &make);

  // `arguments`: those that are not the launcher's own, by their names.
  using Arguments = std::map<std::string, KernelArgument>;
  void launch(const Arguments &arguments);

  // A real number or an array of `width` values a node, in the kernel's precision.
  KernelArgument real(double value) const;
  Vector array(int width, const char *purpose) const;

  // [set]
  const std::vector<DgNodeKernel> &kernels() const { return kernels_; }

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
  Launch launch_of(const DgSet &set) const;
  std::int64_t nodes_of(const DgSet &set) const;
  void upload_inputs(const Discretisation &d, const ClassTable &cell_table);
  Buffer reals(const std::vector<double> &values, const char *purpose) const;

  Device &device_;
  const DgMesh &mesh_;
  Precision precision_;
  std::vector<DgNodeKernel> kernels_;                 // [set]
  std::vector<Program> programs_;                     // [set]
  std::vector<std::map<std::string, Buffer>> of_set_; // [set]: by the argument's name
  std::map<std::string, Buffer> shared_;
};

} // namespace weft
