#include "base/error.h"

#include <fmt/format.h>
#include <new>

namespace weft {

namespace {

std::string text_of(ErrorKind kind, const Diagnostic &d) {
  std::string text;
  if (!d.where.empty())
    text += d.where + ": ";
  if (kind == ErrorKind::unsupported)
    text += "not supported: ";
  if (kind == ErrorKind::invariant)
    text += "internal error: ";
  text += d.what;
  const auto line = [&](const char *label, const std::string &part) {
    if (!part.empty())
      text += fmt::format("\n  {:<9}{}", label, part);
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
  if (dynamic_cast<const std::bad_alloc *>(&exception) != nullptr)
    return {ErrorKind::system,
            {.what = "not enough memory on this machine", .remedy = "use a coarser mesh"}};
  return {ErrorKind::invariant, {.what = exception.what()}};
}

void require(bool condition, const char *what) {
  if (!condition)
    throw Error(ErrorKind::invariant,
                {.what = what, .remedy = "this is a bug in Weft: please report it with the case"});
}

} // namespace weft
