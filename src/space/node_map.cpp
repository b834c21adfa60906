#include "space/node_map.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "space/entity_numbering.h"

namespace weft {

namespace {

// Buckets of a tree of leaf_alignment leaves: its 2 leaf_alignment - 1 nodes, and what lies between
// trees.
constexpr std::int64_t buckets_a_tree = 2 * leaf_alignment;

// Where nodes that leaves first..last touch are numbered: the smallest node of a tree that contains
// these leaves, in post-order, or, where they are of several trees, behind the tree of the first.
// A node of a tree covers the 2^level leaves that end at `end`; before it come all nodes that end
// earlier (2 end - popcount(end) of them) and its own lower levels that end at the same leaf.
std::int64_t bucket(std::int64_t first, std::int64_t last) {
  const std::int64_t tree = first / leaf_alignment;
  if (last / leaf_alignment != tree)
    return (tree + 1) * buckets_a_tree - 1;
  const int level = std::bit_width(static_cast<std::uint64_t>(first ^ last));
  const std::int64_t end = last % leaf_alignment | ((std::int64_t(1) << level) - 1);
  return tree * buckets_a_tree + 2 * end - std::popcount(static_cast<std::uint64_t>(end)) + level;
}

std::int64_t num_leaves(const CellSet &set) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(set.leaf_offset.size()) - 1);
}

// Calls body(cell, leaf) for the cells of a set in their order.
template <typename Body>
void for_each_cell(const CellSet &set, std::int64_t first_leaf, Body body) {
  std::int64_t leaf = 0;
  for (std::int64_t c = 0; c < set.num_cells(); ++c) {
    while (leaf + 1 < num_leaves(set) && c >= set.leaf_offset[leaf + 1])
      ++leaf;
    body(c, first_leaf + leaf);
  }
}

// An entity of a cell that carries nodes: they follow one another in the element.
struct LocalEntity {
  int dim = 0;
  int first_node = 0;
  int num_nodes = 0;
  std::vector<int> vertices;
};

// What a set's cells have in common.
struct LocalEntities {
  std::vector<LocalEntity> shared;             // vertices, edges, faces
  std::vector<EntityOrientation> orientations; // [shared]
  int first_inner = 0, num_inner = 0;          // the cell's own nodes
  // [node, geometry node]: basis of the geometry at the element's nodes.
  std::vector<double> geometry_basis;
};

// Basis functions of the geometry at an element's nodes: [node, geometry node].
std::vector<double> geometry_basis(const Element &element, int geometry_order) {
  std::vector<double> basis, gradients;
  make_element(element.cell, geometry_order).tabulate(element.nodes, basis, gradients);
  return basis;
}

// Where a node of a cell is, from the basis of the geometry there.
void place_node(const Mesh &mesh, const CellSet &set, std::int64_t c, const double *basis,
                double *x) {
  std::fill_n(x, mesh.dim, 0.0);
  for (int g = 0; g < set.nodes_per_cell; ++g) {
    const std::int64_t node = set.nodes[c * set.nodes_per_cell + g];
    for (int d = 0; d < mesh.dim; ++d)
      x[d] += basis[g] * mesh.coordinates[node * mesh.dim + d];
  }
}

LocalEntities local_entities(const Element &element, int geometry_order) {
  LocalEntities result;
  const int n = element.num_nodes();
  for (int i = 0; i < n; ++i) {
    const NodeEntity &entity = element.entities[i];
    if (entity.dim == dimension(element.cell)) {
      result.first_inner = i;
      result.num_inner = n - i;
      break;
    }
    if (entity.within == 0)
      result.shared.push_back({entity.dim, i, 0, entity_vertices(element.cell, entity)});
    ++result.shared.back().num_nodes;
  }
  for (const auto &entity : result.shared) {
    std::vector<int> nodes(entity.num_nodes);
    std::iota(nodes.begin(), nodes.end(), entity.first_node);
    result.orientations.emplace_back(element, entity.vertices, nodes);
  }
  result.geometry_basis = geometry_basis(element, geometry_order);
  return result;
}

// What is known of an entity while it is numbered.
struct EntityNodes {
  std::int32_t first_leaf = -1; // that touches it
  std::int32_t last_leaf = -1;
  std::int32_t num_nodes = 0;
  std::int32_t start = -1; // its first node's number; -1 before it has one
  bool is_ghost = false;   // another rank's
};

class Numbering {
public:
  Numbering(const Mesh &mesh, int order, bool periodic)
      : mesh_(mesh), periodic_(periodic && !mesh.periodic_master.empty()),
        vertices_(mesh, periodic_), first_leaf_(first_leaves(mesh)) {
    map_.order = order;
    for (const auto &set : mesh.sets) {
      map_.sets.push_back({make_element(set.type, order), {}});
      local_.push_back(local_entities(map_.sets.back().element, mesh.geometry_order));
    }
  }

  NodeMap number() {
    find_entities();
    place_buckets();
    number_nodes();
    if (map_.order == 1)
      map_.mesh_nodes = vertex_mesh_nodes();
    return std::move(map_);
  }

private:
  bool is_ghost(const std::int32_t *mesh_nodes, std::span<const int> vertices) const;
  bool is_ghost(std::size_t s, std::int64_t c) const {
    return mesh_.share && c >= mesh_.share->sets[s].num_owned;
  }
  // Ghosts come last.
  std::int64_t bucket_of(std::int64_t first, std::int64_t last, bool is_ghost) const {
    return is_ghost ? static_cast<std::int64_t>(next_.size()) - 1 : bucket(first, last);
  }
  std::int64_t bucket_of(const EntityNodes &entity) const {
    return bucket_of(entity.first_leaf, entity.last_leaf, entity.is_ghost);
  }
  // What orders the vertices of an edge or a face, the same on all ranks.
  std::int32_t order_of(std::int32_t vertex) const {
    return mesh_.share ? mesh_.share->lowest(vertices_.mesh_nodes()[vertex]) : vertex;
  }
  void find_entities();
  void find_entities_of_cell(std::size_t s, std::int64_t c, std::int32_t leaf);
  void check_periodic_edge(std::int32_t edge, std::int32_t v0, std::int32_t v1,
                           std::int32_t mesh_node0, std::int32_t mesh_node1);
  void place_buckets();
  void number_nodes();
  void number_cell(std::size_t s, std::int64_t c, std::int64_t leaf);
  void set_coordinates(std::size_t s, std::int64_t c, int local, std::int32_t node);
  std::vector<std::int32_t> vertex_mesh_nodes() const;

  const Mesh &mesh_;
  bool periodic_;
  NodeMap map_;
  VertexNumbering vertices_;
  EntityTable edges_, faces_;
  std::vector<std::int64_t> first_leaf_;         // [set]
  std::vector<LocalEntities> local_;             // [set]
  std::vector<EntityNodes> entities_[3];         // [dim][entity]
  std::vector<std::int32_t> next_;               // [bucket]: next free node number
  std::vector<std::array<double, 3>> direction_; // [edge], of periodic meshes only
};

// An entity goes with its vertex of the lowest number.
bool Numbering::is_ghost(const std::int32_t *mesh_nodes, std::span<const int> vertices) const {
  if (!mesh_.share)
    return false;
  const MeshShare &share = *mesh_.share;
  const int first = *std::min_element(vertices.begin(), vertices.end(), [&](int a, int b) {
    return share.lowest(mesh_nodes[a]) < share.lowest(mesh_nodes[b]);
  });
  return share.vertex_owner[mesh_nodes[first]] != share.part;
}

// Fills, in place of the first node of each entity of a cell, the entity's number.
void Numbering::find_entities_of_cell(std::size_t s, std::int64_t c, std::int32_t leaf) {
  const CellSet &set = mesh_.sets[s];
  const std::int32_t *mesh_nodes = &set.nodes[c * set.nodes_per_cell];
  std::int32_t *nodes = &map_.sets[s].nodes[c * map_.sets[s].element.num_nodes()];
  for (const auto &local : local_[s].shared) {
    std::int32_t number = 0;
    if (local.dim == 0) {
      number = vertices_.find_or_add(mesh_nodes[local.vertices[0]]);
    } else {
      std::array<std::int32_t, 4> corners;
      const std::span sorted(corners.data(), local.vertices.size());
      for (std::size_t v = 0; v < sorted.size(); ++v)
        sorted[v] = nodes[local.vertices[v]];
      sort_few(sorted, std::less<>());
      number = (local.dim == 1 ? edges_ : faces_).find_or_add(sorted);
      if (periodic_ && local.dim == 1)
        check_periodic_edge(number, nodes[local.vertices[0]], nodes[local.vertices[1]],
                            mesh_nodes[local.vertices[0]], mesh_nodes[local.vertices[1]]);
    }
    auto &entities = entities_[local.dim];
    if (number == static_cast<std::int32_t>(entities.size()))
      entities.push_back({leaf, leaf, local.num_nodes, -1, is_ghost(mesh_nodes, local.vertices)});
    entities[number].last_leaf = leaf; // leaves are visited in order
    nodes[local.first_node] = number;
  }
}

void Numbering::find_entities() {
  for (std::size_t s = 0; s < mesh_.sets.size(); ++s) {
    auto &map_set = map_.sets[s];
    map_set.nodes.resize(mesh_.sets[s].num_cells() * map_set.element.num_nodes());
    for_each_cell(mesh_.sets[s], first_leaf_[s], [&](std::int64_t c, std::int64_t leaf) {
      find_entities_of_cell(s, c, static_cast<std::int32_t>(leaf));
    });
  }
}

// Edges are known by their vertices, which is ambiguous where periodicity makes one edge of two
// that are no images of each other: with fewer than three cells from side to side.
void Numbering::check_periodic_edge(std::int32_t edge, std::int32_t v0, std::int32_t v1,
                                    std::int32_t mesh_node0, std::int32_t mesh_node1) {
  std::array<double, 3> along = {0, 0, 0};
  for (int d = 0; d < mesh_.dim; ++d)
    along[d] = (v0 < v1 ? 1 : -1) * (mesh_.coordinates[std::int64_t(mesh_node1) * mesh_.dim + d] -
                                     mesh_.coordinates[std::int64_t(mesh_node0) * mesh_.dim + d]);
  if (edge == static_cast<std::int32_t>(direction_.size()))
    direction_.push_back(along);
  const auto &known = direction_[edge];
  const double product = along[0] * known[0] + along[1] * known[1] + along[2] * known[2];
  if (v0 == v1 || product <= 0)
    throw Error(ErrorKind::input,
                {.what = "the mesh has too few cells between periodic sides for an element of "
                         "order " +
                         std::to_string(map_.order),
                 .where = "[mesh] periodic",
                 .allowed = "three cells or more in each periodic direction",
                 .remedy = "refine the mesh, or use elements of order 1"});
}

// Counts the nodes of every bucket and turns the counts into first numbers.
void Numbering::place_buckets() {
  const std::int64_t leaves = first_leaf_.back() + num_leaves(mesh_.sets.back());
  next_.assign((leaves + leaf_alignment - 1) / leaf_alignment * buckets_a_tree + 1, 0);
  for (const auto &of_dim : entities_)
    for (const auto &entity : of_dim)
      next_[bucket_of(entity)] += entity.num_nodes;
  for (std::size_t s = 0; s < mesh_.sets.size(); ++s)
    if (local_[s].num_inner > 0)
      for_each_cell(mesh_.sets[s], first_leaf_[s], [&](std::int64_t c, std::int64_t leaf) {
        next_[bucket_of(leaf, leaf, is_ghost(s, c))] += local_[s].num_inner;
      });
  std::int64_t start = 0;
  for (auto &entry : next_) {
    const std::int64_t count = entry;
    entry = static_cast<std::int32_t>(start);
    start += count;
  }
  map_.num_local = start;
  map_.num_owned = map_.num_global = next_.back(); // where ghosts begin
  map_.coordinates.resize(start * mesh_.dim);
}

void Numbering::set_coordinates(std::size_t s, std::int64_t c, int local, std::int32_t node) {
  const CellSet &set = mesh_.sets[s];
  const std::int32_t *mesh_nodes = &set.nodes[c * set.nodes_per_cell];
  double *x = &map_.coordinates[std::int64_t(node) * mesh_.dim];
  if (map_.order == mesh_.geometry_order) { // the same nodes
    std::copy_n(&mesh_.coordinates[std::int64_t(mesh_nodes[local]) * mesh_.dim], mesh_.dim, x);
    return;
  }
  place_node(mesh_, set, c, &local_[s].geometry_basis[std::int64_t(local) * set.nodes_per_cell], x);
}

// Replaces the entities' numbers by node numbers; an entity met first takes the next ones of its
// bucket.
void Numbering::number_cell(std::size_t s, std::int64_t c, std::int64_t leaf) {
  LocalEntities &cell = local_[s];
  std::int32_t *nodes = &map_.sets[s].nodes[c * map_.sets[s].element.num_nodes()];
  std::array<std::int32_t, 8> vertex;
  if (map_.order > 0)
    std::copy_n(nodes, num_vertices(mesh_.sets[s].type), vertex.begin());
  for (std::size_t e = 0; e < cell.shared.size(); ++e) {
    const LocalEntity &local = cell.shared[e];
    EntityNodes &entity = entities_[local.dim][nodes[local.first_node]];
    const bool is_new = entity.start < 0;
    if (is_new) {
      std::int32_t &next = next_[bucket_of(entity)];
      entity.start = next;
      next += entity.num_nodes;
    }
    std::span<const std::uint8_t> positions;
    if (local.num_nodes > 1) {
      std::array<std::int32_t, 4> corners;
      const std::size_t n = local.vertices.size();
      for (std::size_t v = 0; v < n; ++v)
        corners[v] = order_of(vertex[local.vertices[v]]);
      positions = cell.orientations[e].positions(std::span(corners.data(), n));
    }
    for (int i = 0; i < local.num_nodes; ++i) {
      const int node = local.first_node + i;
      nodes[node] = entity.start + (positions.empty() ? 0 : positions[i]);
      if (is_new)
        set_coordinates(s, c, node, nodes[node]);
    }
  }
  std::int32_t &next = next_[bucket_of(leaf, leaf, is_ghost(s, c))];
  for (int i = 0; i < cell.num_inner; ++i) {
    nodes[cell.first_inner + i] = next++;
    set_coordinates(s, c, cell.first_inner + i, nodes[cell.first_inner + i]);
  }
}

void Numbering::number_nodes() {
  for (std::size_t s = 0; s < mesh_.sets.size(); ++s)
    for_each_cell(mesh_.sets[s], first_leaf_[s],
                  [&](std::int64_t c, std::int64_t leaf) { number_cell(s, c, leaf); });
  // Vertices lie where their masters do, whichever image was met first.
  for (std::size_t v = 0; v < entities_[0].size(); ++v)
    std::copy_n(&mesh_.coordinates[std::int64_t(vertices_.mesh_nodes()[v]) * mesh_.dim], mesh_.dim,
                &map_.coordinates[std::int64_t(entities_[0][v].start) * mesh_.dim]);
}

std::vector<std::int32_t> Numbering::vertex_mesh_nodes() const {
  std::vector<std::int32_t> result(map_.num_local);
  for (std::size_t v = 0; v < entities_[0].size(); ++v)
    result[entities_[0][v].start] = vertices_.mesh_nodes()[v];
  return result;
}

} // namespace

std::vector<std::int64_t> first_leaves(const Mesh &mesh) {
  std::vector<std::int64_t> first;
  std::int64_t next = 0;
  for (const auto &set : mesh.sets) {
    first.push_back(next);
    next += (num_leaves(set) + leaf_alignment - 1) / leaf_alignment * leaf_alignment;
  }
  return first;
}

NodeMap make_node_map(const Mesh &mesh, int order) {
  return Numbering(mesh, order, true).number();
}

NodeMap make_discontinuous_map(const Mesh &mesh, int order, CellsOfOthers others) {
  NodeMap map{.order = order, .discontinuous = true};
  for (const CellSet &set : mesh.sets) {
    map.sets.push_back({make_nodal_element(set.type, order), {}});
    map.num_local += set.num_cells() * map.sets.back().element.num_nodes();
  }
  map.num_owned = map.num_local;
  if (mesh.share)
    for (std::size_t s = 0; s < mesh.sets.size(); ++s)
      map.num_owned -= (mesh.sets[s].num_cells() - mesh.share->sets[s].num_owned) *
                       map.sets[s].element.num_nodes();
  map.num_global = map.num_owned;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (map.num_local > most)
    throw Error(ErrorKind::unsupported,
                {.what = "the mesh has too many nodes for discontinuous elements of order " +
                         std::to_string(order),
                 .found = std::to_string(map.num_local),
                 .allowed = std::to_string(most),
                 .remedy = "choose a coarser mesh or a lower order"});
  map.coordinates.resize(map.num_local * mesh.dim);
  std::int64_t first = 0, first_of_others = map.num_owned;
  for (std::size_t s = 0; s < mesh.sets.size(); ++s) {
    const CellSet &set = mesh.sets[s];
    NodeMapSet &nodes = map.sets[s];
    const int n = nodes.element.num_nodes();
    const std::int64_t before = // what follows in the set is numbered apart
        n * (others == CellsOfOthers::end_sets ? set.num_cells() : num_own_cells(mesh, s));
    nodes.nodes.resize(set.num_cells() * n);
    std::iota(nodes.nodes.begin(), nodes.nodes.begin() + before, static_cast<std::int32_t>(first));
    std::iota(nodes.nodes.begin() + before, nodes.nodes.end(),
              static_cast<std::int32_t>(first_of_others));
    const std::vector<double> basis = geometry_basis(nodes.element, mesh.geometry_order);
    parallel_ranges(set.num_cells(), [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t c = begin; c < end; ++c)
        for (int i = 0; i < n; ++i)
          place_node(mesh, set, c, &basis[i * set.nodes_per_cell],
                     &map.coordinates[std::int64_t(nodes.nodes[c * n + i]) * mesh.dim]);
    });
    first += before;
    first_of_others += set.num_cells() * n - before;
  }
  return map;
}

NodeMap make_whole_domain_map(const Mesh &mesh) {
  require(!mesh.share, "a node that all cells share is on one rank");
  NodeMap map{.order = 0, .whole_domain = true, .num_owned = 1, .num_local = 1, .num_global = 1};
  map.coordinates.resize(mesh.dim);
  for (const CellSet &set : mesh.sets)
    map.sets.push_back({make_element(set.type, 0), std::vector<std::int32_t>(set.num_cells(), 0)});
  const auto first = std::find_if(mesh.sets.begin(), mesh.sets.end(),
                                  [](const CellSet &set) { return set.num_cells() > 0; });
  require(first != mesh.sets.end(), "a mesh has cells");
  const Element &element = map.sets[first - mesh.sets.begin()].element;
  place_node(mesh, *first, 0, geometry_basis(element, mesh.geometry_order).data(),
             map.coordinates.data());
  return map;
}

NodeMap make_geometry_map(const Mesh &mesh) {
  return Numbering(mesh, mesh.geometry_order, false).number();
}

std::vector<std::int32_t> nodes_on_facets(const Mesh &mesh, const NodeMap &map,
                                          const std::vector<bool> &facet_class_selected) {
  // [set][local facet]: nodes
  std::vector<std::vector<std::vector<int>>> local(map.sets.size());
  for (std::size_t s = 0; s < map.sets.size(); ++s)
    for (int f = 0; f < num_facets(map.sets[s].element.cell); ++f)
      local[s].push_back(map.sets[s].element.facet_nodes(f));
  std::vector<std::int32_t> nodes;
  for (const auto &facet : mesh.facets) {
    if (!facet_class_selected[facet.facet_class])
      continue;
    const auto &set = map.sets[facet.minus.set];
    const std::int64_t first = std::int64_t(facet.minus.cell) * set.element.num_nodes();
    for (const int i : local[facet.minus.set][facet.minus.facet])
      nodes.push_back(set.nodes[first + i]);
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

} // namespace weft
