#include "form/graph/symmetry.h"

#include <cmath>
#include <random>
#include <vector>

#include "form/graph/pointwise.h"

namespace weft {

namespace {

constexpr int num_points = 32;
constexpr double tolerance = 1e-10;

bool close(double a, double b) {
  return std::abs(a - b) <= tolerance * (std::abs(a) + std::abs(b));
}

// A function whose pieces are chosen by inputs of their own, whatever its other inputs are: where
// its symbols are tried, one piece may be all that is seen of it.
struct FreeBranches {
  PointwiseFunction function;
  std::size_t first_choice = 0; // symbols from here on are choices: truth values and signs
  std::vector<bool> is_sign;    // [choice]: 1 or -1, else 1 or 0
};

FreeBranches with_free_branches(const PointwiseFunction &function) {
  FreeBranches free{.function = {.symbols = function.symbols},
                    .first_choice = function.symbols.size()};
  std::vector<Node> &nodes = free.function.nodes;
  const auto add = [&](const Node &node) {
    nodes.push_back(node);
    return static_cast<NodeId>(nodes.size() - 1);
  };
  const auto choice = [&](bool is_sign) {
    free.is_sign.push_back(is_sign);
    free.function.symbols.push_back({}); // never looked at
    return Node{.op = Op::symbol,
                .symbol = static_cast<std::int32_t>(free.function.symbols.size() - 1)};
  };
  std::vector<NodeId> place; // [node of the function]
  for (Node node : function.nodes) {
    for (NodeId &operand : node.operand)
      operand = operand >= 0 ? place[operand] : operand;
    const auto [a, b, c] = node.operand;
    switch (node.op) {
    case Op::less:
    case Op::less_equal:
    case Op::equal:
      node = choice(false);
      break;
    case Op::sign:
    case Op::floor:
      node = choice(true);
      break;
    case Op::abs:
      node = {.op = Op::mul, .operand = {a, add(choice(true)), -1}};
      break;
    case Op::min:
    case Op::max:
      node = {.op = Op::where, .operand = {add(choice(false)), a, b}};
      break;
    default:
      break;
    }
    place.push_back(add(node));
  }
  for (const NodeId output : function.outputs)
    free.function.outputs.push_back(place[output]);
  return free;
}

// Compares outputs 2i and 2i+1 at random points, in all of their pieces: half of the points with
// all inputs positive, for logarithms and powers. Points where one is not finite say nothing; one
// at least must speak.
bool equal_at_random_points(const Graph &graph, std::span<const NodeId> outputs) {
  const FreeBranches free = with_free_branches(extract(graph, outputs));
  const PointwiseFunction &function = free.function;
  std::mt19937_64 random(20240229);
  std::vector<std::vector<double>> inputs(function.symbols.size());
  for (std::size_t s = 0; s < inputs.size(); ++s)
    for (int q = 0; q < num_points; ++q)
      if (s >= free.first_choice)
        inputs[s].push_back(std::bernoulli_distribution()(random) ? 1
                            : free.is_sign[s - free.first_choice] ? -1
                                                                  : 0);
      else
        inputs[s].push_back(q % 2 == 0 ? std::uniform_real_distribution(0.5, 1.5)(random)
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

// Of a time derivative in place of the value, the gradient or a second derivative.
Symbol trial_of_order(Symbol trial, int order) {
  if (order > 0)
    trial.kind = trial.kind == SymbolKind::field            ? SymbolKind::field_rate
                 : trial.kind == SymbolKind::field_gradient ? SymbolKind::field_rate_gradient
                                                            : SymbolKind::field_rate_hessian;
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
