#include "mesh/build/topology.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/error.h"
#include "mesh/build/assemble_cells.h"
#include "mesh/vertex_tuples.h"

namespace weft {

FacetNumbering::FacetNumbering(const Mesh &mesh) : first_(1, 0) {
  for (const auto &set : mesh.sets) {
    facets_per_cell_.push_back(num_facets(set.type));
    first_.push_back(first_.back() + set.num_cells() * facets_per_cell_.back());
  }
}

FacetRef FacetNumbering::ref(std::int64_t id) const {
  std::int32_t set = 0;
  while (id >= first_[set + 1])
    ++set;
  // Facets are numbered in 32 bits (match_facets() sees to that), which divide faster.
  const auto local = static_cast<std::uint32_t>(id - first_[set]);
  const auto each = static_cast<std::uint32_t>(facets_per_cell_[set]);
  return {set, static_cast<std::int32_t>(local / each), static_cast<std::int8_t>(local % each)};
}

namespace {

// (facet, label) of all elements that are facets, sorted.
std::vector<std::pair<std::uint32_t, std::int32_t>>
labelled_facets(const std::vector<RawElements> &elements, const FacetMatches &matches) {
  std::vector<std::pair<std::uint32_t, std::int32_t>> labelled;
  std::size_t i = 0;
  for (const auto &each : elements)
    for (std::int64_t e = 0; e < each.size(); ++e, ++i)
      if (matches.of_element[i] != FacetMatches::none)
        labelled.emplace_back(matches.of_element[i], each.labels[e]);
  std::sort(labelled.begin(), labelled.end());
  return labelled;
}

// The class of facets for each set of labels, and its cache.
class FacetClasses {
public:
  FacetClasses(Mesh &mesh, const RawMesh &raw) : mesh_(mesh), raw_(raw) {
    mesh_.facet_classes = {GroupClass{}};
  }
  std::int32_t of(const std::vector<std::int32_t> &labels) {
    const auto [found, fresh] = known_.try_emplace(labels, 0);
    if (fresh) {
      std::set<std::string> groups;
      for (auto label : labels)
        for (const auto &group : group_names(raw_.labels[label]))
          groups.insert(group);
      found->second = find_class(mesh_.facet_classes, {groups.begin(), groups.end()});
    }
    return found->second;
  }

private:
  Mesh &mesh_;
  const RawMesh &raw_;
  std::map<std::vector<std::int32_t>, std::int32_t> known_;
};

// Elements of dimension dim - 1 that are no facet of any cell.
void check_elements_are_facets(const Mesh &mesh, const RawMesh &raw, const FacetMatches &matches) {
  std::int64_t count = 0;
  std::string first;
  std::size_t i = 0;
  for (const auto &each : raw.elements)
    for (std::int64_t e = 0; e < each.size(); ++e, ++i)
      if (dimension(each.type) == mesh.dim - 1 && matches.of_element[i] == FacetMatches::none &&
          ++count <= 5)
        first += fmt::format("{}{}", count > 1 ? ", " : "", each.tag(e));
  if (count > 0)
    throw Error(ErrorKind::input,
                {fmt::format("The mesh mixes dimensions: elements of dimension {} are no facets of "
                             "cells of dimension {}.",
                             mesh.dim - 1, mesh.dim),
                 raw.file, fmt::format("{} elements, first numbers: {}", count, first),
                 "facets of cells only",
                 "leave these elements out of the physical groups, or make the geometry conforming "
                 "(Coherence, BooleanFragments)"});
}

// Named curves of a 3D mesh. Those that lie on no cell are an error.
void collect_curves(Mesh &mesh, const RawMesh &raw) {
  std::vector<const RawElements *> curves;
  for (const auto &each : raw.elements)
    if (each.type == CellType::interval)
      curves.push_back(&each);
  if (mesh.dim != 3 || curves.empty())
    return;
  std::vector<bool> on_curve(mesh.num_nodes(), false);
  for (const auto *each : curves)
    for (auto node : each->nodes)
      if (node >= 0)
        on_curve[node] = true;
  VertexTuples edges(mesh.num_nodes());
  for (const auto &set : mesh.sets)
    for (std::int64_t c = 0; c < set.num_cells(); ++c)
      for (int e = 0; e < num_edges(set.type); ++e) {
        const auto edge = edge_vertices(set.type, e);
        const std::int32_t ends[] = {set.nodes[c * set.nodes_per_cell + edge[0]],
                                     set.nodes[c * set.nodes_per_cell + edge[1]]};
        if (on_curve[ends[0]] && on_curve[ends[1]])
          edges.find_or_add(ends, 0);
      }
  std::int64_t outside = 0, first = 0;
  for (const auto *each : curves)
    for (std::int64_t e = 0; e < each->size(); ++e) {
      const std::int32_t *ends = &each->nodes[2 * e];
      if (ends[0] < 0 || ends[1] < 0 || edges.find(std::span(ends, 2)) < 0) {
        if (outside++ == 0)
          first = each->tag(e);
        continue;
      }
      for (const auto &group : group_names(raw.labels[each->labels[e]]))
        mesh.edge_groups[group].push_back({std::min(ends[0], ends[1]), std::max(ends[0], ends[1])});
    }
  if (outside > 0)
    throw Error(ErrorKind::input,
                {"The mesh mixes dimensions: line elements are no edges of cells.", raw.file,
                 fmt::format("{} lines, first number: {}", outside, first), "edges of cells only",
                 "leave these curves out of the physical groups"});
  for (auto &[group, of_group] : mesh.edge_groups) {
    std::sort(of_group.begin(), of_group.end());
    of_group.erase(std::unique(of_group.begin(), of_group.end()), of_group.end());
  }
}

void collect_points(Mesh &mesh, const RawMesh &raw) {
  for (const auto &each : raw.elements) {
    if (each.type != CellType::point)
      continue;
    for (std::int64_t e = 0; e < each.size(); ++e) {
      const RawLabel &label = raw.labels[each.labels[e]];
      if (each.nodes[e] < 0 && label.groups.empty())
        continue; // of the geometry alone, such as the middle of an arc
      for (const auto &group : group_names(label)) {
        if (each.nodes[e] < 0)
          throw Error(
              ErrorKind::input,
              {"A named point lies in no cell.", raw.file, group, "points that are meshed",
               "embed the point (Point{...} In Surface{...}) or leave it out of the group"});
        mesh.point_groups[group].push_back(each.nodes[e]);
      }
    }
  }
}

} // namespace

void find_facets(Mesh &mesh, RawMesh &raw) {
  const FacetNumbering numbering(mesh);
  const FacetMatches matches = match_facets(mesh, numbering, raw.elements, raw.file);
  check_elements_are_facets(mesh, raw, matches);
  const auto labelled = labelled_facets(raw.elements, matches);
  FacetClasses classes(mesh, raw);
  std::vector<Facet> interior;
  auto next = labelled.begin();
  std::vector<std::int32_t> labels;
  for (std::int64_t id = 0; id < numbering.count(); ++id) {
    const bool has_label = next != labelled.end() && next->first == id;
    const bool boundary = matches.neighbour[id] == FacetMatches::none;
    if (!has_label && !boundary)
      continue;
    for (labels.clear(); next != labelled.end() && next->first == id; ++next)
      if (labels.empty() || labels.back() != next->second)
        labels.push_back(next->second);
    Facet facet;
    facet.minus = numbering.ref(id);
    facet.facet_class = classes.of(labels);
    if (!boundary)
      facet.plus = numbering.ref(matches.neighbour[id]);
    (boundary ? mesh.facets : interior).push_back(facet);
  }
  mesh.num_boundary_facets = static_cast<std::int64_t>(mesh.facets.size());
  mesh.facets.insert(mesh.facets.end(), interior.begin(), interior.end());
  collect_curves(mesh, raw);
  collect_points(mesh, raw);
  raw.elements = {};
}

std::vector<Facet> interior_facets(const Mesh &mesh) {
  const FacetNumbering numbering(mesh);
  const FacetMatches matches = match_facets(mesh, numbering, {}, "the mesh");
  std::vector<Facet> result;
  auto grouped = mesh.facets.begin() + mesh.num_boundary_facets;
  for (std::int64_t id = 0; id < numbering.count(); ++id) {
    if (matches.neighbour[id] == FacetMatches::none || matches.neighbour[id] < id)
      continue;
    Facet facet;
    facet.minus = numbering.ref(id);
    facet.plus = numbering.ref(matches.neighbour[id]);
    const bool has_group = grouped != mesh.facets.end() && grouped->minus.set == facet.minus.set &&
                           grouped->minus.cell == facet.minus.cell &&
                           grouped->minus.facet == facet.minus.facet;
    facet.facet_class = has_group ? (grouped++)->facet_class : 0;
    result.push_back(facet);
  }
  return result;
}

} // namespace weft
