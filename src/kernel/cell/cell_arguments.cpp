#include "kernel/cell/cell_arguments.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "kernel/cell/argument_list.h"
#include "kernel/text/block_layout.h"

namespace weft {

std::string to_string(Strategy strategy) {
  switch (strategy) {
  case Strategy::transposed:
    return "transposed";
  case Strategy::cell:
    return "cell";
  case Strategy::block:
    return "block";
  }
  return {};
}

Strategy strategy_from_name(const std::string &name) {
  for (const Strategy s : {Strategy::transposed, Strategy::cell, Strategy::block})
    if (to_string(s) == name)
      return s;
  throw Error(ErrorKind::input, {.what = "unknown strategy of kernels",
                                 .found = name,
                                 .allowed = "transposed, cell, block",
                                 .remedy = "choose one of these, or leave the key out"});
}

namespace {

using Kind = NodalInput::Kind;

} // namespace

CellArguments print_global_arguments(const CellIntegral &in) {
  ArgumentList list;
  list.add(ArgumentRole::num_groups, 0, "const i32 ", "num_groups");
  list.add(ArgumentRole::element_vectors, 0, "WEFT_GLOBAL real *WEFT_RESTRICT ", "element_vectors");
  list.add(ArgumentRole::first_entry, 0, "const i64 ", "first_entry");
  const std::vector<bool> used = families_in_use(in, false);
  for (std::size_t f = 0; f < used.size(); ++f)
    if (used[f])
      list.add(ArgumentRole::nodes, static_cast<int>(f), const_i32, fmt::format("nodes_{}", f));
  add_inputs(list, in, in.reads_coordinates());
  add_cell_data(list, in);

  LaneText text(in.precision);
  text.line("// Reads a lane group's nodal values from the global vectors.");
  text.open("WEFT_FUNCTION void weft_load_cell(WEFT_PRIVATE weft_cell *cell, const i32 group, "
            "WEFT_ARGUMENTS) {");
  if (in.by_planes())
    text.line("weft_take_place(cell);");
  for (std::size_t i = 0; i < in.inputs.size(); ++i)
    if (const NodalInput &input = in.inputs[i]; input.family >= 0 && is_read(in, input))
      text.line(fmt::format(
          "{}, {}, {}, {}, nodes_{}, {}, group);",
          in.by_planes() ? "weft_load_line(cell" : "weft_load_nodes(cell->in",
          in.first_cell_input(static_cast<int>(i)), input.components, input_vector(in, i),
          input.family,
          in.by_planes() ? fmt::format("{}, weft_order_{}",
                                       in.families[input.family].element.order + 1, input.family)
                         : std::to_string(in.nodes_of(input))));
  print_cell_data_reads(text, in);
  text.close();

  CellArguments result{.arguments = list.arguments};
  result.text = section("arguments", list.macros()) + kernel_file("fem/load_cell") +
                (in.by_planes() ? kernel_file("fem/planes") : "") + cell_data_file(in) +
                function_section("functions of the form: reading", text.text());
  define_inputs(result.constants, in);
  result.constants.define("WEFT_NODES_SPACE", "WEFT_GLOBAL");
  return result;
}

std::vector<StageRecord> stage_records(const CellIntegral &in) {
  std::vector<StageRecord> records(in.families.size());
  for (std::size_t f = 0; f < in.families.size(); ++f) {
    StageRecord &record = records[f];
    record.input_offset.assign(in.inputs.size(), -1);
    int offset = 0, others = 0;
    for (std::size_t i = 0; i < in.inputs.size(); ++i) {
      const NodalInput &input = in.inputs[i];
      if (input.family != static_cast<int>(f) || !is_read(in, input))
        continue;
      record.input_offset[i] = offset;
      offset += input.components;
      if (input.kind == Kind::coordinates)
        record.image = true;
      else
        ++others;
    }
    record.only_image = record.image && others == 0;
    // Records of 3 and more are padded so that a lane group reads them four reals at a time.
    record.reals = offset <= 2 ? offset : (offset + 3) / 4 * 4;
    if (record.image)
      record.reals = (offset + 3) / 4 * 4;
  }
  return records;
}

int sum_reals(const TestField &test) {
  return test.components == 3 ? 4 : test.components;
}

namespace {

// Room for nodes in a stage. Small blocks have that of larger ones, so that small meshes share
// kernels: memory that is not touched costs nothing.
int stage_room(int nodes) {
  return std::max(nodes, 1152);
}

// Prints the staging functions of one integral.
class StagePrinter {
public:
  StagePrinter(const CellIntegral &in, const std::vector<int> &stage_nodes)
      : in_(in), stage_nodes_(stage_nodes), records_(stage_records(in)) {}
  CellArguments print();

private:
  void add_arguments(ArgumentList &list) const;
  void print_take_record(LaneText &text) const;
  void print_stage(LaneText &text) const;
  void print_stage_load(LaneText &text) const;
  void print_load_cell(LaneText &text) const;
  void print_scatter(LaneText &text) const;
  void print_stage_store(LaneText &text) const;
  bool is_staged(std::size_t family) const {
    return records_[family].reals > 0 && !records_[family].only_image;
  }
  // What the node numbers of a family count.
  int unit(int family) const { return node_unit(stage_nodes_[family]); }
  int num_nodes(std::size_t family) const { return in_.families[family].element.num_nodes(); }

  const CellIntegral &in_;
  const std::vector<int> &stage_nodes_;
  std::vector<StageRecord> records_;
};

void StagePrinter::add_arguments(ArgumentList &list) const {
  list.add(ArgumentRole::blocks, 0, const_i32, "blocks");
  const std::vector<bool> used = families_in_use(in_, true);
  for (std::size_t f = 0; f < used.size(); ++f)
    if (used[f]) {
      list.add(ArgumentRole::nodes, static_cast<int>(f), const_u16, fmt::format("nodes_{}", f));
      list.add(ArgumentRole::shared_nodes, static_cast<int>(f), const_i32,
               fmt::format("shared_{}", f));
    }
  add_inputs(list, in_, false);
  if (in_.reads_coordinates())
    list.add(ArgumentRole::coordinate_image, 0, const_real, "image");
  add_cell_data(list, in_);
  add_block_outputs(list, in_);
}

// What a node's record has goes to each input of the family.
void StagePrinter::print_take_record(LaneText &text) const {
  text.line("// A cell's node i of a family from its record.");
  text.open("WEFT_FUNCTION void weft_take_record(WEFT_PRIVATE weft_cell *cell, const i32 family, "
            "const i32 i, const WEFT_PRIVATE lane *record) {");
  for (std::size_t f = 0; f < records_.size(); ++f) {
    if (records_[f].reals == 0)
      continue;
    text.open(fmt::format("if (family == {}) {{", f));
    for (std::size_t i = 0; i < in_.inputs.size(); ++i)
      for (int k = 0; k < in_.inputs[i].components && records_[f].input_offset[i] >= 0; ++k)
        text.line(fmt::format("cell->in[{}] = record[{}];",
                              affine_text("i", in_.inputs[i].components,
                                          in_.first_cell_input(static_cast<int>(i)) + k),
                              records_[f].input_offset[i] + k));
    text.close();
  }
  text.close();
}

void StagePrinter::print_stage(LaneText &text) const {
  text.line("// A block's own copies of nodal values (stage) and of its part of the result (sum).");
  text.open("typedef struct {");
  for (std::size_t f = 0; f < records_.size(); ++f)
    if (is_staged(f))
      text.line(
          fmt::format("real stage_{}[{}];", f, stage_room(stage_nodes_[f]) * records_[f].reals));
  for (std::size_t t = 0; t < in_.tests.size(); ++t)
    text.line(fmt::format("real sum_{}[{}];", t,
                          stage_room(stage_nodes_[in_.tests[t].family]) * sum_reals(in_.tests[t])));
  text.close("} weft_stage;");
}

void StagePrinter::print_stage_load(LaneText &text) const {
  text.line("// Copies the nodal values of a block's nodes; clears its sums.");
  text.open("WEFT_FUNCTION void weft_stage_load(WEFT_PRIVATE weft_stage *stage, WEFT_GLOBAL const "
            "i32 *row, WEFT_ARGUMENTS) {");
  for (std::size_t f = 0; f < records_.size(); ++f) {
    if (!is_staged(f))
      continue;
    const StageRecord &record = records_[f];
    const std::string stage = fmt::format("stage->stage_{}", f);
    if (record.image)
      text.line(fmt::format("weft_stage_image({}, {}, image, {}, {});", stage, record.reals,
                            block_at(f), num_nodes(f)));
    for (std::size_t i = 0; i < in_.inputs.size(); ++i)
      if (record.input_offset[i] >= 0 && in_.inputs[i].kind != Kind::coordinates)
        text.line(fmt::format("weft_stage_input({}, {}, {}, {}, shared_{}, {}, {});",
                              text_plus(stage, record.input_offset[i]), record.reals,
                              input_vector(in_, i), in_.inputs[i].components, f, block_at(f),
                              num_nodes(f)));
  }
  for (std::size_t t = 0; t < in_.tests.size(); ++t)
    text.line(fmt::format("weft_clear_sums(stage->sum_{}, {}, {}, {});", t, sum_reals(in_.tests[t]),
                          block_at(in_.tests[t].family), num_nodes(in_.tests[t].family)));
  text.close();
}

void StagePrinter::print_load_cell(LaneText &text) const {
  text.line("// Reads a lane group's nodal values from the stage.");
  text.open("WEFT_FUNCTION void weft_load_cell(WEFT_PRIVATE weft_cell *cell, const i32 group, "
            "WEFT_PRIVATE weft_stage *stage, WEFT_GLOBAL const i32 *row, WEFT_ARGUMENTS) {");
  for (std::size_t f = 0; f < records_.size(); ++f) {
    const std::string nodes =
        fmt::format("{}, nodes_{}, {}, group", unit(static_cast<int>(f)), f, num_nodes(f));
    if (records_[f].only_image)
      text.line(fmt::format("weft_load_image(cell, {}, image + {}.first_image * {}, {});", f,
                            block_at(f), image_reals, nodes));
    else if (records_[f].reals > 0)
      text.line(fmt::format("weft_load_records(cell, {0}, stage->stage_{0}, {1}, {2});", f,
                            records_[f].reals, nodes));
  }
  print_cell_data_reads(text, in_);
  text.close();
}

void StagePrinter::print_scatter(LaneText &text) const {
  text.line("// Adds a lane group's element vectors to the block's sums, lane after lane.");
  text.open(
      "WEFT_FUNCTION void weft_scatter(WEFT_PRIVATE weft_stage *stage, const i32 group, const "
      "WEFT_PRIVATE lane *r, WEFT_ARGUMENTS) {");
  for (std::size_t t = 0; t < in_.tests.size(); ++t) {
    const TestField &test = in_.tests[t];
    text.line(fmt::format("weft_add_vectors(stage->sum_{}, {}, {}, {}, nodes_{}, {}, group, {});",
                          t, test.components, sum_reals(test), unit(test.family), test.family,
                          num_nodes(test.family),
                          text_plus("r", in_.first_row(static_cast<int>(t)))));
  }
  text.close();
}

void StagePrinter::print_stage_store(LaneText &text) const {
  text.line(
      "// Writes the sums: of inner nodes to the result, of shared ones to the block's interface.");
  text.open("WEFT_FUNCTION void weft_stage_store(WEFT_PRIVATE weft_stage *stage, WEFT_GLOBAL const "
            "i32 *row, WEFT_ARGUMENTS) {");
  for (std::size_t t = 0; t < in_.tests.size(); ++t)
    text.line(fmt::format("weft_store_sums(output + output_offset_{0}, interface_{0}, "
                          "stage->sum_{0}, {1}, {2}, {3});",
                          t, in_.tests[t].components, sum_reals(in_.tests[t]),
                          block_at(in_.tests[t].family)));
  text.close();
}

CellArguments StagePrinter::print() {
  ArgumentList list;
  add_arguments(list);
  LaneText take(in_.precision), text(in_.precision);
  print_take_record(take);
  print_stage(text);
  print_stage_load(text);
  print_load_cell(text);
  print_scatter(text);
  print_stage_store(text);
  CellArguments result{.arguments = list.arguments};
  result.text = section("arguments", list.macros()) +
                function_section("functions of the form: records", take.text()) +
                kernel_file("fem/block_nodes") + kernel_file("fem/block_stage") +
                cell_data_file(in_) +
                function_section("functions of the form: blocks", text.text());
  define_inputs(result.constants, in_);
  int most_reals = 1;
  for (const auto &record : records_)
    most_reals = std::max(most_reals, record.reals);
  result.constants.define("WEFT_MOST_RECORD", most_reals);
  return result;
}

} // namespace

CellArguments print_block_arguments(const CellIntegral &integral,
                                    const std::vector<int> &stage_nodes) {
  return StagePrinter(integral, stage_nodes).print();
}

} // namespace weft
