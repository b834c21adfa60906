#include "kernel/cell/line_sums.h"

#include <algorithm>
#include <fmt/format.h>

#include "kernel/cell/basis_tables.h"
#include "kernel/text/constant_table.h"

namespace weft {

std::string LineSums::order_text(int family) const {
  const std::string order = fmt::format("weft_order_{}", family);
  if (!in_.on_facets)
    return order;
  return fmt::format("{} + {}", order,
                     text_times("cell->slot", in_.families[family].element.num_nodes()));
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

void LineSums::print_sums(LaneText &text) {
  print_open(text);
  print_plane(text);
  print_row(text);
  print_row_back(text);
  print_plane_back(text);
  print_close(text);
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
