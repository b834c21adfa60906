#include "kernel/cell/argument_list.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/names.h"
#include "kernel/text/block_layout.h"

namespace weft {

namespace {

using Kind = NodalInput::Kind;

// Calls for the entries of a table that are read, of a side.
void print_table_reads(LaneText &text, const std::vector<int> &entries, std::size_t table_entries,
                       const std::string &name, Side side) {
  for (const int entry : entries)
    text.line(fmt::format(
        "weft_load_parameter(cell->{3}{0}_parameter, {1}, {3}{0}_class, {0}_table, {2}, group);",
        name, entry, table_entries, side_prefix(side)));
}

bool uses_cell_table(const CellIntegral &in) {
  const std::vector<Side> sides = in.sides();
  return std::any_of(sides.begin(), sides.end(),
                     [&](Side side) { return in.uses_cell_table(side); });
}

bool has_cell_values(const CellIntegral &in) {
  return std::any_of(in.inputs.begin(), in.inputs.end(),
                     [](const NodalInput &input) { return input.family < 0; });
}

} // namespace

std::string list_macro(const std::string &name, const std::vector<std::string> &entries) {
  constexpr std::size_t most_columns = 100;
  const std::string line = fmt::format("#define {} {}\n", name, join_names(entries));
  if (line.size() <= most_columns)
    return line;
  std::string text = "#define " + name;
  for (std::size_t i = 0; i < entries.size(); ++i)
    text += fmt::format("{} \\\n  {}", i == 0 ? "" : ",", entries[i]);
  return text + "\n";
}

std::string ArgumentList::macros() const {
  return list_macro("WEFT_ARGUMENTS", declarations_) + list_macro("WEFT_NAMES", names_);
}

bool is_read(const CellIntegral &in, const NodalInput &input) {
  return input.kind != Kind::coordinates || in.reads_coordinates();
}

std::vector<bool> families_in_use(const CellIntegral &in, bool tests) {
  std::vector<bool> used(in.families.size(), false);
  for (const NodalInput &input : in.inputs)
    if (input.family >= 0 && is_read(in, input))
      used[input.family] = true;
  if (tests)
    for (const TestField &test : in.tests)
      used[test.family] = true;
  return used;
}

void add_inputs(ArgumentList &list, const CellIntegral &in, bool coordinates) {
  for (std::size_t i = 0; i < in.inputs.size(); ++i) {
    const NodalInput &input = in.inputs[i];
    if (input.kind == Kind::coordinates && !coordinates)
      continue;
    list.add(ArgumentRole::input, static_cast<int>(i), const_real, fmt::format("input_{}", i));
    if (input.kind != Kind::coordinates && input.family >= 0)
      list.add(ArgumentRole::input_offset, static_cast<int>(i), "const i64 ",
               fmt::format("offset_{}", i));
  }
}

void add_cell_data(ArgumentList &list, const CellIntegral &in) {
  if (!in.reads_coordinates())
    list.add(ArgumentRole::stored_geometry, 0, const_real, "stored_geometry");
  for (const Side side : in.sides())
    if (in.uses_cell_table(side))
      list.add(ArgumentRole::cell_class, side == Side::plus ? 1 : 0, const_i32,
               side_prefix(side) + "cell_class");
  if (uses_cell_table(in))
    list.add(ArgumentRole::cell_table, 0, const_real, "cell_table");
  if (in.uses_facet_table()) {
    list.add(ArgumentRole::facet_class, 0, const_i32, "facet_class");
    list.add(ArgumentRole::facet_table, 0, const_real, "facet_table");
  }
  if (in.on_facets)
    list.add(ArgumentRole::facet_slot, 0, const_i32, "facet_slot");
  if (in.is_two_sided())
    list.add(ArgumentRole::facet_slot, 1, const_i32, "p_facet_slot");
  if (in.function.uses(SymbolKind::time))
    list.add(ArgumentRole::time, 0, "const real ", "time");
  for (const int shift : in.shifts())
    list.add(ArgumentRole::shift, shift, "const real ", shift_name(shift));
}

std::string input_vector(const CellIntegral &in, std::size_t input) {
  return in.inputs[input].kind == Kind::coordinates ? fmt::format("input_{}", input)
                                                    : fmt::format("input_{0} + offset_{0}", input);
}

void print_cell_data_reads(LaneText &text, const CellIntegral &in) {
  if (!in.reads_coordinates())
    text.line(fmt::format("cell->stored = stored_geometry + (i64)group * ({} * WEFT_LANES);",
                          in.stored_geometry_entries()));
  for (std::size_t i = 0; i < in.inputs.size(); ++i)
    if (in.inputs[i].family < 0)
      text.line(fmt::format("weft_load_cell_values(cell->in, {}, {}, input_{}, group);",
                            in.first_cell_input(static_cast<int>(i)), in.inputs[i].components, i));
  for (const Side side : in.sides())
    print_table_reads(text, in.cell_table_reads(side), in.cell_table.size(), "cell", side);
  print_table_reads(text, in.facet_table_reads(), in.facet_table.size(), "facet", Side::none);
  if (in.function.uses(SymbolKind::time))
    text.line("cell->time = time;");
  for (const int shift : in.shifts())
    text.line(fmt::format("cell->{0} = {0};", shift_name(shift)));
  if (in.on_facets)
    text.line("cell->slot = facet_slot[group];");
  if (in.is_two_sided())
    text.line("cell->p_slot = p_facet_slot[group];");
}

std::string cell_data_file(const CellIntegral &in) {
  return has_cell_values(in) || uses_cell_table(in) || in.uses_facet_table()
             ? kernel_file("fem/cell_data")
             : "";
}

void define_inputs(Constants &constants, const CellIntegral &in, const char *space,
                   const char *entry) {
  constants.define("WEFT_INPUT_SPACE", space);
  constants.define("WEFT_INPUT(e)", entry);
  constants.define("WEFT_MOST_UNROLLED_NODES", in.most_unrolled());
}

void add_block_outputs(ArgumentList &list, const CellIntegral &in) {
  list.add(ArgumentRole::output, 0, "WEFT_GLOBAL real *WEFT_RESTRICT ", "output");
  for (std::size_t t = 0; t < in.tests.size(); ++t) {
    list.add(ArgumentRole::output_offset, static_cast<int>(t), "const i64 ",
             fmt::format("output_offset_{}", t));
    list.add(ArgumentRole::interface, static_cast<int>(t), "WEFT_GLOBAL real *WEFT_RESTRICT ",
             fmt::format("interface_{}", t));
  }
}

std::string block_at(std::size_t family) {
  return fmt::format("weft_block_at(row + {})",
                     block_head_entries + block_family_entries * static_cast<int>(family));
}

} // namespace weft
