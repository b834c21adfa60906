#include "kernel/cell/argument_list.h"

#include <fmt/format.h>

#include "kernel/text/block_layout.h"

namespace weft {

namespace {

using Kind = NodalInput::Kind;

void print_table_reads(LaneText &text, const std::vector<int> &entries, std::size_t table_entries,
                       const std::string &name) {
  text.open("WEFT_UNROLL for (i32 l = 0; l < WEFT_LANES; ++l) {");
  text.line(
      fmt::format("const i32 row = {}_class[group * WEFT_LANES + l] * {};", name, table_entries));
  for (const int entry : entries)
    text.line(
        fmt::format("lane_set(cell->{0}_parameter[{1}], l, {0}_table[row + {1}]);", name, entry));
  text.close();
}

} // namespace

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
  if (in.uses_cell_table()) {
    list.add(ArgumentRole::cell_class, 0, const_i32, "cell_class");
    list.add(ArgumentRole::cell_table, 0, const_real, "cell_table");
  }
  if (in.uses_facet_table()) {
    list.add(ArgumentRole::facet_class, 0, const_i32, "facet_class");
    list.add(ArgumentRole::facet_table, 0, const_real, "facet_table");
  }
  if (in.on_facets)
    list.add(ArgumentRole::facet_slot, 0, const_i32, "facet_slot");
  if (in.function.uses(SymbolKind::time))
    list.add(ArgumentRole::time, 0, "const real ", "time");
  if (in.function.uses(SymbolKind::shift))
    list.add(ArgumentRole::shift, 0, "const real ", "shift");
}

void print_cell_data_reads(LaneText &text, const CellIntegral &in, const std::string &stride) {
  if (!in.reads_coordinates())
    text.line(fmt::format("cell->stored = stored_geometry + (i64)group * ({} * WEFT_LANES);",
                          in.stored_geometry_entries()));
  for (std::size_t i = 0; i < in.inputs.size(); ++i) {
    const NodalInput &input = in.inputs[i];
    if (input.family >= 0)
      continue;
    for (int k = 0; k < input.components; ++k)
      text.line(
          fmt::format("cell->in[{}{}] = lane_load(input_{} + ((i64)group * {} + {}) * WEFT_LANES);",
                      in.first_cell_input(static_cast<int>(i)) + k,
                      stride.empty() ? "" : " * " + stride, i, input.components, k));
  }
  if (in.uses_cell_table())
    print_table_reads(text, in.cell_table_reads(), in.cell_table.size(), "cell");
  if (in.uses_facet_table())
    print_table_reads(text, in.facet_table_reads(), in.facet_table.size(), "facet");
  text.line(fmt::format("cell->time = {};", in.function.uses(SymbolKind::time) ? "time" : "0"));
  if (in.function.uses(SymbolKind::shift))
    text.line("cell->shift = shift;");
  text.line(fmt::format("cell->slot = {};", in.on_facets ? "facet_slot[group]" : "0"));
}

void add_block_outputs(ArgumentList &list, const CellIntegral &in) {
  list.add(ArgumentRole::output, 0, "WEFT_GLOBAL real *WEFT_RESTRICT ", "output");
  for (std::size_t t = 0; t < in.tests.size(); ++t) {
    list.add(ArgumentRole::output_offset, static_cast<int>(t), "const i64 ",
             fmt::format("output_offset_{}", t));
    list.add(ArgumentRole::border, static_cast<int>(t), "WEFT_GLOBAL real *WEFT_RESTRICT ",
             fmt::format("border_{}", t));
  }
}

void print_block_row(LaneText &text, std::size_t f) {
  const int first = block_head_entries + block_family_entries * static_cast<int>(f);
  const char *names[] = {"first_inner", "num_inner", "first_shared", "num_shared", "first_image"};
  for (int entry = 0; entry < block_family_entries; ++entry)
    text.line(fmt::format("const i64 {} = row[{}];", names[entry], first + entry));
}

} // namespace weft
