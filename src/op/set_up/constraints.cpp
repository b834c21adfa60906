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

void apply_on_facets(Line &line, const std::vector<bool> &selected) {
  const Discretisation &d = line.d;
  for (const auto &group : group_facets(*d.mesh, select_facets(*d.mesh, selected, true))) {
    const NodeMapSet &set = d.map_of_field(line.field).sets[group.set];
    const PointTable table = make_facet_node_table(d, group.set, group.facet, set.element);
    const auto nodes = set.element.facet_nodes(group.facet);
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

// At points with a name: in the first cell that has each as a vertex.
void apply_at_points(Line &line, std::vector<std::int32_t> points) {
  const Discretisation &d = line.d;
  const int dim = d.mesh->dim;
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s) {
    const CellSet &cells = d.mesh->sets[s];
    const auto corners = reference_vertices(cells.type);
    for (std::int64_t c = 0; c < cells.num_cells(); ++c)
      for (int v = 0; v < num_vertices(cells.type); ++v) {
        const auto found =
            std::find(points.begin(), points.end(), cells.nodes[c * cells.nodes_per_cell + v]);
        if (found == points.end())
          continue;
        points.erase(found);
        const PointTable table = make_point_table(
            d, static_cast<int>(s), {corners.begin() + v * dim, corners.begin() + (v + 1) * dim});
        const auto cell = static_cast<std::int32_t>(c);
        PointBatch batch(d, table, std::span(&cell, 1));
        std::vector<std::vector<double>> values;
        evaluate_at(line.value.expression.function, batch, line.value.inputs(nullptr), values);
        const NodeMapSet &set = d.map_of_field(line.field).sets[s];
        line.prescribe(set.nodes[c * set.element.num_nodes() + v], values, 0);
      }
  }
}

// Returns the expression of the values.
Expression apply_line(const Case &c, const Discretisation &d, const DirichletSpec &spec,
                      PrescribedDofs &dofs, bool notices) {
  const Mesh &mesh = *d.mesh;
  const int field = find_field(d, spec);
  check_component(d.form.fields[field], spec);
  check_continuous(d.form.fields[field], spec);
  const Shape shape = spec.component >= 0 ? Shape{} : d.form.fields[field].shape;
  const bool everywhere = means_all_facets(spec.group);
  const auto facet_groups = mesh.facet_group_names();
  const bool is_facet_group =
      std::find(facet_groups.begin(), facet_groups.end(), spec.group) != facet_groups.end();
  const auto points = mesh.point_groups.find(spec.group);
  const bool at_points = !everywhere && !is_facet_group && points != mesh.point_groups.end();

  std::vector<bool> selected(mesh.facet_classes.size(), false);
  if (everywhere)
    selected = classes_of_boundary(mesh);
  else if (!at_points)
    selected = select_classes(mesh, Domain::facets, {spec.group}, spec.value.where());
  Line line{d, spec, field,
            resolve(make_expression(c.form, spec.value, shape, false, !at_points), mesh,
                    classes_of_cells(mesh), selected),
            dofs};
  if (at_points)
    apply_at_points(line, points->second);
  else
    apply_on_facets(line, selected);
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
  for (const auto &[dof, prescribed] : dofs) {
    constraints.dofs.push_back(dof);
    constraints.values.push_back(prescribed.value);
  }
  return constraints;
}

} // namespace weft
