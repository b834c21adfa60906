#include "run/likely_kernels.h"

#include <functional>
#include <memory>

#include "device/compilations.h"
#include "linalg/levels/level_matrix.h"
#include "linalg/levels/matrix_transfer.h"
#include "linalg/sparse_matrix.h"
#include "solve/linear/linear.h"

namespace weft {

namespace {

std::unique_ptr<SparseMatrix> make_one(Device &device, Precision precision) {
  auto pattern = std::make_shared<CsrPattern>();
  pattern->num_rows = 1;
  pattern->row_start = {0, 1};
  pattern->columns = {0};
  auto one = std::make_unique<SparseMatrix>(device, pattern, precision, true);
  Vector values{one->values(), 1, precision};
  set_vector(device, values, std::vector{1.0});
  one->values_changed();
  return one;
}

void solve_one(Device &device, SparseMatrix &one) {
  Vector x = make_vector(device, 1, one.precision(), "one");
  Vector b = make_vector(device, 1, one.precision(), "one");
  set_vector(device, x, std::vector{0.0});
  set_vector(device, b, std::vector{1.0});
  SolverSettings settings;
  settings.method = KrylovKind::cg;
  settings.preconditioner = PrecondKind::none;
  solve_linear(one, b, x, settings);
}

} // namespace

void compile_likely_kernels(Device &device, Precision precision, const std::atomic<bool> &stop) {
  const int before = num_compilations();
  const std::unique_ptr<SparseMatrix> one = make_one(device, precision);
  if (num_compilations() == before)
    return;
  const Precision levels = MultigridSettings().precision(1);
  const std::function<void()> works[] = {
      [&] {
        Vector x = make_vector(device, 1, precision, "one");
        Vector y = make_vector(device, 1, precision, "one");
        one->apply(x, y);
      },
      [&] { LevelMatrix::load_kernels(device, levels, 1, false); },
      [&] {
        MatrixTransfer::load_kernels(device, arithmetic_precision(levels),
                                     arithmetic_precision(levels), levels);
      },
      [&] { solve_one(device, *one); },
  };
  for (const auto &work : works)
    if (!stop)
      work();
  device.finish();
}

} // namespace weft
