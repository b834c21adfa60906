// What is left of the error of a functional, cell by cell.
#pragma once

#include <vector>

#include "op/problem/discretisation.h"

namespace weft {

// A state, and a solution of the adjoint problem, in the space of the next order.
struct WeightedResidual {
  std::vector<double> state; // [dof]: of the lower order, interpolated
  // [dof]: the same with the prescribed values of the higher order.
  std::vector<double> prescribed;
  std::vector<double> dual; // [dof]
  // [dof]: the dual without its interpolation of the lower order.
  std::vector<double> remainder;
};

struct ErrorDensity {
  double residual = 0; // -F(prescribed) tested with the dual
  // [(set, cell)]: estimated error by unit of volume, positive. The residual is weighted with the
  // dual's remainder times the hat function of each vertex (Richter and Wick 2015, DOI
  // 10.1016/j.cam.2014.11.008), which needs no second derivatives and no jumps; the size of what a
  // vertex has is spread evenly over its cells. What prescribed values lack is weighted with the
  // whole dual.
  std::vector<double> density;
  std::vector<double> volume; // [(set, cell)]
};

// `d` gets a map of order 1, where it has none.
ErrorDensity error_density(Discretisation &d, const WeightedResidual &weighted);

} // namespace weft
