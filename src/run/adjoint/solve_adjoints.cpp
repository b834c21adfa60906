#include "run/adjoint/solve_adjoints.h"

#include <memory>
#include <utility>

#include "base/error.h"
#include "op/adjoint/check_adjoint.h"
#include "run/adjoint/estimate_errors.h"
#include "run/adjoint/gradients.h"
#include "run/phase.h"

namespace weft {

namespace {

void refuse_open_motions(const Simulation &s) {
  if (!s.null_space.empty())
    throw Error(ErrorKind::unsupported,
                {.what = "an error estimate or a gradient of a problem that its equations do not "
                         "determine",
                 .where = s.c.file,
                 .found = "open: " + name_of(s.discretisation, s.null_space.motions.front()),
                 .allowed = "problems with one solution",
                 .remedy = "prescribe a value of the field, at a point for example, or leave error "
                           "and gradient out"});
}

} // namespace

AdjointResults solve_adjoints(Simulation &s) {
  AdjointResults results;
  const bool errors = asks_for_errors(s.c), gradients = asks_for_gradients(s.c);
  if (!errors && !gradients)
    return results;
  refuse_open_motions(s);
  const Phase phase("adjoint problem");
  StageTimer timer(s.timings, "adjoint");
  std::unique_ptr<SpaceAdjoint> enriched, own;
  if (errors)
    enriched = make_enriched_adjoint(s);
  if (gradients)
    own = make_adjoint(s);
  for (const FunctionalSpec &spec : s.c.functionals) {
    if (!spec.error && spec.gradient.empty())
      continue;
    const SolvedFunctional functional = solved_functional(s, spec);
    if (spec.error)
      results.errors.push_back(estimate_error(s, *enriched, functional));
    if (spec.gradient.empty())
      continue;
    for (FunctionalGradient &gradient : gradients_of(*own, functional))
      results.gradients.push_back(std::move(gradient));
  }
  return results;
}

} // namespace weft
