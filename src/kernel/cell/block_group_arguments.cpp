#include "kernel/cell/block_group_arguments.h"

#include <algorithm>
#include <fmt/format.h>

#include "kernel/cell/argument_list.h"

namespace weft {

namespace {

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
  int num_nodes(int family) const { return in_.families[family].element.num_nodes(); }
  int num_slots() const { return sizes_.pass_groups * in_.lanes; }

  const CellIntegral &in_;
  const BlockGroupSizes &sizes_;
  const std::vector<int> &stage_nodes_;
};

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
  for (std::size_t f = 0; sizes_.staged && f < in_.families.size(); ++f)
    for (const int i : inputs_of(f))
      text.line(fmt::format("weft_stage_input({}, {}, {}, {}, shared_{}, {});",
                            text_plus("stage", first_in_stage(i)), stage_nodes_[f],
                            input_vector(in_, i), in_.inputs[i].components, f, block_at(f)));
  for (std::size_t t = 0; sizes_.num_passes > 1 && t < in_.tests.size(); ++t)
    text.line(fmt::format("weft_clear_sums(output + output_offset_{0}, interface_{0}, {1}, {2});",
                          t, in_.tests[t].components, block_at(in_.tests[t].family)));
  text.close();
}

void GroupPrinter::print_load_cell(LaneText &text) const {
  text.line(sizes_.staged ? "// Reads a lane group's nodal values from the stage."
                          : "// Reads a lane group's nodal values from the global vectors.");
  text.open("WEFT_FUNCTION void weft_load_cell(WEFT_PRIVATE weft_cell *cell, const i32 group, "
            "WEFT_LOCAL const real *stage, WEFT_GLOBAL const i32 *row, WEFT_ARGUMENTS) {");
  for (std::size_t f = 0; f < in_.families.size(); ++f)
    for (const int i : inputs_of(f)) {
      const std::string to = fmt::format("{}, {}", text_plus("cell->in", in_.first_cell_input(i)),
                                         in_.inputs[i].components);
      const std::string nodes =
          fmt::format("nodes_{}, {}, group, row", f, num_nodes(static_cast<int>(f)));
      if (sizes_.staged)
        text.line(fmt::format("weft_load_staged({}, {}, {}, {});", to,
                              text_plus("stage", first_in_stage(i)), stage_nodes_[f], nodes));
      else
        text.line(fmt::format("weft_load_global({}, {}, shared_{}, {}, {});", to,
                              input_vector(in_, i), f, block_at(f), nodes));
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
    text.line(fmt::format("weft_store_rows({}, {}, {}, {}, g, {});",
                          text_plus("vectors", std::int64_t{first} * num_slots()), test.components,
                          num_nodes(test.family), num_slots(), text_plus("r", first)));
  }
  text.close();
}

void GroupPrinter::print_sum_vectors(LaneText &text) const {
  text.line("// Sums the contributions of a pass, a work-item a node, in the order of the lists.");
  text.open("WEFT_FUNCTION void weft_sum_vectors(WEFT_LOCAL const real *vectors, const i32 pass, "
            "WEFT_GLOBAL const i32 *row, WEFT_ARGUMENTS) {");
  text.line(fmt::format("WEFT_GLOBAL const i32 *of_pass = passes + ((i64)weft_group_id() * {} + "
                        "pass) * {};",
                        sizes_.num_passes, in_.families.size() * block_pass_entries));
  for (std::size_t t = 0; t < in_.tests.size(); ++t) {
    const TestField &test = in_.tests[t];
    text.line(fmt::format(
        "weft_sum_rows({}, {}, {}, {}, lists_{}, output + output_offset_{}, interface_{}, {});",
        text_plus("vectors", std::int64_t{in_.first_row(static_cast<int>(t))} * num_slots()),
        test.components, num_nodes(test.family) * num_slots(),
        text_plus("of_pass", test.family * block_pass_entries), test.family, t, t,
        block_at(test.family)));
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
  CellArguments result{.arguments = list.arguments};
  result.text = section("arguments", list.macros()) + kernel_file("fem/block_nodes") +
                kernel_file("fem/block_group_stage") + cell_data_file(in_) +
                function_section("functions of the form: blocks", text.text());
  define_inputs(result.constants, in_);
  int most_components = 1;
  for (const TestField &test : in_.tests)
    most_components = std::max(most_components, test.components);
  result.constants.define("WEFT_MOST_COMPONENTS", most_components);
  return result;
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
