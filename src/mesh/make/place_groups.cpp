#include "mesh/make/place_groups.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <set>
#include <span>

#include "base/error.h"
#include "base/names.h"
#include "mesh/build/assemble_cells.h"
#include "mesh/build/topology.h"
#include "mesh/position.h"
#include "mesh/vertex_tuples.h"

namespace weft {

namespace {

bool contains(const std::vector<std::string> &names, const std::string &name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "(0, 0.5)"
std::string position_text(const Position &x, int dim) {
  std::string text;
  for (int d = 0; d < dim; ++d)
    text += fmt::format("{}{:.6g}", d > 0 ? ", " : "", x[d]);
  return "(" + text + ")";
}

class GroupFinder {
public:
  GroupFinder(const MeshSpec &spec, Mesh &mesh, RawMesh &raw)
      : spec_(spec), mesh_(mesh), raw_(raw), low_(position_of(mesh, 0)), high_(low_) {
    for (std::int64_t node = 0; node < mesh.num_nodes(); ++node) {
      const Position x = position_of(mesh, static_cast<std::int32_t>(node));
      for (int d = 0; d < mesh.dim; ++d) {
        low_[d] = std::min(low_[d], x[d]);
        high_[d] = std::max(high_[d], x[d]);
      }
    }
    note_names();
  }

  void add(const GroupSpec &group) {
    check_name(group);
    switch (group.kind) {
    case GroupKind::cells:
      return add_cells(group);
    case GroupKind::facets:
      return add_facets(group);
    case GroupKind::edges:
      return add_edges(group);
    case GroupKind::point:
      return add_point(group);
    case GroupKind::between:
      return add_between(group);
    }
  }

private:
  void note_names() {
    for (const GroupClass &regions : mesh_.region_classes)
      names_.insert(regions.groups.begin(), regions.groups.end());
    std::vector<bool> has_elements(raw_.labels.size(), false);
    for (const RawElements &elements : raw_.elements)
      for (const std::int32_t label : elements.labels)
        has_elements[label] = true;
    for (std::size_t label = 0; label < has_elements.size(); ++label)
      for (const std::string &name : group_names(raw_.labels[label]))
        if (has_elements[label])
          names_.insert(name);
  }

  void check_name(const GroupSpec &group) {
    if (!names_.insert(group.name).second)
      throw Error(ErrorKind::input,
                  {"The mesh has a group of this name already.", group.place, group.name,
                   "a name other than " + join_names({names_.begin(), names_.end()}),
                   "rename the group, here or in the mesh's file"});
  }

  std::string extent() const {
    return fmt::format("the mesh lies between {} and {}", position_text(low_, mesh_.dim),
                       position_text(high_, mesh_.dim));
  }

  [[noreturn]] void fail_empty(const GroupSpec &group, const char *part,
                               std::int64_t num_vertices) const {
    throw Error(
        ErrorKind::input,
        {fmt::format("A group of {}s is empty.", part), group.place,
         fmt::format("no {} with all corners where {}; {} vertices of the mesh are there", part,
                     group.condition.text, num_vertices),
         extent(),
         "widen the condition, such as \"abs(x - 1) < 1e-6\" for \"x == 1\"; `weft mesh info` "
         "says where groups are"});
  }

  // [node]: whether a condition holds; no vertices of cells are in no group.
  std::vector<bool> vertices_where(const GroupSpec &group) {
    require(static_cast<bool>(spec_.condition_holds), "a mesh with groups can evaluate conditions");
    const std::vector<bool> holds =
        spec_.condition_holds(group.condition, mesh_.dim, mesh_.coordinates);
    std::vector<bool> result = is_vertex();
    for (std::size_t node = 0; node < result.size(); ++node)
      result[node] = result[node] && holds[node];
    return result;
  }

  std::vector<bool> is_vertex() const {
    std::vector<bool> result(mesh_.num_nodes(), false);
    for (const CellSet &set : mesh_.sets)
      for (std::int64_t c = 0; c < set.num_cells(); ++c)
        for (int v = 0; v < num_vertices(set.type); ++v)
          result[set.nodes[c * set.nodes_per_cell + v]] = true;
    return result;
  }

  void add_cells(const GroupSpec &group) {
    const std::vector<bool> inside = vertices_where(group);
    std::vector<std::int32_t> class_with(mesh_.region_classes.size(), -1);
    std::int64_t count = 0;
    for (CellSet &set : mesh_.sets)
      for (std::int64_t c = 0; c < set.num_cells(); ++c) {
        const std::int32_t *nodes = &set.nodes[c * set.nodes_per_cell];
        if (!std::all_of(nodes, nodes + num_vertices(set.type),
                         [&](std::int32_t node) { return inside[node]; }))
          continue;
        std::int32_t &with = class_with[set.region[c]];
        if (with < 0) {
          std::vector<std::string> groups = mesh_.region_classes[set.region[c]].groups;
          groups.insert(std::lower_bound(groups.begin(), groups.end(), group.name), group.name);
          with = find_class(mesh_.region_classes, groups);
        }
        set.region[c] = with;
        ++count;
      }
    if (count == 0)
      fail_empty(group, "cell", std::count(inside.begin(), inside.end(), true));
  }

  // Adds an element of lower dimension to the raw mesh.
  void add_element(CellType type, std::span<const std::int32_t> nodes, std::int32_t label) {
    const auto same = [&](const RawElements &elements) {
      return elements.type == type && elements.tags.empty();
    };
    auto found = std::find_if(raw_.elements.begin() + first_own_, raw_.elements.end(), same);
    if (found == raw_.elements.end()) {
      raw_.elements.push_back({.type = type, .nodes_per_element = num_vertices(type)});
      found = raw_.elements.end() - 1;
    }
    found->nodes.insert(found->nodes.end(), nodes.begin(), nodes.end());
    found->labels.push_back(label);
  }

  std::int32_t add_label(const GroupSpec &group, int dim) {
    raw_.labels.push_back({.dim = dim, .groups = {group.name}});
    return static_cast<std::int32_t>(raw_.labels.size()) - 1;
  }

  // Facets of cells, `neighbour` being FacetMatches::none on the boundary.
  template <typename Wanted>
  std::int64_t add_facets_that(const GroupSpec &group, const Wanted &wanted) {
    if (!numbering_) {
      numbering_.emplace(mesh_);
      matches_ = match_facets(mesh_, *numbering_, {}, raw_.file);
    }
    const std::int32_t label = add_label(group, mesh_.dim - 1);
    std::int64_t count = 0;
    for (std::int64_t id = 0; id < numbering_->count(); ++id) {
      const FacetRef facet = numbering_->ref(id);
      const CellSet &set = mesh_.sets[facet.set];
      std::array<std::int32_t, 4> nodes;
      int n = 0;
      for (const int v : facet_vertices(set.type, facet.facet))
        nodes[n++] = set.nodes[std::int64_t{facet.cell} * set.nodes_per_cell + v];
      const auto vertices = std::span<const std::int32_t>(nodes).first(n);
      if (!wanted(id, facet, matches_.neighbour[id], vertices))
        continue;
      add_element(facet_type(set.type, facet.facet), vertices, label);
      ++count;
    }
    return count;
  }

  void add_facets(const GroupSpec &group) {
    const std::vector<bool> inside = vertices_where(group);
    const std::int64_t count =
        add_facets_that(group, [&](std::int64_t, const FacetRef &, std::uint32_t neighbour,
                                   std::span<const std::int32_t> vertices) {
          return neighbour == FacetMatches::none &&
                 std::all_of(vertices.begin(), vertices.end(),
                             [&](std::int32_t node) { return inside[node]; });
        });
    if (count == 0)
      fail_empty(group, "boundary facet", std::count(inside.begin(), inside.end(), true));
  }

  void add_between(const GroupSpec &group) {
    const std::vector<std::string> regions = mesh_.region_names();
    for (const std::string &region : group.between)
      if (!contains(regions, region)) {
        const std::string nearest = nearest_name(region, regions);
        throw Error(ErrorKind::input,
                    {"The mesh has no region of this name.", group.place, region,
                     join_names(regions), nearest.empty() ? "" : "did you mean " + nearest + "?"});
      }
    const auto is_in = [&](const FacetRef &facet, const std::string &region) {
      return contains(mesh_.region_classes[mesh_.sets[facet.set].region[facet.cell]].groups,
                      region);
    };
    const std::int64_t count =
        add_facets_that(group, [&](std::int64_t id, const FacetRef &facet, std::uint32_t neighbour,
                                   std::span<const std::int32_t>) {
          if (neighbour == FacetMatches::none || neighbour < id)
            return false;
          const FacetRef other = numbering_->ref(neighbour);
          return (is_in(facet, group.between[0]) && is_in(other, group.between[1])) ||
                 (is_in(facet, group.between[1]) && is_in(other, group.between[0]));
        });
    if (count == 0)
      throw Error(
          ErrorKind::input,
          {"A group of facets between regions is empty.", group.place,
           "no facet is between a cell of " + group.between[0] + " and one of " + group.between[1],
           "regions that share facets",
           "join the geometry before it is meshed (Gmsh: Coherence, BooleanFragments)"});
  }

  void add_edges(const GroupSpec &group) {
    if (mesh_.dim != 3)
      throw Error(ErrorKind::input, {"In two dimensions edges are facets.", group.place,
                                     "edges = \"" + group.condition.text + "\"",
                                     "edges of meshes in three dimensions",
                                     "write facets = \"" + group.condition.text + "\""});
    const std::vector<bool> inside = vertices_where(group);
    const std::int32_t label = add_label(group, 1);
    VertexTuples known(mesh_.num_nodes());
    std::int32_t count = 0;
    for (const CellSet &set : mesh_.sets)
      for (std::int64_t c = 0; c < set.num_cells(); ++c)
        for (int e = 0; e < num_edges(set.type); ++e) {
          const auto local = edge_vertices(set.type, e);
          const std::int32_t ends[] = {set.nodes[c * set.nodes_per_cell + local[0]],
                                       set.nodes[c * set.nodes_per_cell + local[1]]};
          if (!inside[ends[0]] || !inside[ends[1]] || known.find_or_add(ends, count) != count)
            continue;
          add_element(CellType::interval, ends, label);
          ++count;
        }
    if (count == 0)
      fail_empty(group, "edge", std::count(inside.begin(), inside.end(), true));
  }

  void add_point(const GroupSpec &group) {
    if (static_cast<int>(group.point.size()) != mesh_.dim)
      throw Error(ErrorKind::input,
                  {"A point with the wrong number of coordinates.", group.place,
                   std::to_string(group.point.size()), std::to_string(mesh_.dim), ""});
    Position wanted = {0, 0, 0};
    std::copy(group.point.begin(), group.point.end(), wanted.begin());
    const std::vector<bool> vertices = is_vertex();
    std::int32_t nearest = -1;
    double distance = std::numeric_limits<double>::infinity();
    for (std::size_t node = 0; node < vertices.size(); ++node) {
      const auto n = static_cast<std::int32_t>(node);
      const double away = norm_of(difference_of(position_of(mesh_, n), wanted));
      if (vertices[node] && away < distance) {
        nearest = n;
        distance = away;
      }
    }
    const double diagonal = norm_of(difference_of(high_, low_));
    if (!(distance <= point_tolerance * diagonal))
      throw Error(
          ErrorKind::input,
          {"A named point is far from every vertex of the mesh.", group.place,
           fmt::format("the nearest to {} is {}, at a distance of {:.4g}",
                       position_text(wanted, mesh_.dim),
                       nearest < 0 ? "none" : position_text(position_of(mesh_, nearest), mesh_.dim),
                       distance),
           fmt::format("a distance of {:.4g}, a hundredth of the mesh's diagonal; {}",
                       point_tolerance * diagonal, extent()),
           "give the place of a vertex, or let the geometry have a point there"});
    add_element(CellType::point, std::span(&nearest, 1), add_label(group, 0));
  }

  const MeshSpec &spec_;
  Mesh &mesh_;
  RawMesh &raw_;
  Position low_, high_;         // of the mesh
  std::set<std::string> names_; // of all groups, of whatever dimension
  std::ptrdiff_t first_own_ = static_cast<std::ptrdiff_t>(raw_.elements.size());
  std::optional<FacetNumbering> numbering_;
  FacetMatches matches_;
};

} // namespace

void add_place_groups(const MeshSpec &spec, Mesh &mesh, RawMesh &raw) {
  if (spec.groups.empty())
    return;
  GroupFinder finder(spec, mesh, raw);
  const auto add = [&](bool between) {
    for (const GroupSpec &group : spec.groups)
      if ((group.kind == GroupKind::between) == between)
        finder.add(group);
  };
  add(false);
  add(true); // regions may be groups of cells from above
}

} // namespace weft
