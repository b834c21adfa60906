// A variant of the residual of a benchmark's form, as text from one process to another: what
// workers compile ahead.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/precision.h"
#include "op/problem/discretisation.h"
#include "op/weak_form/form_operator.h"
#include "tune/search/search_space.h"

namespace weft {

// A form of bench/bench_forms.h on a distorted box with about so many nodes of the element, or on a
// mesh file; or, where `paper_edges` is set, the problem of bench/residual/paper_problem.h.
struct ResidualProblem {
  std::string form = "poisson";
  std::string cell = "tetrahedron";
  int order = 1;
  double nodes = 5e4;
  std::string mesh_file;
  bool trust = false; // in that file
  std::optional<int> paper_edges;

  bool operator==(const ResidualProblem &) const = default;
};

// The problem of bench/residual/paper_problem.h on a square or cube with so many edges a side, and
// a variant of the paper's method that leaves the rest open.
ResidualProblem paper_residual(const std::string &form, int dim, int edges);
Variant paper_variant(int num_blocks, int num_batches);

Mesh make_residual_mesh(const ResidualProblem &problem);
// `mesh` must outlive it.
Discretisation make_residual_discretisation(const ResidualProblem &problem, const Mesh &mesh);

struct ResidualJob {
  ResidualProblem problem;
  Precision precision = Precision::f64;
  Variant variant; // may leave choices open
};
std::string to_text(const ResidualJob &job);             // a line
ResidualJob residual_job_from_text(const std::string &); // throws `input`

// Does such jobs: makes the operator and applies it once, which compiles all its kernels.
class ResidualCompiler {
public:
  explicit ResidualCompiler(Device &device) : device_(device) {}
  void compile(const ResidualJob &job);

private:
  struct Made {
    ResidualProblem problem;
    Mesh mesh;
    Discretisation d;
  };
  Device &device_;
  std::unique_ptr<Made> made_; // the last job's: others of the same problem follow it
};

} // namespace weft
