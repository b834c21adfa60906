#include "run/advice/singular_points.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <optional>

#include "form/expression/expression.h"
#include "mesh/position.h"
#include "op/problem/boundary_conditions.h"
#include "op/problem/result_form.h"

namespace weft {

namespace {

Position unit(const Position &x) {
  const double length = norm_of(x);
  return {x[0] / length, x[1] / length, x[2] / length};
}

// In 2D the angle between two directions, in 3D the solid angle of three; see Van Oosterom and
// Strackee, doi 10.1109/TBME.1983.325207.
double angle_of(const Position &a, const Position &b) {
  return std::atan2(norm_of(cross_product(a, b)), weft::product(a, b));
}
double solid_angle_of(const Position &a, const Position &b, const Position &c) {
  return 2 * std::atan2(std::abs(weft::product(a, cross_product(b, c))),
                        1 + weft::product(a, b) + weft::product(b, c) + weft::product(c, a));
}

// What a cell fills of the directions from one of its vertices.
double angle_in_cell(const Mesh &mesh, const CellSet &set, const std::int32_t *nodes, int vertex) {
  std::vector<Position> edges; // in the order of their other vertices: around an apex
  for (int v = 0; v < num_vertices(set.type); ++v)
    for (int e = 0; e < num_edges(set.type); ++e) {
      const auto [low, high] = edge_vertices(set.type, e);
      if ((low == vertex && high == v) || (high == vertex && low == v))
        edges.push_back(
            unit(difference_of(position_of(mesh, nodes[v]), position_of(mesh, nodes[vertex]))));
    }
  if (mesh.dim == 2)
    return angle_of(edges[0], edges[1]);
  double sum = 0;
  for (std::size_t i = 2; i < edges.size(); ++i)
    sum += solid_angle_of(edges[0], edges[i - 1], edges[i]);
  return sum;
}

// What the cells fill of all directions from a node: 1 inside of the mesh, a half on a smooth
// boundary.
double filled_share(const Mesh &mesh, std::int32_t node) {
  double sum = 0;
  for (const CellSet &set : mesh.sets)
    for (std::int64_t cell = 0; cell < set.num_cells(); ++cell) {
      const std::int32_t *nodes = &set.nodes[cell * set.nodes_per_cell];
      for (int v = 0; v < num_vertices(set.type); ++v)
        if (nodes[v] == node)
          sum += angle_in_cell(mesh, set, nodes, v);
    }
  return sum / (std::numbers::pi * (mesh.dim == 2 ? 2 : 4));
}

// Classes of the boundary's facets that have the node, each once.
std::vector<std::int32_t> classes_at(const Mesh &mesh, std::int32_t node) {
  std::vector<std::int32_t> classes;
  for (std::int64_t f = 0; f < mesh.num_boundary_facets; ++f) {
    const Facet &facet = mesh.facets[f];
    const CellSet &set = mesh.sets[facet.minus.set];
    const std::int32_t *nodes = &set.nodes[std::int64_t(facet.minus.cell) * set.nodes_per_cell];
    const auto vertices = facet_vertices(set.type, facet.minus.facet);
    if (std::any_of(vertices.begin(), vertices.end(), [&](int v) { return nodes[v] == node; }))
      classes.push_back(facet.facet_class);
  }
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  return classes;
}

// The components of a field that are prescribed on the facets of a class.
int num_prescribed(const Case &c, const Mesh &mesh, const FieldSpec &field, std::int32_t k) {
  const std::vector<std::string> &groups = mesh.facet_classes[k].groups;
  std::vector<bool> components(field.components(), false);
  for (const DirichletSpec &spec : c.dirichlet)
    if (spec.field == field.name &&
        (means_all_facets(spec.group) ||
         std::find(groups.begin(), groups.end(), spec.group) != groups.end())) {
      if (spec.component < 0)
        components.assign(components.size(), true);
      else if (spec.component < field.components())
        components[spec.component] = true;
    }
  return static_cast<int>(std::count(components.begin(), components.end(), true));
}

// On some of these facets all components are prescribed, on others none.
bool support_ends(const Case &c, const Discretisation &d, int field,
                  const std::vector<std::int32_t> &classes) {
  const FieldSpec &spec = d.form.fields[field];
  bool held = false, open = false;
  for (const std::int32_t k : classes) {
    const int count = num_prescribed(c, *d.mesh, spec, k);
    held = held || count == spec.components();
    open = open || count == 0;
  }
  return held && open;
}

// The vertex at a functional's point; none where there is no vertex.
std::optional<std::int32_t> vertex_of(const Mesh &mesh, const FunctionalSpec &spec) {
  if (!spec.point_group.empty()) {
    const auto group = mesh.point_groups.find(spec.point_group);
    return group == mesh.point_groups.end() || group->second.empty() ? std::optional<std::int32_t>()
                                                                     : group->second.front();
  }
  if (static_cast<int>(spec.point.size()) != mesh.dim)
    return {};
  constexpr double same = 1e-12; // of the squares of lengths
  double extent = 0;
  for (const double x : mesh.coordinates)
    extent = std::max(extent, std::abs(x));
  for (const CellSet &set : mesh.sets)
    for (std::int64_t cell = 0; cell < set.num_cells(); ++cell)
      for (int v = 0; v < num_vertices(set.type); ++v) {
        const std::int32_t node = set.nodes[cell * set.nodes_per_cell + v];
        double square = 0;
        for (int i = 0; i < mesh.dim; ++i)
          square +=
              std::pow(mesh.coordinates[std::int64_t(node) * mesh.dim + i] - spec.point[i], 2);
        if (square <= same * extent * extent)
          return node;
      }
  return {};
}

bool force_acts_at(const Case &c, const Mesh &mesh, std::int32_t node) {
  for (const auto *integrals : {&c.form.integrals, &c.form.explicit_integrals})
    for (const IntegralSpec &integral : *integrals)
      for (const std::string &name : integral.groups) {
        const auto group = mesh.point_groups.find(name);
        if (integral.domain == Domain::points && group != mesh.point_groups.end() &&
            std::find(group->second.begin(), group->second.end(), node) != group->second.end())
          return true;
      }
  return false;
}

bool uses_derivatives(const PointwiseFunction &function, int field) {
  return function.uses(SymbolKind::field_gradient, field) ||
         function.uses(SymbolKind::field_hessian, field);
}

// Why gradients have no limit at a node; empty where they have, as far as is seen.
std::string why_singular(const Case &c, const Discretisation &d, const PointwiseFunction &function,
                         std::int32_t node) {
  constexpr double inwards = 0.625;   // 225 degrees: holes made of straight edges have less
  constexpr double of_scalars = 0.28; // beyond a right angle
  const Mesh &mesh = *d.mesh;
  const std::vector<std::int32_t> classes = classes_at(mesh, node);
  if (classes.empty()) // inside
    return {};
  const double share = filled_share(mesh, node);
  if (share > inwards)
    return fmt::format("a corner that points inwards ({:.0f} % of what is around it is filled)",
                       100 * share);
  for (int f = 0; f < static_cast<int>(d.form.fields.size()); ++f)
    if (uses_derivatives(function, f) && support_ends(c, d, f, classes) &&
        (d.form.fields[f].components() > 1 || share > of_scalars))
      return fmt::format("the end of a boundary on which {} is prescribed", d.form.fields[f].name);
  return {};
}

} // namespace

std::vector<std::string> singular_points(const Case &c, const Discretisation &d) {
  std::vector<std::string> remarks;
  if (d.mesh->share)
    return remarks;
  for (const FunctionalSpec &spec : c.functionals) {
    if (spec.kind != FunctionalKind::point)
      continue;
    const std::optional<std::int32_t> node = vertex_of(*d.mesh, spec);
    if (!node)
      continue;
    const PointwiseFunction function =
        make_expression(result_form(c), spec.expression, {}, true, Domain::cells).function;
    bool derivatives = false;
    for (int f = 0; f < static_cast<int>(d.form.fields.size()); ++f)
      derivatives = derivatives || uses_derivatives(function, f);
    if (derivatives || function.uses(SymbolKind::field))
      if (force_acts_at(c, *d.mesh, *node)) {
        remarks.push_back(fmt::format(
            "{}: a force acts at its point, where the solution has no limit: finer meshes give "
            "larger values; spread the force over a small piece of the boundary, or ask for the "
            "value beside it",
            spec.expression.where()));
        continue;
      }
    if (!derivatives)
      continue;
    if (const std::string why = why_singular(c, d, function, *node); !why.empty())
      remarks.push_back(fmt::format(
          "{}: its point is {}, where gradients have no limit: finer meshes give larger values; "
          "ask for it some way off, or round the corner",
          spec.expression.where(), why));
  }
  return remarks;
}

} // namespace weft
