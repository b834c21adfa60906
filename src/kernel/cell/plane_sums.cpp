#include "kernel/cell/plane_sums.h"

#include <algorithm>
#include <fmt/format.h>

#include "kernel/cell/argument_list.h"
#include "kernel/cell/basis_tables.h"

namespace weft {

namespace {

// Entries from one row of a table to the next: an odd number, see fem/planes. WEFT_PITCH there.
int pitch_of(int nodes) {
  return nodes | 1;
}

} // namespace

PlaneSums::PlaneSums(const CellIntegral &integral) : DirectionSums(integral) {
  sizes_.line_threads = points_;
  const std::vector<bool> used = families_in_use(in_, true);
  for (std::size_t family = 0; family < used.size(); ++family)
    if (used[family])
      sizes_.line_threads = std::max(sizes_.line_threads, nodes(static_cast<int>(family)));
}

int PlaneSums::first_point(int input) const {
  int first = 0;
  for (const auto &[other, use] : uses_)
    if (other < input)
      first += (use.value + (use.gradient ? dim() : 0)) * in_.inputs[other].components;
  return first;
}

std::string PlaneSums::value(int input, int component) const {
  return fmt::format("cell->points[{}]", first_point(input) + component);
}

std::string PlaneSums::gradient(int input, int component, int direction) const {
  return fmt::format("cell->points[{}]",
                     first_point(input) +
                         point_part(input, direction) * in_.inputs[input].components + component);
}

std::vector<Term> PlaneSums::coordinate(int component) {
  return {{{.value = 1}, value(0, component)}};
}

std::vector<Term> PlaneSums::coordinate_derivative(int component, int direction) {
  return {{{.value = 1}, gradient(0, component, direction)}};
}

std::string PlaneSums::members() const {
  return fmt::format("  i32 x, y; // of the work-item in a plane\n"
                     "  WEFT_LOCAL real *planes, *rows;\n"
                     "  WEFT_LOCAL const real *tables;\n"
                     "  lane points[{}]; // values and gradients at the work-item's point\n",
                     std::max(1, first_point(static_cast<int>(in_.inputs.size()))));
}

void PlaneSums::define(Constants &constants) const {
  constants.define("WEFT_LINE_THREADS", sizes_.line_threads);
  constants.define("WEFT_LINE_POINTS", points_);
  constants.define("WEFT_NUM_PLANES", num_planes());
  constants.define("WEFT_LINE_NODES(n)", dim() == 3 ? "(n)" : "1");
  constants.define("WEFT_PITCH(n)", "((n) | 1)");
  constants.define("WEFT_TABLE_REALS", sizes_.table_reals);
  constants.define("WEFT_PLANE_ENTRIES", plane_entries_);
  constants.define("WEFT_ROW_ENTRIES", row_entries_);
}

int PlaneSums::add_table(const std::pair<int, LineFunction> &key,
                         const std::vector<double> &padded) {
  const auto [found, is_new] = table_places_.emplace(key, static_cast<int>(table_entries_.size()));
  if (is_new)
    table_entries_.insert(table_entries_.end(), padded.begin(), padded.end());
  return found->second;
}

int PlaneSums::table(int family, LineFunction function) {
  const Family &along = families_[family];
  const int n = nodes(family), pitch = pitch_of(n);
  std::vector<double> padded(points_ * pitch, 0.0);
  for (int q = 0; q < points_; ++q)
    for (int i = 0; i < n; ++i)
      padded[q * pitch + i] =
          product_of(function, along.values[q * n + i], along.derivatives[q * n + i]);
  return add_table({family, function}, padded);
}

int PlaneSums::unit_table() {
  return add_table({-1, V}, {1.0});
}

void PlaneSums::count_products(LaneText &text, double threads, double products) const {
  text.count().multiply_adds += threads * num_planes() * products;
  text.count().table_multiply_adds += threads * num_planes() * products;
}

void PlaneSums::print_sums(LaneText &text) {
  print_forward(text);
  print_rows(text);
  print_point(text);
  print_rows_back(text);
  print_planes_back(text);
  print_store(text);
  sizes_.exchange_reals = plane_entries_ + row_entries_;
  sizes_.table_reals = static_cast<int>(table_entries_.size());
  tables_["weft_plane_tables"] =
      table_definition("weft_plane_tables", table_entries_, in_.precision);
}

void PlaneSums::print_forward(LaneText &text) {
  text.open(
      fmt::format("WEFT_FUNCTION void weft_planes_forward({}, const i32 plane) {{", cell_argument));
  int to = 0;
  for (const auto &[input, use] : uses_) {
    const NodalInput &in = in_.inputs[input];
    const int n = nodes(in.family), z = z_nodes(in.family);
    const int parts = use.gradient && dim() == 3 ? 2 : 1;
    text.line(fmt::format("weft_to_planes(cell, plane, {}, {}, {}, {}, {}, {}, {});", n,
                          in.components, parts, z_table(in.family, V),
                          parts > 1 ? z_table(in.family, D) : -1,
                          text_plus("cell->in", in_.first_cell_input(input)), to));
    count_products(text, n * n, parts * in.components * z);
    count_table_reads(n * n, parts * z);
    count_exchanged(n * n, parts * in.components);
    to += parts * in.components * n * n;
  }
  plane_entries_ = std::max(plane_entries_, to);
  text.close();
}

int PlaneSums::value_table(int family) {
  return is_same(family, V) ? -1 : table(family, V);
}

int PlaneSums::count_line_sums(LaneText &text, double threads, const NodalInput &in, const Use &use,
                               int parts, int values) {
  const int n = nodes(in.family), derivatives = use.gradient ? 1 : 0;
  const bool same = is_same(in.family, V);
  count_products(text, threads, ((same ? 0 : values) + derivatives) * in.components * n);
  count_table_reads(threads, ((same ? 0 : 1) + derivatives) * n);
  return same ? derivatives * n + values : parts * n;
}

void PlaneSums::print_rows(LaneText &text) {
  text.open(fmt::format("WEFT_FUNCTION void weft_planes_rows({}) {{", cell_argument));
  int from = 0, to = 0;
  for (const auto &[input, use] : uses_) {
    const NodalInput &in = in_.inputs[input];
    const int n = nodes(in.family);
    const int plane_parts = use.gradient && dim() == 3 ? 2 : 1;
    const int row_parts = use.gradient ? dim() : 1;
    text.line(fmt::format("weft_to_rows(cell, {}, {}, {}, {}, {}, {}, {});", n, in.components,
                          plane_parts, value_table(in.family),
                          use.gradient ? table(in.family, D) : -1, from, to));
    const int read = count_line_sums(text, n * points_, in, use, plane_parts, plane_parts);
    count_exchanged(n * points_, (read + row_parts) * in.components);
    from += plane_parts * in.components * n * n;
    to += row_parts * in.components * n * points_;
  }
  row_entries_ = std::max(row_entries_, to);
  text.close();
}

void PlaneSums::print_point(LaneText &text) {
  text.open(fmt::format("WEFT_FUNCTION void weft_planes_point({}) {{", cell_argument));
  const int threads = points_ * points_;
  int from = 0;
  for (const auto &[input, use] : uses_) {
    const NodalInput &in = in_.inputs[input];
    const int n = nodes(in.family), row_parts = use.gradient ? dim() : 1;
    text.line(fmt::format("weft_to_point(cell, {}, {}, {}, {}, {}, {}, {}, {});", n, in.components,
                          row_parts, use.value ? 1 : 0, value_table(in.family),
                          use.gradient ? table(in.family, D) : -1, from,
                          text_plus("cell->points", first_point(input))));
    const int read =
        count_line_sums(text, threads, in, use, row_parts, row_parts - (use.value ? 0 : 1));
    count_exchanged(threads, read * in.components);
    from += row_parts * in.components * n * points_;
  }
  int values = 1; // entries of f
  for (const std::vector<BackTerm> &terms : back_terms_)
    for (const BackTerm &term : terms)
      values = std::max(values, term.index + 1);
  count_exchanged(threads, values);
  plane_entries_ = std::max(plane_entries_, values * threads);
  text.close();
}

void PlaneSums::print_row(LaneText &text, const std::string &name, int count,
                          const std::string &from, int step, double threads) {
  text.line(fmt::format("real {}[WEFT_LINE_THREADS];", name));
  text.line(fmt::format("weft_take_row({}, cell->tables + {}, {}, {});", count, from, step, name));
  count_table_reads(threads, count);
}

void PlaneSums::print_columns(LaneText &text, int family, const std::set<LineFunction> &functions,
                              const std::string &node, double threads) {
  for (const LineFunction function : functions)
    if (!is_same(family, function))
      print_row(text, name_of(function), points_,
                fmt::format("{} + {}", table(family, function), node), pitch_of(nodes(family)),
                threads);
}

void PlaneSums::print_back_sum(LaneText &text, int family, LineFunction function,
                               const std::string &line, const std::string &own, int step,
                               double threads) {
  if (is_same(family, function)) {
    text.line(fmt::format("sum = sum + lane_load_local({});", own));
    text.count().additions += threads * num_planes();
    count_exchanged(threads, 1);
    return;
  }
  text.line(fmt::format("sum = weft_add_values({}, {}, {}, {}, sum);", points_, name_of(function),
                        line, step));
  count_products(text, threads, points_);
  count_exchanged(threads, points_);
}

void PlaneSums::print_rows_back(LaneText &text) {
  text.open(fmt::format("WEFT_FUNCTION void weft_planes_rows_back({}) {{", cell_argument));
  int to = 0;
  for (std::size_t t = 0; t < in_.tests.size(); ++t) {
    const TestField &test = in_.tests[t];
    const int n = nodes(test.family), threads = n * points_;
    text.open(fmt::format("if (cell->x < {} && cell->y < {}) {{", n, points_));
    std::set<LineFunction> functions; // of x
    for (const BackTerm &term : back_terms_[t])
      functions.insert(term.functions[0]);
    print_columns(text, test.family, functions, "cell->x", threads);
    for (const auto &[in_y, in_z] : row_parts_[t])
      for (int k = 0; k < test.components; ++k, to += n * points_) {
        text.open("{");
        text.line("lane sum = lane_splat(0);");
        for (const BackTerm &term : back_terms_[t]) {
          if (term.component != k || term.functions[1] != in_y ||
              (dim() == 3 && term.functions[2] != in_z))
            continue;
          const std::string row = fmt::format("({} + cell->y) * {}", term.index * points_, points_);
          print_back_sum(text, test.family, term.functions[0],
                         fmt::format("cell->planes + {} * WEFT_LANES", row),
                         fmt::format("cell->planes + ({} + cell->x) * WEFT_LANES", row), 1,
                         threads);
        }
        text.line(fmt::format("lane_store_local(sum, cell->rows + ({} + cell->y * {} + cell->x) * "
                              "WEFT_LANES);",
                              to, n));
        count_exchanged(threads, 1);
        text.close();
      }
    text.close();
  }
  row_entries_ = std::max(row_entries_, to);
  text.close();
}

void PlaneSums::print_planes_back(LaneText &text) {
  text.open(fmt::format("WEFT_FUNCTION void weft_planes_back({}, const i32 plane, WEFT_PRIVATE "
                        "lane *r) {{",
                        cell_argument));
  int from = 0, row = 0;
  for (std::size_t t = 0; t < in_.tests.size(); ++t) {
    const TestField &test = in_.tests[t];
    const int n = nodes(test.family), z = z_nodes(test.family), threads = n * n;
    const int entries = n * points_; // of a part's component
    text.open(fmt::format("if (cell->x < {0} && cell->y < {0}) {{", n));
    std::set<LineFunction> functions; // of y
    for (const auto &[in_y, in_z] : row_parts_[t])
      functions.insert(in_y);
    print_columns(text, test.family, functions, "cell->y", threads);
    for (const LineFunction in_z : plane_parts_[t]) {
      const std::string column = fmt::format("z_{}", name_of(in_z));
      print_row(text, column, z, affine_text("plane", pitch_of(z), z_table(test.family, in_z)), 1,
                threads);
      for (int k = 0; k < test.components; ++k) {
        text.open("{");
        text.line("lane sum = lane_splat(0);");
        for (const auto &part : row_parts_[t]) {
          if (part.second != in_z)
            continue;
          const int at = from + (place_of(row_parts_[t], part) * test.components + k) * entries;
          print_back_sum(
              text, test.family, part.first,
              fmt::format("cell->rows + ({} + cell->x) * WEFT_LANES", at),
              fmt::format("cell->rows + ({} + cell->y * {} + cell->x) * WEFT_LANES", at, n), n,
              threads);
        }
        text.line(fmt::format("weft_add_column({}, {}, sum, {}, {});", z, column, test.components,
                              text_plus("r", row + k)));
        count_products(text, threads, z);
        text.close();
      }
    }
    text.close();
    from += static_cast<int>(row_parts_[t].size()) * test.components * entries;
    row += z * test.components;
  }
  text.close();
}

void PlaneSums::print_store(LaneText &text) const {
  text.open("WEFT_FUNCTION void weft_store_rows(const WEFT_PRIVATE weft_cell *cell, const "
            "WEFT_PRIVATE lane *r, WEFT_GLOBAL real *to) {");
  int row = 0;
  for (std::size_t t = 0; t < in_.tests.size(); ++t) {
    const TestField &test = in_.tests[t];
    text.line(fmt::format("weft_store_column(cell, {}, {}, weft_order_{}, {}, {});",
                          nodes(test.family), test.components, test.family, text_plus("r", row),
                          lanes_past("to", in_.first_row(static_cast<int>(t)))));
    row += z_nodes(test.family) * test.components;
  }
  text.close();
}

} // namespace weft
