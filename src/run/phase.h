// What a run is doing now, shown where it may take a while: meshing, kernels, output.
#pragma once

#include <optional>
#include <string>

#include "output/progress.h"

namespace weft {

// From now on phases are shown on the terminal; programs that use Weft as a library are left alone.
void show_phases();

// Programs that were compiled so far, in words; empty where none were.
std::string compilations_text();

// A phase from its construction to its destruction.
class Phase {
public:
  explicit Phase(const std::string &name);

private:
  std::optional<Progress> line_; // of those that are shown
};

} // namespace weft
