// The module of MPI: its table of functions; no exception leaves it.
#include "ranks/mpi_module.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <mpi.h>

#include "base/modules/module_guard.h"
#include "mpi/mpi_session.h"

namespace weft {

struct MpiMessages {
  std::vector<MPI_Request> requests;
};

namespace {

std::string last_error;
MPI_Comm world = MPI_COMM_NULL, machine = MPI_COMM_NULL; // of Weft's own

void check(int result, const char *what) {
  if (result == MPI_SUCCESS)
    return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(result, text, &length);
  throw std::runtime_error(std::string(what) + ": " + std::string(text, length));
}

int start() {
  return guarded(
      last_error,
      [] {
        start_mpi();
        check(MPI_Comm_dup(MPI_COMM_WORLD, &world), "MPI_Comm_dup");
        // What fails is told, not ended by MPI.
        MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
        check(MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine),
              "MPI_Comm_split_type");
        return 0;
      },
      -1);
}

int rank_in(MPI_Comm ranks) {
  int rank = 0;
  MPI_Comm_rank(ranks, &rank);
  return rank;
}

int size_of(MPI_Comm ranks) {
  int size = 1;
  MPI_Comm_size(ranks, &size);
  return size;
}

// Counts of MPI are of 32 bits: a piece is as many messages as it needs, one behind the other.
template <typename Post> void post_in_parts(const Piece &piece, const Post &post) {
  constexpr std::size_t most = INT_MAX;
  for (std::size_t done = 0; done == 0 || done < piece.bytes; done += most)
    post(static_cast<char *>(piece.data) + done,
         static_cast<int>(std::min(most, piece.bytes - done)));
}

MpiMessages *post(const Piece *receive, std::size_t num_receive, const Piece *send,
                  std::size_t num_send) {
  return guarded(
      last_error,
      [&] {
        constexpr int tag = 1;
        auto messages = std::make_unique<MpiMessages>();
        std::vector<MPI_Request> &requests = messages->requests;
        for (std::size_t i = 0; i < num_receive; ++i)
          post_in_parts(receive[i], [&](void *data, int bytes) {
            check(MPI_Irecv(data, bytes, MPI_BYTE, receive[i].rank, tag, world,
                            &requests.emplace_back()),
                  "MPI_Irecv");
          });
        for (std::size_t i = 0; i < num_send; ++i)
          post_in_parts(send[i], [&](void *data, int bytes) {
            check(MPI_Isend(data, bytes, MPI_BYTE, send[i].rank, tag, world,
                            &requests.emplace_back()),
                  "MPI_Isend");
          });
        return messages.release();
      },
      static_cast<MpiMessages *>(nullptr));
}

int wait(MpiMessages *given) {
  const std::unique_ptr<MpiMessages> messages(given);
  return guarded(
      last_error,
      [&] {
        check(MPI_Waitall(static_cast<int>(messages->requests.size()), messages->requests.data(),
                          MPI_STATUSES_IGNORE),
              "MPI_Waitall");
        return 0;
      },
      -1);
}

// Returns whether the request was completed in time.
bool wait_for(MPI_Request &request, double limit_s) {
  const double end = MPI_Wtime() + limit_s;
  for (int done = 0; !done;) {
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (!done && MPI_Wtime() > end)
      return false;
    if (!done)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

int gather(const void *mine, std::size_t bytes, void *all, double limit_s) {
  return guarded(
      last_error,
      [&] {
        if (bytes > INT_MAX)
          throw std::runtime_error("more than 2^31 - 1 bytes of a rank in a gather");
        const auto count = static_cast<int>(bytes);
        MPI_Request request = MPI_REQUEST_NULL;
        // Always the same call: others may wait without a limit.
        check(MPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, world, &request),
              "MPI_Iallgather");
        if (limit_s > 0)
          return wait_for(request, limit_s) ? 0 : 1;
        check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
        return 0;
      },
      -1);
}

const char *library_name() {
  static const std::string name = [] {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string all(text, length);
    return all.substr(0, all.find_first_of(",\n"));
  }();
  return name.c_str();
}

} // namespace

extern "C" __attribute__((visibility("default"))) const MpiModule *weft_mpi_module() {
  static const MpiModule module = {.interface_version = mpi_interface_version,
                                   .library = library_name(),
                                   .start = start,
                                   .rank = [] { return rank_in(world); },
                                   .size = [] { return size_of(world); },
                                   .machine_rank = [] { return rank_in(machine); },
                                   .machine_size = [] { return size_of(machine); },
                                   .post = post,
                                   .wait = wait,
                                   .gather = gather,
                                   .abort = [](int exit_code) { MPI_Abort(world, exit_code); },
                                   .last_error = [] { return last_error.c_str(); }};
  return &module;
}

} // namespace weft
