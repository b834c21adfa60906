#include "run/adjoint/estimate_errors.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "op/adjoint/adjoint_problem.h"
#include "op/adjoint/error_density.h"
#include "op/evaluate/loads.h"

namespace weft {

namespace {

std::vector<double> with_prescribed(const Discretisation &d, std::vector<double> state) {
  for (std::size_t i = 0; i < d.constraints.dofs.size(); ++i)
    state[d.constraints.dofs[i]] = d.constraints.values[i];
  return state;
}

std::vector<double> difference(std::vector<double> a, const std::vector<double> &b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] -= b[i];
  return a;
}

std::vector<double> half_way(std::vector<double> a, const std::vector<double> &b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = 0.5 * (a[i] + b[i]);
  return a;
}

bool functionals_are_linear(const Case &c, const Discretisation &d) {
  return std::all_of(c.functionals.begin(), c.functionals.end(), [&](const FunctionalSpec &spec) {
    return !spec.error || spec.kind == FunctionalKind::reaction || is_linear_in_fields(c, d, spec);
  });
}

// [dof]: F(u), as if nothing were prescribed.
std::vector<double> residual_of(const Discretisation &d, const std::vector<double> &state) {
  std::vector<IntegralFunction> functions;
  for (const FormIntegral &integral : d.form.integrals)
    functions.push_back({integral.domain, integral.residual});
  return load_of_fields(
      d, functions, {.state = &state, .cell_table = &d.cell_table, .facet_table = &d.facet_table});
}

} // namespace

ErrorEstimator::ErrorEstimator(const Simulation &s) : space_(s) {
  const Case &c = space_.problem();
  Discretisation d = space_.make_discretisation();
  const std::vector<double> state = space_.interpolate(d, s.state);
  OpenConstants constants(s, c, d, state);
  const auto set_adjoint = [&](const std::vector<double> &linearised_at) {
    adjoint_ = std::make_unique<SpaceAdjoint>(s, c, std::move(d), std::move(constants), state,
                                              linearised_at);
  };
  if (d.form.linear && functionals_are_linear(c, d)) {
    set_adjoint(state);
    return;
  }
  const std::vector<double> prescribed = with_prescribed(d, state);
  const std::vector<double> residual = residual_of(d, prescribed);
  // Half way to where a step of Newton's method leads.
  const auto middle = [&](LinearisedSolver &solver, const OpenConstants &open) {
    std::vector<double> next = difference(prescribed, solver.solve(residual));
    open.match_means(next, state);
    return half_way(state, next);
  };
  if (d.form.linear && d.form.symmetric) { // one operator is all
    set_adjoint(state);
    adjoint_->middle = middle(adjoint_->solver, adjoint_->constants);
    return;
  }
  std::vector<double> linearised_at;
  {
    LinearisedSolver jacobian(s, c, d, prescribed, LinearisedSolver::Which::jacobian);
    linearised_at = middle(jacobian, constants);
  }
  set_adjoint(linearised_at);
}

EstimatedError ErrorEstimator::estimate(const SolvedFunctional &functional) {
  const Discretisation &d = adjoint_->d;
  SolvedFunctional here = functional;
  for (FunctionalPlace &place : here.places)
    place = space_.place(place);
  EstimatedError result{.functional = functional.spec.name};
  WeightedResidual weighted{.state = adjoint_->state,
                            .prescribed = with_prescribed(d, adjoint_->state)};
  const std::vector<double> missing = difference(weighted.prescribed, weighted.state);
  const auto of_missing = [&](int k) {
    const std::vector<double> derivative = adjoint_->derivative(here, k);
    return std::inner_product(derivative.begin(), derivative.end(), missing.begin(), 0.);
  };
  for (int k = 0; k < static_cast<int>(here.values.size()); ++k) {
    weighted.dual = adjoint_->solution(here, k);
    weighted.remainder =
        difference(weighted.dual, space_.interpolate(d, space_.back(d, weighted.dual)));
    const ErrorDensity found = error_density(adjoint_->d, weighted);
    double error = found.residual - here.values[k];
    if (!here.is_reaction())
      error += of_missing(k) +
               value_at_places(adjoint_->c, d, here.spec, k, here.places, adjoint_->state);
    result.errors.push_back(error);
    const std::vector<double> density = space_.density(found);
    result.density.resize(density.size(), 0.);
    for (std::size_t cell = 0; cell < density.size(); ++cell)
      result.density[cell] += density[cell];
  }
  return result;
}

} // namespace weft
