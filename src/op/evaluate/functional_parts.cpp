#include "op/evaluate/functional_parts.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/error.h"
#include "base/names.h"
#include "form/expression/expression.h"
#include "op/evaluate/state_fault.h"
#include "op/problem/facet_groups.h"
#include "op/problem/field_regions.h"
#include "op/problem/quadrature_degree.h"
#include "op/problem/result_form.h"
#include "space/nodal_element.h"

namespace weft {

namespace {

std::vector<Part> parts_of_cells(const Mesh &mesh, const std::vector<bool> &selected) {
  std::vector<Part> parts;
  for (std::size_t s = 0; s < mesh.sets.size(); ++s) {
    Part part{.set = static_cast<int>(s)};
    for (std::int64_t c = 0; c < num_own_cells(mesh, s); ++c)
      if (selected[mesh.sets[s].region[c]])
        part.cells.push_back(static_cast<std::int32_t>(c));
    if (!part.cells.empty())
      parts.push_back(std::move(part));
  }
  return parts;
}

// Without groups: the boundary; facets between cells only where their group is named. As facets of
// the cells in which the expression has its values.
std::vector<Part> parts_of_facets(const Mesh &mesh, const std::vector<bool> &selected,
                                  const FacetRegions &regions, bool by_name) {
  std::vector<Part> parts;
  const std::vector<std::int32_t> facets = select_facets(mesh, selected, by_name);
  for (const FacetGroup &group : group_facets(mesh, facets, regions)) {
    Part part{.set = group.set, .facet = group.facet};
    for (std::size_t i = 0; i < group.cells.size(); ++i)
      if (group.cells[i] < num_own_cells(mesh, group.set)) {
        part.cells.push_back(group.cells[i]);
        part.classes.push_back(group.classes[i]);
      }
    if (!part.cells.empty())
      parts.push_back(std::move(part));
  }
  return parts;
}

[[noreturn]] void refuse_regions(const FunctionalSpec &spec, const std::string &what,
                                 const std::string &found, const std::string &remedy) {
  throw Error(ErrorKind::input, {.what = what,
                                 .where = spec.expression.where(),
                                 .found = found,
                                 .allowed = "cells in which all fields of the expression are, and "
                                            "facets, edges and points of such cells",
                                 .remedy = remedy});
}

// Whether a group of a functional has cells, facets, edges or points where the expression has no
// value, of this rank.
bool leaves_regions(const Discretisation &d, const FunctionalSpec &spec,
                    const PointwiseFunction &function) {
  const Mesh &mesh = *d.mesh;
  const std::string where = spec.expression.where();
  if (spec.domain == Domain::cells) {
    const std::vector<bool> selected = select_classes(mesh, Domain::cells, spec.groups, where);
    const std::vector<bool> used = classes_of_cells(mesh),
                            classes = classes_of_function(d, function);
    for (std::size_t c = 0; c < used.size(); ++c)
      if (used[c] && selected[c] && !classes[c])
        return true;
    return false;
  }
  const FacetRegions regions = facet_regions(d, function);
  if (spec.domain != Domain::facets)
    return std::any_of(regions.either.begin(), regions.either.end(), [&](const auto &classes) {
      return !parts_lie_in(mesh, spec.domain, spec.groups, classes);
    });
  const std::vector<bool> selected = select_classes(mesh, Domain::facets, spec.groups, where);
  const std::vector<std::int32_t> facets = select_facets(mesh, selected, true);
  return std::any_of(facets.begin(), facets.end(),
                     [&](std::int32_t f) { return !cell_of_facet(mesh, mesh.facets[f], regions); });
}

// All. Where the fields of an expression are in some regions only: that it is one term, where it is
// integrated over all of these, that they are somewhere together, and that its groups lie there.
void check_regions(const Discretisation &d, const FunctionalSpec &spec,
                   const PointwiseFunction &function) {
  if (!reads_regions(d, function))
    return;
  const bool integrates =
      spec.kind == FunctionalKind::integral || spec.kind == FunctionalKind::average;
  if (integrates && spec.groups.empty() && !is_one_term(d, function))
    refuse_regions(spec, "a functional over all of terms that are in different regions",
                   spec.expression.text,
                   "name groups with `cells` or `facets`, or write a functional for each term");
  const bool at_point = spec.kind == FunctionalKind::point;
  if (spec.domain == Domain::cells && (at_point || spec.groups.empty())) {
    const std::vector<bool> classes = classes_of_function(d, function);
    if (!any(d.ranks, std::find(classes.begin(), classes.end(), true) != classes.end()))
      refuse_regions(spec, "a functional whose fields are nowhere together", spec.expression.text,
                     "write a functional for each field");
  } else if (!at_point && !spec.groups.empty() && any(d.ranks, leaves_regions(d, spec, function))) {
    refuse_regions(spec, "a functional over a group where one of its fields is not",
                   join_names(spec.groups),
                   "name groups where the fields are, or leave them out: `all` is where these are");
  }
}

std::vector<Part> parts_of_named(NamedParts named, Domain domain) {
  std::vector<Part> parts;
  for (FacetGroup &group : named.groups)
    parts.push_back(
        {group.set, group.facet, std::move(group.cells), std::move(group.classes), domain});
  return parts;
}

// The expression itself, which says where its derivatives are looked at, and by what degree.
PointwiseFunction plain_function(const FormSpec &form, const FunctionalSpec &spec,
                                 const PointwiseFunction &function) {
  if (!form.derived_by)
    return function;
  FormSpec plain = form;
  plain.derived_by.reset();
  return make_expression(plain, spec.expression, {}, true, spec.domain).function;
}

// Over edges: each is one rank's.
Functional functional_on_edges(const Discretisation &d, const FunctionalSpec &spec,
                               Expression expression, int degree, bool in_part) {
  NamedParts edges =
      find_named_parts(*d.mesh, spec.domain, spec.groups, true, spec.expression.where());
  ResolvedExpression resolved =
      resolve_on_parts(std::move(expression), *d.mesh, spec.domain, edges.classes);
  return {spec, std::move(resolved), degree, parts_of_named(std::move(edges), spec.domain),
          in_part};
}

} // namespace

Functional make_functional(const Case &c, const Discretisation &d, const FunctionalSpec &spec) {
  const Mesh &mesh = *d.mesh;
  const bool on_facets = spec.domain == Domain::facets;
  const FormSpec form = result_form(c);
  auto expression = make_expression(form, spec.expression, {}, true, spec.domain);
  const PointwiseFunction plain = plain_function(form, spec, expression.function);
  const bool in_part = uses_first_times(c, expression.function);
  const std::vector<bool> classes = classes_of_function(d, plain);
  check_regions(d, spec, plain);
  if (spec.kind == FunctionalKind::point) {
    const bool by_region = spec.domain == Domain::cells; // else the groups are the point's
    auto regions = by_region
                       ? select_classes(mesh, Domain::cells, spec.groups, spec.expression.where())
                       : classes_of_cells(mesh);
    for (std::size_t c = 0; c < regions.size(); ++c)
      regions[c] = regions[c] && classes[c];
    const std::vector<bool> no_facets(mesh.facet_classes.size(), false);
    return {spec,    resolve(std::move(expression), mesh, regions, no_facets),
            0,       {},
            in_part, std::move(regions)};
  }
  const int degree = degree_of_expression(d, plain).used;
  if (spec.domain == Domain::edges)
    return functional_on_edges(d, spec, std::move(expression), degree, in_part);
  auto selected = select_classes(mesh, on_facets ? Domain::facets : Domain::cells, spec.groups,
                                 spec.expression.where());
  for (std::size_t c = 0; c < selected.size() && !on_facets; ++c)
    selected[c] = selected[c] && classes[c];
  auto parts = on_facets
                   ? parts_of_facets(mesh, selected, facet_regions(d, plain), !spec.groups.empty())
                   : parts_of_cells(mesh, selected);
  if (!any(d.ranks, !parts.empty()) && spec.kind != FunctionalKind::integral)
    throw Error(ErrorKind::input,
                {.what = "a functional over no part of the mesh",
                 .where = spec.expression.where(),
                 .found = on_facets ? "no such facets" : "no such cells",
                 .remedy = "name other groups; a mesh without boundary has no facets of it"});
  std::vector<bool> cells(mesh.region_classes.size(), false);
  std::vector<bool> facets(mesh.facet_classes.size(), false);
  for (const auto &part : parts) {
    for (const auto cell : part.cells)
      cells[mesh.sets[part.set].region[cell]] = true;
    for (const auto facet_class : part.classes)
      facets[facet_class] = true;
  }
  return {spec, resolve(std::move(expression), mesh, cells, facets), degree, std::move(parts),
          in_part};
}

std::vector<double> point_of(const Discretisation &d, const FunctionalSpec &spec) {
  if (spec.point_group.empty())
    return spec.point;
  const Mesh &mesh = *d.mesh;
  std::vector<double> sums(1 + mesh.dim, 0.0); // the number of points, then their coordinates
  for (const FacetGroup &group :
       find_named_parts(mesh, Domain::points, {spec.point_group}, true, spec.expression.where())
           .groups)
    for (const std::int32_t cell : group.cells) {
      const CellSet &set = mesh.sets[group.set];
      const std::int64_t vertex = set.nodes[std::int64_t{cell} * set.nodes_per_cell + group.facet];
      sums[0] += 1;
      for (int e = 0; e < mesh.dim; ++e)
        sums[1 + e] += mesh.coordinates[vertex * mesh.dim + e];
    }
  sums = sum(d.ranks, sums);
  if (sums[0] != 1)
    throw Error(ErrorKind::input, {.what = "a value at a name that several points have",
                                   .where = spec.expression.where(),
                                   .found = fmt::format("{}: {} points", spec.point_group, sums[0]),
                                   .allowed = "the name of one point",
                                   .remedy = "give the coordinates of one of them"});
  return {sums.begin() + 1, sums.end()};
}

CellsAtPoint cells_at_point(const Discretisation &d, const Functional &f) {
  const std::vector<double> point = point_of(d, f.spec);
  const Mesh &mesh = *d.mesh;
  CellsAtPoint located = locate_named_point(d, point, f.spec.expression.where());
  std::erase_if(located.own, [&](const LocatedPoint &at) {
    return !f.regions[mesh.sets[at.set].region[at.cell]];
  });
  located.num_all = sum(d.ranks, static_cast<std::int64_t>(located.own.size()));
  if (located.num_all == 0)
    throw Error(ErrorKind::input,
                {.what = "a value at a point from cells that do not touch it",
                 .where = f.spec.expression.where(),
                 .found = fmt::format("no cell {} at {}",
                                      f.spec.groups.empty() ? "where all of its fields are"
                                                            : "of " + join_names(f.spec.groups),
                                      describe_position(point.data(), mesh.dim)),
                 .allowed = "a region that the point lies in, or on the boundary of",
                 .remedy = "name another region, or leave cells out for the mean of all"});
  return located;
}

PartPoints quadrature_points(const Discretisation &d, const Functional &f, const Part &part) {
  const CellType cell = d.mesh->sets[part.set].type;
  if (part.facet < 0) {
    const int degree = std::max(d.cell_degree, f.degree);
    return {make_cell_table(d, part.set, degree), make_quadrature(cell, degree).points};
  }
  const int degree = std::max(d.facet_degree, f.degree);
  return {make_part_table(d, part.set, part.domain, part.facet, degree),
          make_part_quadrature(cell, part.domain, part.facet, degree).points.points};
}

PartPoints node_points(const Discretisation &d, const Part &part) {
  const CellType cell = d.mesh->sets[part.set].type;
  const int order = std::max(1, highest_field_order(d));
  // Nodes on facets and at vertices, which Gauss points are not.
  const Element element = has_nodal_elements(d)
                              ? make_nodal_element(cell, order, LineNodes::lobatto)
                              : make_element(cell, order);
  if (part.facet < 0)
    return points_in_cells(d, part, element.nodes);
  std::vector<double> points;
  for (const int i : nodes_on_part(element, part.domain, part.facet))
    points.insert(points.end(), &element.nodes[i * d.mesh->dim],
                  &element.nodes[i * d.mesh->dim] + d.mesh->dim);
  return {make_part_node_table(d, part.set, part.domain, part.facet, element), std::move(points)};
}

std::vector<PartPoints> extreme_points(const Discretisation &d, const Functional &f,
                                       const Part &part) {
  std::vector<PartPoints> points;
  if (f.spec.over != ExtremePoints::nodes)
    points.push_back(quadrature_points(d, f, part));
  if (f.spec.over != ExtremePoints::quadrature)
    points.push_back(node_points(d, part));
  return points;
}

PartPoints points_in_cells(const Discretisation &d, const Part &part, std::vector<double> points) {
  PointTable table = make_point_table(d, part.set, points);
  if (part.facet >= 0) {
    table.tangents =
        make_part_quadrature(d.mesh->sets[part.set].type, part.domain, part.facet, 0).tangents;
    table.part_dim = static_cast<int>(table.tangents.size()) / d.mesh->dim;
  }
  return {std::move(table), std::move(points)};
}

std::vector<std::vector<double>> evaluate_part(const PointwiseFunction &function, const Part &part,
                                               PointInputs inputs, PointBatch &batch,
                                               std::int64_t first) {
  if (!part.classes.empty())
    inputs.facet_classes = std::span(part.classes).subspan(first, batch.cells().size());
  std::vector<std::vector<double>> values;
  evaluate_at(function, batch, inputs, values);
  return values;
}

} // namespace weft
