#include "run/state_condition.h"

#include <algorithm>
#include <memory>

#include "op/evaluate/cell_values.h"
#include "op/evaluate/expression_values.h"
#include "op/problem/field_regions.h"

namespace weft {

std::function<bool(const std::vector<double> &state)> state_condition(const Simulation &s) {
  if (!s.c.solver.newton.valid)
    return {};
  // Conditions are no values of their own.
  SourceText text = *s.c.solver.newton.valid;
  text.text = "where(" + text.text + ", 1, 0)";
  auto condition = std::make_shared<ResolvedExpression>(
      resolve_on_cells(make_expression(s.c.form, text, Shape{}, true, false), s.discretisation));
  return [&s, condition](const std::vector<double> &state) {
    const Discretisation &d = s.discretisation;
    const std::vector<bool> classes = classes_of_function(d, condition->expression.function);
    for (std::size_t set = 0; set < d.mesh->sets.size(); ++set) {
      std::vector<std::int32_t> cells;
      for (std::int32_t c = 0; c < d.mesh->sets[set].num_cells(); ++c)
        if (classes[d.mesh->sets[set].region[c]])
          cells.push_back(c);
      const PointTable table = make_cell_table(d, static_cast<int>(set), d.cell_degree);
      const std::vector<double> failed =
          sum_batches(d, table, cells, 1, [&](PointBatch &batch, std::int64_t, double *sums) {
            std::vector<std::vector<double>> values;
            evaluate_at(condition->expression.function, batch, condition->inputs(&state), values);
            sums[0] += static_cast<double>(
                std::count_if(values.front().begin(), values.front().end(),
                              [](double value) { return !(value > 0.5); })); // NaN too
          });
      if (failed.front() > 0)
        return false;
    }
    return true;
  };
}

} // namespace weft
