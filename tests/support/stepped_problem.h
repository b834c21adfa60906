// A transient problem with its operator, stepped with different settings.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "form/weak_form/rates.h"
#include "linalg/operator.h"
#include "op/evaluate/field_values.h"
#include "op/set_up/make_discretisation.h"
#include "solve/time/implicit_stepper.h"
#include "support/discrete_problem.h"
#include "support/solve_support.h"

namespace weft::test {

class SteppedProblem {
public:
  explicit SteppedProblem(const std::string &text) : problem(text) {}
  virtual ~SteppedProblem() = default;

  // From the case's initial state, or where `resume` ended, to the last stop.
  TimeState run(const TimeSettings &settings, const SolverSettings &solver = {},
                const TimeState *resume = nullptr, std::int64_t most_steps = 1000000) {
    const auto move_to = [&](double time) {
      set_time(problem.c, problem.d, time);
      system().set_time(time);
    };
    const Discretisation &d = problem.d;
    const std::unique_ptr<ImplicitStepper> made = make_implicit_stepper(
        {.op = system(),
         .move_to = move_to,
         .field_offset = d.field_offset,
         .time_orders = d.law ? std::vector<int>(d.form.fields.size(), 1) : time_orders(d.form),
         .prescribed_values_move = d.constraints.depend_on_time,
         .initial_rate = initial_rate(problem.c, d),
         .explicit_terms = explicit_terms()},
        solver, settings);
    ImplicitStepper &stepper = *made;
    set_time(problem.c, problem.d, settings.start);
    if (resume)
      stepper.resume(*resume);
    else
      stepper.start(initial_state(problem.c, problem.d));
    while (!stepper.finished() && stepper.state().num_steps < most_steps) {
      report = stepper.step();
      if (!report.converged)
        break;
      if (stepper.at_stop())
        stops_met.push_back(stepper.time());
      lengths.push_back(stepper.state().steps.front());
    }
    EXPECT_EQ(problem.d.time, stepper.time());
    return stepper.state();
  }

  // Largest difference from a function of position and time, at the nodes.
  double error(const TimeState &state, double (*exact)(double x, double y, double t)) const {
    const std::vector<double> &x = problem.d.maps[0].coordinates;
    double largest = 0;
    for (std::size_t i = 0; i < state.states[0].size(); ++i)
      largest = std::max(largest,
                         std::abs(state.states[0][i] - exact(x[2 * i], x[2 * i + 1], state.time)));
    return largest;
  }

  DiscreteProblem problem;
  SolveReport report;                     // of the last step
  std::vector<double> stops_met, lengths; // of all runs

private:
  virtual NonlinearOperator &system() = 0;
  // Of SteppedSystem.
  virtual std::function<void(double time, const Vector &u, Vector &g)> explicit_terms() {
    return {};
  }
};

} // namespace weft::test
