#include "kernel/matrix/matrix_arguments.h"

#include <algorithm>
#include <fmt/format.h>

#include "kernel/text/lane_text.h"

namespace weft {

namespace {

using Kind = NodalInput::Kind;

class MatrixArgumentPrinter {
public:
  using Tables = std::vector<std::pair<std::string, int>>;
  MatrixArgumentPrinter(const CellIntegral &in, const MatrixVariant &variant, const Tables &tables)
      : in_(in), variant_(variant), tables_(tables),
        used_(families_in_use(in, variant.destination == MatrixDestination::diagonal)),
        csr_(variant.destination == MatrixDestination::csr) {}
  CellArguments print();

private:
  void add_arguments();
  std::string load_macros() const;
  void print_load_cell(LaneText &text) const;
  void print_prefetch(LaneText &text) const;
  void print_direction(LaneText &text) const;
  void print_row_numbers(LaneText &text) const;
  std::string target_files() const;
  void define_constants(Constants &constants) const;
  int num_nodes(std::size_t family) const { return in_.families[family].element.num_nodes(); }
  bool reads_together() const { return variant_.coalesced_reading && !csr_; }

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
    list_.add(ArgumentRole::matrix_interface, 0, "WEFT_GLOBAL real *WEFT_RESTRICT ",
              "matrix_interface");
  } else {
    list_.add(ArgumentRole::num_groups, 0, "const i32 ", "num_groups");
    if (variant_.destination == MatrixDestination::applied ||
        variant_.destination == MatrixDestination::diagonal)
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
  std::vector<std::string> parameters = {"WEFT_ARGUMENTS"}, names = {"WEFT_NAMES"};
  std::string arrays, copies, reads;
  const auto add = [&](const std::string &type, const std::string &name, const std::string &count) {
    arrays += fmt::format(" WEFT_LOCAL_ARRAY({}, {}, {});", type, name, count);
    parameters.push_back(fmt::format("WEFT_LOCAL const {} *{}", type, name));
    names.push_back(name);
  };
  for (std::size_t f = 0; f < used_.size() && variant_.coalesced_reading; ++f)
    if (used_[f]) {
      add("i32", fmt::format("read_{}", f),
          fmt::format("{} * WEFT_LANES * WEFT_WORK_ITEMS", num_nodes(f)));
      reads += fmt::format(" weft_copy_nodes(read_{0}, nodes_{0}, {1}, first, num_groups);", f,
                           num_nodes(f));
    }
  for (const auto &[name, entries] : tables_) {
    add("real", "local_" + name, std::to_string(entries));
    copies += fmt::format(" weft_copy_table(local_{0}, {0}, {1});", name, entries);
  }
  if (variant_.local == LocalArray::geometry) {
    arrays += fmt::format(" WEFT_LOCAL_ARRAY(lane, local_inputs, {} * WEFT_WORK_ITEMS);",
                          std::max(1, in_.num_cell_inputs()));
    parameters.emplace_back("WEFT_LOCAL lane *local_inputs");
    names.emplace_back("local_inputs + weft_local_id()");
  }
  if (!copies.empty())
    copies += " weft_barrier();";
  const char *barrier = variant_.coalesced_reading ? " weft_barrier();" : "";
  return list_macro("WEFT_LOADED_ARGUMENTS", parameters) + list_macro("WEFT_LOADED_NAMES", names) +
         fmt::format("#define WEFT_LOADED_ARRAYS{}\n#define WEFT_COPY_TABLES{}\n"
                     "#define WEFT_READ_TOGETHER(first){}{}\n#define WEFT_READ_DONE{}\n",
                     arrays, copies, reads, barrier, barrier);
}

// Prefetches what a later lane group reads of its own.
void MatrixArgumentPrinter::print_prefetch(LaneText &text) const {
  const auto prefetch = [&](const std::string &name, int entries) {
    text.line(fmt::format("weft_prefetch_group({}, {}, group);", name, entries));
  };
  for (std::size_t f = 0; f < used_.size(); ++f)
    if (used_[f])
      prefetch(fmt::format("nodes_{}", f), num_nodes(f));
  if (!in_.reads_coordinates())
    prefetch("stored_geometry", in_.stored_geometry_entries());
  for (std::size_t i = 0; i < in_.inputs.size(); ++i)
    if (in_.inputs[i].family < 0)
      prefetch(fmt::format("input_{}", i), in_.inputs[i].components);
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
  for (std::size_t i = 0; i < in_.inputs.size(); ++i) {
    const NodalInput &input = in_.inputs[i];
    if (input.family < 0 || !is_read(in_, input))
      continue;
    const bool positions = input.kind == Kind::coordinates;
    text.line(fmt::format("{}(cell->in, {}, {}, {}, {}_{}, {}, {});",
                          positions ? "weft_load_positions" : "weft_load_nodes",
                          in_.first_cell_input(static_cast<int>(i)), input.components,
                          positions ? "image" : input_vector(in_, i),
                          reads_together() ? "read" : "nodes", input.family, in_.nodes_of(input),
                          reads_together() ? "weft_local_id()" : "group"));
  }
  print_cell_data_reads(text, in_);
  if (variant_.prefetch > 0)
    print_prefetch(text);
  text.close();
}

void MatrixArgumentPrinter::print_direction(LaneText &text) const {
  std::string direction;
  for (std::size_t f = in_.tests.size(); f-- > 0;)
    for (std::size_t i = 0; i < in_.inputs.size(); ++i)
      if (in_.inputs[i].kind == Kind::direction && in_.inputs[i].index == static_cast<int>(f)) {
        const std::string entry = fmt::format(
            "cell->in[WEFT_INPUT({})]", text_plus("row", in_.first_cell_input(static_cast<int>(i)) -
                                                             in_.first_row(static_cast<int>(f))));
        direction = direction.empty()
                        ? entry
                        : fmt::format("row < {} ? {} : {}", in_.first_row(static_cast<int>(f) + 1),
                                      entry, direction);
      }
  text.line("// What the matrix is applied to, by rows.");
  text.line(fmt::format("WEFT_FUNCTION lane weft_direction(WEFT_PRIVATE weft_cell *cell, const i32 "
                        "row) {{ return {}; }}",
                        direction));
}

void MatrixArgumentPrinter::print_row_numbers(LaneText &text) const {
  const int fields = static_cast<int>(in_.tests.size()) / 2; // those of one side
  text.open("WEFT_FUNCTION void weft_number_rows(WEFT_PRIVATE i64 *number, const i32 group, "
            "WEFT_ARGUMENTS) {");
  for (int test = 0; test < 2 * fields; ++test) {
    const auto &[components, family] = in_.tests[test];
    text.line(fmt::format("weft_number_rows_of(number, {}, {}, {}, nodes_{}, {}, group);",
                          in_.first_row(test), test % fields, components, family,
                          num_nodes(family)));
  }
  text.close();
}

// Where entries go.
std::string MatrixArgumentPrinter::target_files() const {
  const std::string put = kernel_file("fem/matrix_put");
  switch (variant_.destination) {
  case MatrixDestination::csr:
    return kernel_file("fem/matrix_target_block") + put;
  case MatrixDestination::interleaved:
    return kernel_file("fem/matrix_target_interleaved") + put;
  case MatrixDestination::per_cell:
    return kernel_file("fem/matrix_target_per_cell") + put;
  case MatrixDestination::applied:
    return kernel_file("fem/matrix_target_applied");
  case MatrixDestination::diagonal:
    return kernel_file("fem/matrix_target_diagonal");
  }
  return {};
}

void MatrixArgumentPrinter::define_constants(Constants &constants) const {
  if (variant_.local == LocalArray::geometry)
    define_inputs(constants, in_, "WEFT_LOCAL", "((e) * WEFT_WORK_ITEMS)");
  else
    define_inputs(constants, in_);
  constants.define("WEFT_NODES_SPACE", reads_together() ? "WEFT_LOCAL" : "WEFT_GLOBAL");
  constants.define("WEFT_PREFETCH", variant_.prefetch);
  constants.define("WEFT_NUM_FIELDS", in_.tests.size());
  constants.define("WEFT_NUM_ENTRIES", num_matrix_entries(in_));
  constants.define("WEFT_STREAM", variant_.stream ? 1 : 0);
  constants.define("WEFT_SYMMETRIC", in_.symmetric ? 1 : 0);
}

CellArguments MatrixArgumentPrinter::print() {
  add_arguments();
  LaneText load(in_.precision), direction(in_.precision), numbers(in_.precision);
  print_load_cell(load);
  if (variant_.destination == MatrixDestination::applied)
    print_direction(direction);
  if (variant_.destination == MatrixDestination::diagonal)
    print_row_numbers(numbers);
  CellArguments result{.arguments = list_.arguments};
  const std::string macros = list_.macros() + load_macros();
  result.text = section("arguments", macros);
  if (mentions(load.text(), "weft_load_nodes"))
    result.text += kernel_file("fem/load_cell");
  if (mentions(load.text() + macros, "weft_load_positions") || reads_together() ||
      !tables_.empty() || variant_.prefetch > 0)
    result.text += kernel_file("fem/matrix_load");
  result.text +=
      cell_data_file(in_) + function_section("functions of the form: reading", load.text()) +
      function_section("functions of the form: the direction", direction.text()) +
      (numbers.text().empty() ? "" : kernel_file("fem/matrix_row_numbers")) +
      function_section("functions of the form: numbers of rows", numbers.text()) + target_files();
  define_constants(result.constants);
  return result;
}

} // namespace

CellArguments print_matrix_arguments(const CellIntegral &integral, const MatrixVariant &variant,
                                     const std::vector<std::pair<std::string, int>> &local_tables) {
  return MatrixArgumentPrinter(integral, variant, local_tables).print();
}

} // namespace weft
