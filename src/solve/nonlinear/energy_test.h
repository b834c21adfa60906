// Whether a step leads down the energy whose derivative a residual is.
#pragma once

#include "linalg/operator.h"
#include "linalg/vector_kernels.h"

namespace weft {

// Where F' is symmetric at every state F is the derivative of an energy. From u to u - factor s it
// changes by minus the integral of F . s along the way, here by Simpson's rule, for which F is
// computed half way. The test is that of Armijo (Nocedal and Wright 2006, "Numerical Optimization",
// section 3.1, DOI 10.1007/978-0-387-40065-5): the fall is at least a small share of what F(u) . s
// promises. Not passed by steps that do not lead down at u, of matrices that are not positive
// definite, nor where F is not finite half way.
struct EnergyStep {
  const Vector &u, &step;
  double factor;
  const Vector &residual; // F(u)
  const Vector &after;    // F(u - factor s)
};
// `half_way`: scratch for a state and a residual.
bool energy_falls(NonlinearOperator &op, VectorKernels &kernels, const EnergyStep &step,
                  Vector &half_way, Vector &half_way_residual);

} // namespace weft
