#include "op/set_up/constraints.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "base/error.h"
#include "base/log.h"
#include "base/names.h"
#include "form/expression/expression.h"
#include "op/evaluate/expression_values.h"
#include "op/problem/boundary_conditions.h"
#include "op/problem/dof_layout.h"
#include "op/problem/facet_groups.h"
#include "op/problem/field_regions.h"

namespace weft {

namespace {

struct Prescribed {
  double value = 0;
  const DirichletSpec *by = nullptr;
};
using PrescribedDofs = std::map<std::int32_t, Prescribed>;

int find_field(const Discretisation &d, const DirichletSpec &spec) {
  std::vector<std::string> names;
  for (const auto &field : d.form.fields) {
    if (field.name == spec.field)
      break;
    names.push_back(field.name);
  }
  if (names.size() < d.form.fields.size())
    return static_cast<int>(names.size());
  const std::string nearest = nearest_name(spec.field, names);
  throw Error(ErrorKind::input, {.what = "a condition on an unknown field",
                                 .where = spec.value.where(),
                                 .found = spec.field,
                                 .allowed = join_names(names),
                                 .remedy = nearest.empty() ? "" : "did you mean " + nearest + "?"});
}

void check_component(const FieldSpec &field, const DirichletSpec &spec) {
  if (spec.component >= field.components())
    throw Error(ErrorKind::input, {.what = "a condition on a component that the field lacks",
                                   .where = spec.value.where(),
                                   .found = fmt::format("{}[{}]", spec.field, spec.component),
                                   .allowed = fmt::format("0 to {}", field.components() - 1)});
}

// Nodes of discontinuous elements lie inside of cells, not on facets.
void check_continuous(const FieldSpec &field, const DirichletSpec &spec) {
  if (field.discontinuous)
    throw Error(ErrorKind::input,
                {.what = "a prescribed value of a discontinuous field",
                 .where = spec.value.where(),
                 .found = fmt::format("{} with element = \"{}\"", field.name, field.element()),
                 .allowed = "fields of elements P1 to P8",
                 .remedy = fmt::format("write the condition into [weak_form] facets.{0}, with a "
                                       "penalty: docs/guide/interior_facets.md",
                                       spec.group)});
  if (field.whole_domain)
    throw Error(ErrorKind::input,
                {.what = "a prescribed value of a field of the whole domain, which has no nodes on "
                         "facets",
                 .where = spec.value.where(),
                 .found = fmt::format("{} with element = \"{}\"", field.name, field.element()),
                 .allowed = "fields of elements P1 to P8",
                 .remedy = fmt::format("what is known is a parameter: take `{}` from [fields] to "
                                       "[parameters], or write its equation into [weak_form]",
                                       field.name)});
}

// One line of [dirichlet] while it is applied.
struct Line {
  const Discretisation &d;
  const DirichletSpec &spec;
  int field;
  ResolvedExpression value;
  PrescribedDofs &dofs;
  std::int64_t num_overridden = 0;
  const DirichletSpec *overridden = nullptr;

  void prescribe(std::int64_t node, const std::vector<std::vector<double>> &values, int at) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      const int component = spec.component >= 0 ? spec.component : static_cast<int>(k);
      set(static_cast<std::int32_t>(vector_dof(d, field, node, component)), values[k][at]);
    }
  }

  void set(std::int32_t dof, double value) {
    if (dof >= d.num_owned)
      return; // another rank's
    auto &entry = dofs[dof];
    if (entry.by == &spec)
      return; // from the facet beside
    const double scale = std::max({1e-300, std::abs(value), std::abs(entry.value)});
    if (entry.by && std::abs(value - entry.value) > 1e-12 * scale) {
      ++num_overridden;
      overridden = entry.by;
    }
    entry = {value, &spec};
  }
};

// `domain`: that the groups' local facets, edges or vertices are of.
void apply_on_parts(Line &line, Domain domain, const std::vector<FacetGroup> &groups) {
  const Discretisation &d = line.d;
  for (const FacetGroup &group : groups) {
    const NodeMapSet &set = d.map_of_field(line.field).sets[group.set];
    const PointTable table = make_part_node_table(d, group.set, domain, group.facet, set.element);
    const auto nodes = nodes_on_part(set.element, domain, group.facet);
    constexpr std::size_t step = 128;
    for (std::size_t first = 0; first < group.cells.size(); first += step) {
      const std::size_t count = std::min(step, group.cells.size() - first);
      PointBatch batch(d, table, std::span(group.cells).subspan(first, count));
      std::vector<std::vector<double>> values;
      evaluate_at(line.value.expression.function, batch,
                  line.value.inputs(nullptr, std::span(group.classes).subspan(first, count)),
                  values);
      for (std::size_t c = 0; c < count; ++c)
        for (std::size_t i = 0; i < nodes.size(); ++i)
          line.prescribe(
              set.nodes[std::int64_t(batch.cells()[c]) * set.element.num_nodes() + nodes[i]],
              values, static_cast<int>(c * nodes.size() + i));
    }
  }
}

// What a group's name stands for in conditions: facets, where there are such of the name, else
// edges, else points.
Domain domain_of(const Mesh &mesh, const std::string &group) {
  const auto facets = mesh.facet_group_names();
  if (means_all_facets(group) || std::find(facets.begin(), facets.end(), group) != facets.end())
    return Domain::facets;
  if (mesh.edge_groups.contains(group))
    return Domain::edges;
  return mesh.point_groups.contains(group) ? Domain::points : Domain::facets;
}

[[noreturn]] void refuse_outside(const DirichletSpec &spec, const FieldSpec &field) {
  throw Error(ErrorKind::input,
              {.what = "a condition where the field is not",
               .where = spec.value.where(),
               .found = fmt::format("{} on {}", spec.field, spec.group),
               .allowed = "facets, edges and points of cells in " + join_names(field.cells),
               .remedy = "name a group there, or add regions to `cells` in [fields]"});
}

void check_facets(const Discretisation &d, const DirichletSpec &spec, const FieldSpec &field,
                  const std::vector<std::int32_t> &facets) {
  const std::vector<bool> classes = classes_of_field(*d.mesh, field);
  const bool outside = std::any_of(facets.begin(), facets.end(), [&](std::int32_t f) {
    return !cell_of_facet(*d.mesh, d.mesh->facets[f], {.cell = classes, .either = {}});
  });
  if (any(d.ranks, outside))
    refuse_outside(spec, field);
}

// Returns the expression of the values.
Expression apply_line(const Case &c, const Discretisation &d, const DirichletSpec &spec,
                      PrescribedDofs &dofs, bool notices) {
  const Mesh &mesh = *d.mesh;
  const int field = find_field(d, spec);
  check_component(d.form.fields[field], spec);
  check_continuous(d.form.fields[field], spec);
  const Shape shape = spec.component >= 0 ? Shape{} : d.form.fields[field].shape;
  const Domain domain = domain_of(mesh, spec.group);
  Expression expression = make_expression(c.form, spec.value, shape, false, domain);
  const FieldSpec &of = d.form.fields[field];
  const std::vector<bool> classes = classes_of_field(mesh, of);
  std::vector<FacetGroup> groups;
  ResolvedExpression value;
  if (domain == Domain::facets) {
    const std::vector<bool> selected =
        means_all_facets(spec.group)
            ? classes_of_boundary(mesh)
            : select_classes(mesh, domain, {spec.group}, spec.value.where());
    const std::vector<std::int32_t> facets = select_facets(mesh, selected, true);
    if (!of.cells.empty() && !means_all_facets(spec.group))
      check_facets(d, spec, of, facets);
    groups = group_facets(mesh, facets, {.cell = classes, .either = {}});
    value = resolve(std::move(expression), mesh, classes, selected);
  } else {
    if (!of.cells.empty() && any(d.ranks, !parts_lie_in(mesh, domain, {spec.group}, classes)))
      refuse_outside(spec, of);
    NamedParts parts = find_named_parts(mesh, domain, {spec.group}, false, spec.value.where());
    groups = std::move(parts.groups);
    value = resolve_on_parts(std::move(expression), mesh, domain, parts.classes);
  }
  Line line{d, spec, field, std::move(value), dofs};
  apply_on_parts(line, domain, groups);
  if (line.num_overridden > 0 && notices)
    log::notice("{}: replaces {} values of {} that were set by {}", spec.value.where(),
                line.num_overridden, spec.field, line.overridden->value.where());
  return std::move(line.value.expression);
}

} // namespace

Constraints make_constraints(const Case &c, const Discretisation &d, bool notices) {
  PrescribedDofs dofs;
  Constraints constraints;
  for (const auto &spec : c.dirichlet) {
    const Expression values = apply_line(c, d, spec, dofs, notices);
    constraints.depend_on_time |= values.function.uses(SymbolKind::time);
    constraints.depend_on_parameters |= has_settable_entries(values);
  }
  for (std::size_t i = 0; i < d.fixed.dofs.size(); ++i)
    dofs[d.fixed.dofs[i]] = {.value = d.fixed.values[i]};
  for (const std::int32_t dof : absent_dofs(d))
    dofs[dof] = {};
  for (const auto &[dof, prescribed] : dofs) {
    constraints.dofs.push_back(dof);
    constraints.values.push_back(prescribed.value);
  }
  return constraints;
}

} // namespace weft
