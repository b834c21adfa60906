// From the points of a row to the element vector: the transposed sums.
#include "kernel/cell/line_sums.h"

#include <fmt/format.h>

namespace weft {

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

} // namespace weft
