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

std::unique_ptr<SpaceAdjoint> make_enriched_adjoint(const Simulation &s) {
  Case c = enriched_case(s.c);
  Discretisation d = make_enriched(c, s.mesh);
  const std::vector<double> state = interpolate(s.discretisation, d, s.state);
  OpenConstants constants(s, c, d, state);
  const auto make = [&](const std::vector<double> &linearised_at) {
    return std::make_unique<SpaceAdjoint>(s, std::move(c), std::move(d), std::move(constants),
                                          state, linearised_at);
  };
  if (d.form.linear && functionals_are_linear(c, d))
    return make(state);
  const std::vector<double> prescribed = with_prescribed(d, state);
  const std::vector<double> residual = residual_of(d, prescribed);
  // Half way to where a step of Newton's method leads.
  const auto middle = [&](LinearisedSolver &solver, const OpenConstants &open) {
    std::vector<double> next = difference(prescribed, solver.solve(residual));
    open.match_means(next, state);
    return half_way(state, next);
  };
  if (d.form.linear && d.form.symmetric) { // one operator is all
    std::unique_ptr<SpaceAdjoint> adjoint = make(state);
    adjoint->middle = middle(adjoint->solver, adjoint->constants);
    return adjoint;
  }
  const auto jacobian =
      std::make_unique<LinearisedSolver>(s, c, d, prescribed, LinearisedSolver::Which::jacobian);
  return make(middle(*jacobian, constants));
}

EstimatedError estimate_error(const Simulation &s, SpaceAdjoint &enriched,
                              const SolvedFunctional &functional) {
  EstimatedError result{.functional = functional.spec.name};
  WeightedResidual weighted{.state = enriched.state,
                            .prescribed = with_prescribed(enriched.d, enriched.state)};
  const std::vector<double> missing = difference(weighted.prescribed, weighted.state);
  const auto of_missing = [&](int k) {
    const std::vector<double> derivative = enriched.derivative(functional, k);
    return std::inner_product(derivative.begin(), derivative.end(), missing.begin(), 0.);
  };
  for (int k = 0; k < static_cast<int>(functional.values.size()); ++k) {
    weighted.dual = enriched.solution(functional, k);
    const std::vector<double> coarse = interpolate(enriched.d, s.discretisation, weighted.dual);
    weighted.remainder =
        difference(weighted.dual, interpolate(s.discretisation, enriched.d, coarse));
    ErrorDensity density = error_density(enriched.d, weighted);
    double error = density.residual - functional.values[k];
    if (!functional.is_reaction())
      error += of_missing(k) + value_at_places(enriched.c, enriched.d, functional.spec, k,
                                               functional.places, enriched.state);
    result.errors.push_back(error);
    result.density.resize(density.density.size(), 0.);
    for (std::size_t cell = 0; cell < density.density.size(); ++cell)
      result.density[cell] += density.density[cell];
  }
  return result;
}

} // namespace weft
