#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "base/error.h"
#include "base/names.h"
#include "op/evaluate/expression_values.h"
#include "op/evaluate/field_values.h"
#include "op/evaluate/functional_parts.h"
#include "op/evaluate/reaction.h"
#include "op/evaluate/recovery.h"
#include "op/evaluate/state_fault.h"

namespace weft {

namespace {

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
    const PointTable table = quadrature_points(d, f, part).table;
    const auto sums = sum_batches(
        d, table, part.cells, n + 1, [&](PointBatch &batch, std::int64_t first, double *partial) {
          const auto values = evaluate_part(f.expression.expression.function, part,
                                            f.expression.inputs(&state), batch, first);
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
  return sum(d.ranks, total);
}

// A value that is NaN stays the largest, unless those are left out.
void take_larger(double &largest, double value, bool leave_out_nan) {
  if (leave_out_nan ? value > largest : !(value <= largest) && !std::isnan(largest))
    largest = value;
}

// Largest values of the components; of their negatives with sign = -1.
std::vector<double> largest(const Discretisation &d, const Functional &f,
                            const std::vector<double> &state, double sign) {
  const int n = f.expression.components();
  std::vector<double> result(n, -std::numeric_limits<double>::infinity());
  for (const auto &part : f.parts)
    for (const PartPoints &points : extreme_points(d, f, part)) {
      const PointTable &table = points.table;
      const auto chunks = (static_cast<std::int64_t>(part.cells.size()) - 1) / chunk_cells + 1;
      std::vector<std::vector<double>> of_chunk(chunks, result);
      for_each_batch(d, table, part.cells,
                     [&](PointBatch &batch, std::int64_t first, std::int64_t chunk) {
                       const auto values = evaluate_part(f.expression.expression.function, part,
                                                         f.expression.inputs(&state), batch, first);
                       for (int k = 0; k < n; ++k)
                         for (const double value : values[k])
                           take_larger(of_chunk[chunk][k], sign * value, f.in_part);
                     });
      for (const auto &found : of_chunk)
        for (int k = 0; k < n; ++k)
          take_larger(result[k], found[k], f.in_part);
    }
  const std::vector<std::vector<double>> of_ranks = gathered(d.ranks, result);
  for (const std::vector<double> &found : of_ranks)
    for (int k = 0; k < n; ++k)
      take_larger(result[k], found[k], f.in_part);
  for (double &value : result)
    if (f.in_part && value == -std::numeric_limits<double>::infinity())
      value = std::numeric_limits<double>::quiet_NaN();
  return result;
}

// The mean over the cells of its regions that touch the point: the value where it is continuous,
// and the average of gradients at a node.
std::vector<double> at_point(const Discretisation &d, const Functional &f,
                             const std::vector<double> &state) {
  const CellsAtPoint located = cells_at_point(d, f);
  std::vector<double> mean(f.expression.components(), 0.0);
  for (const LocatedPoint &at : located.own) {
    const PointTable table = make_point_table(d, at.set, at.reference);
    PointBatch batch(d, table, std::span(&at.cell, 1));
    std::vector<std::vector<double>> values;
    evaluate_at(f.expression.expression.function, batch, f.expression.inputs(&state), values);
    for (std::size_t k = 0; k < mean.size(); ++k)
      mean[k] += values[k][0] / static_cast<double>(located.num_all);
  }
  return sum(d.ranks, mean);
}

bool is_fault(const Functional &f, double value) {
  return !std::isfinite(value) && !(f.in_part && std::isnan(value));
}

std::string component_text(const Functional &f, std::size_t component) {
  return f.expression.components() == 1 ? "" : fmt::format("component {} ", component);
}

// The groups of a cell, or of a facet, of a part: "of region box".
std::string part_text(const Discretisation &d, const Part &part, std::int64_t at) {
  const Mesh &mesh = *d.mesh;
  if (part.facet >= 0 && part.domain != Domain::facets)
    return "";
  const auto &groups = part.facet < 0
                           ? mesh.region_classes[mesh.sets[part.set].region[part.cells[at]]].groups
                           : mesh.facet_classes[part.classes[at]].groups;
  if (groups.empty())
    return "";
  return (part.facet < 0 ? " of region " : " of group ") + join_names(groups);
}

// The first point of a table at which the expression is not finite; empty where it is.
std::string fault_at_points(const Discretisation &d, const Functional &f, const Part &part,
                            const PointTable &table, const std::vector<double> &state) {
  const auto chunks = (static_cast<std::int64_t>(part.cells.size()) - 1) / chunk_cells + 1;
  std::vector<std::string> of_chunk(chunks);
  for_each_batch(
      d, table, part.cells, [&](PointBatch &batch, std::int64_t first, std::int64_t chunk) {
        const auto values = evaluate_part(f.expression.expression.function, part,
                                          f.expression.inputs(&state), batch, first);
        for (int at = 0; at < batch.num_points() && of_chunk[chunk].empty(); ++at)
          for (std::size_t k = 0; k < values.size() && of_chunk[chunk].empty(); ++k) {
            if (!is_fault(f, values[k][at]))
              continue;
            std::array<double, 3> x{};
            for (int e = 0; e < d.mesh->dim; ++e)
              x[e] = batch.coordinate(e)[at];
            of_chunk[chunk] =
                fmt::format("{}is {} at {}{}", component_text(f, k), describe_number(values[k][at]),
                            describe_position(x.data(), d.mesh->dim),
                            part_text(d, part, first + at / table.num_points));
          }
      });
  for (const std::string &found : of_chunk)
    if (!found.empty())
      return found;
  return {};
}

// Says where the expression of a value that is not finite is not, else that it overflows.
std::string fault_of(const Discretisation &d, const Functional &f, const std::vector<double> &state,
                     std::size_t component, double value) {
  const std::string what =
      fmt::format("{}is {}", component_text(f, component), describe_number(value));
  if (f.spec.kind == FunctionalKind::point)
    return what + " at " + describe_position(point_of(d, f.spec).data(), d.mesh->dim);
  const bool extreme =
      f.spec.kind == FunctionalKind::maximum || f.spec.kind == FunctionalKind::minimum;
  std::string found;
  for (std::size_t p = 0; p < f.parts.size() && found.empty(); ++p) {
    const Part &part = f.parts[p];
    for (const PartPoints &points :
         extreme ? extreme_points(d, f, part) : std::vector{quadrature_points(d, f, part)})
      if (found.empty())
        found = fault_at_points(d, f, part, points.table, state);
  }
  found = first_text(d.ranks, found);
  if (!found.empty())
    return found;
  return what + " though its expression is finite: it overflows";
}

std::vector<double> value_of(const Discretisation &d, const Functional &f,
                             const std::vector<double> &state) {
  switch (f.spec.kind) {
  case FunctionalKind::point:
  case FunctionalKind::reaction: // has no expression
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

FunctionalValue reaction_value(const Discretisation &d, const FunctionalSpec &spec,
                               const std::vector<double> &state) {
  FunctionalValue result{.name = spec.name, .values = value_of(d, make_reaction(d, spec), state)};
  for (const double value : result.values)
    if (!std::isfinite(value) && result.fault.empty())
      result.fault = "is " + describe_number(value);
  return result;
}

} // namespace

int check_functional(const Case &c, const Discretisation &d, const FunctionalSpec &spec) {
  if (spec.kind == FunctionalKind::reaction) {
    const Reaction reaction = make_reaction(d, spec);
    return reaction.component < 0 ? d.form.fields[reaction.field].components() : 1;
  }
  const Functional f = make_functional(c, d, spec);
  if (spec.kind == FunctionalKind::point)
    cells_at_point(d, f);
  return f.expression.components();
}

FunctionalValue functional(const Case &c, const Discretisation &d, const FunctionalSpec &spec,
                           const std::vector<double> &state) {
  if (spec.kind == FunctionalKind::reaction)
    return reaction_value(d, spec, state);
  const Functional f = make_functional(c, d, spec);
  const auto recovered = with_recovered(c, d, f.expression.expression.function, state);
  const Discretisation &seen = recovered ? *recovered : d;
  FunctionalValue result{.name = spec.name, .values = value_of(seen, f, state)};
  for (std::size_t k = 0; k < result.values.size() && result.fault.empty(); ++k)
    if (is_fault(f, result.values[k]))
      result.fault = fault_of(seen, f, state, k, result.values[k]);
  return result;
}

std::vector<FunctionalValue> functionals(const Case &c, const Discretisation &d,
                                         const std::vector<double> &state) {
  std::vector<FunctionalValue> result;
  for (const auto &spec : c.functionals)
    result.push_back(functional(c, d, spec, state));
  return result;
}

} // namespace weft
