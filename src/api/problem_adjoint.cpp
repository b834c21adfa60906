// Errors and gradients of a problem's functionals, by adjoint problems.
#include <algorithm>
#include <fmt/format.h>

#include "api/problem_parts.h"
#include "base/error.h"
#include "op/adjoint/check_adjoint.h"
#include "run/adjoint/solve_adjoints.h"

namespace weft {

namespace {

// The functionals of a case as it is, whatever they were asked meanwhile.
class AskedOfFunctionals {
public:
  explicit AskedOfFunctionals(Case &c) : c_(c), before_(c.functionals) {
    for (FunctionalSpec &spec : c_.functionals) {
      spec.error = false;
      spec.gradient.clear();
    }
  }
  ~AskedOfFunctionals() { c_.functionals = std::move(before_); }
  AskedOfFunctionals(const AskedOfFunctionals &) = delete;
  AskedOfFunctionals &operator=(const AskedOfFunctionals &) = delete;

private:
  Case &c_;
  std::vector<FunctionalSpec> before_;
};

FunctionalSpec &spec_of(Case &c, const FunctionalSpec &found) {
  return *std::find_if(c.functionals.begin(), c.functionals.end(),
                       [&](const FunctionalSpec &spec) { return spec.name == found.name; });
}

// Error (input): nothing was solved, whose derivative or error could be found.
AdjointResults solve_asked(Simulation &s) {
  if (!s.has_result || !s.solver.converged || s.state_is_given)
    throw Error(ErrorKind::input,
                {.what = "errors and gradients of functionals are those of a solution",
                 .where = s.c.file,
                 .found = !s.has_result || s.state_is_given ? "a state that was not solved for"
                                                            : "a solve that did not converge",
                 .remedy = "call solve() first"});
  check_adjoint(s.c, s.discretisation);
  return solve_adjoints(s);
}

} // namespace

std::vector<double> Problem::error_estimate(const std::string &functional) {
  Simulation &s = *parts_->simulation;
  const FunctionalSpec found = parts_->functional(functional);
  const AskedOfFunctionals asked(s.c);
  spec_of(s.c, found).error = true;
  return solve_asked(s).errors.front().errors;
}

std::vector<std::vector<double>> Problem::gradient(const std::string &functional,
                                                   const std::vector<std::string> &parameters) {
  Simulation &s = *parts_->simulation;
  const FunctionalSpec found = parts_->functional(functional);
  const AskedOfFunctionals asked(s.c);
  FunctionalSpec &spec = spec_of(s.c, found);
  for (const std::string &name : parameters)
    spec.gradient.push_back({.text = name, .file = {}, .line = 0, .key = "gradient()"});
  std::vector<std::vector<double>> gradients;
  if (parameters.empty())
    return gradients;
  for (const FunctionalGradient &gradient : solve_asked(s).gradients)
    gradients.push_back(gradient.values);
  return gradients;
}

} // namespace weft
