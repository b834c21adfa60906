#include "app/solver_choice.h"

#include <algorithm>

#include "base/names.h"
#include "solve/settings.h"

namespace weft {

namespace {

// By way of a matrix: not forms in C text, whose entries are not known, and not those over interior
// facets, which no operator has.
bool can_be_assembled(const Form &form) {
  return form.c_text.empty() && std::none_of(form.integrals.begin(), form.integrals.end(),
                                             [](const FormIntegral &integral) {
                                               return integral.domain == Domain::interior;
                                             });
}

// Systems of several fields are saddle points as often as not, and what is not symmetric may be
// governed by its first derivatives: for those aggregation is no choice to make unasked.
bool multigrid_is_safe(const SolverSpec &s, const Form &form) {
  return s.op != "matrix_free" && form.fields.size() == 1 && form.symmetric &&
         can_be_assembled(form);
}

// "f16", "f32, f16": of what works in a low precision.
std::string precision_text(const SolverSettings &settings) {
  if (settings.preconditioner == PrecondKind::low_precision)
    return to_string(settings.inner.precision);
  if (settings.preconditioner != PrecondKind::multigrid)
    return {};
  std::vector<std::string> names;
  for (const Precision precision : settings.multigrid.precisions)
    names.push_back(to_string(precision));
  return join_names(names);
}

} // namespace

void check_solver(SolverSpec s) {
  if (s.op.empty())
    s.op = needs_matrix(s) ? "assembled" : "matrix_free";
  make_solver_settings(s);
}

SolverRecord choose_solver(Case &c, const Discretisation &d) {
  if (d.law)
    return {};
  SolverSpec &s = c.solver;
  SolverRecord record;
  record.chosen = s.method.empty() || s.preconditioner.empty() || s.op.empty();
  const bool safe = multigrid_is_safe(s, d.form);
  if (s.method.empty())
    s.method = d.form.symmetric ? "cg" : "gmres";
  const bool inner = s.method == "defect_correction" && s.preconditioner.empty();
  if (inner && s.inner.method.empty())
    s.inner.method = safe ? "multigrid" : "chebyshev";
  if (s.preconditioner.empty() && !inner)
    s.preconditioner = safe && d.num_dofs >= multigrid_from_dofs ? "multigrid" : "jacobi";
  if (s.op.empty())
    s.op = needs_matrix(s) ? "assembled" : "matrix_free";
  record.op = s.op;
  record.method = s.method;
  record.preconditioner = inner ? s.inner.method : s.preconditioner;
  record.precision = precision_text(make_solver_settings(s));
  return record;
}

} // namespace weft
