#include "solve/multigrid/scaled_transfer.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft {

ScaledTransfer::ScaledTransfer(VectorKernels &outer, const LevelOperator &level)
    : outer_(outer), largest_(outer.reals(outer.shape().chunks, "largest entries")),
      factor_(outer.reals(1, "largest entry")) {
  if (level.scaling())
    scaling_ = level.systems() == 1 ? *level.scaling()
                                    : repeated(outer.device(), *level.scaling(), level.systems(),
                                               "scaling of a level");
  program_ = outer.mixed_program(
      "scaled",
      fmt::format("#define WEFT_LOW {}\n#define WEFT_SCALE {}\n", to_string(level.precision()),
                  to_string(scaling_.buffer ? scaling_.precision : level.precision())));
  outer.load(program_, "scaled_enter");
}

void ScaledTransfer::enter(const Vector &r, Vector &low) {
  const std::int32_t has_scaling = scaling_.buffer != nullptr;
  const Buffer &scaling = has_scaling ? scaling_.buffer : low.buffer; // not read without one
  outer_.over_vector(program_, "scaled_largest", {r.buffer, scaling, has_scaling, largest_});
  if (outer_.among())
    take_factor_of_ranks();
  else
    outer_.device().launch(program_, "scaled_factor",
                           {.groups = 1, .group_size = outer_.shape().group_size},
                           {largest_, std::int32_t(outer_.shape().chunks), factor_});
  outer_.over_vector(program_, "scaled_enter",
                     {r.buffer, scaling, has_scaling, factor_, low.buffer});
}

void ScaledTransfer::take_factor_of_ranks() {
  double own = 0;
  for (const double of_chunk : outer_.read_reals(largest_, outer_.shape().chunks))
    own = std::max(own, of_chunk);
  const double factor = largest(outer_.among(), own);
  outer_.write_reals(factor_, {factor > 0 ? factor : 1});
}

void ScaledTransfer::leave(const Vector &low, Vector &z) {
  const std::int32_t has_scaling = scaling_.buffer != nullptr;
  const Buffer &scaling = has_scaling ? scaling_.buffer : low.buffer;
  outer_.over_vector(program_, "scaled_leave",
                     {low.buffer, scaling, has_scaling, factor_, z.buffer});
}

} // namespace weft
