#include "kernel/matrix/matrix_arguments.h"

#include <algorithm>
#include <fmt/format.h>

#include "kernel/text/block_layout.h"
#include "kernel/text/lane_text.h"

namespace weft {

namespace {

using Kind = NodalInput::Kind;

class MatrixArgumentPrinter {
public:
  using Tables = std::vector<std::pair<std::string, int>>;
  MatrixArgumentPrinter(const CellIntegral &in, const MatrixVariant &variant, const Tables &tables)
      : in_(in), variant_(variant), tables_(tables), used_(families_in_use(in, false)),
        csr_(variant.destination == MatrixDestination::csr) {}
  CellArguments print();

private:
  void add_arguments();
  std::string load_macros() const;
  void print_load_cell(LaneText &text) const;
  void print_prefetch(LaneText &text) const;
  void print_family(LaneText &text, std::size_t family) const;
  void print_put(LaneText &text) const;
  void print_put_entry(LaneText &text) const;
  void print_stage(LaneText &text) const;
  void print_memory_target(LaneText &text) const;
  void print_applied_target(LaneText &text) const;
  int num_nodes(std::size_t family) const { return in_.families[family].element.num_nodes(); }
  std::string input_place(const std::string &entry) const {
    return variant_.local == LocalArray::geometry ? fmt::format("({}) * WEFT_WORK_ITEMS", entry)
                                                  : entry;
  }

  const CellIntegral &in_;
  const MatrixVariant &variant_;
  const Tables &tables_; // to be copied to local memory
  const std::vector<bool> used_;
  const bool csr_;
  ArgumentList list_;
};

void MatrixArgumentPrinter::add_arguments() {
  if (csr_) {
    list_.add(ArgumentRole::matrix_blocks, 0, const_i32, "matrix_blocks");
    list_.add(ArgumentRole::entry_map, 0, const_u16, "entry_map");
    list_.add(ArgumentRole::matrix_values, 0, "WEFT_GLOBAL real *WEFT_RESTRICT ", "matrix_values");
    list_.add(ArgumentRole::matrix_border, 0, "WEFT_GLOBAL real *WEFT_RESTRICT ", "matrix_border");
  } else {
    list_.add(ArgumentRole::num_groups, 0, "const i32 ", "num_groups");
    if (variant_.destination == MatrixDestination::applied)
      list_.add(ArgumentRole::element_vectors, 0, "WEFT_GLOBAL real *WEFT_RESTRICT ",
                "element_vectors");
    else
      list_.add(ArgumentRole::element_matrices, 0, "WEFT_GLOBAL real *WEFT_RESTRICT ",
                "element_matrices");
    list_.add(ArgumentRole::first_entry, 0, "const i64 ", "first_entry");
  }
  for (std::size_t f = 0; f < used_.size(); ++f)
    if (used_[f])
      list_.add(ArgumentRole::nodes, static_cast<int>(f), const_i32, fmt::format("nodes_{}", f));
  add_inputs(list_, in_, false);
  if (in_.reads_coordinates())
    list_.add(ArgumentRole::coordinate_image, 0, const_real, "image");
  add_cell_data(list_, in_);
}

// What weft_load_cell gets beside the arguments, all in local memory: node numbers that the
// work-items of a group copy together, room for nodal values, copies of tables.
std::string MatrixArgumentPrinter::load_macros() const {
  if (csr_)
    return "";
  std::string arrays, parameters, names, copies, reads;
  const auto add = [&](const std::string &type, const std::string &name, const std::string &count) {
    arrays += fmt::format(" WEFT_LOCAL_ARRAY({}, {}, {});", type, name, count);
    parameters += fmt::format(", WEFT_LOCAL const {} *{}", type, name);
    names += ", " + name;
  };
  for (std::size_t f = 0; f < used_.size() && variant_.coalesced_reading; ++f)
    if (used_[f]) {
      const std::string count = fmt::format("{} * WEFT_LANES", num_nodes(f));
      add("i32", fmt::format("read_{}", f), count + " * WEFT_WORK_ITEMS");
      reads += fmt::format(" for (i64 k = weft_local_id(); k < {0} * WEFT_WORK_ITEMS && (first) * "
                           "{0} + k < (i64)num_groups * {0}; k += WEFT_WORK_ITEMS) read_{1}[k] = "
                           "nodes_{1}[(first) * {0} + k];",
                           count, f);
    }
  for (const auto &[name, entries] : tables_) {
    add("real", "local_" + name, std::to_string(entries));
    copies += fmt::format(" for (i32 k = weft_local_id(); k < {0}; k += WEFT_WORK_ITEMS) "
                          "local_{1}[k] = {1}[k];",
                          entries, name);
  }
  if (variant_.local == LocalArray::geometry) {
    arrays += fmt::format(" WEFT_LOCAL_ARRAY(lane, local_inputs, {} * WEFT_WORK_ITEMS);",
                          std::max(1, in_.num_cell_inputs()));
    parameters += ", WEFT_LOCAL lane *local_inputs";
    names += ", local_inputs + weft_local_id()";
  }
  if (!copies.empty())
    copies += " weft_barrier();";
  const char *barrier = variant_.coalesced_reading ? " weft_barrier();" : "";
  return fmt::format("#define WEFT_LOADED_ARGUMENTS WEFT_ARGUMENTS{}\n"
                     "#define WEFT_LOADED_NAMES WEFT_NAMES{}\n"
                     "#define WEFT_LOADED_ARRAYS{}\n#define WEFT_COPY_TABLES{}\n"
                     "#define WEFT_READ_TOGETHER(first){}{}\n#define WEFT_READ_DONE{}\n",
                     parameters, names, arrays, copies, reads, barrier, barrier);
}

void MatrixArgumentPrinter::print_family(LaneText &text, std::size_t f) const {
  const int n = num_nodes(f);
  text.open(fmt::format("{} for (i32 i = 0; i < {}; ++i) {{",
                        in_.loops_over(static_cast<int>(f)) ? "WEFT_NO_UNROLL" : "WEFT_UNROLL", n));
  const bool together = variant_.coalesced_reading && !csr_;
  text.line(
      together ? fmt::format("WEFT_LOCAL const i32 *nodes = read_{} + (weft_local_id() * {} + i) * "
                             "WEFT_LANES;",
                             f, n)
               : fmt::format("WEFT_GLOBAL const i32 *nodes = nodes_{} + ((i64)group * {} + i) * "
                             "WEFT_LANES;",
                             f, n));
  bool others = false;
  for (std::size_t i = 0; i < in_.inputs.size(); ++i) {
    const NodalInput &input = in_.inputs[i];
    if (input.family != static_cast<int>(f) || !is_read(in_, input))
      continue;
    if (input.kind != Kind::coordinates) {
      others = true;
      continue;
    }
    text.line("lane position[4];");
    text.line(fmt::format("lane_gather4_strided(image, {}, nodes, position);", image_reals));
    for (int k = 0; k < input.components; ++k)
      text.line(fmt::format(
          "cell->in[{}] = position[{}];",
          input_place(fmt::format("{} + i * {}", in_.first_cell_input(static_cast<int>(i)) + k,
                                  input.components)),
          k));
  }
  if (others) {
    text.open("WEFT_UNROLL for (i32 l = 0; l < WEFT_LANES; ++l) {");
    text.line("const i64 node = nodes[l];");
    for (std::size_t i = 0; i < in_.inputs.size(); ++i) {
      const NodalInput &input = in_.inputs[i];
      if (input.family != static_cast<int>(f) || input.kind == Kind::coordinates)
        continue;
      for (int k = 0; k < input.components; ++k)
        text.line(fmt::format(
            "lane_set(cell->in[{}], l, input_{}[offset_{} + node * {} + {}]);",
            input_place(fmt::format("{} + i * {}", in_.first_cell_input(static_cast<int>(i)) + k,
                                    input.components)),
            i, i, input.components, k));
    }
    text.close();
  }
  text.close();
}

// Asks for what a later lane group reads of its own. Between its reads a group computes for longer
// than a processor looks ahead, which then waits for memory in every group.
void MatrixArgumentPrinter::print_prefetch(LaneText &text) const {
  constexpr int line_bytes = 64, index_bytes = 4;
  const auto prefetch = [&](const std::string &name, int entries, int entry_bytes) {
    const int bytes = entries * in_.lanes * entry_bytes;
    text.line(fmt::format("WEFT_UNROLL for (i32 i = 0; i < {}; ++i) weft_prefetch({} + (i64)group "
                          "* ({} * WEFT_LANES), {} + i * {});",
                          (bytes + line_bytes - 1) / line_bytes, name, entries,
                          variant_.prefetch * bytes, line_bytes));
  };
  const int real_bytes = static_cast<int>(size_bytes(in_.precision));
  for (std::size_t f = 0; f < used_.size(); ++f)
    if (used_[f])
      prefetch(fmt::format("nodes_{}", f), num_nodes(f), index_bytes);
  if (!in_.reads_coordinates())
    prefetch("stored_geometry", in_.stored_geometry_entries(), real_bytes);
  for (std::size_t i = 0; i < in_.inputs.size(); ++i)
    if (in_.inputs[i].family < 0)
      prefetch(fmt::format("input_{}", i), in_.inputs[i].components, real_bytes);
}

void MatrixArgumentPrinter::print_load_cell(LaneText &text) const {
  text.line("// Reads a lane group's nodal values from the global vectors.");
  text.open(fmt::format("WEFT_FUNCTION void weft_load_cell(WEFT_PRIVATE weft_cell *cell, const i32 "
                        "group, {}) {{",
                        csr_ ? "WEFT_ARGUMENTS" : "WEFT_LOADED_ARGUMENTS"));
  if (variant_.local == LocalArray::geometry)
    text.line("cell->in = local_inputs;");
  for (const auto &[name, entries] : tables_)
    text.line(fmt::format("cell->local_{0} = local_{0};", name));
  for (std::size_t f = 0; f < used_.size(); ++f)
    if (used_[f])
      print_family(text, f);
  print_cell_data_reads(text, in_, variant_.local == LocalArray::geometry ? "WEFT_WORK_ITEMS" : "");
  if (variant_.prefetch > 0)
    print_prefetch(text);
  text.close();
}

void MatrixArgumentPrinter::print_put_entry(LaneText &text) const {
  const int entries = num_matrix_entries(in_);
  text.open("WEFT_FUNCTION void weft_put_entry(WEFT_PRIVATE weft_target *to, const i32 e, const "
            "lane v) {");
  switch (variant_.destination) {
  case MatrixDestination::csr:
    text.line(fmt::format("WEFT_UNROLL for (i32 l = 0; l < WEFT_LANES; ++l) "
                          "weft_real_at(WEFT_PRIVATE, to->stage, {}u * to->map[e * WEFT_LANES + "
                          "l]) += lane_get(v, l);",
                          size_bytes(in_.precision)));
    break;
  case MatrixDestination::interleaved:
    text.line(fmt::format("{}(v, to->out + e * (WEFT_WORK_ITEMS * WEFT_LANES));",
                          variant_.stream ? "lane_store_stream" : "lane_store"));
    break;
  case MatrixDestination::per_cell:
    text.line(fmt::format("WEFT_UNROLL for (i32 l = 0; l < WEFT_LANES; ++l) to->out[l * {} + e] = "
                          "lane_get(v, l);",
                          entries));
    break;
  case MatrixDestination::applied:
    break;
  }
  text.close();
}

void MatrixArgumentPrinter::print_put(LaneText &text) const {
  const bool applied = variant_.destination == MatrixDestination::applied;
  if (!applied)
    print_put_entry(text);
  text.line("// An entry of the element matrix, and where the form is symmetric its mirror image.");
  text.open("WEFT_FUNCTION void weft_matrix_put(WEFT_PRIVATE weft_target *to, const i32 row, const "
            "i32 column, const lane v) {");
  if (applied)
    text.line("to->r[row] = lane_fma(v, weft_direction(to->cell, column), to->r[row]);");
  else
    text.line(fmt::format("weft_put_entry(to, row * {} + column, v);", in_.num_rows()));
  if (in_.symmetric) {
    text.line("if (row != column)");
    if (applied)
      text.line("  to->r[column] = lane_fma(v, weft_direction(to->cell, row), to->r[column]);");
    else
      text.line(fmt::format("  weft_put_entry(to, column * {} + row, v);", in_.num_rows()));
  }
  text.close();
  if (in_.with_vector)
    text.line(fmt::format("WEFT_FUNCTION void weft_vector_put(WEFT_PRIVATE weft_target *to, const "
                          "i32 row, const lane v) {{ weft_put_entry(to, {} + row, v); }}",
                          in_.num_rows() * in_.num_rows()));
}

// Clears and copies the stage of a block.
void MatrixArgumentPrinter::print_stage(LaneText &text) const {
  const int fields = static_cast<int>(in_.tests.size());
  const auto field = [](int f, int entry) {
    return fmt::format("row[{}]",
                       matrix_block_head_entries + matrix_block_field_entries * f + entry);
  };
  text.line("typedef struct {");
  text.line("  WEFT_PRIVATE real *stage;");
  text.line("  WEFT_GLOBAL const u16 *map; // [entry, lane]");
  text.line("} weft_target;");
  text.open("WEFT_FUNCTION void weft_stage_clear(WEFT_PRIVATE real *stage, WEFT_GLOBAL const i32 "
            "*row) {");
  std::string count = field(fields, 1);
  for (int f = 0; f < fields; ++f)
    count += " + " + field(f, 1);
  text.line(fmt::format("const i32 num_entries = {};", count));
  text.line("for (i32 i = 0; i <= num_entries; ++i) stage[i] = 0;");
  text.close();
  text.line("// Reals of the stage to memory; the whole lanes among them past the caches.");
  text.open("WEFT_FUNCTION void weft_copy(WEFT_PRIVATE const real *from, WEFT_GLOBAL real *to, "
            "const i64 first, const i32 count) {");
  if (variant_.stream) {
    text.line("i32 n = 0;");
    text.line("for (; n < count && (first + n) % WEFT_LANES != 0; ++n) to[first + n] = from[n];");
    text.line("for (; n + WEFT_LANES <= count; n += WEFT_LANES) "
              "lane_store_stream(lane_load_private(from + n), to + first + n);");
    text.line("for (; n < count; ++n) to[first + n] = from[n];");
  } else {
    text.line("for (i32 n = 0; n < count; ++n) to[first + n] = from[n];");
  }
  text.close();
  text.open("WEFT_FUNCTION void weft_stage_store(WEFT_PRIVATE const real *stage, WEFT_GLOBAL const "
            "i32 *row, WEFT_ARGUMENTS) {");
  text.line("WEFT_PRIVATE const real *from = stage;");
  for (int f = 0; f <= fields; ++f) {
    text.line(fmt::format("weft_copy(from, {}, {}, {});",
                          f < fields ? "matrix_values" : "matrix_border", field(f, 0),
                          field(f, 1)));
    text.line(fmt::format("from += {};", field(f, 1)));
  }
  text.close();
}

void MatrixArgumentPrinter::print_memory_target(LaneText &text) const {
  const int entries = num_matrix_entries(in_);
  const bool interleaved = variant_.destination == MatrixDestination::interleaved;
  text.line("typedef struct {");
  text.line("  WEFT_GLOBAL real *out;");
  text.line("} weft_target;");
  text.open("WEFT_FUNCTION void weft_target_begin(WEFT_PRIVATE weft_target *to, WEFT_PRIVATE "
            "weft_cell *cell, const i64 first, WEFT_ARGUMENTS) {");
  text.line(interleaved ? fmt::format("to->out = element_matrices + first_entry + (first * {} + "
                                      "weft_local_id()) * WEFT_LANES;",
                                      entries)
                        : fmt::format("to->out = element_matrices + first_entry + (first + "
                                      "weft_local_id()) * ({} * WEFT_LANES);",
                                      entries));
  text.close();
  text.line("WEFT_FUNCTION void weft_target_end(WEFT_PRIVATE weft_target *to, WEFT_PRIVATE "
            "weft_cell *cell, const i64 first, WEFT_ARGUMENTS) {}");
}

void MatrixArgumentPrinter::print_applied_target(LaneText &text) const {
  text.line("typedef struct {");
  text.line("  WEFT_PRIVATE weft_cell *cell;");
  text.line(fmt::format("  lane r[{}];", in_.num_rows()));
  text.line("} weft_target;");
  std::string direction;
  for (std::size_t f = in_.tests.size(); f-- > 0;)
    for (std::size_t i = 0; i < in_.inputs.size(); ++i)
      if (in_.inputs[i].kind == Kind::direction && in_.inputs[i].index == static_cast<int>(f)) {
        const std::string entry = fmt::format(
            "cell->in[{}]",
            input_place(fmt::format("{} + row - {}", in_.first_cell_input(static_cast<int>(i)),
                                    in_.first_row(static_cast<int>(f)))));
        direction = direction.empty()
                        ? entry
                        : fmt::format("row < {} ? {} : {}", in_.first_row(static_cast<int>(f) + 1),
                                      entry, direction);
      }
  text.line("// What the matrix is applied to, by rows.");
  text.line(fmt::format("WEFT_FUNCTION lane weft_direction(WEFT_PRIVATE weft_cell *cell, const i32 "
                        "row) {{ return {}; }}",
                        direction));
  text.open("WEFT_FUNCTION void weft_target_begin(WEFT_PRIVATE weft_target *to, WEFT_PRIVATE "
            "weft_cell *cell, const i64 first, WEFT_ARGUMENTS) {");
  text.line("to->cell = cell;");
  text.line(fmt::format("WEFT_UNROLL_ROWS for (i32 i = 0; i < {}; ++i) to->r[i] = {};",
                        in_.num_rows(), text.constant(0)));
  text.close();
  text.open("WEFT_FUNCTION void weft_target_end(WEFT_PRIVATE weft_target *to, WEFT_PRIVATE "
            "weft_cell *cell, const i64 first, WEFT_ARGUMENTS) {");
  text.line(
      fmt::format("WEFT_UNROLL_ROWS for (i32 i = 0; i < {0}; ++i) lane_store_stream(to->r[i], "
                  "element_vectors + first_entry + ((first + weft_local_id()) * {0} + i) * "
                  "WEFT_LANES);",
                  in_.num_rows()));
  text.close();
}

CellArguments MatrixArgumentPrinter::print() {
  add_arguments();
  LaneText text(in_.precision);
  print_load_cell(text);
  if (csr_)
    print_stage(text);
  else if (variant_.destination == MatrixDestination::applied)
    print_applied_target(text);
  else
    print_memory_target(text);
  print_put(text);
  return {list_.arguments, list_.macros() + load_macros(), text.text()};
}

} // namespace

CellArguments print_matrix_arguments(const CellIntegral &integral, const MatrixVariant &variant,
                                     const std::vector<std::pair<std::string, int>> &local_tables) {
  return MatrixArgumentPrinter(integral, variant, local_tables).print();
}

} // namespace weft
