// What a program that reads a stranger's file may do to the system: Linux's Landlock, which needs
// no privileges.
#pragma once

#include <filesystem>

#include "base/system/file_handle.h"

namespace weft {

// Rules for a process: it reads what it likes, runs no program but the given one (with its
// interpreter or loader), writes only in one folder, and reaches no network and no other process
// where the kernel can prevent that. Prepared before the process is forked; enter() is called in
// it.
class Confinement {
public:
  // Without Landlock, or where a rule can't be made, the object is inactive.
  Confinement(const std::filesystem::path &program, const std::filesystem::path &writable_folder);

  bool active() const { return rules_.valid(); }
  // For good, for the calling thread and what it starts. Async-signal-safe. False where the kernel
  // refuses.
  bool enter() const;

private:
  FileHandle rules_;
};

// Version of the kernel's Landlock; 0 where there is none.
int landlock_version();

} // namespace weft
