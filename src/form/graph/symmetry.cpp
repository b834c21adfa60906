#include "form/graph/symmetry.h"

#include <cmath>
#include <random>
#include <vector>

#include "form/graph/pointwise.h"

namespace weft {

namespace {

constexpr int num_points = 16;
constexpr double tolerance = 1e-10;

bool close(double a, double b) {
  return std::abs(a - b) <= tolerance * (std::abs(a) + std::abs(b));
}

// Compares outputs 2i and 2i+1 at random points: half of them with all inputs positive, for
// logarithms and powers. Points where one is not finite say nothing; one at least must speak.
bool equal_at_random_points(const Graph &graph, std::span<const NodeId> outputs) {
  const PointwiseFunction function = extract(graph, outputs);
  std::mt19937_64 random(20240229);
  std::vector<std::vector<double>> inputs(function.symbols.size());
  for (auto &values : inputs)
    for (int q = 0; q < num_points; ++q)
      values.push_back(q % 2 == 0 ? std::uniform_real_distribution(0.5, 1.5)(random)
                                  : std::uniform_real_distribution(-1.0, 1.0)(random));
  std::vector<std::vector<double>> values;
  std::size_t next = 0; // evaluate() asks for the inputs in the order of `symbols`
  evaluate(
      function, num_points, [&](const Symbol &) { return std::span(inputs[next++]); }, values);
  for (std::size_t i = 0; i < outputs.size(); i += 2) {
    bool compared = false;
    for (int q = 0; q < num_points; ++q) {
      const double a = values[i][q], b = values[i + 1][q];
      if (!std::isfinite(a) || !std::isfinite(b))
        continue;
      compared = true;
      if (!close(a, b))
        return false;
    }
    if (!compared)
      return false;
  }
  return true;
}

// Of a time derivative in place of the value or the gradient.
Symbol trial_of_order(Symbol trial, int order) {
  if (order > 0)
    trial.kind =
        trial.kind == SymbolKind::field ? SymbolKind::field_rate : SymbolKind::field_rate_gradient;
  trial.order = order;
  return trial;
}

} // namespace

bool is_symmetric(Graph &graph, std::span<const TestPair> pairs) {
  std::vector<NodeId> outputs;
  for (const TestPair &pair : pairs)
    outputs.push_back(pair.output);
  std::vector<NodeId> unequal;        // in twos
  for (const int order : {0, 1, 2}) { // of time derivatives, whose shifts are any
    // Column b: derivatives of all outputs with respect to trial b.
    std::vector<std::vector<NodeId>> columns;
    for (const TestPair &pair : pairs)
      columns.push_back(derivative(graph, outputs, trial_of_order(pair.trial, order)));
    for (std::size_t a = 0; a < pairs.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (columns[b][a] != columns[a][b]) {
          unequal.push_back(columns[b][a]);
          unequal.push_back(columns[a][b]);
        }
  }
  return unequal.empty() || equal_at_random_points(graph, unequal);
}

} // namespace weft
