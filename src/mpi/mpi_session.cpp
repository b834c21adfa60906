#include "mpi/mpi_session.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <utility>
#include <vector>

#include <mpi.h>

namespace weft {

namespace {

// MPI installs handlers that print a stack; the program keeps its own.
class KeepSignals {
public:
  KeepSignals() {
    for (int signal = 1; signal < NSIG; ++signal)
      known_[signal] = sigaction(signal, nullptr, &actions_[signal]) == 0;
  }
  ~KeepSignals() {
    for (int signal = 1; signal < NSIG; ++signal)
      if (known_[signal])
        sigaction(signal, &actions_[signal], nullptr);
  }
  KeepSignals(const KeepSignals &) = delete;
  KeepSignals &operator=(const KeepSignals &) = delete;

private:
  std::array<struct sigaction, NSIG> actions_ = {};
  std::array<bool, NSIG> known_ = {};
};

// Sets variables of the environment that are not set, for as long as it lives: programs started
// later (gmsh) do not see them.
class ScopedEnvironment {
public:
  explicit ScopedEnvironment(const std::vector<std::pair<const char *, const char *>> &variables) {
    for (const auto &[name, value] : variables)
      if (!std::getenv(name)) {
        setenv(name, value, 1);
        names_.push_back(name);
      }
  }
  ~ScopedEnvironment() {
    for (const char *name : names_)
      unsetenv(name);
  }
  ScopedEnvironment(const ScopedEnvironment &) = delete;
  ScopedEnvironment &operator=(const ScopedEnvironment &) = delete;

private:
  std::vector<const char *> names_;
};

// Open MPI for a single process: no daemon beside it, no network, no hooks in memory functions.
const std::vector<std::pair<const char *, const char *>> single_process = {
    {"OMPI_MCA_ess_singleton_isolated", "1"},
    {"OMPI_MCA_pml", "ob1"},
    {"OMPI_MCA_btl", "self"},
    {"OMPI_MCA_memory", "^patcher"},
};

struct EndMpi {
  ~EndMpi() {
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended)
      MPI_Finalize();
  }
};

} // namespace

void start_mpi() {
  int running = 0;
  MPI_Initialized(&running);
  if (running)
    return;
  const bool launched = std::getenv("OMPI_COMM_WORLD_SIZE") || std::getenv("PMI_SIZE");
  const ScopedEnvironment environment(launched ? decltype(single_process){} : single_process);
  const KeepSignals signals;
  int threads = MPI_THREAD_SINGLE; // others than the one that calls MPI run beside it
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &threads) != MPI_SUCCESS ||
      threads < MPI_THREAD_FUNNELED)
    throw std::runtime_error("MPI does not start");
  static const EndMpi end;
}

} // namespace weft
