// Products with matrices and vectors stored in any precision against sums in f64 over the rounded
// numbers: what may differ is the rounding of the sums and of the result.
#include "linalg/stored_matrix.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/stored_numbers.h"
#include "device/host/host_device.h"
#include "device/open/open_device.h"
#include "linalg/band_matrix.h"
#include "support/cuda_compiler.h"
#include "support/expect_counted.h"

namespace weft {
namespace {

double number_at(std::int64_t index) {
  return std::sin(1.0 + 0.37 * static_cast<double>(index));
}

// Rows of 1 to 12 entries; some reach over the whole matrix, which need columns of 32 bits where it
// is long.
HostMatrix uneven_matrix(std::int32_t num_rows) {
  HostMatrix matrix;
  matrix.row_start = {0};
  for (std::int32_t row = 0; row < num_rows; ++row) {
    const std::int32_t neighbours = row * 7 % 12, step = row % 50 == 3 ? num_rows / 12 : 1;
    for (std::int32_t k = -6; k < 6; ++k) {
      const std::int64_t column = row + std::int64_t{k} * std::max(1, step);
      if (column != row && (k >= neighbours - 6 || column < 0 || column >= num_rows))
        continue;
      matrix.values.push_back(number_at(static_cast<std::int64_t>(matrix.columns.size())));
      matrix.columns.push_back(static_cast<std::int32_t>(column));
    }
    matrix.row_start.push_back(static_cast<std::int32_t>(matrix.columns.size()));
  }
  return matrix;
}

HostBands patch(std::int64_t width, std::int64_t height) {
  HostBands matrix{.width = width, .height = height, .bands = {}};
  for (int b = 0; b < num_bands; ++b)
    for (std::int64_t node = 0; node < matrix.size(); ++node) {
      const std::int64_t i = node % width + b % 3 - 1, j = node / width + b / 3 - 1;
      const bool inside = i >= 0 && i < width && j >= 0 && j < height;
      matrix.bands[b].push_back(inside ? number_at(num_bands * node + b) : 0);
    }
  return matrix;
}

std::vector<double> rounded(const std::vector<double> &values, Precision p) {
  return numbers_of_stored(stored_numbers(values, p), p);
}

std::vector<double> vector_entries(std::int64_t size, int seed) {
  std::vector<double> values(size);
  for (std::int64_t i = 0; i < size; ++i)
    values[i] = std::cos(0.3 * static_cast<double>(i) + seed);
  return values;
}

// y = A x of one system, and sum |a||x| of its rows.
struct Sums {
  double value = 0, size = 0;
};
Sums row_sum(const HostMatrix &matrix, const std::vector<double> &values,
             const std::vector<double> &x, std::int32_t row, int system, int systems) {
  Sums sums;
  for (std::int32_t e = matrix.row_start[row]; e < matrix.row_start[row + 1]; ++e) {
    const double term = values[e] * x[std::int64_t{matrix.columns[e]} * systems + system];
    sums.value += term;
    sums.size += std::abs(term);
  }
  return sums;
}

// `start`: what was in y before, or nothing.
void expect_product(const HostMatrix &matrix, const ProductSettings &s,
                    const std::vector<double> &x, const std::vector<double> &start,
                    const std::vector<double> &y) {
  const std::vector<double> values = rounded(matrix.values, s.storage);
  const double u = unit_roundoff(s.arithmetic()), u_y = unit_roundoff(s.vectors);
  for (std::int32_t row = 0; row < matrix.num_rows(); ++row)
    for (int k = 0; k < s.systems; ++k) {
      Sums sums = row_sum(matrix, values, x, row, k, s.systems);
      const std::int64_t index = std::int64_t{row} * s.systems + k;
      if (!start.empty()) {
        sums.value += start[index];
        sums.size += std::abs(start[index]);
      }
      // At most 12 products and 4 sums of partial sums; numbers below the smallest normal f16 have
      // an error of 2^-25 at most.
      const double bound = 17 * u * sums.size + u_y * 1.01 * std::abs(sums.value) +
                           (s.vectors == Precision::f16 ? 0x1p-25 : 0);
      ASSERT_NEAR(y[index], sums.value, bound) << "row " << row << " system " << k;
    }
}

template <typename Product>
void expect_products(Device &device, const HostMatrix &matrix, const ProductSettings &s,
                     const std::string &what, const Product &product, bool adds = false) {
  SCOPED_TRACE(fmt::format("{} {} {} x{} {} rows", what, to_string(s.storage), to_string(s.vectors),
                           s.systems, matrix.num_rows()));
  const std::int64_t size = std::int64_t{matrix.num_rows()} * s.systems;
  Vector x = make_vector(device, size, s.vectors, "x");
  Vector y = make_vector(device, size, s.vectors, "y");
  const std::vector<double> in = rounded(vector_entries(size, 0), s.vectors);
  const std::vector<double> start = rounded(vector_entries(size, 1), s.vectors);
  set_vector(device, x, in);
  set_vector(device, y, start);
  product(x, y);
  expect_product(matrix, s, in, adds ? start : std::vector<double>(), get_vector(device, y));
}

void expect_stored(Device &device, std::int32_t num_rows, MatrixFormat format, bool wide,
                   const ProductSettings &s) {
  const HostMatrix matrix = uneven_matrix(num_rows);
  StoredMatrix stored(device, matrix, format, s, wide);
  expect_products(device, matrix, s, to_string(format),
                  [&](const Vector &x, Vector &y) { stored.apply(x, y); });
}

void expect_bands(Device &device, std::int64_t width, std::int64_t height,
                  const ProductSettings &s) {
  const HostBands bands = patch(width, height);
  const HostMatrix matrix = compressed_rows(bands);
  BandMatrix stored(device, bands, s);
  expect_products(device, matrix, s, "bands",
                  [&](const Vector &x, Vector &y) { stored.apply(x, y); });
  expect_products(
      device, matrix, s, "bands added", [&](const Vector &x, Vector &y) { stored.apply_add(x, y); },
      true);
}

constexpr Precision f64 = Precision::f64, f32 = Precision::f32, f16 = Precision::f16,
                    bf16 = Precision::bf16;
const ProductSettings csr_settings[] = {{f16, f16, 1}, {bf16, f32, 4}, {f64, f64, 4}};
const ProductSettings sell_settings[] = {
    {f16, f16, 1}, {bf16, bf16, 1}, {f16, f32, 1}, {f16, f16, 4}, {f64, f64, 4}};
const ProductSettings band_settings[] = {{f64, f64, 1}, {f16, f16, 1}, {bf16, f32, 4}};

TEST(StoredMatrix, CompressedRows) {
  const std::unique_ptr<Device> device = open_device("opencl");
  for (const ProductSettings &s : csr_settings)
    for (const std::int32_t rows : {1, 31, 5003})
      expect_stored(*device, rows, MatrixFormat::csr, false, s);
}

TEST(StoredMatrix, SlicedEllpack) {
  const std::unique_ptr<Device> device = open_device("opencl");
  for (const ProductSettings &s : sell_settings) {
    for (const std::int32_t rows : {1, 31, 5003})
      for (const bool wide : {false, true})
        expect_stored(*device, rows, MatrixFormat::sell, wide, s);
    expect_stored(*device, 80001, MatrixFormat::sell, false, s);
  }
}

TEST(StoredMatrix, NineBands) {
  const std::unique_ptr<Device> device = open_device("opencl");
  for (const ProductSettings &s : band_settings)
    for (const auto &[width, height] :
         {std::pair{1, 1}, {1, 40}, {40, 1}, {2, 3}, {33, 31}, {100, 47}})
      expect_bands(*device, width, height, s);
}

// Every access under the sanitizers.
TEST(StoredMatrix, OnTheHost) {
  const std::unique_ptr<Device> device = open_host_device({.sanitize = sanitizers_run()});
  const ProductSettings four{f16, f16, 4}, one{bf16, f32, 1};
  expect_stored(*device, 597, MatrixFormat::csr, false, four);
  expect_stored(*device, 597, MatrixFormat::sell, false, four);
  expect_stored(*device, 597, MatrixFormat::sell, true, one);
  expect_bands(*device, 7, 11, four);
  expect_bands(*device, 7, 11, one);
}

template <typename Matrix>
void expect_costs(Device &device, Matrix &matrix, std::int64_t size, Precision vectors,
                  const NamedCost &cost) {
  Vector x = make_vector(device, size, vectors, "x"), y = make_vector(device, size, vectors, "y");
  set_vector(device, x, std::vector<double>(size, 1.0));
  set_vector(device, y, std::vector<double>(size, 1.0));
  take_counted_costs(device);
  matrix.apply(x, y);
  expect_counted(take_counted_costs(device), {{cost.name, cost.cost}});
}

TEST(StoredMatrix, CostsAreWhatIsCounted) {
  for (const bool gpu : {false, true}) {
    const std::unique_ptr<Device> device = open_host_device({.count = true, .gpu = gpu});
    for (const ProductSettings &s : {ProductSettings{f16, f16, 4}, ProductSettings{bf16, f64, 1}}) {
      const HostMatrix matrix = uneven_matrix(333);
      for (const MatrixFormat format : {MatrixFormat::csr, MatrixFormat::sell}) {
        StoredMatrix stored(*device, matrix, format, s);
        expect_costs(*device, stored, stored.product().vector_size(), s.vectors, stored.cost());
      }
      BandMatrix bands(*device, patch(17, 19), s);
      expect_costs(*device, bands, bands.vector_size(), s.vectors, bands.cost());
    }
  }
}

TEST(StoredMatrix, CompilesInCuda) {
  CudaCompiler device;
  const HostMatrix matrix = uneven_matrix(31);
  const HostBands bands = patch(3, 4);
  for (const ProductSettings &s : {ProductSettings{f16, f32, 1}, ProductSettings{bf16, f64, 4}}) {
    const StoredMatrix csr(device, matrix, MatrixFormat::csr, s);
    const StoredMatrix sell(device, matrix, MatrixFormat::sell, s);
    const BandMatrix band(device, bands, s);
  }
  EXPECT_EQ(device.binaries(), 6);
}

} // namespace
} // namespace weft
