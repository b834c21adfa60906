// Arguments of the kernels of conservation laws: their roles, and how the text declares them.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "kernel/cell/argument_list.h"

namespace weft {

// Collects a kernel's arguments in order, under the names that kernels/dg and kernels/fv use: those
// of their roles.
class LawArguments {
public:
  void add(ArgumentRole role, int index = 0);
  void add_all(std::initializer_list<ArgumentRole> roles);
  void add_written(ArgumentRole role);
  // Add arrays that the kernel also sees under another name.
  void add_shared(ArgumentRole role);
  void add_shared_written(ArgumentRole role);

  // WEFT_ARGUMENTS, their declarations, and WEFT_NAMES.
  std::string macros() const { return list_.macros(); }
  const std::vector<ArgumentSpec> &specs() const { return list_.arguments; }

private:
  ArgumentList list_;
};

} // namespace weft
