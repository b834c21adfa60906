#include "run/adjoint/solve_adjoints.h"

#include <memory>
#include <optional>
#include <utility>

#include "op/adjoint/check_adjoint.h"
#include "run/adjoint/estimate_errors.h"
#include "run/adjoint/gradients.h"
#include "run/phase.h"

namespace weft {

AdjointResults solve_adjoints(Simulation &s) {
  AdjointResults results;
  const bool errors = asks_for_errors(s.c), gradients = asks_for_gradients(s.c);
  if (!errors && !gradients)
    return results;
  const Phase phase("adjoint problem");
  StageTimer timer(s.timings, "adjoint");
  std::optional<ErrorEstimator> estimator;
  std::unique_ptr<SpaceAdjoint> own;
  if (errors)
    estimator.emplace(s);
  if (gradients)
    own = make_adjoint(s);
  for (const FunctionalSpec &spec : s.c.functionals) {
    if (!spec.error && spec.gradient.empty())
      continue;
    const SolvedFunctional functional = solved_functional(s, spec);
    if (spec.error)
      results.errors.push_back(estimator->estimate(functional));
    if (spec.gradient.empty())
      continue;
    for (FunctionalGradient &gradient : gradients_of(*own, functional))
      results.gradients.push_back(std::move(gradient));
  }
  return results;
}

} // namespace weft
