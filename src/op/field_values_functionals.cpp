#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "op/expression_values.h"
#include "op/facet_groups.h"
#include "op/field_values.h"
#include "op/point_location.h"
#include "op/quadrature_degree.h"
#include "op/result_form.h"
#include "space/nodal_element.h"

namespace weft {

namespace {

// Cells, or one local facet of cells, over which a functional is taken.
struct Part {
  int set = 0;
  int facet = -1; // local; -1: the cells themselves
  std::vector<std::int32_t> cells;
  std::vector<std::int32_t> classes; // of the facets
};

// A functional of a case on a mesh.
struct Functional {
  const FunctionalSpec &spec;
  ResolvedExpression expression;
  std::vector<Part> parts;
  bool in_part = false; // points where it is NaN, because a first time is not reached, do not count
};

std::vector<Part> parts_of_cells(const Mesh &mesh, const std::vector<bool> &selected) {
  std::vector<Part> parts;
  for (std::size_t s = 0; s < mesh.sets.size(); ++s) {
    Part part{.set = static_cast<int>(s)};
    for (std::int64_t c = 0; c < mesh.sets[s].num_cells(); ++c)
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
  for (auto &group : group_facets(mesh, select_facets(mesh, selected, by_name)))
    parts.push_back({group.set, group.facet, std::move(group.cells), std::move(group.classes)});
  return parts;
}

Functional make_functional(const Case &c, const Discretisation &d, const FunctionalSpec &spec) {
  const Mesh &mesh = *d.mesh;
  const bool on_facets = spec.domain == Domain::facets;
  auto expression = make_expression(result_form(c), spec.expression, {}, true, on_facets);
  const bool in_part = uses_first_times(c, expression.function);
  if (spec.kind == FunctionalKind::point)
    return {spec, resolve_on_cells(std::move(expression), mesh), {}, in_part};
  const auto selected = select_classes(mesh, on_facets ? Domain::facets : Domain::cells,
                                       spec.groups, spec.expression.where());
  auto parts = on_facets ? parts_of_facets(mesh, selected, !spec.groups.empty())
                         : parts_of_cells(mesh, selected);
  std::vector<bool> cells(mesh.region_classes.size(), false);
  std::vector<bool> facets(mesh.facet_classes.size(), false);
  for (const auto &part : parts) {
    for (const auto cell : part.cells)
      cells[mesh.sets[part.set].region[cell]] = true;
    for (const auto facet_class : part.classes)
      facets[facet_class] = true;
  }
  return {spec, resolve(std::move(expression), mesh, cells, facets), std::move(parts), in_part};
}

std::vector<std::vector<double>> evaluate_part(const Functional &f, const Part &part,
                                               const std::vector<double> &state, PointBatch &batch,
                                               std::int64_t first) {
  const std::span<const std::int32_t> classes =
      part.classes.empty() ? std::span<const std::int32_t>()
                           : std::span(part.classes).subspan(first, batch.cells().size());
  std::vector<std::vector<double>> values;
  evaluate_at(f.expression.expression.function, batch, f.expression.inputs(&state, classes),
              values);
  return values;
}

PointTable quadrature_table(const Discretisation &d, const Functional &f, const Part &part) {
  const int form_degree = part.facet < 0 ? d.cell_degree : d.facet_degree;
  const int degree =
      std::max(form_degree, degree_of_expression(d, f.expression.expression.function));
  return part.facet < 0 ? make_cell_table(d, part.set, degree)
                        : make_facet_table(d, part.set, part.facet, degree);
}

PointTable node_table(const Discretisation &d, const Part &part) {
  const CellType cell = d.mesh->sets[part.set].type;
  const int order = std::max(1, highest_field_order(d));
  // Nodes on facets and at vertices, which Gauss points are not.
  const Element element = has_nodal_elements(d)
                              ? make_nodal_element(cell, order, LineNodes::lobatto)
                              : make_element(cell, order);
  return part.facet < 0 ? make_point_table(d, part.set, element.nodes)
                        : make_facet_node_table(d, part.set, part.facet, element);
}

bool is_nan_at(const std::vector<std::vector<double>> &values, int at) {
  return std::any_of(values.begin(), values.end(),
                     [at](const std::vector<double> &v) { return std::isnan(v[at]); });
}

// Integrals of the components, then the measure of the domain.
std::vector<double> integrate(const Discretisation &d, const Functional &f,
                              const std::vector<double> &state) {
  const int n = f.expression.components();
  std::vector<double> total(n + 1, 0.0);
  for (const auto &part : f.parts) {
    const PointTable table = quadrature_table(d, f, part);
    const auto sums = sum_batches(d, table, part.cells, n + 1,
                                  [&](PointBatch &batch, std::int64_t first, double *partial) {
                                    const auto values = evaluate_part(f, part, state, batch, first);
                                    for (int at = 0; at < batch.num_points(); ++at) {
                                      if (f.in_part && is_nan_at(values, at))
                                        continue;
                                      for (int k = 0; k < n; ++k)
                                        partial[k] += batch.measure()[at] * values[k][at];
                                      partial[n] += batch.measure()[at];
                                    }
                                  });
    for (int k = 0; k <= n; ++k)
      total[k] += sums[k];
  }
  return total;
}

// Largest values of the components over nodes and quadrature points; of their negatives with
// sign = -1.
std::vector<double> largest(const Discretisation &d, const Functional &f,
                            const std::vector<double> &state, double sign) {
  const int n = f.expression.components();
  std::vector<double> result(n, -std::numeric_limits<double>::infinity());
  for (const auto &part : f.parts)
    for (const PointTable &table : {quadrature_table(d, f, part), node_table(d, part)}) {
      const auto chunks = (static_cast<std::int64_t>(part.cells.size()) - 1) / chunk_cells + 1;
      std::vector<std::vector<double>> of_chunk(chunks, result);
      for_each_batch(d, table, part.cells,
                     [&](PointBatch &batch, std::int64_t first, std::int64_t chunk) {
                       const auto values = evaluate_part(f, part, state, batch, first);
                       for (int k = 0; k < n; ++k)
                         for (const double value : values[k])
                           of_chunk[chunk][k] = std::max(of_chunk[chunk][k], sign * value);
                     });
      for (const auto &found : of_chunk)
        for (int k = 0; k < n; ++k)
          result[k] = std::max(result[k], found[k]);
    }
  for (double &value : result)
    if (f.in_part && std::isinf(value))
      value = std::numeric_limits<double>::quiet_NaN();
  return result;
}

// The mean over the cells that touch the point: the value where it is continuous, and the average
// of gradients at a node.
std::vector<double> at_point(const Discretisation &d, const Functional &f,
                             const std::vector<double> &state) {
  const std::string where = f.spec.expression.where();
  if (static_cast<int>(f.spec.point.size()) != d.mesh->dim)
    throw Error(ErrorKind::input, {.what = "a point with the wrong number of coordinates",
                                   .where = where,
                                   .found = std::to_string(f.spec.point.size()),
                                   .allowed = std::to_string(d.mesh->dim)});
  const auto places = locate_point(d, f.spec.point);
  if (places.empty())
    fail_outside(d, f.spec.point, where);
  std::vector<double> mean(f.expression.components(), 0.0);
  for (const auto &place : places) {
    const PointTable table = make_point_table(d, place.set, place.reference);
    PointBatch batch(d, table, std::span(&place.cell, 1));
    std::vector<std::vector<double>> values;
    evaluate_at(f.expression.expression.function, batch, f.expression.inputs(&state), values);
    for (std::size_t k = 0; k < mean.size(); ++k)
      mean[k] += values[k][0] / static_cast<double>(places.size());
  }
  return mean;
}

std::vector<double> value_of(const Discretisation &d, const Functional &f,
                             const std::vector<double> &state) {
  switch (f.spec.kind) {
  case FunctionalKind::point:
    return at_point(d, f, state);
  case FunctionalKind::maximum:
    return largest(d, f, state, 1);
  case FunctionalKind::minimum: {
    auto values = largest(d, f, state, -1);
    for (double &value : values)
      value = -value;
    return values;
  }
  case FunctionalKind::integral:
  case FunctionalKind::average:
    break;
  }
  auto values = integrate(d, f, state);
  const double measure = values.back();
  values.pop_back();
  if (f.spec.kind == FunctionalKind::average)
    for (double &value : values)
      value /= measure;
  return values;
}

} // namespace

std::vector<FunctionalValue> functionals(const Case &c, const Discretisation &d,
                                         const std::vector<double> &state) {
  std::vector<FunctionalValue> result;
  for (const auto &spec : c.functionals)
    result.push_back({spec.name, value_of(d, make_functional(c, d, spec), state)});
  return result;
}

} // namespace weft
