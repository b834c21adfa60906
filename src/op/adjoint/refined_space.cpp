#include "op/adjoint/refined_space.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <Eigen/Dense>

#include "base/error.h"

namespace weft {

namespace {

constexpr double rounding = 1e-9;

// Inside of the cell of a type: all functions of order 1 are positive there.
bool contains(CellType cell, const std::vector<double> &point) {
  std::vector<double> phi, dphi;
  make_element(cell, 1).tabulate(point, phi, dphi);
  return std::all_of(phi.begin(), phi.end(), [](double value) { return value > -rounding; });
}

// Points of `type` by the places of its vertices, which an affine map gives.
std::vector<double> mapped(CellType type, const std::vector<double> &vertices,
                           const std::vector<double> &points) {
  const int dim = dimension(type), n = num_vertices(type);
  std::vector<double> phi, dphi, result(points.size(), 0.);
  make_element(type, 1).tabulate(points, phi, dphi);
  for (std::size_t p = 0; p < points.size() / dim; ++p)
    for (int v = 0; v < n; ++v)
      for (int e = 0; e < dim; ++e)
        result[p * dim + e] += phi[p * n + v] * vertices[v * dim + e];
  return result;
}

// The cells of a mesh by their sorted vertices.
using CellsByVertices = std::map<std::vector<std::int32_t>, std::pair<std::int32_t, std::int32_t>>;

CellsByVertices cells_by_vertices(const Mesh &mesh) {
  CellsByVertices cells;
  for (std::size_t s = 0; s < mesh.sets.size(); ++s) {
    const CellSet &set = mesh.sets[s];
    for (std::int64_t c = 0; c < set.num_cells(); ++c) {
      const auto first = set.nodes.begin() + c * set.nodes_per_cell;
      std::vector<std::int32_t> vertices(first, first + num_vertices(set.type));
      std::sort(vertices.begin(), vertices.end());
      cells[vertices] = {static_cast<std::int32_t>(s), static_cast<std::int32_t>(c)};
    }
  }
  return cells;
}

} // namespace

std::vector<double> RefinedCells::Pattern::into_cell(const std::vector<double> &points) const {
  return mapped(part, vertices, points);
}

std::vector<double> RefinedCells::Pattern::into_part(const std::vector<double> &points) const {
  const int dim = dimension(cell);
  const std::vector<double> middle(dim, 0.25); // anywhere: the map is affine
  std::vector<double> corner = into_cell(middle);
  Eigen::MatrixXd jacobian(dim, dim);
  for (int e = 0; e < dim; ++e) {
    std::vector<double> moved = middle;
    moved[e] += 0.5;
    const std::vector<double> at = into_cell(moved);
    for (int d = 0; d < dim; ++d)
      jacobian(d, e) = 2 * (at[d] - corner[d]);
  }
  const Eigen::MatrixXd inverse = jacobian.inverse();
  std::vector<double> result(points.size());
  for (std::size_t p = 0; p < points.size(); p += dim)
    for (int e = 0; e < dim; ++e) {
      result[p + e] = middle[e];
      for (int d = 0; d < dim; ++d)
        result[p + e] += inverse(e, d) * (points[p + d] - corner[d]);
    }
  return result;
}

RefinedCells::RefinedCells(const Mesh &coarse, const Mesh &fine, const VertexParents &parents)
    : coarse_(coarse), fine_(fine) {
  const CellsByVertices cells = cells_by_vertices(coarse);
  for (const CellSet &set : fine.sets) {
    std::vector<Parent> &of_set = parents_.emplace_back(set.num_cells());
    const int dim = fine.dim, n = num_vertices(set.type);
    for (std::int64_t c = 0; c < set.num_cells(); ++c) {
      const std::int32_t *nodes = &set.nodes[c * set.nodes_per_cell];
      std::set<std::int32_t> all;
      for (int v = 0; v < n; ++v)
        all.insert(parents.of(nodes[v]).begin(), parents.of(nodes[v]).end());
      const auto found = cells.find({all.begin(), all.end()});
      require(found != cells.end(), "a part of a cell has vertices from all of the cell's");
      const auto [parent_set, parent_cell] = found->second;
      const CellSet &of_parent = coarse.sets[parent_set];
      const std::int32_t *corners =
          &of_parent.nodes[std::int64_t{parent_cell} * of_parent.nodes_per_cell];
      const auto reference = reference_vertices(of_parent.type);
      std::vector<double> vertices(static_cast<std::size_t>(n) * dim, 0.);
      for (int v = 0; v < n; ++v)
        for (const std::int32_t vertex : parents.of(nodes[v])) {
          const auto local = std::find(corners, corners + num_vertices(of_parent.type), vertex);
          for (int e = 0; e < dim; ++e)
            vertices[v * dim + e] += reference[(local - corners) * dim + e] /
                                     static_cast<double>(parents.of(nodes[v]).size());
        }
      of_set[c] = {parent_set, parent_cell,
                   pattern_of(of_parent.type, set.type, std::move(vertices))};
    }
  }
}

int RefinedCells::pattern_of(CellType cell, CellType part, std::vector<double> vertices) {
  const auto found = std::find_if(patterns_.begin(), patterns_.end(), [&](const Pattern &pattern) {
    return pattern.cell == cell && pattern.part == part && pattern.vertices == vertices;
  });
  if (found != patterns_.end())
    return static_cast<int>(found - patterns_.begin());
  patterns_.push_back({cell, part, std::move(vertices)});
  return static_cast<int>(patterns_.size()) - 1;
}

std::vector<double> RefinedCells::interpolate(const Discretisation &coarse,
                                              const Discretisation &fine,
                                              const std::vector<double> &values) const {
  std::vector<double> result(fine.num_local);
  for (int f = 0; f < static_cast<int>(fine.form.fields.size()); ++f) {
    const int components = fine.form.fields[f].components();
    const double *in = values.data() + coarse.field_offset[f];
    double *out = result.data() + fine.field_offset[f];
    std::map<int, std::vector<double>> functions; // of the cell at the part's nodes, by pattern
    for (std::size_t s = 0; s < fine_.sets.size(); ++s) {
      const NodeMapSet &target = fine.map_of_field(f).sets[s];
      const int num_out = target.element.num_nodes();
      for (std::size_t c = 0; c < parents_[s].size(); ++c) {
        const Parent &parent = parents_[s][c];
        const NodeMapSet &source = coarse.map_of_field(f).sets[parent.set];
        const int num_in = source.element.num_nodes();
        std::vector<double> &phi = functions[parent.pattern], unused;
        if (phi.empty())
          source.element.tabulate(patterns_[parent.pattern].into_cell(target.element.nodes), phi,
                                  unused);
        for (int i = 0; i < num_out; ++i)
          for (int k = 0; k < components; ++k) {
            double value = 0;
            for (int j = 0; j < num_in; ++j)
              value += phi[i * num_in + j] *
                       in[std::int64_t{source.nodes[std::int64_t{parent.cell} * num_in + j]} *
                              components +
                          k];
            out[std::int64_t{target.nodes[c * num_out + i]} * components + k] = value;
          }
      }
    }
  }
  return result;
}

std::vector<double> RefinedCells::inject(const Discretisation &fine, const Discretisation &coarse,
                                         const std::vector<double> &values) const {
  // The cell's nodes that a part has, and the part's functions there.
  struct Inside {
    std::vector<int> nodes;
    std::vector<double> phi;
  };
  std::vector<double> result(coarse.num_local);
  for (int f = 0; f < static_cast<int>(coarse.form.fields.size()); ++f) {
    const int components = coarse.form.fields[f].components(), dim = coarse_.dim;
    const double *in = values.data() + fine.field_offset[f];
    double *out = result.data() + coarse.field_offset[f];
    std::map<int, Inside> of_patterns;
    for (std::size_t s = 0; s < fine_.sets.size(); ++s) {
      const NodeMapSet &source = fine.map_of_field(f).sets[s];
      const int num_in = source.element.num_nodes();
      for (std::size_t c = 0; c < parents_[s].size(); ++c) {
        const Parent &parent = parents_[s][c];
        const NodeMapSet &target = coarse.map_of_field(f).sets[parent.set];
        const int num_out = target.element.num_nodes();
        const auto [known, is_new] = of_patterns.try_emplace(parent.pattern);
        Inside &inside = known->second;
        if (is_new) {
          const Pattern &pattern = patterns_[parent.pattern];
          const std::vector<double> places = pattern.into_part(target.element.nodes);
          std::vector<double> points, unused;
          for (int i = 0; i < num_out; ++i)
            if (const std::vector<double> place(&places[i * dim], &places[i * dim] + dim);
                contains(pattern.part, place)) {
              inside.nodes.push_back(i);
              points.insert(points.end(), place.begin(), place.end());
            }
          source.element.tabulate(points, inside.phi, unused);
        }
        for (std::size_t i = 0; i < inside.nodes.size(); ++i)
          for (int k = 0; k < components; ++k) {
            double value = 0;
            for (int j = 0; j < num_in; ++j)
              value += inside.phi[i * num_in + j] *
                       in[std::int64_t{source.nodes[c * num_in + j]} * components + k];
            out[std::int64_t{target.nodes[std::int64_t{parent.cell} * num_out + inside.nodes[i]]} *
                    components +
                k] = value;
          }
      }
    }
  }
  return result;
}

RefinedCells::Point RefinedCells::find(int set, std::int32_t cell,
                                       const std::vector<double> &reference) const {
  for (std::size_t s = 0; s < parents_.size(); ++s)
    for (std::size_t c = 0; c < parents_[s].size(); ++c) {
      const Parent &parent = parents_[s][c];
      if (parent.set != set || parent.cell != cell)
        continue;
      const Pattern &pattern = patterns_[parent.pattern];
      std::vector<double> place = pattern.into_part(reference);
      if (contains(pattern.part, place))
        return {static_cast<int>(s), static_cast<std::int32_t>(c), std::move(place)};
    }
  require(false, "the parts of a cell fill it");
  return {};
}

std::vector<double> RefinedCells::sum_of_parts(const std::vector<double> &of_parts) const {
  std::vector<std::int64_t> first; // [set]
  std::int64_t count = 0;
  for (const CellSet &set : coarse_.sets) {
    first.push_back(count);
    count += set.num_cells();
  }
  std::vector<double> result(count, 0.);
  std::size_t part = 0;
  for (const std::vector<Parent> &of_set : parents_)
    for (const Parent &parent : of_set)
      result[first[parent.set] + parent.cell] += of_parts[part++];
  return result;
}

} // namespace weft
