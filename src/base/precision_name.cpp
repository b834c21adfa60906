#include "base/precision_name.h"

#include "base/error.h"

namespace weft {

Precision precision_from_name(const std::string &name, const std::string &where) {
  for (const Precision p : {Precision::f64, Precision::f32, Precision::f16, Precision::bf16})
    if (to_string(p) == name)
      return p;
  throw Error(ErrorKind::input, {.what = "unknown precision",
                                 .where = where,
                                 .found = name,
                                 .allowed = "f64, f32, f16, bf16",
                                 .remedy = "choose one of these, or leave the key out"});
}

} // namespace weft
