#include "solve/precondition/precond_ilu.h"

#include "solve/approximate/incomplete_factors.h"
#include "solve/precondition/entries_of.h"
#include "solve/precondition/name_of_dof.h"

namespace weft {

PrecondIlu::PrecondIlu(const IluSettings &settings, const std::vector<FieldDofs> &fields)
    : PrecondWithSetup(settings.reuse), settings_(settings), fields_(fields) {}

void PrecondIlu::set_up(LinearOperator &op) {
  const HostMatrix matrix = finite_entries_of(op, "the preconditioner ilu");
  factors_.reset(); // its memory serves the next ones
  factors_ = make_incomplete_factors(
      op.device(), matrix,
      {.level = settings_.level,
       .symmetric = op.symmetric(),
       .precision = op.precision(),
       .name_of_unknown = [&](std::int64_t dof) { return name_of_dof(dof, fields_); }});
}

const Vector &PrecondIlu::apply(const Vector &r, Vector &z, Vector &) {
  factors_->solve(r, z);
  return z;
}

} // namespace weft
