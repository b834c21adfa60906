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

// Before a loop that copies `components` reals between records of `reals`: compilers would take
// records several at a time by scattered stores, which cost more than the copies.
const char *scalar_loop(int reals, int components) {
  return reals == components ? "" : "WEFT_SCALAR_LOOP ";
}

// The head of a loop over the nodes of a family, unrolled for small elements.
std::string node_loop(const CellIntegral &in, int family) {
  return fmt::format("{} for (i32 i = 0; i < {}; ++i) {{",
                     in.loops_over(family) ? "WEFT_NO_UNROLL" : "WEFT_UNROLL",
                     in.families[family].element.num_nodes());
}

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
  for (std::size_t f = 0; f < used.size(); ++f) {
    if (!used[f])
      continue;
    const int num_nodes = in.families[f].element.num_nodes();
    text.open(node_loop(in, static_cast<int>(f)));
    text.open("WEFT_UNROLL for (i32 l = 0; l < WEFT_LANES; ++l) {");
    text.line(fmt::format("const i64 node = nodes_{}[((i64)group * {} + i) * WEFT_LANES + l];", f,
                          num_nodes));
    for (std::size_t i = 0; i < in.inputs.size(); ++i) {
      const NodalInput &input = in.inputs[i];
      if (input.family != static_cast<int>(f) || !is_read(in, input))
        continue;
      for (int k = 0; k < input.components; ++k)
        text.line(fmt::format("lane_set(cell->in[{} + i * {}], l, input_{}[{}node * {} + {}]);",
                              in.first_cell_input(static_cast<int>(i)) + k, input.components, i,
                              input.kind == Kind::coordinates ? "" : fmt::format("offset_{} + ", i),
                              input.components, k));
    }
    text.close();
    text.close();
  }
  print_cell_data_reads(text, in);
  text.close();
  return {list.arguments, list.macros(), text.text()};
}

std::vector<StageRecord> stage_records(const CellIntegral &in) {
  std::vector<StageRecord> records(in.families.size());
  for (std::size_t f = 0; f < in.families.size(); ++f) {
    StageRecord &record = records[f];
    record.input_place.assign(in.inputs.size(), -1);
    int place = 0, others = 0;
    for (std::size_t i = 0; i < in.inputs.size(); ++i) {
      const NodalInput &input = in.inputs[i];
      if (input.family != static_cast<int>(f) || !is_read(in, input))
        continue;
      record.input_place[i] = place;
      place += input.components;
      if (input.kind == Kind::coordinates)
        record.image = true;
      else
        ++others;
    }
    record.only_image = record.image && others == 0;
    // Records of 3 and more are padded so that a lane group reads them four reals at a time.
    record.reals = place <= 2 ? place : (place + 3) / 4 * 4;
    if (record.image)
      record.reals = (place + 3) / 4 * 4;
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
  std::string stage_declarations() const;
  void print_stage_load(LaneText &text) const;
  void print_load_cell(LaneText &text) const;
  void print_scatter(LaneText &text) const;
  void print_stage_store(LaneText &text) const;
  // What the node numbers of a family count.
  int unit(int family) const { return node_unit(stage_nodes_[family]); }
  // Bytes that a node number counts in an array of records of `reals` reals.
  int bytes_a_number(int reals, int family) const {
    return reals * static_cast<int>(size_bytes(in_.precision)) / unit(family);
  }
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

// A struct of pointers into the block's private stages.
std::string StagePrinter::stage_declarations() const {
  LaneText text(in_.precision);
  text.line("// A block's own copies of nodal values (stage) and of its part of the result (sum).");
  text.line("typedef struct {");
  for (std::size_t f = 0; f < records_.size(); ++f)
    if (records_[f].reals > 0 && !records_[f].only_image)
      text.line(
          fmt::format("  real stage_{}[{}];", f, stage_room(stage_nodes_[f]) * records_[f].reals));
  for (std::size_t t = 0; t < in_.tests.size(); ++t)
    text.line(fmt::format("  real sum_{}[{}];", t,
                          stage_room(stage_nodes_[in_.tests[t].family]) * sum_reals(in_.tests[t])));
  text.line("} weft_stage;");
  return text.text();
}

void StagePrinter::print_stage_load(LaneText &text) const {
  text.line("// Copies the nodal values of a block's nodes; clears its sums.");
  text.open("WEFT_FUNCTION void weft_stage_load(WEFT_PRIVATE weft_stage *stage, WEFT_GLOBAL const "
            "i32 *row, WEFT_ARGUMENTS) {");
  for (std::size_t f = 0; f < records_.size(); ++f) {
    const StageRecord &record = records_[f];
    if (record.reals == 0 || record.only_image)
      continue;
    text.open("{");
    print_block_row(text, f);
    text.line("const i64 num_nodes = num_inner + num_shared;");
    if (record.image)
      text.line(
          fmt::format("{}for (i64 n = 0; n < num_nodes + {}; ++n) WEFT_UNROLL for (i32 k = 0; k "
                      "< {}; ++k) stage->stage_{}[n * {} + k] = image[(first_image + n) * {} "
                      "+ k];",
                      scalar_loop(record.reals, image_reals), num_nodes(f), image_reals, f,
                      record.reals, image_reals));
    for (std::size_t i = 0; i < in_.inputs.size(); ++i) {
      const NodalInput &input = in_.inputs[i];
      if (record.input_place[i] < 0 || input.kind == Kind::coordinates)
        continue;
      const auto copy = [&](const std::string &range, const std::string &place,
                            const std::string &node) {
        text.open(fmt::format("{}for (i64 n = 0; n < {}; ++n) {{",
                              scalar_loop(record.reals, input.components), range));
        text.line(
            fmt::format("const i64 from = offset_{} + (i64)({}) * {};", i, node, input.components));
        for (int k = 0; k < input.components; ++k)
          text.line(fmt::format("stage->stage_{}[({}) * {} + {}] = input_{}[from + {}];", f, place,
                                record.reals, record.input_place[i] + k, i, k));
        text.close();
      };
      copy("num_inner", "n", "first_inner + n");
      copy("num_shared", "num_inner + n", fmt::format("shared_{}[first_shared + n]", f));
      text.open(fmt::format("for (i64 n = num_nodes; n < num_nodes + {}; ++n) {{", num_nodes(f)));
      for (int k = 0; k < input.components; ++k)
        text.line(fmt::format("stage->stage_{}[n * {} + {}] = 0;", f, record.reals,
                              record.input_place[i] + k));
      text.close();
    }
    text.close();
  }
  for (std::size_t t = 0; t < in_.tests.size(); ++t) {
    const TestField &test = in_.tests[t];
    text.open("{");
    print_block_row(text, test.family);
    text.line(fmt::format("for (i64 n = 0; n < (num_inner + num_shared + {}) * {}; ++n) "
                          "stage->sum_{}[n] = 0;",
                          num_nodes(test.family), sum_reals(test), t));
    text.close();
  }
  text.close();
}

void StagePrinter::print_load_cell(LaneText &text) const {
  text.line("// Reads a lane group's nodal values from the stage.");
  text.open("WEFT_FUNCTION void weft_load_cell(WEFT_PRIVATE weft_cell *cell, const i32 group, "
            "WEFT_PRIVATE weft_stage *stage, WEFT_GLOBAL const i32 *row, WEFT_ARGUMENTS) {");
  for (std::size_t f = 0; f < records_.size(); ++f) {
    const StageRecord &record = records_[f];
    if (record.reals == 0)
      continue;
    text.open("{");
    if (record.only_image) {
      print_block_row(text, f);
      text.line(
          fmt::format("WEFT_GLOBAL const real *values = image + first_image * {};", image_reals));
    } else {
      text.line(fmt::format("WEFT_PRIVATE const real *values = stage->stage_{};", f));
    }
    text.line(fmt::format("WEFT_GLOBAL const u16 *nodes = nodes_{} + (i64)group * ({} * "
                          "WEFT_LANES);",
                          f, num_nodes(f)));
    // place -> entry of cell->in, for node 0, with the step from node to node
    struct Use {
      int place, entry, step;
    };
    std::vector<Use> uses;
    for (std::size_t i = 0; i < in_.inputs.size(); ++i)
      if (record.input_place[i] >= 0)
        for (int k = 0; k < in_.inputs[i].components; ++k)
          uses.push_back({record.input_place[i] + k, in_.first_cell_input(static_cast<int>(i)) + k,
                          in_.inputs[i].components});
    text.open(node_loop(in_, static_cast<int>(f)));
    if (record.reals % 4 == 0) {
      for (int part = 0; part < record.reals / 4; ++part) {
        text.line(fmt::format("lane part_{}[4];", part));
        text.line(fmt::format("lane_gather4_strided(values + {}, {}, nodes + i * WEFT_LANES, "
                              "part_{});",
                              part * 4, record.reals / unit(static_cast<int>(f)), part));
      }
      for (const Use &use : uses)
        text.line(fmt::format("cell->in[{} + i * {}] = part_{}[{}];", use.entry, use.step,
                              use.place / 4, use.place % 4));
    } else {
      for (const Use &use : uses)
        text.line(fmt::format("lane_gather({}, values + {}, {}, nodes + i * WEFT_LANES, "
                              "cell->in[{} + i * {}]);",
                              record.only_image ? "WEFT_GLOBAL const" : "WEFT_PRIVATE const",
                              use.place, bytes_a_number(record.reals, static_cast<int>(f)),
                              use.entry, use.step));
    }
    text.close();
    text.close();
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
    const int nodes = num_nodes(test.family);
    text.open(node_loop(in_, test.family));
    text.line(
        fmt::format("WEFT_GLOBAL const u16 *nodes = nodes_{} + ((i64)group * {} + i) * WEFT_LANES;",
                    test.family, nodes));
    const int first = in_.first_row(static_cast<int>(t));
    if (sum_reals(test) == 4) {
      text.line("lane rows[4];");
      for (int k = 0; k < 4; ++k)
        text.line(k < test.components
                      ? fmt::format("rows[{}] = r[{} + i * {}];", k, first + k, test.components)
                      : fmt::format("rows[{}] = {};", k, text.constant(0)));
      text.line(fmt::format("lane_scatter_add4_strided(stage->sum_{}, {}, nodes, rows);", t,
                            4 / unit(test.family)));
    } else {
      text.open("WEFT_UNROLL for (i32 l = 0; l < WEFT_LANES; ++l) {");
      for (int k = 0; k < test.components; ++k)
        text.line(fmt::format("{} += lane_get(r[{} + i * {}], l);",
                              fmt::format("weft_real_at(WEFT_PRIVATE, stage->sum_{} + {}, {}u * "
                                          "nodes[l])",
                                          t, k, bytes_a_number(test.components, test.family)),
                              first + k, test.components));
      text.close();
    }
    text.close();
  }
  text.close();
}

void StagePrinter::print_stage_store(LaneText &text) const {
  text.line(
      "// Writes the sums: of inner nodes to the result, of shared ones to the block's border.");
  text.open("WEFT_FUNCTION void weft_stage_store(WEFT_PRIVATE weft_stage *stage, WEFT_GLOBAL const "
            "i32 *row, WEFT_ARGUMENTS) {");
  for (std::size_t t = 0; t < in_.tests.size(); ++t) {
    const TestField &test = in_.tests[t];
    const int reals = sum_reals(test);
    text.open("{");
    print_block_row(text, test.family);
    const char *loop = scalar_loop(reals, test.components == 1 ? reals : 0);
    text.line(
        fmt::format("{3}for (i64 n = 0; n < num_inner; ++n) WEFT_UNROLL for (i32 k = 0; k < {1}; "
                    "++k) output[output_offset_{0} + (first_inner + n) * {1} + k] = "
                    "stage->sum_{0}[n * {2} + k];",
                    t, test.components, reals, loop));
    text.line(
        fmt::format("{3}for (i64 n = 0; n < num_shared; ++n) WEFT_UNROLL for (i32 k = 0; k < {1}; "
                    "++k) border_{0}[(first_shared + n) * {1} + k] = "
                    "stage->sum_{0}[(num_inner + n) * {2} + k];",
                    t, test.components, reals, loop));
    text.close();
  }
  text.close();
}

CellArguments StagePrinter::print() {
  ArgumentList list;
  add_arguments(list);
  LaneText text(in_.precision);
  print_stage_load(text);
  print_load_cell(text);
  print_scatter(text);
  print_stage_store(text);
  return {list.arguments, list.macros(), stage_declarations() + text.text()};
}

} // namespace

CellArguments print_block_arguments(const CellIntegral &integral,
                                    const std::vector<int> &stage_nodes) {
  return StagePrinter(integral, stage_nodes).print();
}

} // namespace weft
