#include "solve/time/ars_stepper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "op/set_up/explicit_terms.h"
#include "op/weak_form/form_operator.h"
#include "support/stepped_problem.h"

namespace weft {
namespace {

using TableauRows = std::vector<std::vector<double>>;

// Both parts of a scheme with the start of the step as their first stage.
struct TableauPair {
  TableauRows implicit, explicit_part;
  std::vector<double> c;

  explicit TableauPair(const ArsTableau &t) : c({0}) {
    const std::size_t n = t.a.size() + 1;
    implicit = explicit_part = TableauRows(n, std::vector<double>(n, 0));
    for (std::size_t i = 0; i + 1 < n; ++i) {
      c.push_back(t.c[i]);
      std::copy(t.a[i].begin(), t.a[i].end(), implicit[i + 1].begin() + 1);
      std::copy(t.explicit_a[i].begin(), t.explicit_a[i].end(), explicit_part[i + 1].begin());
    }
  }
};

double weighted_sum(const std::vector<double> &a, const std::vector<double> &b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}

// Conditions of additive schemes whose parts share the times of their stages (Kennedy and Carpenter
// 2003, section 2.1, doi:10.1016/S0168-9274(02)00138-1).
TEST(ArsTableau, FulfilsTheConditionsOfItsOrder) {
  for (const TimeScheme scheme : {TimeScheme::ars2, TimeScheme::ars3}) {
    const TableauPair pair(make_ars(scheme));
    std::vector<double> squares;
    for (const double c : pair.c)
      squares.push_back(c * c);
    for (const TableauRows *of_weights : {&pair.implicit, &pair.explicit_part}) {
      const std::vector<double> &weights = of_weights->back();
      for (std::size_t i = 0; i < pair.c.size(); ++i)
        EXPECT_NEAR(weighted_sum((*of_weights)[i], std::vector<double>(pair.c.size(), 1)),
                    pair.c[i], 1e-14);
      EXPECT_NEAR(weighted_sum(weights, pair.c), 1. / 2, 1e-14);
      if (scheme == TimeScheme::ars2)
        continue;
      EXPECT_NEAR(weighted_sum(weights, squares), 1. / 3, 1e-14);
      for (const TableauRows *a : {&pair.implicit, &pair.explicit_part}) {
        std::vector<double> ac;
        for (const std::vector<double> &row : *a)
          ac.push_back(weighted_sum(row, pair.c));
        EXPECT_NEAR(weighted_sum(weights, ac), 1. / 6, 1e-14);
      }
    }
  }
}

// u' + u + u^2/4 = 0, the same everywhere, with u^2/4 taken explicitly.
struct ExplicitDecay : test::SteppedProblem {
  Case terms = case_of_explicit_terms(problem.c);
  Discretisation of_terms = discretise_explicit_terms(terms, problem.d);
  FormOperator op, terms_op;

  ExplicitDecay()
      : SteppedProblem("[mesh]\nbox = { cells = [2, 2], cell = \"triangle\" }\n"
                       "[time]\nend = 1\nstep = 1\n[fields]\nu = { element = \"P2\" }\n"
                       "[weak_form]\ncells.all = \"(dt(u) + u)*test(u)\"\n"
                       "explicit.cells.all = \"u^2/4*test(u)\"\n[initial]\nu = 2\n"),
        op(test::device(), problem.d, {}), terms_op(test::device(), of_terms, {}) {}

  double after(const TimeSettings &settings) {
    const TimeState state = run(settings, {.tolerance = 1e-13});
    EXPECT_TRUE(report.converged) << report.reason;
    for (const double value : state.states[0])
      EXPECT_NEAR(value, state.states[0][0], 1e-11);
    return state.states[0][0];
  }

private:
  NonlinearOperator &system() override { return op; }
  std::function<void(double, const Vector &, Vector &)> explicit_terms() override {
    return [this](double, const Vector &u, Vector &g) { terms_op.residual(u, g); };
  }
};

double quarter_square(double u) {
  return u * u / 4;
}

double ars_step(const ArsTableau &t, double u, double h) {
  std::vector<double> stages, explicit_parts = {quarter_square(u)};
  for (std::size_t i = 0; i < t.a.size(); ++i) {
    double sum = u - h * t.explicit_a[i][0] * explicit_parts[0];
    for (std::size_t j = 0; j < i; ++j)
      sum -= h * (t.a[i][j] * stages[j] + t.explicit_a[i][j + 1] * explicit_parts[j + 1]);
    stages.push_back(sum / (1 + h * t.a[i][i]));
    explicit_parts.push_back(quarter_square(stages.back()));
  }
  return stages.back();
}

TEST(ExplicitTerms, SchemesByHand) {
  ExplicitDecay decay;
  const auto after = [&](TimeScheme scheme, double theta) { // steps of 0.1 and 0.15
    return decay.after({.scheme = scheme, .theta = theta, .step = 0.15, .stops = {0.1, 0.25}});
  };
  const double g0 = quarter_square(2), u1 = (2 - 0.1 * g0) / 1.1, g1 = quarter_square(u1), w = 1.5;
  EXPECT_NEAR(after(TimeScheme::theta, 1), (u1 - 0.15 * g1) / 1.15, 1e-11);
  const double m1 = (2 * 0.95 - 0.1 * g0) / 1.05, of_m1 = quarter_square(m1);
  EXPECT_NEAR(after(TimeScheme::theta, 0.5),
              (m1 * 0.925 - 0.15 * ((1 + w / 2) * of_m1 - w / 2 * g0)) / 1.075, 1e-11);
  const double known = ((1 + w) * u1 - w * w / (1 + w) * 2) - 0.15 * ((1 + w) * g1 - w * g0);
  EXPECT_NEAR(after(TimeScheme::bdf2, 0), known / ((1 + 2 * w) / (1 + w) + 0.15), 1e-11);
  for (const TimeScheme scheme : {TimeScheme::ars2, TimeScheme::ars3}) {
    const ArsTableau t = make_ars(scheme);
    EXPECT_NEAR(after(scheme, 0), ars_step(t, ars_step(t, 2, 0.1), 0.15), 1e-11);
  }
}

TEST(ExplicitTerms, AdaptiveStepsKeepTheTolerance) {
  ExplicitDecay decay;
  // 1/u + 1/4 = (1/u_0 + 1/4) exp(t)
  const double exact = 1 / ((0.5 + 0.25) * std::exp(1.0) - 0.25);
  for (const auto &[scheme, theta] : {std::pair{TimeScheme::bdf2, 0.0},
                                      {TimeScheme::theta, 0.5},
                                      {TimeScheme::theta, 1.0},
                                      {TimeScheme::ars2, 0.0},
                                      {TimeScheme::ars3, 0.0}})
    for (const double tolerance : {1e-3, 1e-4})
      EXPECT_NEAR(decay.after({.scheme = scheme,
                               .theta = theta,
                               .step = 0.1,
                               .tolerance = tolerance,
                               .stops = {1}}),
                  exact, 10 * tolerance * 2);
}

} // namespace
} // namespace weft
