// What printers of arguments share: the list itself, and arguments that do not depend on how nodal
// values are read.
#pragma once

#include <string>
#include <vector>

#include "kernel/cell/cell_integral.h"
#include "kernel/text/kernel_source.h"
#include "kernel/text/lane_text.h"

namespace weft {

inline constexpr const char *const_real = "WEFT_GLOBAL const real *WEFT_RESTRICT ";
inline constexpr const char *const_i32 = "WEFT_GLOBAL const i32 *WEFT_RESTRICT ";
inline constexpr const char *const_u16 = "WEFT_GLOBAL const u16 *WEFT_RESTRICT ";

// Collects a kernel's arguments in order.
class ArgumentList {
public:
  void add(ArgumentRole role, int index, const std::string &declaration, const std::string &name) {
    arguments.push_back({role, index});
    declarations += (declarations.empty() ? "" : ", ") + declaration + name;
    names += (names.empty() ? "" : ", ") + name;
  }
  std::string macros() const {
    return "#define WEFT_ARGUMENTS " + declarations + "\n#define WEFT_NAMES " + names + "\n";
  }
  std::vector<ArgumentSpec> arguments;
  std::string declarations, names;
};

bool is_read(const CellIntegral &integral, const NodalInput &input);
// Families whose node numbers cells read: of inputs that are read, and of tests if `tests`.
std::vector<bool> families_in_use(const CellIntegral &integral, bool tests);

// The vectors that nodal values are read from.
void add_inputs(ArgumentList &list, const CellIntegral &integral, bool coordinates);
// What a lane group reads besides nodal values, and the statements that read it.
void add_cell_data(ArgumentList &list, const CellIntegral &integral);
// `stride`: of the entries of cell->in, where it is not 1.
void print_cell_data_reads(LaneText &text, const CellIntegral &integral,
                           const std::string &stride = "");

// The result and the borders that the block strategy writes.
void add_block_outputs(ArgumentList &list, const CellIntegral &integral);
// Names for the entries of `row` of a family: first_inner, num_inner, ... as in block_layout.h.
void print_block_row(LaneText &text, std::size_t family);

} // namespace weft
