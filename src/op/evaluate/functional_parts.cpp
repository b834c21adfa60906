#include "op/evaluate/functional_parts.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/error.h"
#include "base/names.h"
#include "form/expression/expression.h"
#include "op/evaluate/state_fault.h"
#include "op/problem/facet_groups.h"
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

// Without groups: the boundary; facets between cells only where their group is named.
std::vector<Part> parts_of_facets(const Mesh &mesh, const std::vector<bool> &selected,
                                  bool by_name) {
  std::vector<Part> parts;
  std::vector<std::int32_t> facets = select_facets(mesh, selected, by_name);
  std::erase_if(facets,
                [&](std::int32_t facet) { return !is_own_cell(mesh, mesh.facets[facet].minus); });
  for (auto &group : group_facets(mesh, facets))
    parts.push_back({group.set, group.facet, std::move(group.cells), std::move(group.classes)});
  return parts;
}

std::vector<Part> parts_of_named(NamedParts named, Domain domain) {
  std::vector<Part> parts;
  for (FacetGroup &group : named.groups)
    parts.push_back(
        {group.set, group.facet, std::move(group.cells), std::move(group.classes), domain});
  return parts;
}

// That of the expression itself, which its derivatives are integrated by too.
int degree_of(const Discretisation &d, const FormSpec &form, const SourceText &text, Domain domain,
              const PointwiseFunction &function) {
  if (!form.derived_by)
    return degree_of_expression(d, function).used;
  FormSpec plain = form;
  plain.derived_by.reset();
  return degree_of_expression(d, make_expression(plain, text, {}, true, domain).function).used;
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
  const bool in_part = uses_first_times(c, expression.function);
  if (spec.kind == FunctionalKind::point) {
    const bool by_region = spec.domain == Domain::cells; // else the groups are the point's
    auto regions = by_region
                       ? select_classes(mesh, Domain::cells, spec.groups, spec.expression.where())
                       : classes_of_cells(mesh);
    const std::vector<bool> no_facets(mesh.facet_classes.size(), false);
    return {spec,    resolve(std::move(expression), mesh, regions, no_facets),
            0,       {},
            in_part, std::move(regions)};
  }
  const int degree = degree_of(d, form, spec.expression, spec.domain, expression.function);
  if (spec.domain == Domain::edges)
    return functional_on_edges(d, spec, std::move(expression), degree, in_part);
  const auto selected = select_classes(mesh, on_facets ? Domain::facets : Domain::cells,
                                       spec.groups, spec.expression.where());
  auto parts = on_facets ? parts_of_facets(mesh, selected, !spec.groups.empty())
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
                 .found = fmt::format("no cell of {} at {}", join_names(f.spec.groups),
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
