#include "solve/time/runge_kutta.h"

#include <algorithm>

#include "base/error.h"

namespace weft {

namespace {

RungeKutta lsrk4() {
  constexpr double a[] = {0.0, -567301805773.0 / 1357537059087.0,
                          -2404267990393.0 / 2016746695238.0, -3550918686646.0 / 2091501179385.0,
                          -1275806237668.0 / 842570457699.0};
  constexpr double b[] = {1432997174477.0 / 9575080441755.0, 5161836677717.0 / 13612068292357.0,
                          1720146321549.0 / 2090206949498.0, 3134564353537.0 / 4481467310338.0,
                          2277821191437.0 / 14882151754819.0};
  constexpr double c[] = {0.0, 1432997174477.0 / 9575080441755.0, 2526269341429.0 / 6820363962896.0,
                          2006345519317.0 / 3224310063776.0, 2802321613138.0 / 2924317926251.0};
  RungeKutta scheme{.order = 4};
  for (int i = 0; i < 5; ++i)
    scheme.stages.push_back(
        {.time = c[i],
         .update = {.keep = a[i], .state = 1, .sum = b[i], .uses_sum = true, .keeps_sum = i > 0}});
  return scheme;
}

// The sum holds, times h, k_1; then k_1/2 + k_2; k_1/2 + k_2 + k_3; k_1 + 2 k_2 + 2 k_3 + k_4.
RungeKutta rk4() {
  const auto stage = [](double time, double keep, double rate) {
    return RungeKuttaStage{.time = time,
                           .update = {.keep = keep,
                                      .start = 1,
                                      .rate = rate,
                                      .uses_start = true,
                                      .uses_sum = true,
                                      .keeps_sum = keep != 0}};
  };
  RungeKutta scheme{.order = 4};
  scheme.stages = {stage(0, 0, 0.5), stage(0.5, 0.5, 0.5), stage(0.5, 1, 1), stage(1, 2, 0)};
  scheme.stages.back().update.sum = 1.0 / 6;
  return scheme;
}

RungeKutta ssprk3() {
  const auto stage = [](double time, double start, double state) {
    return RungeKuttaStage{
        .time = time,
        .update = {.start = start, .state = state, .rate = state, .uses_start = start != 0}};
  };
  return {.order = 3,
          .stages = {stage(0, 0, 1), stage(1, 0.75, 0.25), stage(0.5, 1.0 / 3, 2.0 / 3)},
          .embedded =
              EmbeddedSolution{.order = 2, .stage = 1, .start_weight = -1, .stage_weight = 2}};
}

RungeKutta euler() {
  return {.order = 1, .stages = {{.time = 0, .update = {.state = 1, .rate = 1}}}};
}

} // namespace

bool RungeKutta::uses_start() const {
  return std::any_of(stages.begin(), stages.end(),
                     [](const RungeKuttaStage &s) { return s.update.uses_start; });
}

bool RungeKutta::uses_sum() const {
  return std::any_of(stages.begin(), stages.end(),
                     [](const RungeKuttaStage &s) { return s.update.uses_sum; });
}

RungeKutta make_runge_kutta(TimeScheme scheme) {
  require(is_explicit(scheme), "a Runge-Kutta scheme");
  switch (scheme) {
  case TimeScheme::lsrk4:
    return lsrk4();
  case TimeScheme::rk4:
    return rk4();
  case TimeScheme::ssprk3:
    return ssprk3();
  default:
    return euler();
  }
}

} // namespace weft
