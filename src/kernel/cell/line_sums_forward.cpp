// From nodal values to the points of a row.
#include "kernel/cell/line_sums.h"

#include <fmt/format.h>

namespace weft {

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

} // namespace weft
