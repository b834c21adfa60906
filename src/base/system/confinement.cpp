#include "base/system/confinement.h"

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include "base/system/run_program.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

// The kernel's interface (Documentation/userspace-api/landlock.rst). Spelled out here, since
// headers of Debian 12 know less of it than kernels that are run.
struct Ruleset {
  std::uint64_t files = 0;
  std::uint64_t network = 0; // from version 4
  std::uint64_t scopes = 0;  // from version 6
};
struct [[gnu::packed]] FolderRule {
  std::uint64_t allowed;
  std::int32_t folder;
};
constexpr int create_ruleset = 444, add_rule = 445, restrict_self = 446; // system calls
constexpr unsigned version_flag = 1;
constexpr int rule_of_folder = 1;
constexpr std::uint64_t execute = 1 << 0, write_file = 1 << 1, read_file = 1 << 2,
                        read_folder = 1 << 3, remove_folder = 1 << 4, remove_file = 1 << 5,
                        create_folder = 1 << 7, create_file = 1 << 8, first_rights = (1 << 13) - 1,
                        refer = 1 << 13, truncate = 1 << 14, device_control = 1 << 15;
constexpr std::uint64_t bind_and_connect = 3, sockets_and_signals = 3;
constexpr std::uint64_t of_single_files = execute | write_file | read_file | truncate;
// No devices, sockets, links.
constexpr std::uint64_t of_writable_folders =
    write_file | truncate | create_file | remove_file | create_folder | remove_folder;

Ruleset rules_of_version(int version) {
  Ruleset rules;
  rules.files = first_rights;
  if (version >= 2)
    rules.files |= refer;
  if (version >= 3)
    rules.files |= truncate;
  if (version >= 5)
    rules.files |= device_control;
  if (version >= 4)
    rules.network = bind_and_connect;
  if (version >= 6)
    rules.scopes = sockets_and_signals;
  // Reading is free: what would be read lies at the end of search paths that nobody knows here.
  rules.files &= ~(read_file | read_folder);
  return rules;
}

std::size_t size_of_version(int version) {
  return version >= 6 ? sizeof(Ruleset) : version >= 4 ? 16 : 8;
}

bool allow(const FileHandle &rules, const fs::path &path, std::uint64_t allowed) {
  const FileHandle place(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat status = {};
  if (!place.valid() || ::fstat(place.number(), &status) != 0)
    return false;
  if (!S_ISDIR(status.st_mode))
    allowed &= of_single_files;
  const FolderRule rule{allowed, place.number()};
  return ::syscall(add_rule, rules.number(), rule_of_folder, &rule, 0) == 0;
}

// The loader that an ELF file names; empty for others.
fs::path loader_of(std::ifstream &file) {
  Elf64_Ehdr head = {};
  file.seekg(0);
  if (!file.read(reinterpret_cast<char *>(&head), sizeof head) ||
      std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  for (int i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr part = {};
    file.seekg(static_cast<std::streamoff>(head.e_phoff + i * sizeof part));
    if (!file.read(reinterpret_cast<char *>(&part), sizeof part))
      return {};
    if (part.p_type != PT_INTERP || part.p_filesz > 4096)
      continue;
    std::string name(part.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(part.p_offset));
    file.read(name.data(), static_cast<std::streamsize>(name.size()));
    return name.c_str();
  }
  return {};
}

// What the kernel runs for this file besides it: the interpreter of a script ("#!/usr/bin/env
// python3" is two), the loader of an ELF file.
std::vector<fs::path> started_for(const fs::path &program) {
  std::ifstream file(program, std::ios::binary);
  char begin[2] = {};
  file.read(begin, 2);
  if (!file || begin[0] != '#' || begin[1] != '!') {
    file.clear();
    return {loader_of(file)};
  }
  std::string line, interpreter, argument;
  std::getline(file, line);
  std::istringstream(line) >> interpreter >> argument;
  std::vector<fs::path> started = {interpreter};
  if (fs::path(interpreter).filename() == "env")
    started.push_back(find_program(argument));
  return started;
}

// The program and all that is started with it.
std::vector<fs::path> all_started_for(const fs::path &program) {
  std::vector<fs::path> all = {program};
  for (std::size_t i = 0; i < all.size() && all.size() < 16; ++i)
    for (const fs::path &other : started_for(all[i]))
      if (!other.empty())
        all.push_back(other);
  return all;
}

} // namespace

int landlock_version() {
  const long version = ::syscall(create_ruleset, nullptr, 0, version_flag);
  return version > 0 ? static_cast<int>(version) : 0;
}

Confinement::Confinement(const fs::path &program, const fs::path &writable_folder) {
  const int version = landlock_version();
  if (version == 0)
    return;
  const Ruleset ruleset = rules_of_version(version);
  FileHandle rules(
      static_cast<int>(::syscall(create_ruleset, &ruleset, size_of_version(version), 0)));
  if (!rules.valid() || !allow(rules, writable_folder, ruleset.files & of_writable_folders))
    return;
  // What programs open for writing though nothing is kept there.
  if (!allow(rules, "/dev/null", ruleset.files & (write_file | truncate)))
    return;
  for (const fs::path &started : all_started_for(program))
    if (!allow(rules, started, execute))
      return;
  rules_ = std::move(rules);
}

bool Confinement::enter() const {
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(restrict_self, rules_.number(), 0) == 0;
}

} // namespace weft
