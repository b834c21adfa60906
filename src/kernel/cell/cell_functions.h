// The functions a kernel file calls on one lane group of cells (or facets): printed for one
// integral.
//
//   struct weft_cell         nodal data, parameters and geometry of a lane group
//   weft_prepare_cell(c)     what is constant in a cell: geometry, gradients of linear functions;
//                            clears the sums of fluxes
//   weft_point(c, q, f)      fields at a point, physics, weights: f = entries of the integrand
//   weft_test_add(c, q, f, r)  r[row] += test function at the point times f
//   weft_lines_open(c), ...  in place of the last one and the next: see line_sums.h, plane_sums.h
//   weft_test_finish(c, r)   after all points: constant gradients of test functions times the sums
//                            of fluxes that weft_test_add left in the cell
//   weft_test_row(q, row, f), weft_store_component(k, f, to)  for one row, one component chosen at
//                            run time (thread transposition; printed if `with_rows`)
//
// Geometry, with J = dx/dxi, K = cofactors of J (J^-1 = K^T-ordered / det J, K[e][d] = det *
// dxi_e/dx_d):
//   on the fly  grad_d = (sum_e K[e][d] dphi_e) / det;  integrand f0 * (w det), w * sum_d K[e][d]
//   f1_d stored      grad_d = sum_e Jinv[e][d] dphi_e;       f0 * (w det), (w det) * sum_d
//   Jinv[e][d] f1_d facets      area vector a = K^T (t1 x t2), n = a/|a|; weights w |a| in place of
//   w det
#pragma once

#include <cstdint>
#include <string>

#include "cost/kernel_cost.h"
#include "kernel/cell/cell_integral.h"
#include "kernel/cell/plane_sizes.h"
#include "kernel/text/sections.h"

namespace weft {

struct CellFunctions {
  std::string tables;    // constant tables
  std::string functions; // struct and functions
  std::string line_sums; // weft_lines_open and the like, of integrals not summed by points
  Constants constants;   // that kernel files read
  std::string last;      // what has to end the text: C text of the case
  // The sum of all that weft_prepare_cell computes, for a `cell`; empty where it computes nothing.
  std::string prepared;
  int num_values = 0; // WEFT_NUM_VALUES: entries of f that are not identically zero
  int num_gradients = 0, num_fluxes = 0; // entries of weft_cell
  // Operations of a call of weft_prepare_cell, weft_point, weft_test_add, weft_test_finish, and of
  // weft_test_row for all rows together, which then reads so many entries of f.
  Operations prepare, point, test, finish, rows;
  Operations lines; // of the sums by lines or planes of a cell
  PlaneSizes planes;
  double row_reads = 0;
  // Kind matrix: accesses of a call of the first two to the array that lies in local memory.
  double prepare_local_reals = 0, point_local_reals = 0;
};

CellFunctions print_cell_functions(const CellIntegral &integral, bool with_rows);
// The same without `tables`, for who only counts: of a high order they are nearly all of the text.
CellFunctions count_cell_functions(const CellIntegral &integral, bool with_rows);

} // namespace weft
