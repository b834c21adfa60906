#include "op/evaluate/line_values.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

#include "base/error.h"
#include "base/names.h"
#include "form/expression/expression.h"
#include "op/evaluate/expression_values.h"
#include "op/evaluate/point_location.h"
#include "op/evaluate/recovery.h"
#include "op/problem/field_regions.h"
#include "op/problem/result_form.h"

namespace weft {

namespace {

// A line with what is evaluated along it.
struct ResolvedLine {
  std::vector<double> points;                     // [point, dim]
  std::vector<std::vector<LocatedPoint>> located; // [point]: in cells of this rank
  std::vector<double> num_cells;                  // [point]: of all ranks; 0 outside
  std::vector<SourceText> texts;
  std::vector<ResolvedExpression> expressions;
  std::vector<std::vector<bool>> regions; // [expression][region class]: those it has values in
};

std::vector<double> points_of(const LineSpec &line, int dim) {
  for (const std::vector<double> *end : {&line.from, &line.to})
    if (static_cast<int>(end->size()) != dim)
      throw Error(ErrorKind::input,
                  {.what = "the end of a line with the wrong number of coordinates",
                   .where = line.place,
                   .found = fmt::format("{} coordinates", end->size()),
                   .allowed = fmt::format("{}, one a direction of the mesh", dim)});
  std::vector<double> points;
  for (int p = 0; p < line.points; ++p)
    for (int k = 0; k < dim; ++k)
      points.push_back(line.from[k] + (line.to[k] - line.from[k]) * p / (line.points - 1));
  return points;
}

// [output] fields, else all fields.
std::vector<SourceText> texts_of(const Case &c, const Discretisation &d) {
  if (!c.output.fields.empty())
    return c.output.fields;
  std::vector<SourceText> texts;
  for (const FieldSpec &field : d.form.fields)
    texts.push_back({.text = field.name, .file = c.file, .line = 0, .key = field.place});
  return texts;
}

ResolvedLine resolve_line(const Case &c, const Discretisation &d, const LineSpec &line) {
  const Mesh &mesh = *d.mesh;
  ResolvedLine result{.points = points_of(line, mesh.dim)};
  const std::vector<bool> regions = select_classes(mesh, Domain::cells, line.cells, line.place);
  const std::vector<bool> no_facets(mesh.facet_classes.size(), false);
  result.texts = texts_of(c, d);
  for (const SourceText &text : result.texts) {
    Expression expression = make_expression(result_form(c), text, {}, true, false);
    std::vector<bool> there = classes_of_function(d, expression.function);
    for (std::size_t k = 0; k < there.size(); ++k)
      there[k] = there[k] && regions[k];
    result.expressions.push_back(resolve(std::move(expression), mesh, there, no_facets));
    result.regions.push_back(std::move(there));
  }
  result.located = locate_points(d, result.points);
  for (std::vector<LocatedPoint> &cells : result.located) {
    std::erase_if(
        cells, [&](const LocatedPoint &at) { return !regions[mesh.sets[at.set].region[at.cell]]; });
    result.num_cells.push_back(static_cast<double>(cells.size()));
  }
  result.num_cells = sum(d.ranks, result.num_cells);
  if (std::none_of(result.num_cells.begin(), result.num_cells.end(),
                   [](double count) { return count > 0; }))
    throw Error(ErrorKind::input,
                {.what = "a line without a point in the mesh",
                 .where = line.place,
                 .found = fmt::format("from [{}] to [{}]{}", fmt::join(line.from, ", "),
                                      fmt::join(line.to, ", "),
                                      line.cells.empty() ? "" : " in " + join_names(line.cells)),
                 .allowed = "a line that crosses cells of the mesh, or of its `cells`",
                 .remedy = "coordinates are those of the mesh after [mesh] scale"});
  return result;
}

std::vector<std::string> names_of(const ResolvedLine &line) {
  std::vector<std::string> names;
  for (std::size_t e = 0; e < line.texts.size(); ++e) {
    const int components = line.expressions[e].components();
    for (int k = 0; k < components; ++k)
      names.push_back(components == 1 ? line.texts[e].text
                                      : fmt::format("{}_{}", line.texts[e].text, k));
  }
  return names;
}

// [point, component] of all expressions: means of all ranks' cells, NaN where a field is not.
std::vector<double> values_on_line(const Case &c, const Discretisation &d, const ResolvedLine &line,
                                   const std::vector<double> &state, std::size_t num_components) {
  std::vector<double> values(line.located.size() * num_components, 0.0), num_cells = values;
  std::size_t component = 0;
  for (std::size_t e = 0; e < line.expressions.size(); ++e) {
    const ResolvedExpression &expression = line.expressions[e];
    const auto recovered = with_recovered(c, d, expression.expression.function, state);
    const Discretisation &seen = recovered ? *recovered : d;
    for (std::size_t p = 0; p < line.located.size(); ++p)
      for (const LocatedPoint &at : line.located[p]) {
        if (!line.regions[e][d.mesh->sets[at.set].region[at.cell]])
          continue;
        const PointTable table = make_point_table(seen, at.set, at.reference);
        PointBatch batch(seen, table, std::span(&at.cell, 1));
        std::vector<std::vector<double>> outputs;
        evaluate_at(expression.expression.function, batch, expression.inputs(&state), outputs);
        for (std::size_t k = 0; k < outputs.size(); ++k) {
          values[p * num_components + component + k] += outputs[k][0];
          num_cells[p * num_components + component + k] += 1;
        }
      }
    component += expression.components();
  }
  values = sum(d.ranks, std::move(values));
  num_cells = sum(d.ranks, std::move(num_cells));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] /= num_cells[i];
  return values;
}

} // namespace

LineValues line_values(const Case &c, const Discretisation &d, const LineSpec &spec,
                       const std::vector<double> &state) {
  const ResolvedLine line = resolve_line(c, d, spec);
  LineValues result{.names = names_of(line)};
  const std::size_t n = result.names.size();
  const auto dim = static_cast<std::size_t>(d.mesh->dim);
  const std::vector<double> values = values_on_line(c, d, line, state, n);
  for (std::size_t p = 0; p < line.num_cells.size(); ++p) {
    if (line.num_cells[p] == 0)
      continue;
    const double *point = &line.points[p * dim];
    double squares = 0;
    for (std::size_t k = 0; k < dim; ++k)
      squares += (point[k] - spec.from[k]) * (point[k] - spec.from[k]);
    result.distance.push_back(std::sqrt(squares));
    result.points.insert(result.points.end(), point, point + dim);
    result.values.insert(result.values.end(), &values[p * n], &values[p * n] + n);
  }
  return result;
}

void check_line(const Case &c, const Discretisation &d, const LineSpec &line) {
  resolve_line(c, d, line);
}

} // namespace weft
