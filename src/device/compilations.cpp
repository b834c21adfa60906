#include "device/compilations.h"

#include <atomic>

namespace weft {

namespace {

std::atomic<int> num_noted = 0;

} // namespace

void note_compilation() {
  ++num_noted;
}

int num_compilations() {
  return num_noted;
}

} // namespace weft
