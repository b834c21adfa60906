#include "base/system/standard_output.h"

#include <cerrno>
#include <cstdio>
#include <poll.h>
#include <system_error>
#include <unistd.h>

namespace weft {

namespace {

int earlier_failure = 0; // the system's error

} // namespace

void print_out(std::string_view text) noexcept {
  if (std::fwrite(text.data(), 1, text.size(), stdout) < text.size())
    note_output_failure(errno);
}

void note_output_failure(int error) noexcept {
  if (earlier_failure == 0)
    earlier_failure = error;
}

void flush_standard_output() {
  if (std::fflush(stdout) != 0)
    throw std::system_error(errno, std::generic_category(), "standard output");
}

int end_of_standard_output() noexcept {
  if (std::fflush(stdout) != 0)
    return errno;
  if (std::ferror(stdout) == 0)
    return 0;
  if (earlier_failure != 0)
    return earlier_failure;
  // An earlier write failed, and nobody kept its reason.
  pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) ? EPIPE : EIO;
}

} // namespace weft
