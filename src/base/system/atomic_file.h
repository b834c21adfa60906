// A file that is there whole or not at all: written beside its place, then renamed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft {

// A symbolic link stays, and the file that it leads to is replaced; what is replaced leaves its
// permissions to the new file, and its owner where the process may say so. Devices, pipes and
// sockets
// (/dev/stdout, process substitution) are written through: what reaches them can't be taken back.
class AtomicFile {
public:
  // Makes the folder and opens "<file>.<process>.part" in it. All functions throw `system` with the
  // path and the system's reason: no permission, no space left on device, a circle of links, ...
  explicit AtomicFile(std::string path);
  ~AtomicFile(); // removes what was not committed
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  void write(const void *data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  // Puts the file in its place; nothing can be written after.
  void commit();
  // The same, and it outlives a power cut: file and folder are on the disk when this returns.
  void commit_synced();

private:
  void open_part();
  [[noreturn]] void fail(const char *what, int reason) const;

  std::string path_;   // as the caller has it
  std::string target_; // where links lead to
  std::string part_;   // empty: the target is written through
  int descriptor_ = -1;
};

// Removes what processes that were killed left beside `path`: "<path>.<process>.part".
void remove_abandoned_parts(const std::string &path);

// Writes a whole text.
void write_text_file(const std::string &path, std::string_view text);

} // namespace weft
