#include "op/set_up/tied_nodes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <Eigen/Dense>

#include "base/error.h"
#include "op/evaluate/point_location.h"
#include "op/evaluate/point_values.h"
#include "op/evaluate/state_fault.h"

namespace weft {

namespace {

// Of a cell's size: by how much curved facets, or gaps, may be apart.
constexpr double largest_gap = 0.1;
// Weights that are this near to 0 and 1 are those of a node that lies on another.
constexpr double same_node = 1e-5;
constexpr double no_weight = 1e-12;
// Points along a facet, as a degree: kinks within are met to about a thousandth.
constexpr int degree_of_line = 31;
constexpr int degree_of_face = 12;

// A point on a facet, in the reference coordinates of its cell.
struct PlaceOnFacet {
  int set = 0;
  std::int32_t cell = 0;
  std::vector<double> reference;
  double away = 0; // how far the point was moved to lie on the facet
};

// The nearest point on the plane of a local facet.
std::vector<double> onto_facet(CellType cell, int facet, const std::vector<double> &reference) {
  const int dim = dimension(cell);
  const auto corners = reference_vertices(cell);
  const auto vertices = facet_vertices(cell, facet);
  const Eigen::Map<const Eigen::VectorXd> point(reference.data(), dim);
  const Eigen::Map<const Eigen::VectorXd> origin(&corners[vertices[0] * dim], dim);
  Eigen::MatrixXd along(dim, dim - 1);
  for (int k = 0; k + 1 < dim; ++k)
    along.col(k) = Eigen::Map<const Eigen::VectorXd>(&corners[vertices[k + 1] * dim], dim) - origin;
  const Eigen::VectorXd nearest =
      origin + along * along.colPivHouseholderQr().solve(point - origin);
  return {nearest.data(), nearest.data() + dim};
}

// Where points lie on the facets of a group.
class FacetsOfGroup {
public:
  FacetsOfGroup(const Discretisation &d, const std::vector<FacetGroup> &groups)
      : d_(d), geometry_(d.geometry) {
    facets_.resize(geometry_.sets.size());
    for (NodeMapSet &set : geometry_.sets)
      set.nodes.clear();
    for (const FacetGroup &group : groups) {
      const NodeMapSet &all = d.geometry.sets[group.set];
      const int n = all.element.num_nodes();
      for (const std::int32_t cell : group.cells) {
        const auto *nodes = &all.nodes[std::int64_t{cell} * n];
        geometry_.sets[group.set].nodes.insert(geometry_.sets[group.set].nodes.end(), nodes,
                                               nodes + n);
        facets_[group.set].emplace_back(cell, group.facet);
      }
    }
  }

  // [point]: none where it lies on no facet.
  std::vector<std::optional<PlaceOnFacet>> places(const std::vector<double> &points) const {
    std::vector<std::int64_t> num_cells;
    for (const auto &of_set : facets_)
      num_cells.push_back(static_cast<std::int64_t>(of_set.size()));
    const auto located = locate_points(geometry_, d_.mesh->dim, num_cells, points, largest_gap);
    std::vector<std::optional<PlaceOnFacet>> places(located.size());
    for (std::size_t p = 0; p < located.size(); ++p)
      for (const LocatedPoint &at : located[p]) {
        const auto [cell, facet] = facets_[at.set][at.cell];
        PlaceOnFacet place{at.set, cell,
                           onto_facet(d_.mesh->sets[at.set].type, facet, at.reference)};
        for (std::size_t k = 0; k < place.reference.size(); ++k)
          place.away = std::max(place.away, std::abs(place.reference[k] - at.reference[k]));
        place.away = std::max(place.away, at.outside);
        if (place.away <= largest_gap && (!places[p] || place.away < places[p]->away))
          places[p] = std::move(place);
      }
    return places;
  }

private:
  const Discretisation &d_;
  NodeMap geometry_; // of the cells that the facets are of
  std::vector<std::vector<std::pair<std::int32_t, int>>> facets_; // [set]: cell, local facet
};

// A group's trace at points of the other.
class Trace {
public:
  Trace(const Discretisation &d, int map, const std::vector<FacetGroup> &groups, ToOther to_group,
        std::string where)
      : d_(d), map_(d.maps[map]), facets_(d, groups), to_group_(std::move(to_group)),
        where_(std::move(where)) {}

  // [point]: the basis functions that are not 0 there. points: [point, dim].
  std::vector<WeightedNodes> at(const std::vector<double> &points) const {
    const int dim = d_.mesh->dim;
    std::vector<double> moved(points.size());
    for (std::size_t p = 0; p < points.size(); p += dim)
      to_group_(&points[p], &moved[p]);
    const auto places = facets_.places(moved);
    std::vector<WeightedNodes> traces(places.size());
    std::vector<double> phi, dphi;
    for (std::size_t p = 0; p < places.size(); ++p) {
      if (!places[p])
        fail_off(&points[p * dim], &moved[p * dim]);
      const NodeMapSet &set = map_.sets[places[p]->set];
      const int n = set.element.num_nodes();
      set.element.tabulate(places[p]->reference, phi, dphi);
      for (int i = 0; i < n; ++i)
        if (std::abs(phi[i]) > no_weight)
          traces[p].emplace_back(set.nodes[std::int64_t{places[p]->cell} * n + i], phi[i]);
    }
    return traces;
  }

private:
  [[noreturn]] void fail_off(const double *point, const double *moved) const {
    throw Error(ErrorKind::input,
                {.what = "tied groups of facets that do not lie on one another",
                 .where = where_,
                 .found = "the point " + describe_position(point, d_.mesh->dim) +
                          " of one, which is " + describe_position(moved, d_.mesh->dim) +
                          " on the other, is on none of its facets",
                 .allowed = "groups of which one is the other moved, or turned by `rotation`, up "
                            "to a tenth of a cell"});
  }

  const Discretisation &d_;
  const NodeMap &map_;
  FacetsOfGroup facets_;
  ToOther to_group_;
  std::string where_;
};

std::vector<std::int32_t> nodes_of_groups(const NodeMap &map,
                                          const std::vector<FacetGroup> &groups) {
  std::vector<std::int32_t> nodes;
  for (const FacetGroup &group : groups) {
    const NodeMapSet &set = map.sets[group.set];
    const int n = set.element.num_nodes();
    for (const int local : set.element.facet_nodes(group.facet))
      for (const std::int32_t cell : group.cells)
        nodes.push_back(set.nodes[std::int64_t{cell} * n + local]);
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

// Each node by the one that it lies on; none where one lies on no other.
std::optional<TiedNodes> matching_nodes(const Discretisation &d, int map,
                                        const std::vector<FacetGroup> &second, const Trace &first) {
  TiedNodes tied{.nodes = nodes_of_groups(d.maps[map], second), .of_nodes = {}};
  const int dim = d.mesh->dim;
  std::vector<double> points;
  for (const std::int32_t node : tied.nodes) {
    const double *x = &d.maps[map].coordinates[std::int64_t{node} * dim];
    points.insert(points.end(), x, x + dim);
  }
  for (const WeightedNodes &trace : first.at(points)) {
    const auto largest =
        std::max_element(trace.begin(), trace.end(),
                         [](const auto &a, const auto &b) { return a.second < b.second; });
    for (const auto &[node, weight] : trace)
      if (std::abs(weight - (node == largest->first ? 1 : 0)) > same_node)
        return std::nullopt;
    tied.of_nodes.push_back({{largest->first, 1.0}});
  }
  return tied;
}

// Sums over facets, by node of the second group.
struct Projection {
  std::map<std::int32_t, double> scale;
  std::map<std::int32_t, std::map<std::int32_t, double>> of_first;
};

// The facets of one group of the second side.
void add_facets(const Discretisation &d, int map, const FacetGroup &group, const Trace &first,
                Projection &projection) {
  const NodeMapSet &set = d.maps[map].sets[group.set];
  const std::vector<int> local = set.element.facet_nodes(group.facet);
  const int dim = d.mesh->dim, num_nodes = set.element.num_nodes();
  const auto n = static_cast<Eigen::Index>(local.size());
  const PointTable table =
      make_facet_table(d, group.set, group.facet, dim == 2 ? degree_of_line : degree_of_face);
  const PointBatch batch(d, table, group.cells);
  const std::vector<double> &measure = batch.measure();
  std::vector<double> points;
  for (int p = 0; p < batch.num_points(); ++p)
    for (int k = 0; k < dim; ++k)
      points.push_back(batch.coordinate(k)[p]);
  const std::vector<WeightedNodes> traces = first.at(points);
  for (std::size_t c = 0; c < group.cells.size(); ++c) {
    Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd integrals = Eigen::VectorXd::Zero(n);
    std::map<std::int32_t, Eigen::VectorXd> with_first; // integrals of basis times basis
    double area = 0;
    for (int q = 0; q < table.num_points; ++q) {
      const std::size_t at = c * table.num_points + q;
      Eigen::VectorXd phi(n);
      for (Eigen::Index i = 0; i < n; ++i)
        phi[i] = table.maps[map].phi[q * num_nodes + local[i]];
      mass += measure[at] * phi * phi.transpose();
      integrals += measure[at] * phi;
      area += measure[at];
      for (const auto &[node, weight] : traces[at]) {
        Eigen::VectorXd &sum = with_first.try_emplace(node, Eigen::VectorXd::Zero(n)).first->second;
        sum += measure[at] * weight * phi;
      }
    }
    // The integral of psi_i, which may be anything but 0, as those of vertices of triangles of
    // order 2 are.
    Eigen::VectorXd scale = integrals.cwiseAbs();
    for (Eigen::Index i = 0; i < n; ++i)
      if (scale[i] < 1e-3 * area / double(n))
        scale[i] = area / double(n);
    const Eigen::LDLT<Eigen::MatrixXd> factors(mass);
    const auto node_of = [&](Eigen::Index i) {
      return set.nodes[std::int64_t{group.cells[c]} * num_nodes + local[i]];
    };
    for (Eigen::Index i = 0; i < n; ++i)
      projection.scale[node_of(i)] += scale[i];
    for (const auto &[node, sum] : with_first) {
      const Eigen::VectorXd dual = scale.cwiseProduct(factors.solve(sum));
      for (Eigen::Index i = 0; i < n; ++i)
        projection.of_first[node_of(i)][node] += dual[i];
    }
  }
}

} // namespace

TiedNodes tie_nodes(const Discretisation &d, int map, const std::vector<FacetGroup> &first,
                    const std::vector<FacetGroup> &second, const ToOther &to_first,
                    const std::string &where) {
  const Trace trace(d, map, first, to_first, where);
  if (std::optional<TiedNodes> matching = matching_nodes(d, map, second, trace))
    return std::move(*matching);
  Projection projection;
  for (const FacetGroup &group : second)
    add_facets(d, map, group, trace, projection);
  TiedNodes tied;
  for (const auto &[node, weights] : projection.of_first) {
    const double scale = projection.scale.at(node);
    WeightedNodes of_node;
    double sum = 0;
    for (const auto &[other, weight] : weights)
      if (std::abs(weight) > 1e-10 * scale) {
        of_node.emplace_back(other, weight / scale);
        sum += weight / scale;
      }
    for (auto &[other, weight] : of_node)
      weight /= sum;
    tied.nodes.push_back(node);
    tied.of_nodes.push_back(std::move(of_node));
  }
  return tied;
}

} // namespace weft
