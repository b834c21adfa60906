#include "kernel/cell/direction_sums.h"

#include <algorithm>
#include <fmt/format.h>

#include "kernel/cell/basis_tables.h"
#include "kernel/cell/line_sums.h"
#include "kernel/cell/plane_sums.h"
#include "kernel/text/constant_table.h"
#include "space/facet_frame.h"

namespace weft {

namespace {

// Coordinates of the points of a line, ascending: those that differ along the rule's first row.
std::vector<double> points_of_line(const std::vector<double> &points, int dim, int num) {
  for (int d = 0; d < dim; ++d) {
    if (num > 1 && points[d] == points[dim + d])
      continue;
    std::vector<double> line;
    for (int q = 0; q < num; ++q)
      line.push_back(points[q * dim + d]);
    std::sort(line.begin(), line.end());
    return line;
  }
  return {};
}

} // namespace

DirectionSums::DirectionSums(const CellIntegral &integral) : in_(integral) {
  const int directions = in_.on_facets ? dim() - 1 : dim();
  const auto product = [&] {
    int product = 1;
    for (int d = 0; d < directions; ++d)
      product *= points_;
    return product;
  };
  while (product() < in_.num_points())
    ++points_;
  const std::vector<double> &points =
      in_.on_facets ? in_.facet_quadrature.front().points.points : in_.quadrature.points;
  line_points_ = points_of_line(points, dim(), points_);
  for (const NodeFamily &family : in_.families) {
    Family along{.basis = line_basis(family.element)};
    along.basis.tabulate(line_points_, along.values, along.derivatives);
    families_.push_back(std::move(along));
  }
}

std::unique_ptr<DirectionSums> make_direction_sums(const CellIntegral &in) {
  switch (in.sums) {
  case Summation::points:
    break;
  case Summation::lines:
    return std::make_unique<LineSums>(in);
  case Summation::planes:
    return std::make_unique<PlaneSums>(in);
  }
  return nullptr;
}

std::vector<int> DirectionSums::node_order(int family) const {
  const LineBasis &basis = families_[family].basis;
  if (!in_.on_facets)
    return basis.element_nodes;
  const int n = basis.num_nodes();
  std::vector<int> order;
  for (const int facet : in_.local_facets) {
    const FacetFrame frame = facet_frame(in_.cell, facet);
    for (int place = 0; place < static_cast<int>(basis.element_nodes.size()); ++place) {
      int at = 0, rest = place;
      for (int d = 0; d < dim(); ++d, rest /= n) {
        int along = frame[d].reversed ? n - 1 - rest % n : rest % n;
        for (int lower = 0; lower < frame[d].direction; ++lower)
          along *= n;
        at += along;
      }
      order.push_back(basis.element_nodes[at]);
    }
  }
  return order;
}

void DirectionSums::use(int input, bool value, bool gradient) {
  if (value || gradient)
    uses_[input] = {uses_[input].value || value, uses_[input].gradient || gradient};
}

bool DirectionSums::has_points_at_nodes(int family) const {
  const std::vector<double> &nodes = families_[family].basis.nodes;
  return std::equal(nodes.begin(), nodes.end(), line_points_.begin(), line_points_.end(),
                    [](double a, double b) { return std::abs(a - b) < 1e-12; });
}

bool DirectionSums::is_same(int family, LineFunction function) const {
  return (function == V || function == LineFunction::value_squared) && has_points_at_nodes(family);
}

// As test functions are numbered: phi, its derivatives; of diagonals phi^2, phi times derivatives,
// products of two derivatives.
DirectionSums::Directions DirectionSums::functions_of(int entry) const {
  if (in_.kind != IntegralKind::diagonal) {
    Directions functions = {V, V, V};
    if (entry > 0)
      functions[entry - 1] = D;
    return functions;
  }
  constexpr LineFunction square = LineFunction::value_squared;
  constexpr LineFunction mixed = LineFunction::value_derivative;
  Directions functions = {square, square, square};
  if (entry == 0)
    return functions;
  if (entry <= dim()) {
    functions[entry - 1] = mixed;
    return functions;
  }
  int pair = 1 + dim();
  for (int e = 0; e < dim(); ++e)
    for (int e2 = e; e2 < dim(); ++e2, ++pair)
      if (pair == entry) {
        functions[e] = e == e2 ? LineFunction::derivative_squared : mixed;
        functions[e2] = functions[e];
      }
  return functions;
}

std::vector<DirectionSums::BackTerm>
DirectionSums::back_terms(int field, const std::function<int(int, int)> &value_index) {
  std::vector<BackTerm> terms;
  int first = 0;
  for (int other = 0; other < field; ++other)
    first += in_.tests[other].components;
  const int entries =
      in_.kind == IntegralKind::diagonal ? num_diagonal_entries(1 + dim()) : 1 + dim();
  for (int k = 0; k < in_.tests[field].components; ++k)
    for (int entry = 0; entry < entries; ++entry)
      if (const int index = value_index(first + k, entry); index >= 0)
        terms.push_back({k, index, functions_of(entry)});
  return terms;
}

void DirectionSums::print(LaneText &text, const std::function<int(int, int)> &value_index) {
  for (int t = 0; t < static_cast<int>(in_.tests.size()); ++t) {
    back_terms_.push_back(back_terms(t, value_index));
    row_parts_.emplace_back();
    plane_parts_.emplace_back();
    for (const BackTerm &term : back_terms_.back()) {
      const LineFunction in_z = dim() == 3 ? term.functions[2] : V;
      row_parts_.back().emplace(term.functions[1], in_z);
      plane_parts_.back().insert(in_z);
    }
  }
  print_sums(text);
}

std::string DirectionSums::tables() const {
  std::string text;
  std::set<int> read;
  for (const auto &[input, use] : uses_)
    read.insert(in_.inputs[input].family);
  for (const TestField &test : in_.tests)
    read.insert(test.family);
  for (const int family : read)
    text += fmt::format("// Nodes of the element along lines: {}[z, y, x]\n",
                        in_.on_facets ? "[slot]" : "") +
            integer_table(fmt::format("weft_order_{}", family).c_str(), node_order(family));
  for (const auto &[name, definition] : tables_)
    text += definition;
  return text;
}

} // namespace weft
