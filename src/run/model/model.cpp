#include "run/model/model.h"

#include "base/error.h"

namespace weft {

std::unique_ptr<ArrivalTimes> Model::make_arrival_times() {
  throw Error(ErrorKind::invariant, {.what = "first times of a model without rates"});
}

} // namespace weft
