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

void PlaneSums::print_rows(LaneText &text) {
  text.open(fmt::format("WEFT_FUNCTION void weft_planes_rows({}) {{", cell_argument));
  int from = 0, to = 0;
  for (const auto &[input, use] : uses_) {
    const NodalInput &in = in_.inputs[input];
    const int n = nodes(in.family);
    const int plane_parts = use.gradient && dim() == 3 ? 2 : 1;
    const int row_parts = use.gradient ? dim() : 1;
    text.line(fmt::format("weft_to_rows(cell, {}, {}, {}, {}, {}, {}, {});", n, in.components,
                          plane_parts, table(in.family, V), use.gradient ? table(in.family, D) : -1,
                          from, to));
    count_products(text, n * points_, row_parts * in.components * n);
    count_table_reads(n * points_, (use.gradient ? 2 : 1) * n);
    count_exchanged(n * points_, (plane_parts * n + row_parts) * in.components);
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
                          row_parts, use.value ? 1 : 0, table(in.family, V),
                          use.gradient ? table(in.family, D) : -1, from,
                          text_plus("cell->points", first_point(input))));
    count_products(text, threads,
                   ((use.value ? 1 : 0) + (use.gradient ? dim() : 0)) * in.components * n);
    count_table_reads(threads, (use.gradient ? 2 : 1) * n);
    count_exchanged(threads, row_parts * in.components * n);
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
                          const std::string &from, int step) {
  text.line(fmt::format("real {}[WEFT_LINE_THREADS];", name));
  text.line(fmt::format("weft_take_row({}, cell->tables + {}, {}, {});", count, from, step, name));
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
    for (const LineFunction function : functions)
      print_row(text, name_of(function), points_,
                fmt::format("{} + cell->x", table(test.family, function)), pitch_of(n));
    for (const auto &[in_y, in_z] : row_parts_[t])
      for (int k = 0; k < test.components; ++k, to += n * points_) {
        text.open("{");
        text.line("lane sum = lane_splat(0);");
        for (const BackTerm &term : back_terms_[t])
          if (term.component == k && term.functions[1] == in_y &&
              (dim() < 3 || term.functions[2] == in_z))
            text.line(fmt::format("sum = weft_add_values({}, {}, cell->planes + ({} + cell->y) * "
                                  "{} * WEFT_LANES, 1, sum);",
                                  points_, name_of(term.functions[0]), term.index * points_,
                                  points_));
        text.line(fmt::format("lane_store_local(sum, cell->rows + ({} + cell->y * {} + cell->x) * "
                              "WEFT_LANES);",
                              to, n));
        text.close();
      }
    text.close();
    const int terms = static_cast<int>(back_terms_[t].size());
    count_products(text, threads, terms * points_);
    count_table_reads(threads, static_cast<int>(functions.size()) * points_);
    count_exchanged(threads,
                    terms * points_ + static_cast<int>(row_parts_[t].size()) * test.components);
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
    const int part = test.components * n * points_;
    text.open(fmt::format("if (cell->x < {0} && cell->y < {0}) {{", n));
    std::set<LineFunction> functions; // of y
    for (const auto &[in_y, in_z] : row_parts_[t])
      functions.insert(in_y);
    for (const LineFunction function : functions)
      print_row(text, name_of(function), points_,
                fmt::format("{} + cell->y", table(test.family, function)), pitch_of(n));
    for (const LineFunction in_z : plane_parts_[t]) {
      const std::string column = fmt::format("z_{}", name_of(in_z));
      print_row(text, column, z, affine_text("plane", pitch_of(z), z_table(test.family, in_z)), 1);
      for (int k = 0; k < test.components; ++k) {
        text.open("{");
        text.line("lane sum = lane_splat(0);");
        for (const auto &row_part : row_parts_[t])
          if (row_part.second == in_z)
            text.line(fmt::format(
                "sum = weft_add_values({}, {}, cell->rows + ({} + cell->x) * WEFT_LANES, {}, sum);",
                points_, name_of(row_part.first),
                from + place_of(row_parts_[t], row_part) * part + k * n * points_, n));
        text.line(fmt::format("weft_add_column({}, {}, sum, {}, {});", z, column, test.components,
                              text_plus("r", row + k)));
        text.close();
      }
    }
    text.close();
    const int row_parts = static_cast<int>(row_parts_[t].size());
    const int plane_parts = static_cast<int>(plane_parts_[t].size());
    count_products(text, threads, (row_parts * points_ + plane_parts * z) * test.components);
    count_table_reads(threads, static_cast<int>(functions.size()) * points_ + plane_parts * z);
    count_exchanged(threads, row_parts * test.components * points_);
    from += row_parts * part;
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
