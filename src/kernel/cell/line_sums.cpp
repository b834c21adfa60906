#include "kernel/cell/line_sums.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "kernel/cell/basis_tables.h"
#include "kernel/text/constant_table.h"

namespace weft {

namespace {

constexpr LineFunction V = LineFunction::value, D = LineFunction::derivative;

// Whether the function's table changes its sign when points and nodes are read backwards.
bool is_odd(LineFunction function) {
  return function == LineFunction::derivative || function == LineFunction::value_derivative;
}

const char *name_of(LineFunction function) {
  switch (function) {
  case LineFunction::value:
    return "values";
  case LineFunction::derivative:
    return "derivatives";
  case LineFunction::value_squared:
    return "squares";
  case LineFunction::value_derivative:
    return "products";
  case LineFunction::derivative_squared:
    return "derivative_squares";
  }
  return "";
}

double product_of(LineFunction function, double value, double derivative) {
  switch (function) {
  case LineFunction::value:
    return value;
  case LineFunction::derivative:
    return derivative;
  case LineFunction::value_squared:
    return value * value;
  case LineFunction::value_derivative:
    return value * derivative;
  case LineFunction::derivative_squared:
    return derivative * derivative;
  }
  return 0;
}

template <typename Parts, typename Part> int place_of(const Parts &parts, const Part &part) {
  return static_cast<int>(std::distance(parts.begin(), parts.find(part)));
}

constexpr const char *cell_argument = "WEFT_PRIVATE weft_cell *cell";

} // namespace

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

LineSums::LineSums(const CellIntegral &integral) : in_(integral) {
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

namespace {

// A direction of a facet's frame in those of the cell.
struct FrameDirection {
  int direction = 0;
  bool reversed = false;
};

// The frame of a local facet, right-handed: the last direction goes from the facet into the cell.
std::array<FrameDirection, 3> facet_frame(const std::vector<double> &points, int dim) {
  // The coordinate that all points of the facet share is 0 or 1.
  int normal = 0;
  const auto same = [&](int d) {
    for (std::size_t q = 0; q < points.size(); q += dim)
      if (std::abs(points[q + d] - points[d]) > 1e-12)
        return false;
    return true;
  };
  const auto on_end = [&](int d) { return std::abs(points[d] * (1 - points[d])) < 1e-12; };
  while (!(same(normal) && on_end(normal)))
    ++normal;
  const bool far = points[normal] > 0.5;
  if (dim == 2) {
    // (a, n) is right-handed for (x, y) and (-y, x), and with both reversed.
    const FrameDirection along = normal == 1 ? FrameDirection{0, far} : FrameDirection{1, !far};
    return {along, FrameDirection{normal, far}, {}};
  }
  const int next = (normal + 1) % 3, after = (normal + 2) % 3;
  return {FrameDirection{far ? after : next, false}, FrameDirection{far ? next : after, false},
          FrameDirection{normal, far}};
}

} // namespace

// [z, y, x]; on facets [slot][z, y, x] of each facet's frame.
std::vector<int> LineSums::node_order(int family) const {
  const LineBasis &basis = families_[family].basis;
  if (!in_.on_facets)
    return basis.element_nodes;
  const int n = basis.num_nodes();
  std::vector<int> order;
  for (const FacetQuadrature &facet : in_.facet_quadrature) {
    const std::array<FrameDirection, 3> frame = facet_frame(facet.points.points, dim());
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

std::string LineSums::order_text(int family) const {
  const std::string order = fmt::format("weft_order_{}", family);
  if (!in_.on_facets)
    return order;
  return fmt::format("{} + {}", order,
                     text_times("cell->slot", in_.families[family].element.num_nodes()));
}

void LineSums::use(int input, bool value, bool gradient) {
  if (value || gradient)
    uses_[input] = {uses_[input].value || value, uses_[input].gradient || gradient};
}

std::string LineSums::value(int input, int component) const {
  const int components = in_.inputs[input].components;
  return fmt::format("cell->points_{}[{}]", input, affine_text("along", components, component));
}

std::string LineSums::gradient(int input, int component, int direction) const {
  const int components = in_.inputs[input].components;
  return fmt::format("cell->points_{}[{}]", input,
                     affine_text("along", components,
                                 point_part(input, direction) * points_ * components + component));
}

namespace {

// Coefficients of a sum over a row's nodes at the point `along`; table: [point][node].
std::vector<Term> row_terms(const std::vector<double> &table, const std::string &name, int points,
                            int nodes, const std::function<std::string(int)> &entry) {
  std::vector<Term> terms;
  for (int i = 0; i < nodes; ++i) {
    Coefficient coefficient{.literal = true, .value = table[i]};
    for (int q = 1; q < points; ++q)
      coefficient.literal =
          coefficient.literal && std::abs(table[q * nodes + i] - table[i]) < 1e-14;
    if (coefficient.literal && std::abs(std::abs(table[i]) - 1) < 1e-14)
      coefficient.value = table[i] > 0 ? 1 : -1;
    if (!coefficient.literal)
      coefficient.table = fmt::format("{}[{}]", name, affine_text("along", nodes, i));
    terms.push_back({coefficient, entry(i)});
  }
  // Differences such as x1 - x0 read better and stay exact with the positive term first.
  if (terms.size() > 1 && terms[0].coefficient.literal && terms[0].coefficient.value < 0)
    std::swap(terms[0], terms[1]);
  return terms;
}

} // namespace

std::vector<Term> LineSums::coordinate(int component) {
  const int family = in_.inputs[0].family, n = nodes(family);
  const std::string name = fmt::format("weft_row_{}_values", family);
  tables_[name] = table_definition(name, families_[family].values, in_.precision);
  return row_terms(families_[family].values, name, points_, n, [&](int i) {
    return fmt::format("x[{}]", i * in_.inputs[0].components + component);
  });
}

std::vector<Term> LineSums::coordinate_derivative(int component, int direction) {
  const int family = in_.inputs[0].family, n = nodes(family);
  const LineFunction function = direction == 0 ? D : V;
  const std::string name = fmt::format("weft_row_{}_{}", family, name_of(function));
  const std::vector<double> &table =
      direction == 0 ? families_[family].derivatives : families_[family].values;
  tables_[name] = table_definition(name, table, in_.precision);
  const int components = in_.inputs[0].components;
  const int part = direction * num_rows() * row_reals(family, components);
  return row_terms(table, name, points_, n,
                   [&](int i) { return fmt::format("x[{}]", part + i * components + component); });
}

void LineSums::print_point_head(LaneText &text) const {
  text.line("const i32 along = q - cell->first_point;");
  if (in_.reads_coordinates())
    text.line(fmt::format("WEFT_PRIVATE const lane *x = cell->rows_0 + cell->row * {};",
                          row_reals(in_.inputs[0].family, in_.inputs[0].components)));
}

std::string LineSums::members() const {
  std::string text = "  i32 row, first_point; // of the row of points\n";
  const auto member = [&](const std::string &name, int reals) {
    text += fmt::format("  lane {}[{}];\n", name, reals);
  };
  for (const auto &[input, use] : uses_) {
    const NodalInput &in = in_.inputs[input];
    const int row = row_reals(in.family, in.components);
    if (dim() == 3)
      member(fmt::format("planes_{}", input),
             (use.gradient ? 2 : 1) * num_planes() * plane_reals(in.family, in.components));
    member(fmt::format("rows_{}", input), (use.gradient ? dim() : 1) * num_rows() * row);
    if (has_points(input))
      member(fmt::format("points_{}", input),
             ((use.value ? 1 : 0) + (use.gradient ? dim() : 0)) * points_ * in.components);
  }
  for (std::size_t t = 0; t < in_.tests.size(); ++t) {
    const TestField &test = in_.tests[t];
    member(fmt::format("test_rows_{}", t), static_cast<int>(row_parts_[t].size()) * num_rows() *
                                               row_reals(test.family, test.components));
    if (dim() == 3)
      member(fmt::format("test_planes_{}", t), static_cast<int>(plane_parts_[t].size()) *
                                                   num_planes() *
                                                   plane_reals(test.family, test.components));
  }
  return text;
}

std::string LineSums::half_table(const std::string &name, const FoldedMatrix &matrix) {
  std::vector<double> entries = matrix.first;
  entries.insert(entries.end(), matrix.second.begin(), matrix.second.end());
  tables_[name] = table_definition(name, entries, in_.precision);
  return name;
}

std::string LineSums::end_table(int family) {
  const Family &along = families_[family];
  std::vector<double> values, derivatives;
  along.basis.tabulate({along.basis.nodes.front()}, values, derivatives);
  const std::string name = fmt::format("weft_end_{}", family);
  tables_[name] = table_definition(name, derivatives, in_.precision);
  return name;
}

bool LineSums::has_points_at_nodes(int family) const {
  const std::vector<double> &nodes = families_[family].basis.nodes;
  return std::equal(nodes.begin(), nodes.end(), line_points_.begin(), line_points_.end(),
                    [](double a, double b) { return std::abs(a - b) < 1e-12; });
}

bool LineSums::is_same(int family, LineFunction function) const {
  return (function == V || function == LineFunction::value_squared) && has_points_at_nodes(family);
}

std::string LineSums::forward_table(int family, LineFunction function) {
  const Family &along = families_[family];
  return half_table(fmt::format("weft_line_{}_{}", family, name_of(function)),
                    fold(function == V ? along.values : along.derivatives, points_, nodes(family),
                         is_odd(function)));
}

std::string LineSums::back_table(int family, LineFunction function) {
  const Family &along = families_[family];
  const int n = nodes(family);
  std::vector<double> transposed(n * points_);
  for (int q = 0; q < points_; ++q)
    for (int i = 0; i < n; ++i)
      transposed[i * points_ + q] =
          product_of(function, along.values[q * n + i], along.derivatives[q * n + i]);
  return half_table(fmt::format("weft_back_{}_{}", family, name_of(function)),
                    fold(transposed, n, points_, is_odd(function)));
}

void LineSums::count_product(LaneText &text, int rows, int columns, bool odd, double times) const {
  const FoldedMatrix sizes{.rows = rows, .columns = columns, .odd = odd};
  const double products =
      sizes.first_rows() * sizes.first_columns() + sizes.second_rows() * sizes.second_columns();
  text.count().multiply_adds += products * times;
  text.count().table_multiply_adds += products * times;
}

void LineSums::count_halves(LaneText &text, int entries, double times) const {
  text.count().additions += times * 2 * (entries / 2);
}

void LineSums::print_along(LaneText &text, int family, int columns, const std::string &from,
                           const std::string &to_values, const std::string &to_derivatives,
                           double times) {
  const int n = nodes(family);
  const double lines = columns * times;
  if (is_same(family, V)) {
    if (!to_values.empty())
      text.line(fmt::format("weft_copy_along({}, {}, {});", n * columns, from, to_values));
    if (!to_derivatives.empty())
      print_derivatives_along(text, family, columns, from, to_derivatives, times);
    return;
  }
  count_halves(text, n, lines);
  std::string tables, results;
  for (const auto &[function, to] : {std::pair{V, to_values}, std::pair{D, to_derivatives}})
    if (!to.empty()) {
      tables += forward_table(family, function) + ", ";
      results += ", " + to;
      count_product(text, points_, n, is_odd(function), lines);
      count_halves(text, points_, lines);
    }
  const char *what = to_values.empty() ? "derivatives" : to_derivatives.empty() ? "values" : "both";
  text.line(fmt::format("weft_{}_along({}, {}, {}{}, {}{});", what, points_, n, tables, columns,
                        from, results));
}

void LineSums::print_derivatives_along(LaneText &text, int family, int columns,
                                       const std::string &from, const std::string &to,
                                       double times) {
  const int n = nodes(family);
  text.line(fmt::format("weft_derivatives_along({}, {}, {}, {}, {}, {});", points_, n,
                        forward_table(family, D), columns, from, to));
  count_halves(text, n, columns * times);
  count_halves(text, points_, columns * times);
  count_product(text, points_, n, true, columns * times);
}

// The last direction, of lines that are read from the nodal values.
void LineSums::print_open(LaneText &text) {
  text.open(fmt::format("WEFT_FUNCTION void weft_lines_open({}) {{", cell_argument));
  for (const auto &[input, use] : uses_) {
    const NodalInput &in = in_.inputs[input];
    const int n = nodes(in.family), lines = dim() == 3 ? n * n : n;
    const int entries = lines * in.components; // of a plane, or row
    const std::string to = fmt::format("cell->{}_{}", dim() == 3 ? "planes" : "rows", input);
    text.open(fmt::format("WEFT_UNROLL_LINES for (i32 c = 0; c < {}; ++c) {{", lines));
    for (int k = 0; k < in.components; ++k) {
      text.open("{");
      text.line(fmt::format("lane line[{}];", n));
      text.line(fmt::format("weft_take_line({}, {} + c, {}, {}, {}, line);", n,
                            order_text(in.family), lines, in.components,
                            text_plus("cell->in", in_.first_cell_input(input) + k)));
      const std::string column = affine_text("c", in.components, k);
      const auto part = [&](int p) {
        return fmt::format("{} + {}", text_plus(to, p * last_points() * entries), column);
      };
      if (in_.on_facets)
        print_open_end(text, in.family, use.gradient, part);
      else
        print_open_line(text, in.family, use.gradient, part, entries);
      text.close();
    }
    text.close();
  }
  text.close();
}

void LineSums::print_open_line(LaneText &text, int family, bool gradient,
                               const std::function<std::string(int)> &part, int step) {
  const int n = nodes(family), lines = dim() == 3 ? n * n : n;
  const bool same = is_same(family, V);
  if (same)
    text.line(fmt::format("weft_put_line({}, line, {}, {});", n, part(0), step));
  if (!same || gradient) {
    text.line(fmt::format("const weft_halves u = weft_fold({}, line, 1);", n));
    count_halves(text, n, lines);
  }
  for (const LineFunction function : {V, D})
    if (function == V ? !same : gradient) {
      text.line(fmt::format("weft_halves {} = weft_no_sums();", name_of(function)));
      text.line(fmt::format("weft_add_{}({}, {}, {}, u, &{});", is_odd(function) ? "odd" : "even",
                            points_, n, forward_table(family, function), name_of(function)));
      text.line(fmt::format("weft_unfold({}, {}, {}, {});", points_, name_of(function),
                            part(function == V ? 0 : 1), step));
      count_product(text, points_, n, is_odd(function), lines);
      count_halves(text, points_, lines);
    }
}

void LineSums::print_open_end(LaneText &text, int family, bool gradient,
                              const std::function<std::string(int)> &part) {
  const int n = nodes(family), lines = dim() == 3 ? n * n : n;
  text.line(fmt::format("*({}) = line[0];", part(0)));
  if (!gradient)
    return;
  text.line(fmt::format("*({}) = weft_end_sum({}, {}, line);", part(1), n, end_table(family)));
  text.count().multiply_adds += n * lines;
  text.count().table_multiply_adds += n * lines;
}

void LineSums::print_plane(LaneText &text) {
  text.open(
      fmt::format("WEFT_FUNCTION void weft_lines_plane({}, const i32 plane) {{", cell_argument));
  for (const auto &[input, use] : uses_) {
    if (dim() < 3)
      continue;
    const NodalInput &in = in_.inputs[input];
    const int row = row_reals(in.family, in.components);
    const int plane = plane_reals(in.family, in.components);
    const auto from = [&, input = input](int part) {
      return fmt::format("cell->planes_{} + {}", input,
                         affine_text("plane", plane, part * num_planes() * plane));
    };
    const auto to = [&, input = input](int part) {
      return text_plus(fmt::format("cell->rows_{}", input), part * num_rows() * row);
    };
    print_along(text, in.family, row, from(0), to(0), use.gradient ? to(1) : "", num_planes());
    if (use.gradient)
      print_along(text, in.family, row, from(1), to(2), "", num_planes());
  }
  text.close();
}

void LineSums::print_row(LaneText &text) {
  const double rows = num_planes() * num_rows();
  text.open(fmt::format("WEFT_FUNCTION void weft_lines_row({}, const i32 row) {{", cell_argument));
  for (const auto &[input, use] : uses_) {
    if (!has_points(input))
      continue;
    const NodalInput &in = in_.inputs[input];
    const int row = row_reals(in.family, in.components);
    const auto from = [&, input = input](int part) {
      return fmt::format("cell->rows_{} + {}", input,
                         affine_text("row", row, part * num_rows() * row));
    };
    const auto to = [&, input = input](int part) {
      return text_plus(fmt::format("cell->points_{}", input), part * points_ * in.components);
    };
    print_along(text, in.family, in.components, from(0), use.value ? to(0) : "",
                use.gradient ? to(point_part(input, 0)) : "", rows);
    for (int d = 1; d < dim() && use.gradient; ++d)
      print_along(text, in.family, in.components, from(d), to(point_part(input, d)), "", rows);
  }
  text.close();
}

// As test functions are numbered: phi, its derivatives; of diagonals phi^2, phi times derivatives,
// products of two derivatives.
LineSums::Directions LineSums::functions_of(int entry) const {
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

std::vector<LineSums::BackTerm>
LineSums::back_terms(int field, const std::function<int(int, int)> &value_index) {
  std::vector<BackTerm> terms;
  int first = 0;
  for (int other = 0; other < field; ++other)
    first += in_.tests[other].components;
  const int entries = in_.kind == IntegralKind::diagonal ? num_diagonal_entries(dim()) : 1 + dim();
  for (int k = 0; k < in_.tests[field].components; ++k)
    for (int entry = 0; entry < entries; ++entry)
      if (const int index = value_index(first + k, entry); index >= 0)
        terms.push_back({k, index, functions_of(entry)});
  return terms;
}

void LineSums::print_back_sum(LaneText &text, int family, LineFunction function,
                              const std::string &from, const std::string &step, double times) {
  const int n = nodes(family);
  if (is_same(family, function)) {
    text.line(fmt::format("weft_add_same({}, weft_fold({}, {}, {}), &sums);", n, n, from, step));
    count_halves(text, n, times);
    text.count().multiply_adds += times * 2 * (n / 2);
    text.count().additions += times * (n % 2);
    return;
  }
  text.line(fmt::format("weft_add_{}({}, {}, {}, weft_fold({}, {}, {}), &sums);",
                        is_odd(function) ? "odd" : "even", n, points_, back_table(family, function),
                        points_, from, step));
  count_halves(text, points_, times);
  count_product(text, n, points_, is_odd(function), times);
}

void LineSums::print_row_back(LaneText &text) {
  const double rows = num_planes() * num_rows();
  text.open(fmt::format("WEFT_FUNCTION void weft_lines_row_back({}, const i32 row, const "
                        "WEFT_PRIVATE lane *f) {{",
                        cell_argument));
  for (std::size_t t = 0; t < in_.tests.size(); ++t) {
    const TestField &test = in_.tests[t];
    const int row = row_reals(test.family, test.components);
    int part = 0;
    for (const auto &[in_y, in_z] : row_parts_[t]) {
      for (int k = 0; k < test.components; ++k) {
        text.open("{");
        text.line("weft_halves sums = weft_no_sums();");
        for (const BackTerm &term : back_terms_[t])
          if (term.component == k && term.functions[1] == in_y &&
              (dim() < 3 || term.functions[2] == in_z))
            print_back_sum(text, test.family, term.functions[0], text_plus("f", term.index),
                           "WEFT_NUM_VALUES", rows);
        text.line(
            fmt::format("weft_unfold({}, sums, cell->test_rows_{} + {}, {});", nodes(test.family),
                        t, affine_text("row", row, part * num_rows() * row + k), test.components));
        count_halves(text, nodes(test.family), rows);
        text.close();
      }
      ++part;
    }
  }
  text.close();
}

void LineSums::print_plane_back(LaneText &text) {
  text.open(fmt::format("WEFT_FUNCTION void weft_lines_plane_back({}, const i32 plane) {{",
                        cell_argument));
  for (std::size_t t = 0; t < in_.tests.size() && dim() == 3; ++t) {
    const TestField &test = in_.tests[t];
    const int row = row_reals(test.family, test.components);
    const int plane = plane_reals(test.family, test.components);
    text.open(fmt::format("WEFT_UNROLL_LINES for (i32 c = 0; c < {}; ++c) {{", row));
    for (const LineFunction in_z : plane_parts_[t]) {
      text.open("{");
      text.line("weft_halves sums = weft_no_sums();");
      for (const auto &part : row_parts_[t])
        if (part.second == in_z)
          print_back_sum(
              text, test.family, part.first,
              fmt::format("cell->test_rows_{} + {}", t,
                          text_plus("c", place_of(row_parts_[t], part) * num_rows() * row)),
              std::to_string(row), num_planes() * row);
      text.line(fmt::format(
          "weft_unfold({}, sums, cell->test_planes_{} + {} + c, {});", nodes(test.family), t,
          affine_text("plane", plane, place_of(plane_parts_[t], in_z) * num_planes() * plane),
          row));
      count_halves(text, nodes(test.family), num_planes() * row);
      text.close();
    }
    text.close();
  }
  text.close();
}

void LineSums::print_close(LaneText &text) {
  text.open(fmt::format("WEFT_FUNCTION void weft_lines_close({}, WEFT_PRIVATE lane *r) {{",
                        cell_argument));
  for (std::size_t t = 0; t < in_.tests.size(); ++t) {
    const TestField &test = in_.tests[t];
    const int n = nodes(test.family), lines = dim() == 3 ? n * n : n;
    const int entries = lines * test.components;
    const char *from = dim() == 3 ? "planes" : "rows";
    text.open(fmt::format("WEFT_UNROLL_LINES for (i32 c = 0; c < {}; ++c) {{", lines));
    for (int k = 0; k < test.components; ++k) {
      text.open("{");
      text.line(fmt::format("lane line[{}];", n));
      text.line(in_.on_facets ? fmt::format("weft_clear_line({}, line);", n)
                              : "weft_halves sums = weft_no_sums();");
      const auto add = [&](LineFunction function, int part) {
        const std::string parts =
            fmt::format("cell->test_{}_{} + {}", from, t,
                        affine_text("c", test.components, part * last_points() * entries + k));
        if (in_.on_facets)
          print_close_end(text, test.family, function, parts);
        else
          print_back_sum(text, test.family, function, parts, std::to_string(entries), lines);
      };
      if (dim() == 3)
        for (const LineFunction in_z : plane_parts_[t])
          add(in_z, place_of(plane_parts_[t], in_z));
      else
        for (const auto &part : row_parts_[t])
          add(part.first, place_of(row_parts_[t], part));
      if (!in_.on_facets) {
        text.line(fmt::format("weft_unfold({}, sums, line, 1);", n));
        count_halves(text, n, lines);
      }
      text.line(fmt::format("weft_give_line({}, {} + c, {}, {}, line, {});", n,
                            order_text(test.family), lines, test.components,
                            text_plus("r", in_.first_row(static_cast<int>(t)) + k)));
      text.close();
    }
    text.close();
  }
  text.close();
}

// Functions at the line's first node: values are 1 for its own function and 0 for all others.
void LineSums::print_close_end(LaneText &text, int family, LineFunction function,
                               const std::string &from) {
  const int n = nodes(family), lines = dim() == 3 ? n * n : n;
  switch (function) {
  case LineFunction::value:
  case LineFunction::value_squared:
    text.line(fmt::format("line[0] += *({});", from));
    text.count().additions += lines;
    return;
  case LineFunction::value_derivative:
    text.line(fmt::format("weft_end_add(1, {}, *({}), line);", end_table(family), from));
    break;
  case LineFunction::derivative:
    text.line(fmt::format("weft_end_add({}, {}, *({}), line);", n, end_table(family), from));
    break;
  case LineFunction::derivative_squared:
    text.line(
        fmt::format("weft_end_add_squares({}, {}, *({}), line);", n, end_table(family), from));
    text.count().multiplications += n * lines;
    break;
  }
  const double products = (function == LineFunction::value_derivative ? 1 : n) * lines;
  text.count().multiply_adds += products;
  text.count().table_multiply_adds += products;
}

void LineSums::print(LaneText &text, const std::function<int(int, int)> &value_index) {
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
  print_open(text);
  print_plane(text);
  print_row(text);
  print_row_back(text);
  print_plane_back(text);
  print_close(text);
}

std::string LineSums::tables() const {
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

void LineSums::define(Constants &constants) const {
  int half = (points_ + 1) / 2;
  for (const Family &family : families_)
    half = std::max(half, (family.basis.num_nodes() + 1) / 2);
  constants.define("WEFT_HALF_LINE", half);
  constants.define("WEFT_LINE_POINTS", points_);
  constants.define("WEFT_UNROLL_LINES",
                   in_.num_points() <= 27 ? "WEFT_UNROLL_ALL" : "WEFT_NO_UNROLL");
  constants.define("WEFT_NUM_PLANES", num_planes());
  constants.define("WEFT_PLANE_ROWS", num_rows());
}

} // namespace weft
