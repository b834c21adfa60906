// The search for the fastest kernel of element matrices in one loop order, over all combinations of
// its other choices, as many of them as a budget allows. (That of Banas, Kruzel and Bielanski is
// exhaustive: with an infinite budget so is this.)
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "op/assembly/element_matrices.h"

namespace weft {

// Choices beside the loop order.
struct MatrixCandidate {
  MatrixVariant variant;
  GeometrySource geometry = GeometrySource::on_the_fly;
  int lanes = 1;
};
std::string to_string(const MatrixCandidate &candidate);

// One parameter and its values; the first is where the search begins.
struct MatrixAxis {
  std::string name;
  std::vector<std::function<void(MatrixCandidate &)>> values;
};
// The array in local memory, how far ahead data is asked for, lane groups an item, work-group size,
// writing (interleaved, past the caches or not; per cell), reading, lanes, geometry. What gains
// most comes first: a short search has tried it.
std::vector<MatrixAxis> matrix_axes(const DeviceInfo &device, Precision precision);

// Element matrices and load vectors of all cells of a mesh of one type.
class MatrixRun {
public:
  // `integrals` must outlive it. Throws `unsupported` or `system` where the device cannot run it.
  MatrixRun(Device &device, const FormIntegrals &integrals, const MatrixCandidate &candidate,
            Precision precision, const std::string &form_name);
  // Returns before the work is done.
  void compute() { matrices_.compute(state_); }
  const ElementMatrices &matrices() const { return matrices_; }

private:
  ElementMatrices matrices_;
  Vector state_;
};

struct MatrixSearchOptions {
  LoopOrder loop_order = LoopOrder::qss;
  Precision precision = Precision::f64;
  std::string form_name;
  double budget_s = 60;
};

struct MatrixSearchOutcome {
  MatrixCandidate best;
  std::unique_ptr<MatrixRun> run; // of the best
  int num_candidates = 0, num_timed = 0, num_unsupported = 0;
  // What is wrong with candidates that were faster than the best but differ from the reference.
  std::vector<std::string> wrong;
};

// Each candidate is timed in turn with the best so far (A B A B ...) and takes its place where it
// is faster and agrees with the reference on `small`, a small mesh of the same problem. First one
// parameter at a time is varied from the best so far, until none of them gains; then all other
// combinations, in a fixed random order. The budget ends it, but not before the first candidate.
// `integrals` must outlive the outcome. Throws `invariant` where no candidate is right.
MatrixSearchOutcome search_matrix_kernel(Device &device, const FormIntegrals &integrals,
                                         const Discretisation &small,
                                         const MatrixSearchOptions &options);

// Largest difference between the matrices and vectors of all cells and the reference's, relative to
// the largest entry of a cell.
double difference_from_reference(const MatrixRun &run, const Discretisation &d);

} // namespace weft
