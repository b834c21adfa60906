#include "run/model/solver_choice.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "base/names.h"
#include "form/law/law_slopes.h"
#include "run/settings/case_solver_settings.h"
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

// The matrix of a law is for its preconditioner alone, and has the entries of cells that meet.
void check_preconditioner(const SolverSpec &s, const ConservationLaw &law) {
  const auto refuse = [&](const std::string &what, const std::string &found,
                          const std::string &allowed) {
    throw Error(ErrorKind::unsupported, {.what = what,
                                         .where = "[solver] preconditioner",
                                         .found = found,
                                         .allowed = allowed,
                                         .remedy = "write preconditioner = \"jacobi\""});
  };
  if (needs_matrix(s) && law.fields.front().order > 0)
    refuse("a preconditioner of implicit steps that needs a matrix, above order 0",
           fmt::format("{} with element = \"{}\"", s.preconditioner, law.fields.front().element()),
           "none, jacobi, chebyshev; with element = \"FV\" or \"DG0\" multigrid and hypre too");
  const bool nested = s.preconditioner == "multigrid" && s.coarsening == "nested";
  if (nested || s.preconditioner == "low_precision" || s.method == "defect_correction")
    refuse("a solver in low precision or on nested meshes, of a conservation law",
           nested                            ? "coarsening = \"nested\""
           : s.method == "defect_correction" ? "method = \"defect_correction\""
                                             : "low_precision",
           "cg, bicgstab, gmres with none, jacobi, chebyshev, multigrid by aggregation, hypre");
}

} // namespace

SolverRecord choose_solver_of_law(Case &c, const ConservationLaw &law) {
  SolverSpec &s = c.solver;
  check_preconditioner(s, law);
  SolverRecord record{.op = "matrix_free"};
  record.chosen = s.method.empty() || s.preconditioner.empty();
  if (s.method.empty())
    s.method = law_slopes(law).symmetric ? "cg" : "gmres";
  if (s.preconditioner.empty())
    s.preconditioner = "jacobi";
  if (s.op.empty())
    s.op = needs_matrix(s) ? "assembled" : "matrix_free";
  record.method = s.method;
  record.preconditioner = s.preconditioner;
  record.precision = precision_text(make_solver_settings(s));
  return record;
}

void check_solver(SolverSpec s) {
  if (s.op.empty())
    s.op = needs_matrix(s) ? "assembled" : "matrix_free";
  make_solver_settings(s);
}

SolverRecord choose_solver_of_form(Case &c, const Discretisation &d) {
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
    s.preconditioner = safe && d.num_global >= multigrid_from_dofs ? "multigrid" : "jacobi";
  if (s.op.empty())
    s.op = needs_matrix(s) ? "assembled" : "matrix_free";
  record.op = s.op;
  record.method = s.method;
  record.preconditioner = inner ? s.inner.method : s.preconditioner;
  record.precision = precision_text(make_solver_settings(s));
  return record;
}

} // namespace weft
