// Forms that benchmarks integrate, and the choice of some of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "case/case.h"

namespace weft {

struct BenchForm {
  std::string name; // "poisson"
  bool vector = false;
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string integrand;
};

//   poisson: k grad u . grad v, k(x) an expression at every point
//   elasticity: 2 mu sym(grad u) : sym(grad v) + lambda div u div v
//   mass: u v
//   reaction_diffusion: (1 + u^2) grad u . grad v + u^3 v, not linear
//   convection: grad u . grad v + (b . grad u) v + c u v, b(x) at every point, not symmetric
BenchForm bench_form(const std::string &name, int dim);
std::vector<std::string> bench_form_names();

// The case of a form with a field of order `order`: u = 0 on the whole boundary.
Case bench_case(const BenchForm &form, int order, int dim);

// Integrates the product of two gradients of simplices exactly, and what multiplies it to degree 1.
inline int bench_quadrature_degree(int order) {
  return 2 * (order - 1) + 1;
}

// Whether cells of that name lie in a plane.
inline bool is_flat(const std::string &cell) {
  return cell == "triangle" || cell == "quadrilateral";
}

// Whether an option that names what is to run, or nothing for all, names this.
inline bool wanted(const std::string &option, const std::string &name) {
  return option.empty() || option == name;
}

} // namespace weft
