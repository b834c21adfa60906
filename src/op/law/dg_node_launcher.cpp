#include "op/law/dg_node_launcher.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "linalg/vector_cost.h"
#include "op/law/dg_inputs.h"

namespace weft {

namespace {

// A work-item of a CPU takes many nodes, so that it pays; of a GPU one, so that neighbours read
// what lies side by side.
std::int64_t nodes_per_item(std::int64_t nodes, const DeviceInfo &device) {
  if (!device.is_cpu)
    return 1;
  const std::int64_t part = nodes / (std::int64_t(device.compute_units) * 16);
  return std::clamp<std::int64_t>(part, 1, 256);
}

// Each array that some kernel reads, made once.
class NodeInputs {
public:
  NodeInputs(Device &device, const Discretisation &d, const DgMesh &mesh, Precision precision,
             const ClassTable &cell_table)
      : device_(device), d_(d), mesh_(mesh), precision_(precision), cell_table_(cell_table) {}

  Buffer of_set(ArgumentRole role, const DgSet &set) {
    if (role == ArgumentRole::cell_class)
      return upload(device_, set.cell_class, "regions");
    if (role == ArgumentRole::cell_size)
      return reals(dg_cell_sizes(d_, mesh_, set), "sizes of cells");
    Buffer &buffer = shared_[role];
    if (!buffer)
      buffer = of_all_sets(role);
    return buffer;
  }

private:
  Buffer of_all_sets(ArgumentRole role) const {
    if (role == ArgumentRole::coordinates)
      return reals(dg_node_positions(d_, mesh_), "coordinates of nodes");
    if (role == ArgumentRole::known)
      return reals(dg_known_values(d_, mesh_), "known fields");
    require(role == ArgumentRole::cell_table, "every argument of a kernel of nodes is bound");
    return reals(cell_table_.values, "parameters by region");
  }
  Buffer reals(const std::vector<double> &values, const char *purpose) const {
    return upload_reals(device_, values, precision_, purpose);
  }

  Device &device_;
  const Discretisation &d_;
  const DgMesh &mesh_;
  Precision precision_;
  const ClassTable &cell_table_;
  std::map<ArgumentRole, Buffer> shared_;
};

int components_of(const std::vector<FieldSpec> &fields) {
  int sum = 0;
  for (const FieldSpec &field : fields)
    sum += field.components();
  return sum;
}

} // namespace

DgNodeLauncher::DgNodeLauncher(Device &device, const Discretisation &d, const DgMesh &mesh,
                               DgNodeSpec spec, const ClassTable &cell_table,
                               const MakeKernel &make, const Arguments &own)
    : device_(device), mesh_(mesh), precision_(spec.precision),
      known_values_(components_of(d.law->auxiliary)), parameters_(cell_table.num_entries) {
  spec.order = mesh.order;
  spec.lanes = mesh.lanes;
  spec.state_by_cell = mesh.state_by_cell;
  NodeInputs inputs(device, d, mesh, precision_, cell_table);
  for (const DgSet &set : mesh.sets) {
    spec.cell = set.operators.element.cell;
    spec.num_nodes = set.num_nodes();
    const auto fixed = [&](const ArgumentSpec &argument) -> KernelArgument {
      switch (argument.role) {
      case ArgumentRole::num_nodes:
        return static_cast<std::int32_t>(nodes_of(set));
      case ArgumentRole::nodes_per_item:
        return static_cast<std::int32_t>(nodes_per_item(nodes_of(set), device.info()));
      case ArgumentRole::first_unit:
        return static_cast<std::int32_t>(set.first_unit);
      default:
        const auto given = own.find(argument.role);
        return given != own.end() ? given->second : inputs.of_set(argument.role, set);
      }
    };
    launches_.emplace_back(device, make(spec), launch_size(set), precision_, fixed);
  }
}

void DgNodeLauncher::launch(const LawCall &call) {
  for (LawLaunch &launch : launches_)
    launch.run(call);
}

// Counts those of whole lane groups.
std::int64_t DgNodeLauncher::nodes_of(const DgSet &set) const {
  return set.groups.num_groups() * set.num_nodes();
}

Launch DgNodeLauncher::launch_size(const DgSet &set) const {
  const std::int64_t nodes = nodes_of(set), per_item = nodes_per_item(nodes, device_.info());
  Launch launch{.group_size = device_.info().is_cpu ? 1 : 64};
  const std::int64_t items = (nodes + per_item - 1) / per_item;
  launch.groups = (items + launch.group_size - 1) / launch.group_size;
  return launch;
}

std::vector<NamedCost> DgNodeLauncher::costs(const Work &work) const {
  std::vector<NamedCost> costs;
  const double real = double(size_bytes(precision_));
  for (std::size_t s = 0; s < launches_.size(); ++s) {
    const DgSet &set = mesh_.sets[s];
    const LawLaunch &launch = launches_[s];
    const double nodes = double(nodes_of(set)), slots = nodes * mesh_.lanes;
    const double cells = double(set.groups.num_groups() * mesh_.lanes);
    KernelCost cost;
    cost.operations = work.steps * slots * launch.source().cost.operations;
    cost.operations += work.steps * nodes * work.scalars_a_step;
    cost.bytes_read = real * slots * work.reads;
    for (const ArgumentSpec &argument : launch.source().arguments)
      switch (argument.role) {
      case ArgumentRole::known:
        cost.bytes_read += real * slots * known_values_;
        break;
      case ArgumentRole::coordinates:
        cost.bytes_read += real * slots * mesh_.dim;
        break;
      case ArgumentRole::cell_size:
        cost.bytes_read += real * cells;
        break;
      case ArgumentRole::cell_class:
        cost.bytes_read += double(sizeof(std::int32_t)) * cells;
        break;
      case ArgumentRole::cell_table:
        cost.bytes_read += real *
                           double(std::set(set.cell_class.begin(), set.cell_class.end()).size()) *
                           parameters_;
        break;
      default:
        break;
      }
    cost.bytes_written = real * slots * work.writes;
    cost.slots = slots;
    cost.lanes = mesh_.lanes;
    count_launch(cost, launch.size());
    costs.push_back({launch.source().name, cost});
  }
  return costs;
}

} // namespace weft
