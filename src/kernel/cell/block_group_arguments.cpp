#include "kernel/cell/block_group_arguments.h"

#include <fmt/format.h>

#include "kernel/cell/argument_list.h"
#include "kernel/text/block_layout.h"

namespace weft {

namespace {

using Kind = NodalInput::Kind;

// Prints the functions of one integral.
class GroupPrinter {
public:
  GroupPrinter(const CellIntegral &in, const BlockGroupSizes &sizes,
               const std::vector<int> &stage_nodes)
      : in_(in), sizes_(sizes), stage_nodes_(stage_nodes) {}
  CellArguments print();

private:
  void add_arguments(ArgumentList &list) const;
  void print_stage_load(LaneText &text) const;
  void print_load_cell(LaneText &text) const;
  void print_store_vectors(LaneText &text) const;
  void print_sum_vectors(LaneText &text) const;

  // Inputs by nodes of a family that are read.
  std::vector<int> inputs_of(std::size_t family) const;
  // Where an input's first component begins in the stage.
  std::int64_t first_in_stage(int input) const;
  // The part of an address that comes before the node's.
  std::string offset(int input) const {
    return in_.inputs[input].kind == Kind::coordinates ? "" : fmt::format("offset_{} + ", input);
  }
  int num_nodes(int family) const { return in_.families[family].element.num_nodes(); }
  int num_slots() const { return sizes_.pass_groups * in_.lanes; }
  std::string node_loop(int family) const {
    return fmt::format("{} for (i32 i = 0; i < {}; ++i) {{",
                       in_.loops_over(family) ? "WEFT_NO_UNROLL" : "WEFT_UNROLL",
                       num_nodes(family));
  }

  const CellIntegral &in_;
  const BlockGroupSizes &sizes_;
  const std::vector<int> &stage_nodes_;
};

// A loop that the work-items of a group share.
std::string shared_loop(const std::string &variable, const std::string &end) {
  return fmt::format("for (i32 {0} = weft_local_id(); {0} < {1}; {0} += weft_group_size())",
                     variable, end);
}

std::vector<int> GroupPrinter::inputs_of(std::size_t family) const {
  std::vector<int> inputs;
  for (std::size_t i = 0; i < in_.inputs.size(); ++i)
    if (in_.inputs[i].family == static_cast<int>(family) && is_read(in_, in_.inputs[i]))
      inputs.push_back(static_cast<int>(i));
  return inputs;
}

std::int64_t GroupPrinter::first_in_stage(int input) const {
  std::int64_t first = 0;
  for (int i = 0; i < input; ++i)
    if (in_.inputs[i].family >= 0 && is_read(in_, in_.inputs[i]))
      first += std::int64_t{stage_nodes_[in_.inputs[i].family]} * in_.inputs[i].components;
  return first;
}

void GroupPrinter::add_arguments(ArgumentList &list) const {
  list.add(ArgumentRole::blocks, 0, const_i32, "blocks");
  const std::vector<bool> used = families_in_use(in_, false);
  for (std::size_t f = 0; f < used.size(); ++f)
    if (used[f]) {
      list.add(ArgumentRole::nodes, static_cast<int>(f), const_u16, fmt::format("nodes_{}", f));
      list.add(ArgumentRole::shared_nodes, static_cast<int>(f), const_i32,
               fmt::format("shared_{}", f));
    }
  list.add(ArgumentRole::block_passes, 0, const_i32, "passes");
  std::vector<bool> listed(in_.families.size(), false);
  for (const TestField &test : in_.tests) {
    if (!listed[test.family])
      list.add(ArgumentRole::block_lists, test.family, const_u16,
               fmt::format("lists_{}", test.family));
    listed[test.family] = true;
  }
  add_inputs(list, in_, in_.reads_coordinates());
  add_cell_data(list, in_);
  add_block_outputs(list, in_);
}

void GroupPrinter::print_stage_load(LaneText &text) const {
  text.line(
      "// Copies the nodal values of a block's nodes, [component][node]: a work-item a real.");
  text.open(
      "WEFT_FUNCTION void weft_stage_load(WEFT_LOCAL real *stage, WEFT_GLOBAL const i32 *row, "
      "WEFT_ARGUMENTS) {");
  for (std::size_t f = 0; sizes_.staged && f < in_.families.size(); ++f) {
    const std::vector<int> inputs = inputs_of(f);
    if (inputs.empty())
      continue;
    text.open("{");
    print_block_row(text, f);
    for (const int i : inputs) {
      const int components = in_.inputs[i].components;
      const auto copy = [&](const char *count, const char *before, const std::string &from) {
        text.line(shared_loop("e", fmt::format("{} * {}", count, components)));
        text.line(fmt::format("  stage[{} + e % {} * {} + {}e / {}] = input_{}[{}{}];",
                              first_in_stage(i), components, stage_nodes_[f], before, components, i,
                              offset(i), from));
      };
      copy("num_inner", "", fmt::format("first_inner * {} + e", components));
      copy("num_shared", "num_inner + ",
           fmt::format("(i64)shared_{}[first_shared + e / {}] * {} + e % {}", f, components,
                       components, components));
    }
    text.close();
  }
  for (std::size_t t = 0; sizes_.num_passes > 1 && t < in_.tests.size(); ++t) {
    const int components = in_.tests[t].components;
    text.open("{");
    print_block_row(text, in_.tests[t].family);
    text.line(shared_loop("e", fmt::format("num_inner * {}", components)));
    text.line(fmt::format("  output[output_offset_{} + first_inner * {} + e] = 0;", t, components));
    text.line(shared_loop("e", fmt::format("num_shared * {}", components)));
    text.line(fmt::format("  border_{}[first_shared * {} + e] = 0;", t, components));
    text.close();
  }
  text.close();
}

void GroupPrinter::print_load_cell(LaneText &text) const {
  text.line(sizes_.staged ? "// Reads a lane group's nodal values from the stage."
                          : "// Reads a lane group's nodal values from the global vectors.");
  text.open("WEFT_FUNCTION void weft_load_cell(WEFT_PRIVATE weft_cell *cell, const i32 group, "
            "WEFT_LOCAL const real *stage, WEFT_GLOBAL const i32 *row, WEFT_ARGUMENTS) {");
  for (std::size_t f = 0; f < in_.families.size(); ++f) {
    const std::vector<int> inputs = inputs_of(f);
    if (inputs.empty())
      continue;
    const int family = static_cast<int>(f);
    text.open("{");
    if (!sizes_.staged)
      print_block_row(text, f);
    text.line(fmt::format("WEFT_GLOBAL const u16 *nodes = nodes_{} + ((i64)row[0] * {} + group - "
                          "row[0]) * WEFT_LANES;",
                          f, num_nodes(family)));
    text.open(node_loop(family));
    text.open("WEFT_UNROLL for (i32 l = 0; l < WEFT_LANES; ++l) {");
    text.line("const i32 n = nodes[i * row[1] * WEFT_LANES + l];");
    if (!sizes_.staged)
      text.line(fmt::format("const i64 node = n < num_inner ? first_inner + n : "
                            "(i64)shared_{}[first_shared + n - num_inner];",
                            f));
    for (const int i : inputs) {
      const int components = in_.inputs[i].components;
      for (int k = 0; k < components; ++k) {
        const std::string value =
            sizes_.staged ? fmt::format("stage[{} + n]", first_in_stage(i) + k * stage_nodes_[f])
                          : fmt::format("input_{}[{}node * {} + {}]", i, offset(i), components, k);
        text.line(fmt::format("lane_set(cell->in[{} + i * {}], l, {});",
                              in_.first_cell_input(i) + k, components, value));
      }
    }
    text.close();
    text.close();
    text.close();
  }
  print_cell_data_reads(text, in_);
  text.close();
}

void GroupPrinter::print_store_vectors(LaneText &text) const {
  text.line("// Element vectors of the pass's lane group g, [field][component][node][slot].");
  text.open("WEFT_FUNCTION void weft_store_vectors(WEFT_LOCAL real *vectors, const i32 g, const "
            "WEFT_PRIVATE lane *r) {");
  for (std::size_t t = 0; t < in_.tests.size(); ++t) {
    const TestField &test = in_.tests[t];
    const int first = in_.first_row(static_cast<int>(t));
    text.open(node_loop(test.family));
    for (int k = 0; k < test.components; ++k)
      text.line(fmt::format("lane_store_local(r[{} + i * {}], vectors + ({} + i) * {} + g * "
                            "WEFT_LANES);",
                            first + k, test.components, first + k * num_nodes(test.family),
                            num_slots()));
    text.close();
  }
  text.close();
}

void GroupPrinter::print_sum_vectors(LaneText &text) const {
  text.line("// Sums the contributions of a pass, a work-item a node, in the order of the lists.");
  text.open("WEFT_FUNCTION void weft_sum_vectors(WEFT_LOCAL const real *vectors, const i32 pass, "
            "WEFT_GLOBAL const i32 *row, WEFT_ARGUMENTS) {");
  for (std::size_t t = 0; t < in_.tests.size(); ++t) {
    const TestField &test = in_.tests[t];
    const int components = test.components;
    text.open("{");
    print_block_row(text, test.family);
    text.line(fmt::format("WEFT_GLOBAL const i32 *list = passes + ((i64)weft_group_id() * {} + "
                          "pass) * {} + {};",
                          sizes_.num_passes, in_.families.size() * block_pass_entries,
                          test.family * block_pass_entries));
    text.line("const i32 num_nodes = list[1], num_columns = list[2];");
    text.line(fmt::format("WEFT_GLOBAL const u16 *nodes = lists_{} + list[0];", test.family));
    text.line("WEFT_GLOBAL const u16 *columns = nodes + num_nodes;");
    text.line("WEFT_GLOBAL const u16 *entries = columns + num_columns + 1;");
    text.open(shared_loop("n", "num_nodes") + " {");
    text.line(fmt::format("real sum[{}];", components));
    text.line(fmt::format("WEFT_UNROLL for (i32 k = 0; k < {}; ++k) sum[k] = 0;", components));
    text.open("for (i32 j = 0; j < num_columns && columns[j] + n < columns[j + 1]; ++j) {");
    text.line(fmt::format("WEFT_LOCAL const real *from = vectors + {} + entries[columns[j] + n];",
                          in_.first_row(static_cast<int>(t)) * num_slots()));
    text.line(fmt::format("WEFT_UNROLL for (i32 k = 0; k < {}; ++k) sum[k] += from[k * {}];",
                          components, num_nodes(test.family) * num_slots()));
    text.close();
    text.line("const i32 node = nodes[n];");
    text.line(fmt::format("WEFT_GLOBAL real *to = node < num_inner ? output + output_offset_{0} + "
                          "(first_inner + node) * {1} : border_{0} + (first_shared + node - "
                          "num_inner) * {1};",
                          t, components));
    text.line(fmt::format("WEFT_UNROLL for (i32 k = 0; k < {}; ++k) to[k] {} sum[k];", components,
                          sizes_.num_passes > 1 ? "+=" : "="));
    text.close();
    text.close();
  }
  text.close();
}

CellArguments GroupPrinter::print() {
  ArgumentList list;
  add_arguments(list);
  LaneText text(in_.precision);
  print_stage_load(text);
  print_load_cell(text);
  print_store_vectors(text);
  print_sum_vectors(text);
  return {list.arguments, list.macros(), text.text()};
}

} // namespace

std::int64_t num_stage_reals(const CellIntegral &in, const std::vector<int> &stage_nodes) {
  std::int64_t reals = 0;
  for (const NodalInput &input : in.inputs)
    if (input.family >= 0 && is_read(in, input))
      reals += std::int64_t{stage_nodes[input.family]} * input.components;
  return reals;
}

CellArguments print_block_group_arguments(const CellIntegral &integral,
                                          const BlockGroupSizes &sizes,
                                          const std::vector<int> &stage_nodes) {
  return GroupPrinter(integral, sizes, stage_nodes).print();
}

} // namespace weft
