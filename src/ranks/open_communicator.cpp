#include "ranks/open_communicator.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/modules/loadable_module.h"
#include "ranks/mpi_module.h"

namespace weft {

namespace {

// The variables of a launcher: how many processes, and which of them this one is.
struct Launcher {
  const char *size, *rank;
};
constexpr std::array<Launcher, 4> launchers = {{
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, // Open MPI
    {"PMI_SIZE", "PMI_RANK"},                         // MPICH, Intel MPI
    {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},   // MVAPICH
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},         // srun
}};

int number_of(const char *variable) {
  const char *text = std::getenv(variable);
  return text ? std::atoi(text) : -1;
}

// The launcher that says that there are most processes: mpirun may run within a step of srun.
const Launcher *launcher_of_most() {
  const Launcher *most = nullptr;
  for (const Launcher &launcher : launchers)
    if (number_of(launcher.size) > (most ? number_of(most->size) : 0))
      most = &launcher;
  return most;
}

[[noreturn]] void refuse(const std::string &what, const std::string &where,
                         const std::string &found) {
  throw Error(ErrorKind::system,
              {.what = what,
               .where = where,
               .found = found,
               .remedy = "install the packages libopenmpi-dev and openmpi-bin and build Weft "
                         "again, with the MPI that the launcher is of; or run it without a "
                         "launcher: one process uses all cores of a machine"});
}

// Whose messages are those of the module.
class MpiCommunicator : public Communicator {
public:
  bool is_mpi() const override { return true; }
  explicit MpiCommunicator(const MpiModule &mpi) : mpi_(mpi) {}
  int rank() const override { return mpi_.rank(); }
  int size() const override { return mpi_.size(); }
  int machine_rank() const override { return mpi_.machine_rank(); }
  int machine_size() const override { return mpi_.machine_size(); }
  [[noreturn]] void abort(int exit_code) override {
    mpi_.abort(exit_code);
    std::abort(); // which is not reached
  }

protected:
  std::unique_ptr<PendingMessages> start_messages(std::span<const Piece> receive,
                                                  std::span<const Piece> send) override {
    MpiMessages *messages = mpi_.post(receive.data(), receive.size(), send.data(), send.size());
    check(messages ? 0 : -1, "messages are not sent");
    return std::make_unique<Messages>(*this, messages);
  }
  bool gather_all(const void *mine, std::size_t bytes, void *all, double limit_s) override {
    const int result = mpi_.gather(mine, bytes, all, limit_s);
    if (result != 1)
      check(result, "a gather failed");
    return result == 0;
  }

private:
  class Messages : public PendingMessages {
  public:
    Messages(MpiCommunicator &ranks, MpiMessages *messages) : ranks_(ranks), messages_(messages) {}
    void wait() override { ranks_.check(ranks_.mpi_.wait(messages_), "messages did not arrive"); }

  private:
    MpiCommunicator &ranks_;
    MpiMessages *messages_;
  };

  void check(int result, const char *what) const {
    if (result != 0)
      throw Error(ErrorKind::system,
                  {.what = what, .where = mpi_.library, .found = mpi_.last_error()});
  }

  const MpiModule &mpi_;
};

const MpiModule &open_module(int processes) {
  const OpenedModule opened = open_loadable_module({mpi_module_file, mpi_module_symbol});
  const std::string what =
      fmt::format("a launcher started {} processes, and Weft's module of MPI, which brings them "
                  "together, is not there",
                  processes);
  if (!opened.symbol)
    refuse(what, opened.file, opened.problem);
  const MpiModule *module = reinterpret_cast<MpiModuleEntry *>(opened.symbol)();
  if (!module || module->interface_version != mpi_interface_version)
    refuse(what, opened.file, "a module of another version of Weft");
  if (module->start() != 0)
    refuse("MPI does not start", module->library, module->last_error());
  return *module;
}

} // namespace

int num_launched_processes() {
  const Launcher *launcher = launcher_of_most();
  return launcher ? std::max(1, number_of(launcher->size)) : 1;
}

int launched_rank() {
  const Launcher *launcher = launcher_of_most();
  return launcher ? std::max(0, number_of(launcher->rank)) : 0;
}

std::unique_ptr<Communicator> open_communicator() {
  const int processes = num_launched_processes();
  if (processes == 1)
    return nullptr;
  auto ranks = std::make_unique<MpiCommunicator>(open_module(processes));
  if (ranks->size() != processes)
    refuse("the launcher and MPI are not of one kind",
           fmt::format("the launcher started {} processes", processes),
           fmt::format("MPI knows {}", ranks->size()));
  return ranks;
}

} // namespace weft
