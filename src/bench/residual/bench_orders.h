// weft bench orders: products with the linearised operator of a form against the order of the
// elements, and the bake-off problems of CEED (BP1 to BP6; Fischer et al. 2020,
// doi:10.1177/1094342020915762).
#pragma once

#include <string>
#include <vector>

#include "cost/kernel_record.h"
#include "cost/machine_record.h"
#include "tune/model/performance_model.h"

namespace weft {

struct OrdersOptions {
  std::string cell = "hexahedron";
  std::vector<int> orders = {1, 2, 3, 4};
  // Forms of bench_forms.h, "bp1" to "bp6": mass, mass of vectors, Poisson, Poisson of vectors,
  // with constant coefficients; Poisson and Poisson of vectors at Gauss-Lobatto points, order + 1
  // of a line.
  std::vector<std::string> problems = {"poisson"};
  int more_points = 2; // of a line, than the order
  double dofs = 1e6;   // of each problem, about
  int leaf_cells = 0;  // 0: Weft's choice
  std::string device;
  int threads = 0;
  int repeats = 7;
  // Empty: what is chosen by default.
  std::string strategy, geometry, sums;
  std::string precision; // empty: both
};

struct OrdersRow {
  KernelRecord record;
  Prediction predicted;
  std::string problem, sums;
  int order = 1;
  int line_points = 0;
  double predicted_over_measured() const { return *record.predicted_s / *record.seconds; }
};

struct OrdersResult {
  MachineRecord machine;
  std::vector<OrdersRow> rows;
};

std::vector<std::string> orders_problem_names();

// On a box of distorted cells, every product from global vector to global vector with Dirichlet
// rows on the boundary, beside what the model predicts. Prints a table as it goes.
OrdersResult bench_orders(const OrdersOptions &options);

} // namespace weft
