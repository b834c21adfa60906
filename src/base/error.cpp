#include "base/error.h"

#include <filesystem>
#include <fmt/format.h>
#include <new>
#include <stdexcept>
#include <system_error>

#include "base/printable.h"

namespace weft {

namespace {

std::string text_of(ErrorKind kind, const Diagnostic &d) {
  std::string text;
  if (!d.where.empty())
    text += printable_line(d.where) + ": ";
  if (kind == ErrorKind::unsupported)
    text += "not supported: ";
  if (kind == ErrorKind::invariant)
    text += "internal error: ";
  text += printable(d.what);
  const auto line = [&](const char *label, const std::string &part) {
    if (!part.empty())
      text += fmt::format("\n  {:<9}{}", label, printable(part));
  };
  line("found:", d.found);
  line("allowed:", d.allowed);
  line("remedy:", d.remedy);
  return text;
}

} // namespace

Error::Error(ErrorKind kind, Diagnostic diagnostic)
    : std::runtime_error(text_of(kind, diagnostic)), kind_(kind),
      diagnostic_(std::move(diagnostic)) {}

Error::~Error() = default;

int exit_code(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::numerical:
    return 1;
  case ErrorKind::input:
  case ErrorKind::unsupported:
    return 2;
  case ErrorKind::system:
  case ErrorKind::invariant:
    return 3;
  }
  return 3;
}

Error error_of(const std::exception &exception) {
  if (const auto *error = dynamic_cast<const Error *>(&exception))
    return *error;
  if (dynamic_cast<const std::bad_alloc *>(&exception) ||
      dynamic_cast<const std::length_error *>(&exception))
    return {ErrorKind::system,
            {.what = "not enough memory on this machine",
             .remedy = "use a coarser mesh or a lower order, or raise the limit (ulimit -v)"}};
  if (const auto *failed = dynamic_cast<const std::filesystem::filesystem_error *>(&exception))
    return {ErrorKind::system,
            {.what = "a file or folder can't be reached",
             .where = failed->path1().string(),
             .found = failed->code().message(),
             .remedy = "check that it is there, and its permissions"}};
  if (const auto *failed = dynamic_cast<const std::system_error *>(&exception))
    return {ErrorKind::system,
            {.what = "the system refused what Weft needs",
             .found = failed->what(),
             .remedy = "raise the limits of processes and threads (ulimit -u)"}};
  return {ErrorKind::invariant,
          {.what = exception.what(),
           .remedy = "this is a bug in Weft: please report it with the case"}};
}

void require(bool condition, const char *what) {
  if (!condition)
    throw Error(ErrorKind::invariant,
                {.what = what, .remedy = "this is a bug in Weft: please report it with the case"});
}

} // namespace weft
