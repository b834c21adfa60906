#include "op/law/mesh/dg_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <unordered_map>

#include "base/error.h"
#include "mesh/build/common_vertices.h"
#include "mesh/build/periodic_facets.h"
#include "op/evaluate/point_values.h"
#include "op/law/mesh/dg_geometry.h"
#include "op/law/mesh/facet_neighbours.h"
#include "op/law/mesh/fv_geometry.h"
#include "op/layout/lane_clusters.h"

namespace weft {

namespace {

constexpr VertexPairs itself = {-1, -1, -1, -1}; // of a facet that is its own neighbour

// Weights of a facet's vertices at a point of its reference cell: linear, or bilinear.
std::vector<double> vertex_weights(CellType facet, const double *point) {
  if (facet == CellType::interval)
    return {1 - point[0], point[0]};
  if (facet == CellType::triangle)
    return {1 - point[0] - point[1], point[0], point[1]};
  const double s = point[0], t = point[1];
  return {(1 - s) * (1 - t), s * (1 - t), s * t, (1 - s) * t};
}

// Rows of DgMesh::rows, each once.
class FacetRows {
public:
  explicit FacetRows(DgMesh &mesh) : mesh_(mesh) {
    int most = 0;
    for (const DgSet &set : mesh.sets) {
      mesh.plus_entries = std::max(mesh.plus_entries, set.operators.entries());
      for (const NodalFacet &facet : set.operators.facets)
        most = std::max(most, facet.num_points());
    }
    mesh.row_entries = 1 + most * mesh.plus_entries;
  }

  int row(const FacetRef &minus, const FacetRef &plus, const VertexPairs &pairs) {
    std::uint64_t key = 0;
    for (const int part : {minus.set, int(minus.facet), plus.set, int(plus.facet), int(pairs[0]),
                           int(pairs[1]), int(pairs[2]), int(pairs[3])})
      key = key << 8 | static_cast<std::uint8_t>(part);
    const auto [entry, is_new] = known_.try_emplace(key, static_cast<int>(known_.size()));
    if (is_new)
      add(minus, plus, pairs);
    return entry->second;
  }

private:
  void add(const FacetRef &minus, const FacetRef &plus, const VertexPairs &pairs) {
    const NodalOperators &of_minus = mesh_.sets[minus.set].operators;
    const NodalOperators &of_plus = mesh_.sets[plus.set].operators;
    std::vector<std::int32_t> entries(mesh_.row_entries, 0);
    std::vector<double> factors(mesh_.row_entries - 1, 0.0);
    entries[0] = of_plus.element.num_nodes();
    const NodalFacet &facet = of_plus.facets[plus.facet];
    const int num_points = of_minus.facets[minus.facet].num_points();
    for (int k = 0; k < num_points; ++k) {
      const int point = pairs == itself ? k : plus_point(of_minus, minus, facet, plus, pairs, k);
      for (int e = 0; e < mesh_.plus_entries; ++e) {
        const bool is_used = e < facet.entries;
        const int from = point * facet.entries + (is_used ? e : 0);
        entries[1 + k * mesh_.plus_entries + e] = facet.nodes[from];
        factors[k * mesh_.plus_entries + e] = is_used ? facet.trace[from] : 0;
      }
    }
    mesh_.rows.insert(mesh_.rows.end(), entries.begin(), entries.end());
    mesh_.row_factors.insert(mesh_.row_factors.end(), factors.begin(), factors.end());
  }

  // The point of the plus side's facet where point k of the minus side's is.
  int plus_point(const NodalOperators &of_minus, const FacetRef &minus, const NodalFacet &facet,
                 const FacetRef &plus, const VertexPairs &pairs, int k) const {
    const int dim = mesh_.dim;
    const auto weights =
        vertex_weights(facet.type, &of_minus.facets[minus.facet].own_points[k * (dim - 1)]);
    const CellType plus_cell = mesh_.sets[plus.set].operators.element.cell;
    const auto corners = reference_vertices(plus_cell);
    const auto vertices = facet_vertices(plus_cell, plus.facet);
    Position x = {0, 0, 0};
    for (std::size_t v = 0; v < weights.size(); ++v)
      for (int d = 0; d < dim; ++d)
        x[d] += weights[v] * corners[vertices[pairs[v]] * dim + d];
    int nearest = -1;
    double distance = 1e-16; // squared
    for (int point = 0; point < facet.num_points(); ++point) {
      Position y = {0, 0, 0};
      for (int d = 0; d < dim; ++d)
        y[d] = facet.points[point * dim + d];
      if (square_distance(x, y) < distance) {
        nearest = point;
        distance = square_distance(x, y);
      }
    }
    require(nearest >= 0, "points of neighbours meet on their facet");
    return nearest;
  }

  DgMesh &mesh_;
  std::unordered_map<std::uint64_t, int> known_; // by sets, facets and common vertices
};

// This rank's cells of a set, the inner ones first.
struct OwnCells {
  std::int64_t inner = 0, all = 0;
};
OwnCells own_cells(const Mesh &mesh, int set) {
  if (!mesh.share)
    return {mesh.sets[set].num_cells(), mesh.sets[set].num_cells()};
  return {mesh.share->sets[set].num_inner, mesh.share->sets[set].num_owned};
}

// The cell of each lane; lanes without one have the group's first.
std::int32_t cell_of(const LaneGroups &groups, std::int64_t lane) {
  const std::int32_t cell = groups.cells[lane];
  return cell >= 0 ? cell : groups.cells[lane / groups.lanes * groups.lanes];
}

void pair_up(const Mesh &mesh, const Facet &facet, FacetRows &rows, DgMesh &dg,
             FacetNeighbours &neighbours) {
  const auto one_way = [&](const FacetRef &minus, const FacetRef &plus) {
    FacetNeighbour &m =
        neighbours[minus.set]
                  [std::int64_t(minus.cell) * dg.sets[minus.set].num_facets() + minus.facet];
    m.plus = plus;
    m.facet_class = facet.facet_class;
    m.row = rows.row(minus, plus, common_vertices(mesh, minus, plus));
  };
  one_way(facet.minus, facet.plus);
  one_way(facet.plus, facet.minus);
}

FacetNeighbours find_neighbours(const Discretisation &d, DgMesh &dg,
                                const std::vector<int> &condition_of_class) {
  const Mesh &mesh = *d.mesh;
  FacetNeighbours neighbours(mesh.sets.size());
  for (std::size_t s = 0; s < mesh.sets.size(); ++s)
    neighbours[s].resize(mesh.sets[s].num_cells() * dg.sets[s].num_facets());
  FacetRows rows(dg);
  for (const Facet &facet : interior_facets(mesh))
    pair_up(mesh, facet, rows, dg, neighbours);
  for (const Facet &facet : periodic_facets(mesh))
    pair_up(mesh, facet, rows, dg, neighbours);
  for (std::int64_t f = 0; f < mesh.num_boundary_facets; ++f) {
    const Facet &facet = mesh.facets[f];
    FacetNeighbour &m = neighbours[facet.minus.set][std::int64_t(facet.minus.cell) *
                                                        dg.sets[facet.minus.set].num_facets() +
                                                    facet.minus.facet];
    if (m.plus.cell >= 0 || !is_own_cell(mesh, facet.minus))
      continue; // periodic, or nobody looks through it here
    m = {.plus = facet.minus,
         .row = rows.row(facet.minus, facet.minus, itself),
         .condition = condition_of_class[facet.facet_class],
         .facet_class = facet.facet_class};
    require(m.condition >= 0, "every boundary facet has a boundary condition");
  }
  return neighbours;
}

void make_sets(const Discretisation &d, DgMesh &mesh) {
  const auto &sets = d.mesh->sets;
  const LineNodes edges = dg_edge_points(*d.mesh);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    DgSet &set = mesh.sets.emplace_back();
    set.set = static_cast<int>(s);
    set.operators = make_nodal_operators(make_nodal_element(sets[s].type, mesh.order), edges);
    set.facet_offset = {0};
    for (const NodalFacet &facet : set.operators.facets)
      set.facet_offset.push_back(set.facet_offset.back() + facet.num_points());
  }
}

// Cells [begin, end) of a set, clustered among themselves. Appends.
void cluster(const std::vector<FacetNeighbour> &neighbours, std::int64_t begin, std::int64_t end,
             DgSet &set) {
  std::vector<std::int32_t> cells; // across facets, as far as they are of the range; else -1
  for (std::int64_t i = begin * set.num_facets(); i < end * set.num_facets(); ++i) {
    const FacetNeighbour &m = neighbours[i];
    const bool is_here =
        m.plus.set == set.set && m.condition < 0 && m.plus.cell >= begin && m.plus.cell < end;
    cells.push_back(is_here ? static_cast<std::int32_t>(m.plus.cell - begin) : -1);
  }
  for (const std::int32_t cell : clustered_groups(cells, set.num_facets(), set.groups.lanes).cells)
    set.groups.cells.push_back(cell < 0 ? -1 : static_cast<std::int32_t>(begin + cell));
}

void number_groups(const Discretisation &d, const FacetNeighbours &neighbours, DgMesh &mesh) {
  for (DgSet &set : mesh.sets) {
    const std::int64_t num_cells = d.mesh->sets[set.set].num_cells();
    set.groups.lanes = mesh.lanes;
    const OwnCells own = own_cells(*d.mesh, set.set);
    cluster(neighbours[set.set], 0, own.inner, set);
    set.num_inner_groups = set.groups.num_groups();
    cluster(neighbours[set.set], own.inner, own.all, set);
    set.first_unit = mesh.num_units;
    mesh.num_units += set.groups.num_groups() * set.num_nodes();
    set.first_group = mesh.num_groups;
    mesh.num_groups += set.groups.num_groups();
    set.slot.resize(num_cells);
    for (std::int64_t ghost = own.all; ghost < num_cells; ++ghost)
      set.slot[ghost] =
          static_cast<std::int32_t>(std::int64_t(set.groups.cells.size()) + ghost - own.all);
    set.num_ghost_groups = (num_cells - own.all + mesh.lanes - 1) / mesh.lanes;
    for (std::size_t i = 0; i < set.groups.cells.size(); ++i) {
      set.cell_class.push_back(d.mesh->sets[set.set].region[cell_of(set.groups, std::int64_t(i))]);
      if (set.groups.cells[i] >= 0)
        set.slot[set.groups.cells[i]] = static_cast<std::int32_t>(i);
    }
  }
  for (DgSet &set : mesh.sets) {
    set.first_ghost_unit = mesh.num_units + mesh.num_ghost_units;
    mesh.num_ghost_units += set.num_ghost_groups * set.num_nodes();
    set.first_ghost_group = mesh.num_groups + mesh.num_ghost_groups;
    mesh.num_ghost_groups += set.num_ghost_groups;
  }
  if (mesh.num_units + mesh.num_ghost_units > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorKind::unsupported, {.what = "more cells than one device's part numbers",
                                         .found = fmt::format("{} cells", d.mesh->num_cells()),
                                         .remedy = "use a coarser mesh or a lower order"});
}

void set_neighbours(const Mesh &mesh, const FacetNeighbours &neighbours, DgMesh &dg) {
  for (DgSet &set : dg.sets) {
    const int facets = set.num_facets(), lanes = dg.lanes;
    const std::int64_t count = set.groups.num_groups() * facets * lanes;
    for (auto *array :
         {&set.plus_unit, &set.plus_row, &set.condition, &set.facet_class, &set.plus_class})
      array->resize(count);
    set.conditions.assign(set.groups.num_groups() * facets, 0);
    for (std::int64_t g = 0; g < set.groups.num_groups(); ++g)
      for (int f = 0; f < facets; ++f)
        for (int lane = 0; lane < lanes; ++lane) {
          const std::int64_t cell = cell_of(set.groups, g * lanes + lane);
          const FacetNeighbour &m = neighbours[set.set][cell * facets + f];
          const DgSet &other = dg.sets[m.plus.set];
          const std::int64_t to = (g * facets + f) * lanes + lane;
          set.plus_unit[to] = static_cast<std::int32_t>(other.unit_of(other.slot[m.plus.cell]));
          set.plus_row[to] = m.row * lanes + other.slot[m.plus.cell] % lanes;
          set.condition[to] = m.condition;
          set.facet_class[to] = m.facet_class;
          set.plus_class[to] = mesh.sets[m.plus.set].region[m.plus.cell];
          if (m.condition >= 0)
            set.conditions[g * facets + f] |= 1 << m.condition;
        }
  }
}

// The larger of both sides' penalties.
void share_penalties(const FacetNeighbours &neighbours, DgMesh &dg) {
  const int entries = dg.facet.entries, lanes = dg.lanes;
  for (DgSet &set : dg.sets)
    for (std::int64_t g = 0; g < set.groups.num_groups(); ++g)
      for (int f = 0; f < set.num_facets(); ++f)
        for (int lane = 0; lane < lanes; ++lane) {
          const std::int64_t cell = cell_of(set.groups, g * lanes + lane);
          const std::size_t i = cell * set.num_facets() + f;
          const FacetRef &plus = neighbours[set.set][i].plus;
          const DgSet &others = dg.sets[plus.set];
          const double other =
              others.penalties[std::int64_t(plus.cell) * others.num_facets() + plus.facet];
          const std::int64_t first = set.affine ? g * set.num_facets() + f
                                                : g * set.num_facet_points() + set.facet_offset[f];
          const int count = set.affine ? 1 : set.facet_offset[f + 1] - set.facet_offset[f];
          for (int k = 0; k < count; ++k)
            set.facet_metric[((first + k) * entries + dg.facet.penalty) * lanes + lane] =
                std::max(set.penalties[i], other);
        }
}

// What goes over the facets between this rank's cells and those of others, by rank: both sides take
// the nodes that values on these facets are made of, by cell and node.
void find_peers(const Mesh &mesh, const FacetNeighbours &neighbours, DgMesh &dg) {
  using Key = std::pair<std::int32_t, std::int32_t>; // number in the whole mesh, node
  struct Nodes {
    std::map<Key, DgNode> send, receive;
  };
  std::map<int, Nodes> by_rank;
  const auto add = [&](std::map<Key, DgNode> &to, const FacetRef &ref) {
    const DgSet &set = dg.sets[ref.set];
    const std::int32_t cell = mesh.share->sets[ref.set].whole[ref.cell];
    for (const int node : set.operators.facets[ref.facet].nodes)
      to[{cell, node}] = {ref.set, set.slot[ref.cell], node};
  };
  for (const DgSet &set : dg.sets) {
    const MeshShare::Cells &share = mesh.share->sets[set.set];
    for (std::int64_t i = 0; i < share.num_owned * set.num_facets(); ++i) {
      const FacetRef &plus = neighbours[set.set][i].plus;
      if (is_own_cell(mesh, plus))
        continue;
      const MeshShare::Cells &of_plus = mesh.share->sets[plus.set];
      Nodes &nodes = by_rank[of_plus.owner[plus.cell - of_plus.num_owned]];
      add(nodes.receive, plus);
      add(nodes.send, {set.set, static_cast<std::int32_t>(i / set.num_facets()),
                       static_cast<std::int8_t>(i % set.num_facets())});
    }
  }
  for (const auto &[rank, nodes] : by_rank) {
    DgPeer &peer = dg.peers.emplace_back(DgPeer{.rank = rank});
    for (const auto &[key, node] : nodes.send)
      peer.send.push_back(node);
    for (const auto &[key, node] : nodes.receive)
      peer.receive.push_back(node);
  }
}

} // namespace

std::int64_t DgMesh::group_at(std::int64_t unit) const {
  for (const DgSet &set : sets) {
    const std::int64_t own = (unit - set.first_unit) / set.num_nodes(),
                       ghost = (unit - set.first_ghost_unit) / set.num_nodes();
    if (unit >= set.first_unit && own < set.groups.num_groups())
      return set.first_group + own;
    if (unit >= set.first_ghost_unit && ghost < set.num_ghost_groups)
      return set.first_ghost_group + ghost;
  }
  require(false, "a unit is one of a group");
  return -1;
}

LineNodes dg_edge_points(const Mesh &mesh) {
  for (const CellSet &set : mesh.sets)
    if (set.type == CellType::quadrilateral)
      return LineNodes::gauss;
  return LineNodes::lobatto;
}

DgMesh make_dg_mesh(const Discretisation &d, const NodeMap &map,
                    const std::vector<int> &condition_of_class, int lanes) {
  // Conditions are bits of 32.
  const int num_conditions =
      condition_of_class.empty() ? 0 : 1 + *std::ranges::max_element(condition_of_class);
  if (num_conditions > 31)
    throw Error(ErrorKind::unsupported,
                {.what = "more boundary conditions than kernels tell apart",
                 .where = "[boundary]",
                 .found = fmt::format("{}", num_conditions),
                 .allowed = "31",
                 .remedy = "join groups, with parameters by facet group in one condition"});
  DgMesh dg{.lanes = lanes,
            .dim = d.mesh->dim,
            .order = map.order,
            .facet = dg_facet_layout(*d.law, map.order)};
  make_sets(d, dg);
  const FacetNeighbours neighbours = find_neighbours(d, dg, condition_of_class);
  number_groups(d, neighbours, dg);
  set_neighbours(*d.mesh, neighbours, dg);
  if (d.mesh->share)
    find_peers(*d.mesh, neighbours, dg);
  for (DgSet &set : dg.sets)
    set_dg_geometry(d, lanes, dg.facet, set);
  if (dg.facet.penalty >= 0)
    share_penalties(neighbours, dg);
  if (d.law->finite_volume)
    set_fv_geometry(d, neighbours, dg);
  return dg;
}

std::vector<double> dg_facet_positions(const Discretisation &d, const DgMesh &mesh,
                                       const DgSet &set) {
  std::vector<double> points;
  for (const NodalFacet &facet : set.operators.facets)
    points.insert(points.end(), facet.points.begin(), facet.points.end());
  const PointTable table = make_point_table(d, set.set, points);
  const std::int64_t num_points = set.num_facet_points();
  std::vector<double> positions(std::int64_t(set.groups.cells.size()) * num_points * mesh.dim);
  for (std::int64_t slot = 0; slot < std::int64_t(set.groups.cells.size()); ++slot) {
    const std::int32_t cell = cell_of(set.groups, slot);
    const PointBatch batch(d, table, {&cell, 1});
    const std::int64_t first = slot / mesh.lanes * num_points;
    for (std::int64_t k = 0; k < num_points; ++k)
      for (int e = 0; e < mesh.dim; ++e)
        positions[((first + k) * mesh.dim + e) * mesh.lanes + slot % mesh.lanes] =
            batch.coordinate(e)[k];
  }
  return positions;
}

namespace {

// Where an array of `stride` values a node holds value k of a slot's node i, see DgSet.
std::int64_t place_of(const DgMesh &mesh, const DgSet &set, bool by_cell, std::int64_t slot, int i,
                      int k, int stride) {
  const int n = set.num_nodes();
  const std::int64_t unit = set.unit_of(slot), lane = slot % mesh.lanes;
  return by_cell ? (unit * mesh.lanes + lane * n + i) * stride + k
                 : (unit * stride + std::int64_t{k} * n + i) * mesh.lanes + lane;
}

std::int32_t place_of_32_bits(std::int64_t place) {
  require(place <= std::numeric_limits<std::int32_t>::max(), "places are of 32 bits");
  return static_cast<std::int32_t>(place);
}

// add(nodes, places): appends where the values of nodes are.
template <typename Add> HaloPlaces make_places(const DgMesh &mesh, const Add &add) {
  HaloPlaces places;
  for (const DgPeer &peer : mesh.peers) {
    HaloPlaces::Peer &to = places.peers.emplace_back(HaloPlaces::Peer{.rank = peer.rank});
    add(peer.send, to.send);
    add(peer.receive, to.receive);
  }
  return places;
}

} // namespace

HaloPlaces dg_halo_places(const DgMesh &mesh, bool by_cell, int stride) {
  return make_places(mesh, [&](const std::vector<DgNode> &nodes, std::vector<std::int32_t> &to) {
    for (const DgNode &node : nodes)
      for (int k = 0; k < stride; ++k)
        to.push_back(place_of_32_bits(
            place_of(mesh, mesh.sets[node.set], by_cell, node.slot, node.node, k, stride)));
  });
}

HaloPlaces dg_cell_halo_places(const DgMesh &mesh, int stride) {
  return make_places(mesh, [&](const std::vector<DgNode> &nodes, std::vector<std::int32_t> &to) {
    const DgNode *last = nullptr; // nodes of a cell follow one another
    for (const DgNode &node : nodes) {
      if (last && last->set == node.set && last->slot == node.slot)
        continue;
      last = &node;
      const std::int64_t group = mesh.sets[node.set].group_of(node.slot);
      for (int k = 0; k < stride; ++k)
        to.push_back(place_of_32_bits((group * stride + k) * mesh.lanes + node.slot % mesh.lanes));
    }
  });
}

void to_dg_order(const DgMesh &mesh, bool by_cell, const std::vector<double> &values,
                 std::int64_t offset, int components, int first, int stride,
                 std::vector<double> &array) {
  std::int64_t first_node = 0;
  for (const DgSet &set : mesh.sets) {
    const int n = set.num_nodes();
    const auto put = [&](std::int64_t slot, std::int64_t cell) {
      const std::int64_t node = first_node + cell * n;
      for (int k = 0; k < components; ++k)
        for (int i = 0; i < n; ++i)
          array[place_of(mesh, set, by_cell, slot, i, first + k, stride)] =
              values[offset + (node + i) * components + k];
    };
    const auto own_slots = std::int64_t(set.groups.cells.size());
    for (std::int64_t slot = 0; slot < own_slots; ++slot)
      put(slot, cell_of(set.groups, slot));
    for (std::size_t cell = 0; cell < set.slot.size(); ++cell)
      if (set.slot[cell] >= own_slots)
        put(set.slot[cell], std::int64_t(cell));
    first_node += std::int64_t(set.slot.size()) * n;
  }
}

void from_dg_order(const DgMesh &mesh, bool by_cell, const std::vector<double> &array, int first,
                   int stride, int components, std::int64_t offset, std::vector<double> &values) {
  std::int64_t first_node = 0;
  for (const DgSet &set : mesh.sets) {
    const int n = set.num_nodes();
    for (std::int64_t slot = 0; slot < std::int64_t(set.groups.cells.size()); ++slot) {
      if (set.groups.cells[slot] < 0)
        continue;
      const std::int64_t node = first_node + std::int64_t(set.groups.cells[slot]) * n;
      for (int k = 0; k < components; ++k)
        for (int i = 0; i < n; ++i)
          values[offset + (node + i) * components + k] =
              array[place_of(mesh, set, by_cell, slot, i, first + k, stride)];
    }
    first_node += std::int64_t(set.slot.size()) * n;
  }
}

} // namespace weft
