#include "op/law/one_process.h"

#include <fmt/format.h>

#include "base/error.h"

namespace weft {

const Discretisation &of_one_process(const Discretisation &d, const char *what, const char *where) {
  if (d.ranks)
    throw Error(ErrorKind::unsupported, {.what = std::string(what) + " on several processes",
                                         .where = where,
                                         .found = fmt::format("{} processes", d.ranks->size()),
                                         .allowed = "1",
                                         .remedy = "start one process"});
  return d;
}

} // namespace weft
