// Explicit operators given by a function on the host, for the tests of explicit time stepping.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <vector>

#include "linalg/operator.h"
#include "support/solve_support.h"

namespace weft::test {

// dq/dt = rate(t, q), stage by stage as ExplicitOperator says, in double.
class HostRates : public ExplicitOperator {
public:
  using Values = std::vector<double>;
  HostRates(std::int64_t size, std::function<Values(double, const Values &)> rate)
      : size_(size), rate_(std::move(rate)) {}

  std::int64_t size() const override { return size_; }
  Precision precision() const override { return Precision::f64; }
  Device &device() override { return test::device(); }

  void stage(double time, double h, const StageUpdate &u, const Vector &q, const Vector *start,
             Vector *sum, Vector &out) override {
    ++num_stages;
    EXPECT_EQ(u.uses_start, start != nullptr);
    EXPECT_EQ(u.uses_sum, sum != nullptr);
    EXPECT_FALSE(out.buffer == q.buffer || (sum && out.buffer == sum->buffer));
    const Values state = state_of(q);
    const Values k = rate_(time, state);
    Values next(size_), r(size_, 0.0);
    const Values first = start ? state_of(*start) : Values(size_, 0.0);
    if (u.uses_sum && u.keeps_sum)
      r = state_of(*sum);
    for (std::int64_t i = 0; i < size_; ++i) {
      r[i] = (u.keeps_sum ? u.keep * r[i] : 0) + h * k[i];
      next[i] = (u.uses_start ? u.start * first[i] : 0) + u.state * state[i] +
                (u.uses_sum ? u.sum * r[i] : 0) + u.rate * h * k[i];
    }
    if (sum)
      set_vector(device(), *sum, r);
    set_vector(device(), out, next);
  }
  bool limits_states() const override { return static_cast<bool>(limiter); }
  void limit(double time, Vector &q) override {
    if (limiter)
      set_vector(device(), q, limiter(time, state_of(q)));
  }
  void react(double time, double h, Vector &q) override {
    if (reaction)
      set_vector(device(), q, reaction(time, h, state_of(q)));
  }
  double unit_step(double time, const Vector &q) override {
    ++num_unit_steps;
    return unit ? unit(time, state_of(q)) : std::numeric_limits<double>::quiet_NaN();
  }

  bool sources_depend_on_state() const override { return own_sources; }

  bool own_sources = false;
  std::function<double(double, const Values &)> unit;
  std::function<Values(double, const Values &)> limiter;
  std::function<Values(double, double, const Values &)> reaction;
  int num_stages = 0, num_unit_steps = 0;

private:
  Values state_of(const Vector &v) { return get_vector(device(), v); }

  std::int64_t size_;
  std::function<Values(double, const Values &)> rate_;
};

} // namespace weft::test
