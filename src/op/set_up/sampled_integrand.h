// The linearised integrand over cells at some points of a mesh, as matrices.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "op/evaluate/point_values.h"
#include "op/problem/discretisation.h"

namespace weft {

// Rows and columns of a field: of its value's components first, then of its gradient's,
// [component, direction], and with these of its second derivatives where the integrand has any.
struct IntegrandBlock {
  int value = 0;    // first of the value's
  int gradient = 0; // first of the gradient's
  int end = 0;
};
// [field]
std::vector<IntegrandBlock> integrand_blocks(const Form &form);

// The linearised integrand over cells, dt(u) being shift * u; none where the form has no such
// integrals as text. Outputs: rows as above.
std::optional<PointwiseFunction> cell_integrand(const Form &form);

// An entry of the increment: a component of a field's value, of its gradient or second derivatives.
struct IncrementEntry {
  SymbolKind kind = SymbolKind::direction; // or direction_gradient, direction_hessian
  int field = 0, component = 0, direction = 0;
};
// [row, point of the batch]: the integrand for that entry 1 and all others 0. A shift of 1 is what
// a step in time of length 1 has.
std::vector<std::vector<double>> integrand_for(const PointwiseFunction &linearised,
                                               const IncrementEntry &entry, PointBatch &batch,
                                               const PointInputs &inputs, double shift = 1);

// [point]: the increment's value and gradient to what the test functions' are multiplied with, at
// some points of all cell sets, at the state [dof] given. Empty where there is no cell_integrand().
std::vector<Eigen::MatrixXd> sampled_integrand(const Discretisation &d,
                                               const std::vector<double> &state, double shift = 1);

// A cell that a matrix of sampled_integrand() is of.
struct SampledCell {
  int set = 0;
  std::int32_t cell = 0;
};
// [point]: parallel to the matrices of sampled_integrand(), where there are any.
std::vector<SampledCell> sampled_cells(const Discretisation &d);

// To rounding; false where an entry is not finite.
bool is_symmetric(const Eigen::MatrixXd &matrix);
// The symmetric part has no negative eigenvalue but for rounding, scaled so that fields of
// different units weigh alike; false where an entry is not finite.
bool is_semidefinite(const Eigen::MatrixXd &matrix);

} // namespace weft
