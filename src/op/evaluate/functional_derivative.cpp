#include "op/evaluate/functional_derivative.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "base/error.h"
#include "form/graph/hessian_entries.h"
#include "form/graph/rewrite.h"
#include "op/evaluate/field_values.h"
#include "op/evaluate/loads.h"

namespace weft {

namespace {

bool is_extreme(const FunctionalSpec &spec) {
  return spec.kind == FunctionalKind::maximum || spec.kind == FunctionalKind::minimum;
}

// The cell of a part alone.
Part one_cell(const Part &part, std::int64_t at) {
  Part result{.set = part.set, .facet = part.facet, .cells = {part.cells[at]}};
  if (!part.classes.empty())
    result.classes = {part.classes[at]};
  return result;
}

// The first point of a part at which a component has the value.
std::optional<FunctionalPlace> place_of(const Discretisation &d, const Functional &f,
                                        const Part &part, const PartPoints &at, int component,
                                        double value, const std::vector<double> &state) {
  const int dim = d.mesh->dim;
  const auto num_chunks = (static_cast<std::int64_t>(part.cells.size()) - 1) / chunk_cells + 1;
  std::vector<std::int64_t> found(num_chunks, -1); // points of the part
  for_each_batch(d, at.table, part.cells,
                 [&](PointBatch &batch, std::int64_t first, std::int64_t chunk) {
                   if (found[chunk] >= 0)
                     return;
                   const std::vector<double> values =
                       evaluate_part(f.expression.expression.function, part,
                                     f.expression.inputs(&state), batch, first)[component];
                   const auto here = std::find(values.begin(), values.end(), value);
                   if (here != values.end())
                     found[chunk] = first * at.table.num_points + (here - values.begin());
                 });
  const auto point = std::find_if(found.begin(), found.end(), [](auto i) { return i >= 0; });
  if (point == found.end())
    return {};
  const double *reference = &at.points[*point % at.table.num_points * dim];
  return FunctionalPlace{one_cell(part, *point / at.table.num_points),
                         {reference, reference + dim}};
}

FunctionalPlace place_in(const Discretisation &d, const Functional &f, int component, double value,
                         const std::vector<double> &state) {
  for (const Part &part : f.parts)
    for (const PartPoints &at : extreme_points(d, f, part))
      if (auto place = place_of(d, f, part, at, component, value, state))
        return std::move(*place);
  throw Error(ErrorKind::numerical, {.what = fmt::format("the place of {} is nowhere", f.spec.name),
                                     .where = f.spec.expression.where(),
                                     .found = fmt::format("{}", value),
                                     .remedy = "look at the expression: it is not finite"});
}

// Where a functional is evaluated, and the weight of the values there in it.
struct Evaluation {
  Part part;
  PointTable table;
  double factor = 1; // of what the table's weights say, or of the values at its points
};

std::vector<Evaluation> evaluations(const Discretisation &d, const Functional &f, int component,
                                    const std::vector<FunctionalPlace> &places) {
  std::vector<Evaluation> all;
  if (f.spec.kind == FunctionalKind::point) {
    const CellsAtPoint located = cells_at_point(d, f);
    for (const LocatedPoint &at : located.own)
      all.push_back({{.set = at.set, .cells = {at.cell}},
                     make_point_table(d, at.set, at.reference),
                     1 / static_cast<double>(located.num_all)});
    return all;
  }
  if (is_extreme(f.spec)) {
    const FunctionalPlace &place = places[component];
    all.push_back({place.part, points_in_cells(d, place.part, place.reference).table, 1});
    return all;
  }
  for (const Part &part : f.parts)
    all.push_back({part, quadrature_points(d, f, part).table, 1});
  if (f.spec.kind != FunctionalKind::average)
    return all;
  double measure = 0;
  for (const Evaluation &at : all)
    measure += sum_batches(d, at.table, at.part.cells, 1,
                           [](PointBatch &batch, std::int64_t, double *sums) {
                             for (const double weight : batch.measure())
                               sums[0] += weight;
                           })[0];
  for (Evaluation &at : all)
    at.factor = 1 / measure;
  return all;
}

// The derivative of one output by a field's values, then by its gradients, then by its second
// derivatives where the function has any.
PointwiseFunction derivative_by_field(const PointwiseFunction &function, int output, int field,
                                      int components, int dim) {
  Graph graph;
  const NodeId value = insert(graph, function)[output];
  std::vector<NodeId> outputs;
  const auto add = [&](const Symbol &symbol) {
    outputs.push_back(derivative(graph, std::span(&value, 1), symbol)[0]);
  };
  for (int k = 0; k < components; ++k)
    add({.kind = SymbolKind::field, .index = field, .component = k});
  for (int k = 0; k < components; ++k)
    for (int x = 0; x < dim; ++x)
      add({.kind = SymbolKind::field_gradient, .index = field, .component = k, .direction = x});
  for (int k = 0; k < components && function.uses(SymbolKind::field_hessian, field); ++k)
    for (int entry = 0; entry < num_hessian_entries(dim); ++entry)
      add({.kind = SymbolKind::field_hessian, .index = field, .component = k, .direction = entry});
  return extract(graph, outputs);
}

} // namespace

std::vector<FunctionalPlace> places_of_extremes(const Case &c, const Discretisation &d,
                                                const FunctionalSpec &spec,
                                                const std::vector<double> &state) {
  if (!is_extreme(spec))
    return {};
  const Functional f = make_functional(c, d, spec);
  const std::vector<double> values = functional(c, d, spec, state).values;
  std::vector<FunctionalPlace> places;
  for (std::size_t k = 0; k < values.size(); ++k)
    places.push_back(place_in(d, f, static_cast<int>(k), values[k], state));
  return places;
}

double value_at_places(const Case &c, const Discretisation &d, const FunctionalSpec &spec,
                       int component, const std::vector<FunctionalPlace> &places,
                       const std::vector<double> &state) {
  const Functional f = make_functional(c, d, spec);
  const PointwiseFunction &function = f.expression.expression.function;
  double total = 0;
  for (const Evaluation &at : evaluations(d, f, component, places)) {
    const bool weighted = !at.table.weights.empty();
    total += at.factor * sum_batches(d, at.table, at.part.cells, 1,
                                     [&](PointBatch &batch, std::int64_t first, double *sums) {
                                       const std::vector<double> values = evaluate_part(
                                           function, at.part, f.expression.inputs(&state), batch,
                                           first)[component];
                                       for (int q = 0; q < batch.num_points(); ++q)
                                         sums[0] += (weighted ? batch.measure()[q] : 1) * values[q];
                                     })[0];
  }
  return total;
}

bool is_linear_in_fields(const Case &c, const Discretisation &d, const FunctionalSpec &spec) {
  const Functional f = make_functional(c, d, spec);
  Graph graph;
  const std::vector<NodeId> values = insert(graph, f.expression.expression.function);
  const std::vector<NodeId> derivatives = directional_derivative(graph, values);
  return !depends_on(graph, derivatives, SymbolKind::field) &&
         !depends_on(graph, derivatives, SymbolKind::field_gradient) &&
         !depends_on(graph, derivatives, SymbolKind::field_hessian);
}

std::vector<double> derivative_by_dofs(const Case &c, const Discretisation &d,
                                       const FunctionalSpec &spec, int component,
                                       const std::vector<FunctionalPlace> &places,
                                       const std::vector<double> &state) {
  const Functional f = make_functional(c, d, spec);
  const std::vector<Evaluation> all = evaluations(d, f, component, places);
  std::vector<double> result(d.num_local, 0.);
  for (std::size_t field = 0; field < d.form.fields.size(); ++field) {
    const int components = d.form.fields[field].components();
    const PointwiseFunction function =
        derivative_by_field(f.expression.expression.function, component, static_cast<int>(field),
                            components, d.form.dim);
    for (const Evaluation &at : all)
      add_load(
          d, at.part, at.table, {d.field_map[field], components},
          [&](PointBatch &batch, std::int64_t first) {
            auto values =
                evaluate_part(function, at.part, f.expression.inputs(&state), batch, first);
            for (std::vector<double> &output : values)
              for (double &value : output)
                value *= at.factor;
            return values;
          },
          &result[d.field_offset[field]]);
  }
  return result;
}

} // namespace weft
