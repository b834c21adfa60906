// Programs that a device built not long ago: who asks for the same text again gets the same one.
#pragma once

#include <cstddef>
#include <list>
#include <utility>

#include "device/device.h"

namespace weft {

// A driver takes milliseconds to load a program even from a cache, and what is made many times (the
// levels of multigrid, blocks of vectors) asks for equal texts each time.
class RecentPrograms {
public:
  // Beyond `capacity` the program that was not asked for the longest is forgotten.
  explicit RecentPrograms(std::size_t capacity = 128) : capacity_(capacity) {}

  // The program of this source, from `make()` where it is not remembered.
  template <typename Make> Program get(const ProgramSource &source, Make make) {
    for (auto entry = programs_.begin(); entry != programs_.end(); ++entry)
      if (same(entry->first, source)) {
        programs_.splice(programs_.begin(), programs_, entry);
        return entry->second;
      }
    programs_.emplace_front(source, make());
    if (programs_.size() > capacity_)
      programs_.pop_back();
    return programs_.front().second;
  }

  template <typename Action> void for_each(Action action) {
    for (const auto &[source, program] : programs_)
      action(program);
  }

private:
  static bool same(const ProgramSource &a, const ProgramSource &b) {
    return a.text == b.text && a.name == b.name && a.kernels == b.kernels;
  }

  std::size_t capacity_;
  std::list<std::pair<ProgramSource, Program>> programs_; // the latest first
};

} // namespace weft
