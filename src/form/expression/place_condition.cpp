#include "form/expression/place_condition.h"

#include "base/error.h"
#include "form/expression/expression.h"

namespace weft {

namespace {

void check_symbols(const PointwiseFunction &function, const SourceText &condition) {
  const auto refuse = [&](const char *found, const char *remedy) {
    throw Error(ErrorKind::input, {.what = "a group's condition is of place alone",
                                   .where = condition.where(),
                                   .found = found,
                                   .allowed = "x, y, z and parameters that are the same everywhere",
                                   .remedy = remedy});
  };
  for (const Symbol &symbol : function.symbols) {
    if (symbol.kind == SymbolKind::time)
      refuse("the time t", "name a part that stays where it is");
    if (symbol.kind == SymbolKind::cell_size)
      refuse("cell_size", "write a number");
    if (symbol.kind != SymbolKind::coordinate)
      refuse("a parameter that differs between groups, or that gets other values in the run",
             "write its value");
  }
}

} // namespace

ConditionAtPoints conditions_at_points(const FormSpec &form) {
  return [form](const SourceText &condition, int dim, const std::vector<double> &points) {
    FormSpec spec = form;
    spec.dim = dim;
    SourceText text = condition; // a truth value is no value of its own
    text.text = "where(" + text.text + ", 1, 0)";
    const PointwiseFunction function = make_expression(spec, text, Shape{}, false, false).function;
    check_symbols(function, condition);
    const auto num_points = static_cast<int>(points.size()) / dim;
    std::vector<std::vector<double>> coordinates(dim, std::vector<double>(num_points)), values;
    for (int p = 0; p < num_points; ++p)
      for (int d = 0; d < dim; ++d)
        coordinates[d][p] = points[std::size_t(p) * dim + d];
    const auto input = [&](const Symbol &symbol) -> std::span<const double> {
      return coordinates[symbol.component];
    };
    evaluate(function, num_points, input, values);
    std::vector<bool> holds(num_points);
    for (int p = 0; p < num_points; ++p)
      holds[p] = values[0][p] > 0.5;
    return holds;
  };
}

} // namespace weft
