// The arguments of a generated kernel and the functions that read a lane group's data through them.
#pragma once

#include <string>
#include <vector>

#include "kernel/cell/cell_integral.h"
#include "kernel/text/kernel_source.h"
#include "kernel/text/lane_text.h"
#include "kernel/text/sections.h"

namespace weft {

enum class Strategy { transposed, cell, block };
std::string to_string(Strategy strategy);
// Throws an input error that lists the names.
Strategy strategy_from_name(const std::string &name);

// A kernel's arguments, and how a lane group's data is read through them. The text is that of
// kernel files with the calls that depend on the integral:
//   WEFT_ARGUMENTS, WEFT_NAMES   the kernel's arguments: declarations, and names to hand on
//   weft_load_cell(cell, group, WEFT_NAMES)
// and for the block strategy
//   weft_stage_load(block table entry, stages..., WEFT_NAMES), weft_scatter, weft_stage_store.
struct CellArguments {
  std::vector<ArgumentSpec> arguments;
  std::string text;    // sections, in order
  Constants constants; // that the kernel files read
};

// Arguments and loading from global vectors by global node numbers (transposed, cell, facets).
CellArguments print_global_arguments(const CellIntegral &integral);

// Arguments and staging of blocks; `stage_nodes`: nodes to make room for, by family.
CellArguments print_block_arguments(const CellIntegral &integral,
                                    const std::vector<int> &stage_nodes);

// How a family is staged in a block.
struct StageRecord {
  bool image = false;            // begins with the coordinates, copied from the image
  bool only_image = false;       // nothing but coordinates: read from the image without staging
  int reals = 0;                 // a node, padding included; 0 = the family has no inputs
  std::vector<int> input_offset; // [input]: where its components begin in the record; -1 elsewhere
};
std::vector<StageRecord> stage_records(const CellIntegral &integral);
// Reals a node in a block's sums of a test field: four where that saves reads and writes.
int sum_reals(const TestField &test);

} // namespace weft
