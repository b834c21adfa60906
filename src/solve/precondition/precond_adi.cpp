#include "solve/precondition/precond_adi.h"

#include "base/error.h"
#include "solve/precondition/entries_of.h"
#include "solve/precondition/name_of_dof.h"

namespace weft {

PrecondAdi::PrecondAdi(const SolverSettings &settings)
    : PrecondWithSetup(settings.adi.reuse), grid_(settings.adi.grid), fields_(settings.fields) {
  if (grid_.unknowns.empty())
    throw Error(ErrorKind::input,
                {.what = "the preconditioner adi goes along the lines of a tensor-product grid",
                 .where = "[solver] preconditioner",
                 .found = "nodes that are not those of such a grid, or several fields",
                 .allowed = "one field of order 1, or finite volumes, on a box",
                 .remedy = "choose preconditioner = \"ilu\""});
}

void PrecondAdi::set_up(LinearOperator &op) {
  const HostMatrix matrix = finite_entries_of(op, "the preconditioner adi");
  directions_.reset(); // its memory serves the next ones
  directions_ = std::make_unique<AlternatingDirections>(
      op.device(), matrix, grid_, op.precision(),
      [&](std::int64_t dof) { return name_of_dof(dof, fields_); });
}

const Vector &PrecondAdi::apply(const Vector &r, Vector &z, Vector &) {
  directions_->apply(r, z);
  return z;
}

} // namespace weft
