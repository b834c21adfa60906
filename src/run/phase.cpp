#include "run/phase.h"

#include <fmt/format.h>

#include "device/compilations.h"

namespace weft {

namespace {

bool shown = false;

} // namespace

void show_phases() {
  shown = true;
}

std::string compilations_text() {
  const int programs = num_compilations();
  return programs == 0
             ? ""
             : fmt::format("{} programs for this case compiled, once: they are kept", programs);
}

Phase::Phase(const std::string &name) {
  if (!shown)
    return;
  line_.emplace(name, "");
  line_->keep_drawing(compilations_text);
}

} // namespace weft
