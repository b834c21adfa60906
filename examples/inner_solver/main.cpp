// A program with a matrix and a method of its own, of which Weft is the inner solver: heat in a
// block with 64 inclusions that conduct a thousand times as well, by finite volumes on n x n x n
// cells, and conjugate gradients whose preconditioner is one cycle of multigrid. Exit code 0 if the
// solution is right.
//
//   inner_solver [N]
#include <weft/weft.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <utility>
#include <vector>

namespace {

using Vector = std::vector<double>;

// Compressed rows.
struct Matrix {
  std::vector<std::int32_t> row_start = {0}, columns;
  Vector values;
};

double conductivity(const std::array<int, 3> &cell, int n) {
  for (const int i : cell)
    if (8 * i / n % 2 == 0)
      return 1;
  return 1000;
}

// Heat that flows out of each cell of side 1; the temperature outside of the block is 0.
Matrix assemble(int n) {
  Matrix a;
  const auto number = [n](const std::array<int, 3> &c) { return (c[0] * n + c[1]) * n + c[2]; };
  for (int row = 0; row < n * n * n; ++row) {
    const std::array<int, 3> cell = {row / (n * n), row / n % n, row % n};
    const double k = conductivity(cell, n);
    std::vector<std::pair<std::int32_t, double>> entries;
    double diagonal = 0;
    for (int direction = 0; direction < 3; ++direction)
      for (const int side : {-1, 1}) {
        std::array<int, 3> other = cell;
        other[direction] += side;
        if (other[direction] < 0 || other[direction] >= n) {
          diagonal += 2 * k; // half a cell to the side of the block
          continue;
        }
        const double k_other = conductivity(other, n);
        const double flow = 2 * k * k_other / (k + k_other); // in series
        diagonal += flow;
        entries.emplace_back(number(other), -flow);
      }
    entries.emplace_back(row, diagonal);
    std::sort(entries.begin(), entries.end());
    for (const auto &[column, value] : entries) {
      a.columns.push_back(column);
      a.values.push_back(value);
    }
    a.row_start.push_back(static_cast<std::int32_t>(a.columns.size()));
  }
  return a;
}

Vector product(const Matrix &a, const Vector &x) {
  Vector y(x.size(), 0.0);
  for (std::size_t row = 0; row < x.size(); ++row)
    for (std::int32_t e = a.row_start[row]; e < a.row_start[row + 1]; ++e)
      y[row] += a.values[e] * x[a.columns[e]];
  return y;
}

double dot(const Vector &a, const Vector &b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Conjugate gradients from x = 0 until |b - A x| <= 1e-10 |b|; the number of iterations. Levels in
// 16 bits round a little otherwise each time: beta is that of flexible conjugate gradients (Notay
// 2000).
int solve(const Matrix &a, weft::Multigrid &multigrid, const Vector &b, Vector &x) {
  Vector r = b, z(b.size()), p(b.size(), 0.0), before = r;
  const double end = 1e-10 * std::sqrt(dot(b, b));
  double rz = 1;
  int iterations = 0;
  while (std::sqrt(dot(r, r)) > end && iterations < 200) {
    multigrid.apply(r, z);
    const double rz_before = rz;
    rz = dot(r, z);
    const double beta = iterations == 0 ? 0 : (rz - dot(before, z)) / rz_before;
    for (std::size_t i = 0; i < p.size(); ++i)
      p[i] = z[i] + beta * p[i];
    const Vector q = product(a, p);
    const double alpha = rz / dot(p, q);
    before = r;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    ++iterations;
  }
  return iterations;
}

double relative_error(const Vector &x, const Vector &exact) {
  Vector difference = x;
  for (std::size_t i = 0; i < x.size(); ++i)
    difference[i] -= exact[i];
  return std::sqrt(dot(difference, difference) / dot(exact, exact));
}

bool run(int n) {
  const Matrix a = assemble(n);
  Vector exact(a.row_start.size() - 1);
  for (std::size_t i = 0; i < exact.size(); ++i)
    exact[i] = std::sin(1 + 0.1 * static_cast<double>(i));
  const Vector b = product(a, exact);

  // Sees the arrays of `a` where they lie.
  weft::Multigrid multigrid({.num_rows = exact.size(),
                             .row_start = a.row_start,
                             .columns = a.columns,
                             .values = a.values});
  for (const weft::MultigridLevelInfo &level : multigrid.levels())
    std::printf("%8zu unknowns in %s\n", level.unknowns, level.precision.c_str());

  Vector x(exact.size(), 0.0);
  const int iterations = solve(a, multigrid, b, x);
  const double error = relative_error(x, exact);
  std::printf("own method: %d iterations, error below 1e-7: %s\n", iterations,
              error < 1e-7 ? "yes" : "no");

  // The same by Weft's own method.
  Vector y(exact.size(), 0.0);
  const weft::SolveResult result = multigrid.solve(b, y);
  const double error_of_weft = relative_error(y, exact);
  std::printf("Weft's: %d iterations, error below 1e-7: %s\n", result.iterations,
              error_of_weft < 1e-7 ? "yes" : "no");
  return result.converged && error < 1e-7 && error_of_weft < 1e-7 && iterations < 50;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc > 1 ? std::atoi(argv[1]) : 48) ? 0 : 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
