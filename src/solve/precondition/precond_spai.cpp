#include "solve/precondition/precond_spai.h"

#include "base/log.h"
#include "linalg/sub_matrix.h"
#include "solve/approximate/sparse_inverse.h"
#include "solve/precondition/entries_of.h"

namespace weft {

void PrecondSpai::set_up(LinearOperator &op) {
  const HostMatrix made =
      sparse_approximate_inverse(finite_entries_of(op, "the preconditioner spai"), op.symmetric());
  inverse_.reset(); // its memory serves the next one
  inverse_ = upload_matrix(op.device(), made, op.precision(), op.symmetric());
  log::debug("spai: {} entries", made.values.size());
}

const Vector &PrecondSpai::apply(const Vector &r, Vector &z, Vector &) {
  inverse_->apply(r, z);
  return z;
}

} // namespace weft
