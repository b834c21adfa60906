#include "run/watch_kernels.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

#include "base/error.h"
#include "base/system/run_folder.h"

namespace weft {

namespace {

// Called while the main thread is held in its wait. Nothing of the process is cleaned up: drivers
// would wait for the kernel.
[[noreturn]] void end_overdue(Simulation &s, double limit_s) {
  const Error error(ErrorKind::system,
                    {.what = "a kernel with the case's C text does not come back",
                     .where = s.c.file,
                     .found = fmt::format("more than {} s in one wait for the device", limit_s),
                     .remedy = "look for a loop that does not end, or give it longer with "
                               "--kernel-timeout"});
  std::string message = error.what();
  try {
    if (s.save_unfinished)
      s.save_unfinished(error);
  } catch (const std::exception &failure) {
    message += fmt::format("\n  what there was could not be written: {}", failure.what());
  }
  std::fprintf(stderr, "error: %s\n", message.c_str());
  std::fflush(nullptr);
  remove_run_folders();
  std::_Exit(exit_code(error.kind()));
}

} // namespace

void watch_kernels(Simulation &s, double limit_s) {
  const bool c_text = std::any_of(s.c.form.pointwise.begin(), s.c.form.pointwise.end(),
                                  [](const PointwiseSpec &pointwise) { return pointwise.c_text; });
  if (s.c.trust && c_text && limit_s > 0)
    s.watch = std::make_unique<WaitWatch>(limit_s, [&s, limit_s] { end_overdue(s, limit_s); });
}

} // namespace weft
