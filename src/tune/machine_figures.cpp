#include "tune/machine_figures.h"

#include "base/error.h"

namespace weft {

double MachineFigures::at(const std::string &name) const {
  const auto found = figures.find(name);
  if (found == figures.end())
    throw Error(ErrorKind::invariant,
                {.what = "a figure of the machine was not measured", .found = name});
  return found->second.median;
}

} // namespace weft
