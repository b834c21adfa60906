#include "op/law/dg_node_launcher.h"

#include <algorithm>
#include <set>

#include "linalg/vector_cost.h"
#include "op/law/dg_inputs.h"

namespace weft {

namespace {

// A work-item of a CPU takes many nodes, so that it pays; of a GPU one, so that neighbours read
// what lies side by side.
std::int64_t nodes_per_item(std::int64_t nodes, const DeviceInfo &device) {
  if (!device.is_cpu)
    return 1;
  const std::int64_t share = nodes / (std::int64_t(device.compute_units) * 16);
  return std::clamp<std::int64_t>(share, 1, 256);
}

} // namespace

DgNodeLauncher::DgNodeLauncher(Device &device, const Discretisation &d, const DgMesh &mesh,
                               DgNodeSpec spec, const ClassTable &cell_table,
                               const MakeKernel &make)
    : device_(device), mesh_(mesh), precision_(spec.precision) {
  spec.order = mesh.order;
  spec.lanes = mesh.lanes;
  spec.state_by_cell = mesh.state_by_cell;
  for (const DgSet &set : mesh.sets) {
    spec.cell = set.operators.element.cell;
    spec.num_nodes = set.num_nodes();
    const DgNodeKernel &kernel = kernels_.emplace_back(make(spec));
    programs_.push_back(
        device.build({.name = kernel.name, .text = kernel.text, .kernels = {kernel.name}}));
  }
  upload_inputs(d, cell_table);
}

void DgNodeLauncher::upload_inputs(const Discretisation &d, const ClassTable &cell_table) {
  const auto reads = [&](const char *name) {
    return std::any_of(kernels_.begin(), kernels_.end(), [&](const DgNodeKernel &kernel) {
      return std::count(kernel.arguments.begin(), kernel.arguments.end(), name) > 0;
    });
  };
  if (reads("coordinates"))
    shared_["coordinates"] = reals(dg_node_places(d, mesh_), "coordinates of nodes");
  if (reads("known"))
    shared_["known"] = reals(dg_known_values(d, mesh_), "known fields");
  if (reads("cell_table"))
    shared_["cell_table"] = reals(cell_table.values, "parameters by region");
  for (const DgSet &set : mesh_.sets) {
    auto &buffers = of_set_.emplace_back();
    if (reads("cell_class"))
      buffers["cell_class"] = upload(device_, set.cell_class, "regions");
    if (reads("cell_size"))
      buffers["cell_size"] = reals(dg_cell_sizes(d, mesh_, set), "sizes of cells");
  }
}

Buffer DgNodeLauncher::reals(const std::vector<double> &values, const char *purpose) const {
  Vector vector = make_vector(device_, std::int64_t(values.size()), precision_, purpose);
  set_vector(device_, vector, values);
  return vector.buffer;
}

KernelArgument DgNodeLauncher::real(double value) const {
  if (precision_ == Precision::f64)
    return value;
  return static_cast<float>(value);
}

Vector DgNodeLauncher::array(int width, const char *purpose) const {
  return make_vector(device_, mesh_.size(width), precision_, purpose);
}

void DgNodeLauncher::launch(const Arguments &arguments) {
  for (std::size_t s = 0; s < kernels_.size(); ++s) {
    const DgSet &set = mesh_.sets[s];
    const std::int64_t nodes = nodes_of(set);
    Arguments all = arguments;
    all.emplace("num_nodes", static_cast<std::int32_t>(nodes));
    all.emplace("nodes_per_item", static_cast<std::int32_t>(nodes_per_item(nodes, device_.info())));
    all.emplace("first_unit", static_cast<std::int32_t>(set.first_unit));
    all.insert(shared_.begin(), shared_.end());
    all.insert(of_set_[s].begin(), of_set_[s].end());
    std::vector<KernelArgument> values;
    for (const std::string &name : kernels_[s].arguments)
      values.push_back(all.at(name));
    device_.launch(programs_[s], kernels_[s].name, launch_of(set), values);
  }
}

// Of groups of lanes.
std::int64_t DgNodeLauncher::nodes_of(const DgSet &set) const {
  return set.groups.num_groups() * set.num_nodes();
}

Launch DgNodeLauncher::launch_of(const DgSet &set) const {
  const std::int64_t nodes = nodes_of(set), per_item = nodes_per_item(nodes, device_.info());
  Launch launch{.group_size = device_.info().is_cpu ? 1 : 64};
  const std::int64_t items = (nodes + per_item - 1) / per_item;
  launch.groups = (items + launch.group_size - 1) / launch.group_size;
  return launch;
}

std::vector<NamedCost> DgNodeLauncher::costs(const Work &work) const {
  std::vector<NamedCost> costs;
  const double real = double(size_bytes(precision_));
  for (std::size_t s = 0; s < kernels_.size(); ++s) {
    const DgSet &set = mesh_.sets[s];
    const DgNodeKernel &kernel = kernels_[s];
    const double nodes = double(nodes_of(set)), slots = nodes * mesh_.lanes;
    const double cells = double(set.groups.num_groups() * mesh_.lanes);
    KernelCost cost;
    cost.operations = work.steps * slots * kernel.operations;
    cost.operations += work.steps * nodes * work.scalars_a_step;
    cost.bytes_read = real * slots * (work.reads + kernel.place_values);
    if (kernel.reads_cell_size)
      cost.bytes_read += real * cells;
    if (kernel.parameters > 0) {
      const std::set<std::int32_t> classes(set.cell_class.begin(), set.cell_class.end());
      cost.bytes_read +=
          double(sizeof(std::int32_t)) * cells + real * double(classes.size()) * kernel.parameters;
    }
    cost.bytes_written = real * slots * work.writes;
    cost.slots = slots;
    cost.lanes = mesh_.lanes;
    count_launch(cost, launch_of(set));
    costs.push_back({kernel.name, cost});
  }
  return costs;
}

} // namespace weft
