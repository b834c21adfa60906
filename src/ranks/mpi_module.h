// The interface between the program and its loadable module libweft_mpi.so, which alone is linked
// with MPI: a table of functions, plain structs, no exceptions.
#pragma once

#include <cstddef>

#include "ranks/communicator.h"

namespace weft {

// Changes with everything below: a module of another version is refused.
inline constexpr int mpi_interface_version = 2;

struct MpiMessages; // on their way

// Functions that return int: 0, or -1 where they fail; last_error() says why.
struct MpiModule {
  int interface_version; // mpi_interface_version when the module was built
  const char *library;   // "Open MPI v4.1.4"
  int (*start)();
  int (*rank)();
  int (*size)();
  int (*machine_rank)();
  int (*machine_size)();
  // Posts receives, then sends; null where it fails.
  MpiMessages *(*post)(const Piece *receive, std::size_t num_receive, const Piece *send,
                       std::size_t num_send);
  int (*wait)(MpiMessages *messages); // and forgets them
  // `limit_s`: how long to wait for other ranks, 0: for ever. 1: they did not come.
  int (*gather)(const void *mine, std::size_t bytes, void *all, double limit_s);
  void (*abort)(int exit_code);
  const char *(*last_error)();
};

inline constexpr const char *mpi_module_file = "libweft_mpi.so";
inline constexpr const char *mpi_module_symbol = "weft_mpi_module";
// What the module exports under that name: hands out its table.
using MpiModuleEntry = const MpiModule *();

} // namespace weft
