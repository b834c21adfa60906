#include "mesh/statistics/group_measures.h"

#include <array>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "mesh/cell_volume.h"

namespace weft {

namespace {

Position mean_of(const Mesh &mesh, std::span<const std::int32_t> vertices) {
  Position mean = {0, 0, 0};
  for (const std::int32_t vertex : vertices)
    for (int d = 0; d < mesh.dim; ++d)
      mean[d] += position_of(mesh, vertex)[d] / static_cast<double>(vertices.size());
  return mean;
}

// Its length is the facet's area; flat facets are exact.
Position area_vector(const Mesh &mesh, std::span<const std::int32_t> vertices) {
  const auto between = [&](std::size_t a, std::size_t b) {
    return difference_of(position_of(mesh, vertices[b]), position_of(mesh, vertices[a]));
  };
  if (vertices.size() == 2) {
    const Position along = between(0, 1);
    return {along[1], -along[0], 0};
  }
  Position area = vertices.size() == 3 ? cross_product(between(0, 1), between(0, 2))
                                       : cross_product(between(0, 2), between(1, 3));
  for (double &component : area)
    component /= 2;
  return area;
}

class Measures {
public:
  // `normal`: times the measure.
  void add(const std::string &name, int dim, double measure, const Position &centre,
           const Position &normal = {}) {
    GroupMeasure &group = groups_[{-dim, name}];
    group.name = name;
    group.dim = dim;
    ++group.count;
    group.measure += measure;
    for (int d = 0; d < 3; ++d) {
      group.centre[d] += measure * centre[d];
      group.normal[d] += normal[d];
    }
  }

  std::vector<GroupMeasure> take() {
    std::vector<GroupMeasure> result;
    for (auto &[key, group] : groups_) {
      for (int d = 0; d < 3; ++d) {
        group.centre[d] /= group.measure;
        group.normal[d] /= group.measure;
      }
      result.push_back(std::move(group));
    }
    return result;
  }

private:
  std::map<std::pair<int, std::string>, GroupMeasure> groups_;
};

} // namespace

std::vector<GroupMeasure> group_measures(const Mesh &mesh) {
  Measures measures;
  for (const CellSet &set : mesh.sets)
    for (std::int64_t c = 0; c < set.num_cells(); ++c) {
      const auto nodes = std::span(set.nodes).subspan(c * set.nodes_per_cell, set.nodes_per_cell);
      const double volume = cell_size(set.type, nodes, mesh.coordinates.data(), mesh.dim).volume;
      const Position centre = mean_of(mesh, nodes.first(num_vertices(set.type)));
      for (const std::string &group : mesh.region_classes[set.region[c]].groups)
        measures.add(group, mesh.dim, volume, centre);
    }
  for (const Facet &facet : mesh.facets) {
    const CellSet &set = mesh.sets[facet.minus.set];
    std::array<std::int32_t, 4> nodes;
    std::size_t n = 0;
    for (const int v : facet_vertices(set.type, facet.minus.facet))
      nodes[n++] = set.nodes[std::int64_t{facet.minus.cell} * set.nodes_per_cell + v];
    const auto vertices = std::span<const std::int32_t>(nodes).first(n);
    const Position area = area_vector(mesh, vertices);
    std::vector<std::string> groups = mesh.facet_classes[facet.facet_class].groups;
    if (groups.empty())
      groups = {""};
    for (const std::string &group : groups)
      measures.add(group, mesh.dim - 1, norm_of(area), mean_of(mesh, vertices), area);
  }
  for (const auto &[group, edges] : mesh.edge_groups)
    for (const Edge &edge : edges)
      measures.add(group, 1,
                   norm_of(difference_of(position_of(mesh, edge[1]), position_of(mesh, edge[0]))),
                   mean_of(mesh, edge));
  for (const auto &[group, nodes] : mesh.point_groups)
    for (const std::int32_t node : nodes)
      measures.add(group, 0, 1, position_of(mesh, node));
  return measures.take();
}

} // namespace weft
