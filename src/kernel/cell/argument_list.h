// What printers of arguments share: the list itself, and arguments that do not depend on how nodal
// values are read.
#pragma once

#include <string>
#include <vector>

#include "kernel/cell/cell_integral.h"
#include "kernel/text/kernel_source.h"
#include "kernel/text/lane_text.h"
#include "kernel/text/sections.h"

namespace weft {

inline constexpr const char *const_real = "WEFT_GLOBAL const real *WEFT_RESTRICT ";
inline constexpr const char *const_i32 = "WEFT_GLOBAL const i32 *WEFT_RESTRICT ";
inline constexpr const char *const_u16 = "WEFT_GLOBAL const u16 *WEFT_RESTRICT ";

// Collects a kernel's arguments in order.
class ArgumentList {
public:
  void add(ArgumentRole role, int index, const std::string &declaration, const std::string &name) {
    arguments.push_back({role, index});
    declarations_.push_back(declaration + name);
    names_.push_back(name);
  }
  // WEFT_ARGUMENTS, the declarations, and WEFT_NAMES.
  std::string macros() const;
  std::vector<ArgumentSpec> arguments;

private:
  std::vector<std::string> declarations_, names_;
};

// #define `name` and the entries, a line each where they do not fit into one.
std::string list_macro(const std::string &name, const std::vector<std::string> &entries);

bool is_read(const CellIntegral &integral, const NodalInput &input);
// Families whose node numbers cells read: of inputs that are read, and of tests if `tests`.
std::vector<bool> families_in_use(const CellIntegral &integral, bool tests);

// The vectors that nodal values are read from.
void add_inputs(ArgumentList &list, const CellIntegral &integral, bool coordinates);
// The vector of an input, from its first dof on.
std::string input_vector(const CellIntegral &integral, std::size_t input);
// What a lane group reads besides nodal values, the calls that read it, and the kernel file that
// has what they call.
void add_cell_data(ArgumentList &list, const CellIntegral &integral);
void print_cell_data_reads(LaneText &text, const CellIntegral &integral);
std::string cell_data_file(const CellIntegral &integral);

// What kernel files say of weft_cell::in: where it lies, and where its entry e is.
void define_inputs(Constants &constants, const CellIntegral &integral,
                   const char *space = "WEFT_PRIVATE", const char *entry = "(e)");

// The result and the interfaces that the block strategy writes.
void add_block_outputs(ArgumentList &list, const CellIntegral &integral);
// The call that reads what `row` says of a family: fem/block_nodes.
std::string block_at(std::size_t family);

} // namespace weft
