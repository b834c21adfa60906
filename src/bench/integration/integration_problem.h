// The problems of Banas, Kruzel and Bielanski, "Finite element numerical integration for first
// order approximations on multi-core architectures": its sizes and counts, and the same integrals
// as Weft has them.
#pragma once

#include <array>
#include <string>

#include "kernel/matrix/matrix_kernel.h"
#include "mesh/mesh.h"
#include "op/problem/discretisation.h"

namespace weft {

// Linear elements on tetrahedra (geometrically linear) with 4 points, or prisms with 6:
//   poisson: grad u . grad v = f v, f other at every point: a polynomial in the coordinates whose
//     N_Q coefficients are known in each cell, as many numbers as the paper reads of it
//   conv_diff: all coefficients that a scalar problem has, 4 x 4 of the matrix (derivatives and
//     values of u and v) and 4 of the vector, constant in a cell: a known field of order 0
struct IntegrationProblem {
  std::string form; // "poisson" or "conv_diff"
  CellType cell = CellType::tetrahedron;

  int num_shapes() const { return cell == CellType::prism ? 6 : 4; } // N_S
  int num_points() const { return num_shapes(); }                    // N_Q
};
// In the order of the paper's columns.
const std::array<IntegrationProblem, 4> &integration_problems();
// The paper's order of rows.
inline constexpr std::array paper_loop_orders = {LoopOrder::qss, LoopOrder::sqs, LoopOrder::ssq};

// Table 3, in reals.
struct IntegrationSizes {
  int reference = 0;    // integration data of the reference cell
  int geometry = 0;     // coordinates
  int coefficients = 0; // sent as input
  int matrix = 0;
  int vector = 0;
  int point_coefficients = 0; // QSS, a point
  int point_shapes = 0;       // shape functions and derivatives
  int point_total = 0;        // with matrix and vector
  int all_coefficients = 0;   // QSS, all points
  int all_shapes = 0;
  int all_total = 0;
  int ssq_coefficients = 0; // SSQ, all points
  int ssq_shapes = 0;
  int ssq_total = 0; // with one entry of matrix and vector
};
IntegrationSizes paper_sizes(const IntegrationProblem &problem);

// Table 4, of a cell: reals read from and written to global memory, floating-point operations. The
// paper prints the operations as results of estimates; there is no formula for them.
int paper_accesses(const IntegrationProblem &problem);
int paper_operations(const IntegrationProblem &problem, LoopOrder order);

// Table 4: accesses to shared memory of order QSS beside those that copy from and to global memory,
// with one array in it: geometry, coefficients, shape functions, or matrix and vector.
inline constexpr std::array shared_arrays = {LocalArray::geometry, LocalArray::coefficients,
                                             LocalArray::shape, LocalArray::matrix};
int paper_shared_accesses(const IntegrationProblem &problem, LocalArray array);

// Table 5: operations for each number of 8 bytes from which on arithmetic limits and not bandwidth.
double limiting_intensity(double gflops, double gbps);

// Of a distorted box.
Mesh integration_mesh(CellType cell, double num_cells);
// `mesh` must outlive it.
Discretisation integration_discretisation(const IntegrationProblem &problem, const Mesh &mesh);

} // namespace weft
