// A level's matrix and the transfers between levels on devices against plain loops, with bounds
// that follow from the precisions.
#include "linalg/levels/level_matrix.h"

#include <cmath>
#include <gtest/gtest.h>

#include "base/stored_numbers.h"
#include "device/host/host_device.h"
#include "linalg/levels/matrix_transfer.h"
#include "support/cuda_compiler.h"
#include "support/level_cases.h"
#include "support/test_device.h"

namespace weft {
namespace {

// What the device's products are compared with: columns of the stored matrix, found by products
// with unit vectors, which are exact.
std::vector<std::vector<double>> dense(Device &device, LevelMatrix &level) {
  const std::int64_t n = level.size();
  Vector x = make_vector(device, n, level.precision(), "x");
  Vector y = make_vector(device, n, level.precision(), "y");
  std::vector<std::vector<double>> columns;
  for (std::int64_t j = 0; j < n; ++j) {
    std::vector<double> unit(n, 0);
    unit[j] = 1;
    set_vector(device, x, unit);
    level.apply(x, y);
    columns.push_back(get_vector(device, y));
  }
  return columns;
}

std::vector<double> product(const std::vector<std::vector<double>> &columns,
                            const std::vector<double> &x) {
  std::vector<double> y(x.size(), 0);
  for (std::size_t j = 0; j < x.size(); ++j)
    for (std::size_t i = 0; i < x.size(); ++i)
      y[i] += columns[j][i] * x[j];
  return y;
}

void expect_rows(const std::vector<double> &found, const std::vector<double> &expected,
                 double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], tolerance) << "row " << i;
}

// Entries are those of S A S, each rounded once, but for the diagonal; and constants are kept.
void expect_entries(Device &device, const HostMatrix &a, LevelMatrix &level, int components,
                    const std::vector<double> &constants) {
  const std::int64_t n = a.num_rows();
  const std::vector<double> s = get_vector(device, *level.scaling());
  const auto columns = dense(device, level);
  const double storage = unit_roundoff(level.storage());
  const double arithmetic = unit_roundoff(level.precision());
  const double least = level.storage() == Precision::f16 ? std::ldexp(1, -25) : 0;
  std::vector<double> kept(n, 0), magnitude(n, 0);
  for (std::int64_t i = 0; i < n; ++i) {
    double rounding = 0, exact_sum = 0, sum = 0;
    std::vector<double> exact(n, 0);
    for (std::int32_t e = a.row_start[i]; e < a.row_start[i + 1]; ++e)
      exact[a.columns[e]] = a.values[e] * s[i] * s[a.columns[e]];
    for (std::int64_t j = 0; j < n; ++j) {
      const double weight = j % components == i % components ? constants[j] / s[j] : 0;
      // Scaling takes two roundings in the precision of the values, f64.
      const double bound = (storage + 4e-16) * std::abs(exact[j]) + least;
      if (j != i) {
        ASSERT_NEAR(columns[j][i], exact[j], exact[j] == 0 ? 0 : bound) << i << " " << j;
        rounding += (exact[j] == 0 ? 0 : bound) * std::abs(weight);
      }
      exact_sum += exact[j] * weight;
      sum += columns[j][i] * weight;
    }
    const double own = std::abs(constants[i] / s[i]);
    EXPECT_NEAR(columns[i][i], exact[i], rounding / own + 2 * arithmetic) << i;
    // What is left is the rounding of the diagonal, to the vectors' precision.
    EXPECT_NEAR(sum, exact_sum, 4 * arithmetic * own * std::abs(columns[i][i]) + 1e-13 * n) << i;
  }
}

void expect_level_products(Device &device, LevelMatrix &level) {
  const std::int64_t n = level.size();
  const auto columns = dense(device, level);
  const auto vector = [&](double factor) {
    Vector v = make_vector(device, n, level.precision(), "vector");
    std::vector<double> values(n);
    for (std::int64_t i = 0; i < n; ++i)
      values[i] = std::cos(factor * static_cast<double>(i) + 1);
    set_vector(device, v, values);
    return v;
  };
  Vector x = vector(0.3), b = vector(0.7), w = vector(1.1), out = vector(0);
  const std::vector<double> vx = get_vector(device, x), vb = get_vector(device, b),
                            vw = get_vector(device, w);
  const double tolerance = 60 * unit_roundoff(level.precision());
  const std::vector<double> ax = product(columns, vx);
  level.apply(x, out);
  expect_rows(get_vector(device, out), ax, tolerance);
  std::vector<double> expected(n), expected_w(n);
  for (std::int64_t i = 0; i < n; ++i)
    expected[i] = vb[i] - ax[i];
  level.residual(b, x, out);
  expect_rows(get_vector(device, out), expected, tolerance);
  Vector r = vector(0.7);
  level.residual(r, x, r);
  EXPECT_EQ(get_vector(device, r), get_vector(device, out));

  for (const bool reads_w : {true, false}) {
    w = vector(1.1);
    const SmootherStep step{.c1 = reads_w ? 0.4 : 0, .c2 = 0.8, .reads_w = reads_w};
    level.smooth(b, x, w, out, step);
    for (std::int64_t i = 0; i < n; ++i) {
      expected_w[i] = step.c1 * vw[i] + step.c2 * (vb[i] - ax[i]) / columns[i][i];
      expected[i] = vx[i] + expected_w[i];
    }
    expect_rows(get_vector(device, w), expected_w, tolerance);
    expect_rows(get_vector(device, out), expected, tolerance);
  }
  w = vector(1.1);
  level.smooth(b, x, w, out, {.c1 = 0, .c2 = 0.8, .reads_w = false, .keeps_w = false});
  expect_rows(get_vector(device, out), expected, tolerance);
  EXPECT_EQ(get_vector(device, w), vw) << "not kept";
  level.smooth(b, x, w, out, {.c1 = 0, .c2 = 0.8, .reads_w = false, .reads_x = false});
  for (std::int64_t i = 0; i < n; ++i)
    expected[i] = 0.8 * vb[i] / columns[i][i];
  expect_rows(get_vector(device, w), expected, tolerance);
  EXPECT_EQ(get_vector(device, w), get_vector(device, out));
}

constexpr Precision all_storages[] = {Precision::f64, Precision::f32, Precision::f16,
                                      Precision::bf16};

TEST(LevelMatrix, OfTheHostsMatrix) {
  for (const Precision storage : all_storages)
    for (const int rows : {1, 15, 17, 300}) {
      SCOPED_TRACE(to_string(storage) + " " + std::to_string(rows));
      const HostMatrix a = jumping_matrix(rows);
      LevelMatrix level(test_device(), a, storage, {});
      expect_entries(test_device(), a, level, 1, std::vector<double>(rows, 1));
      expect_level_products(test_device(), level);
    }
}

TEST(LevelMatrix, KeepsConstantsOfComponentsAndOfCoarseLevels) {
  const HostMatrix a = jumping_matrix(90);
  std::vector<double> constants(90);
  for (int i = 0; i < 90; ++i)
    constants[i] = 1 + 0.5 * std::sin(i);
  LevelMatrix three(test_device(), a, Precision::f16, {.components = 3});
  expect_entries(test_device(), a, three, 3, std::vector<double>(90, 1));
  LevelMatrix coarse(test_device(), a, Precision::bf16, {.values = constants});
  expect_entries(test_device(), a, coarse, 1, constants);
}

// Whose layout has a slot for the diagonal, and whose slices are those of f64.
TEST(LevelMatrix, OfADevicesMatrixIsTheSame) {
  for (const MatrixFormat format : {MatrixFormat::sell, MatrixFormat::csr})
    for (const Precision storage : all_storages)
      for (const int rows : {1, 31, 300}) {
        SCOPED_TRACE(to_string(format) + " " + to_string(storage) + " " + std::to_string(rows));
        const HostMatrix a = jumping_matrix(rows);
        SparseMatrix matrix = sparse_matrix(test_device(), a, format);
        LevelMatrix shared(test_device(), matrix, storage, {});
        LevelMatrix own(test_device(), a, storage, {});
        EXPECT_EQ(dense(test_device(), shared), dense(test_device(), own));
        EXPECT_EQ(get_vector(test_device(), *shared.scaling()),
                  get_vector(test_device(), *own.scaling()));
        expect_level_products(test_device(), shared);
        EXPECT_EQ(shared.num_entries(), own.num_entries());
      }
}

// Diagonals that are zero or negative are not scaled; rows of the identity stay what they are.
TEST(LevelMatrix, RowsWithoutAPositiveDiagonal) {
  const HostMatrix a{
      .row_start = {0, 1, 3, 4, 5}, .columns = {0, 0, 1, 2, 3}, .values = {-2, 0.5, 4, 0, 1}};
  LevelMatrix level(test_device(), a, Precision::f16, {});
  EXPECT_EQ(get_vector(test_device(), *level.scaling()), (std::vector<double>{1, 0.5, 1, 1}));
  const auto columns = dense(test_device(), level);
  EXPECT_EQ(columns[0], (std::vector<double>{-2, 0.25, 0, 0}));
  EXPECT_EQ(columns[3], (std::vector<double>{0, 0, 0, 1}));
  EXPECT_EQ(columns[2], (std::vector<double>{0, 0, 0, 0}));
  Vector b = make_vector(test_device(), 4, Precision::f32, "b");
  Vector w = b, out = b;
  w.buffer = test_device().allocate(16, "w");
  out.buffer = test_device().allocate(16, "out");
  set_vector(test_device(), b, std::vector<double>{4, 3, 2, 1});
  level.smooth(b, b, w, out, {.reads_w = false, .reads_x = false});
  EXPECT_EQ(get_vector(test_device(), out), (std::vector<double>{-2, 3, 2, 1}));
}

// A matrix far from any that is definite: entries beyond the storage's numbers stay finite.
TEST(LevelMatrix, EntriesBeyondTheLargestNumber) {
  const HostMatrix a{.row_start = {0, 2, 4}, .columns = {0, 1, 0, 1}, .values = {1, 1e7, 1e7, 1}};
  LevelMatrix level(test_device(), a, Precision::f16, {});
  EXPECT_EQ(dense(test_device(), level)[1][0], 65504);
}

TEST(LevelMatrix, LongRowsAndFarColumns) {
  const std::int64_t rows = 100000;
  const HostMatrix a = arrow_matrix(rows); // columns of 32 bits, a row of all columns
  Vector x = make_vector(test_device(), rows, Precision::f32, "x");
  Vector y = make_vector(test_device(), rows, Precision::f32, "y");
  LevelMatrix level(test_device(), a, Precision::f16, {});
  const std::vector<double> s = get_vector(test_device(), *level.scaling());
  std::vector<double> constants(rows), product(rows, 0);
  for (std::int64_t i = 0; i < rows; ++i)
    constants[i] = 1 / s[i];
  set_vector(test_device(), x, constants);
  level.apply(x, y);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int32_t e = a.row_start[i]; e < a.row_start[i + 1]; ++e)
      product[i] += a.values[e] * s[i];
  const std::vector<double> found = get_vector(test_device(), y);
  // The long row adds up 100000 numbers in f32, one after the other.
  for (std::int64_t i = 0; i < rows; ++i)
    ASSERT_NEAR(found[i], product[i], i == rows / 2 ? 0.05 * std::abs(1 / s[i]) : 1e-5) << i;
}

TEST(LevelMatrix, OnTheHostsDevice) {
  for (const bool gpu : {false, true})
    for (const Precision storage : {Precision::f64, Precision::f16, Precision::bf16}) {
      SCOPED_TRACE(to_string(storage) + (gpu ? " as a GPU" : ""));
      const auto device = open_host_device({.gpu = gpu});
      const HostMatrix a = jumping_matrix(37);
      LevelMatrix level(*device, a, storage, {});
      expect_entries(*device, a, level, 1, std::vector<double>(37, 1));
      expect_level_products(*device, level);
    }
}

TEST(LevelMatrix, SameBitsEveryTime) {
  const HostMatrix a = jumping_matrix(3000);
  std::vector<double> first;
  for (int run = 0; run < 2; ++run) {
    LevelMatrix level(test_device(), a, Precision::f16, {});
    Vector x = make_vector(test_device(), 3000, Precision::f32, "x"), y = x;
    y.buffer = test_device().allocate(12000, "y");
    set_vector(test_device(), x, std::vector<double>(3000, 1.25));
    level.apply(x, y);
    if (run == 0)
      first = get_vector(test_device(), y);
    else
      EXPECT_EQ(get_vector(test_device(), y), first);
  }
}

void expect_transfers(Device &device, int fine, Precision storage, Precision fine_vectors,
                      Precision coarse_vectors) {
  const HostMatrix p = pairs_prolongation(fine);
  const std::int64_t coarse = (fine + 1) / 2;
  const auto scaling = [&](std::int64_t size, double factor) {
    Vector s = make_vector(device, size, Precision::f64, "scaling");
    std::vector<double> values(size);
    for (std::int64_t i = 0; i < size; ++i)
      values[i] = factor * (2 + std::sin(static_cast<double>(i)));
    set_vector(device, s, values);
    return s;
  };
  const Vector s_fine = scaling(fine, 1), s_coarse = scaling(coarse, 0.7);
  MatrixTransfer transfer(device, p, {}, {fine, fine_vectors, &s_fine},
                          {coarse, coarse_vectors, &s_coarse}, storage);
  ASSERT_EQ(transfer.num_fine(), fine);
  ASSERT_EQ(transfer.num_coarse(), coarse);
  Vector x = make_vector(device, coarse, coarse_vectors, "coarse");
  Vector y = make_vector(device, fine, fine_vectors, "fine");
  std::vector<double> vx(coarse), vy(fine), up(fine), down(coarse, 0);
  for (int i = 0; i < fine; ++i)
    up[i] = vy[i] = std::cos(i) > 0 ? 0.75 : -0.5; // numbers of every precision
  for (std::int64_t i = 0; i < coarse; ++i)
    vx[i] = std::sin(static_cast<double>(i)) > 0 ? 0.25 : 1;
  set_vector(device, x, vx);
  set_vector(device, y, vy);
  const std::vector<double> sf = get_vector(device, s_fine), sc = get_vector(device, s_coarse);
  for (int i = 0; i < fine; ++i)
    for (std::int32_t e = p.row_start[i]; e < p.row_start[i + 1]; ++e) {
      const double value = p.values[e] * sc[p.columns[e]] / sf[i];
      up[i] += value * vx[p.columns[e]];
      down[p.columns[e]] += value * vy[i];
    }
  const double tolerance = 6 * unit_roundoff(storage) + 10 * unit_roundoff(coarse_vectors);
  transfer.prolong_add(x, y);
  expect_rows(get_vector(device, y), up, tolerance);
  set_vector(device, y, vy);
  transfer.restrict_to(y, x);
  expect_rows(get_vector(device, x), down, tolerance);
}

TEST(MatrixTransfer, AgainstPlainLoops) {
  for (const int fine : {1, 2, 15, 33, 997})
    for (const Precision storage : {Precision::f32, Precision::f16}) {
      SCOPED_TRACE(to_string(storage) + " " + std::to_string(fine));
      expect_transfers(test_device(), fine, storage, Precision::f32, Precision::f32);
    }
  expect_transfers(test_device(), 331, Precision::f64, Precision::f64, Precision::f64);
  expect_transfers(test_device(), 331, Precision::bf16, Precision::f64, Precision::f32);
  expect_transfers(test_device(), 331, Precision::f16, Precision::f32, Precision::f64);
}

TEST(MatrixTransfer, OnTheHostsDevice) {
  for (const bool gpu : {false, true}) {
    const auto device = open_host_device({.gpu = gpu});
    expect_transfers(*device, 37, Precision::f16, Precision::f64, Precision::f32);
  }
}

TEST(MatrixTransfer, TransposeOfAMatrix) {
  const HostMatrix a{
      .row_start = {0, 2, 2, 5}, .columns = {1, 3, 0, 1, 2}, .values = {1, 2, 3, 4, 5}};
  const HostMatrix t = transposed(a, 5);
  EXPECT_EQ(t.row_start, (std::vector<std::int32_t>{0, 1, 3, 4, 5, 5}));
  EXPECT_EQ(t.columns, (std::vector<std::int32_t>{2, 0, 2, 2, 0}));
  EXPECT_EQ(t.values, (std::vector<double>{3, 1, 4, 5, 2}));
  const HostMatrix large = pairs_prolongation(20001); // by several threads
  const HostMatrix twice = transposed(transposed(large, 10001), 20001);
  EXPECT_EQ(twice.row_start, large.row_start);
  EXPECT_EQ(twice.columns, large.columns);
  EXPECT_EQ(twice.values, large.values);
}

TEST(LevelMatrix, CompilesAsCudaText) {
  for (const Precision storage : all_storages) {
    SCOPED_TRACE(to_string(storage));
    CudaCompiler device;
    LevelMatrix level(device, jumping_matrix(100), storage, {.components = 3});
    EXPECT_EQ(device.binaries(), 2); // to fill it, and its products
    const MatrixTransfer transfer(device, pairs_prolongation(100), {},
                                  {100, level.precision(), nullptr}, {50, Precision::f32, nullptr},
                                  storage);
    EXPECT_EQ(device.binaries(), 6);
  }
}

} // namespace
} // namespace weft
