#include "form/expression/tabulated.h"

#include <cmath>

namespace weft {

namespace {

// From `at` on: c[0] + s (c[1] + s (c[2] + s c[3])), s = x - at.
struct Piece {
  double at = 0;
  std::vector<double> c;
};

// Slopes of the intervals.
std::vector<double> secants_of(const TabulatedFunction &f) {
  std::vector<double> secants;
  for (std::size_t i = 0; i + 1 < f.at.size(); ++i)
    secants.push_back((f.values[i + 1] - f.values[i]) / (f.at[i + 1] - f.at[i]));
  return secants;
}

// At a first or last row, of the parabola through it and the two next to it, as far as the interval
// beside it stays monotone. `near`, `far`: lengths of the intervals from the end.
double slope_at_end(double near, double far, double near_secant, double far_secant) {
  const double slope = ((2 * near + far) * near_secant - near * far_secant) / (near + far);
  if (slope * near_secant <= 0)
    return 0;
  if (near_secant * far_secant <= 0 && std::abs(slope) > 3 * std::abs(near_secant))
    return 3 * near_secant;
  return slope;
}

// Of the cubic, at the rows: weighted harmonic means of the secants beside them, 0 where these
// differ in sign.
std::vector<double> slopes_of(const TabulatedFunction &f, const std::vector<double> &secants) {
  const std::size_t n = f.at.size();
  if (n == 2)
    return {secants[0], secants[0]};
  const auto length = [&](std::size_t i) { return f.at[i + 1] - f.at[i]; };
  std::vector<double> slopes(n, 0);
  for (std::size_t i = 1; i + 1 < n; ++i)
    if (secants[i - 1] * secants[i] > 0) {
      const double before = 2 * length(i) + length(i - 1), after = length(i) + 2 * length(i - 1);
      slopes[i] = (before + after) / (before / secants[i - 1] + after / secants[i]);
    }
  slopes[0] = slope_at_end(length(0), length(1), secants[0], secants[1]);
  slopes[n - 1] = slope_at_end(length(n - 2), length(n - 3), secants[n - 2], secants[n - 3]);
  return slopes;
}

std::vector<Piece> pieces_of(const TabulatedFunction &f) {
  const std::size_t n = f.at.size();
  const std::vector<double> secants = secants_of(f);
  std::vector<Piece> pieces;
  if (!f.cubic) {
    for (std::size_t i = 0; i + 1 < n; ++i)
      pieces.push_back({f.at[i], {f.values[i], secants[i]}});
    return pieces;
  }
  const std::vector<double> slopes = slopes_of(f, secants);
  pieces.push_back({f.at[0], {f.values[0], slopes[0]}}); // before the first row
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double h = f.at[i + 1] - f.at[i];
    pieces.push_back({f.at[i],
                      {f.values[i], slopes[i], (3 * secants[i] - 2 * slopes[i] - slopes[i + 1]) / h,
                       (slopes[i] + slopes[i + 1] - 2 * secants[i]) / (h * h)}});
  }
  pieces.push_back({f.at[n - 1], {f.values[n - 1], slopes[n - 1]}});
  return pieces;
}

NodeId value_of(Graph &graph, const Piece &piece, NodeId x) {
  const NodeId s = graph.make(Op::sub, x, graph.constant(piece.at));
  NodeId value = graph.constant(piece.c.back());
  for (std::size_t k = piece.c.size() - 1; k-- > 0;)
    value = graph.make(Op::add, graph.constant(piece.c[k]), graph.make(Op::mul, s, value));
  return value;
}

// Of the pieces [first, end): halves, each by the argument where the second begins.
NodeId choice(Graph &graph, const std::vector<Piece> &pieces, std::size_t first, std::size_t end,
              NodeId x) {
  if (end - first == 1)
    return value_of(graph, pieces[first], x);
  const std::size_t middle = (first + end) / 2;
  const NodeId is_before = graph.make(Op::less, x, graph.constant(pieces[middle].at));
  return graph.make(Op::where, is_before, choice(graph, pieces, first, middle, x),
                    choice(graph, pieces, middle, end, x));
}

} // namespace

NodeId tabulated(Graph &graph, const TabulatedFunction &function, NodeId x) {
  if (function.outside == OutsideTable::constant)
    x = graph.make(Op::max, graph.constant(function.at.front()),
                   graph.make(Op::min, graph.constant(function.at.back()), x));
  const std::vector<Piece> pieces = pieces_of(function);
  return choice(graph, pieces, 0, pieces.size(), x);
}

} // namespace weft
