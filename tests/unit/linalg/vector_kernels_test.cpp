// Building blocks on vectors stored in any precision, one and four at once, against sums in f64
// over the rounded numbers, with bounds that follow from the roundings.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

#include "base/stored_numbers.h"
#include "device/host/host_device.h"
#include "device/open/open_device.h"
#include "linalg/vector_conversion.h"
#include "linalg/vector_kernels.h"
#include "support/cuda_compiler.h"
#include "support/expect_counted.h"

namespace weft {
namespace {

struct BlockSetting {
  std::string backend;
  Precision precision;
  int systems;
};

std::vector<double> rounded_to(const std::vector<double> &values, Precision p) {
  return numbers_of_stored(stored_numbers(values, p), p);
}

class VectorBlocks : public testing::TestWithParam<BlockSetting> {
protected:
  void SetUp() override {
    device_ = GetParam().backend == "host" ? open_host_device({.sanitize = sanitizers_run()})
                                           : open_device(GetParam().backend);
  }
  void prepare(std::int64_t entries) {
    const auto &[backend, precision, systems] = GetParam();
    kernels_ = std::make_unique<VectorKernels>(*device_, precision, entries * systems, 3,
                                               std::set<std::string>{"block"}, systems);
    std::vector<double> a(systems);
    for (int k = 0; k < systems; ++k)
      a[k] = 0.75 - 0.5 * k; // exact in every precision
    coefficients_ = kernels_->reals(systems, "coefficients");
    kernels_->write_reals(coefficients_, a);
  }
  Vector vector(int seed, std::vector<double> &values) {
    values.resize(kernels_->size());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::sin(1.0 + 0.7 * seed + 0.37 * static_cast<double>(i));
    values = rounded_to(values, GetParam().precision);
    Vector v = kernels_->vector("test");
    set_vector(*device_, v, values);
    return v;
  }
  double coefficient(std::size_t i) const {
    return 0.75 - 0.5 * static_cast<double>(i % GetParam().systems);
  }
  // `got` is `expected`, computed with one multiply-add and stored.
  void expect_stored(const Vector &got, const std::vector<double> &expected) {
    const std::vector<double> values = get_vector(*device_, got);
    const Precision p = GetParam().precision;
    const double u = unit_roundoff(p) + unit_roundoff(arithmetic_precision(p));
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(values[i], expected[i],
                  1.01 * u * std::abs(expected[i]) + 2 * unit_roundoff(arithmetic_precision(p)) +
                      0x1p-25)
          << i;
  }
  // Slot `slot` added up on the device, for each system, against sum term(i); at most `depth`
  // additions follow one another.
  void expect_sums(int slot, const std::function<double(std::size_t)> &term, double tolerance = 0) {
    const int systems = GetParam().systems;
    const Buffer out = kernels_->reals(systems, "sums");
    kernels_->reduce_sum(slot, out);
    const std::vector<double> got = kernels_->read_reals(out, systems);
    const VectorShape shape = kernels_->shape();
    const double depth = 2 + static_cast<double>(shape.entries / shape.chunks) / shape.lanes +
                         shape.lanes + static_cast<double>(shape.chunks) + 10;
    const double u = unit_roundoff(arithmetic_precision(GetParam().precision));
    for (int k = 0; k < systems; ++k) {
      double sum = 0, size = 0;
      for (std::int64_t i = k; i < kernels_->size(); i += systems) {
        sum += term(i);
        size += std::abs(term(i));
      }
      EXPECT_NEAR(got[k], sum, (depth * u + tolerance) * size) << "system " << k;
    }
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<VectorKernels> kernels_;
  Buffer coefficients_;
};

TEST_P(VectorBlocks, Updates) {
  for (const std::int64_t entries : {1, 7, 1031, 20003}) {
    SCOPED_TRACE(entries);
    prepare(entries);
    std::vector<double> vx, vy, vd;
    const Vector x = vector(0, vx), d = vector(1, vd);
    std::vector<double> expected(vx.size());
    const auto fresh = [&] { return vector(2, vy); };
    Vector y = fresh();
    kernels_->axpy(y, coefficients_, x);
    for (std::size_t i = 0; i < vx.size(); ++i)
      expected[i] = vy[i] + coefficient(i) * vx[i];
    expect_stored(y, expected);
    y = fresh();
    kernels_->axpy_dot(y, coefficients_, x, 1);
    expect_stored(y, expected);
    // The sum is of numbers not yet stored.
    expect_sums(
        1, [&](std::size_t i) { return expected[i] * expected[i]; },
        4 * unit_roundoff(arithmetic_precision(GetParam().precision)));
    y = fresh();
    kernels_->xpay(y, coefficients_, x);
    for (std::size_t i = 0; i < vx.size(); ++i)
      expected[i] = vx[i] + coefficient(i) * vy[i];
    expect_stored(y, expected);
    y = fresh();
    kernels_->axpy_entries(y, d, x);
    for (std::size_t i = 0; i < vx.size(); ++i)
      expected[i] = vy[i] + vd[i] * vx[i];
    expect_stored(y, expected);
  }
}

// In place; of numbers below zero, whose sums do not grow.
TEST_P(VectorBlocks, Horner) {
  for (const std::int64_t entries : {1, 7, 1031, 20003})
    for (const int degree : {1, 2, 9}) {
      SCOPED_TRACE(testing::Message() << entries << " entries, degree " << degree);
      prepare(entries);
      std::vector<double> values(kernels_->size()), expected(values.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = -std::abs(std::sin(1.0 + 0.37 * static_cast<double>(i)));
      values = rounded_to(values, GetParam().precision);
      Vector x = kernels_->vector("test");
      set_vector(*device_, x, values);
      kernels_->horner(x, degree);
      for (std::size_t i = 0; i < values.size(); ++i)
        for (int m = 1; m <= degree; ++m)
          expected[i] += std::pow(values[i], m);
      const std::vector<double> got = get_vector(*device_, x);
      const Precision p = GetParam().precision;
      // Each multiply-add rounds once, numbers of at most 1; then the result is stored.
      const double tolerance =
          2 * degree * unit_roundoff(arithmetic_precision(p)) + 1.01 * unit_roundoff(p) + 0x1p-25;
      for (std::size_t i = 0; i < values.size(); ++i)
        ASSERT_NEAR(got[i], expected[i], tolerance) << i;
    }
}

TEST_P(VectorBlocks, Reductions) {
  for (const std::int64_t entries : {1, 7, 1031, 20003, 300007}) {
    if (GetParam().backend == "host" && entries > 20003)
      continue; // several chunks already
    SCOPED_TRACE(entries);
    prepare(entries);
    std::vector<double> vx, vy;
    const Vector x = vector(0, vx), y = vector(2, vy);
    kernels_->dot(x, y, 0);
    expect_sums(0, [&](std::size_t i) { return vx[i] * vy[i]; });
    const std::vector<double> first = kernels_->read_reals(kernels_->partials(), 1);
    kernels_->dot(x, y, 0); // the same bits
    EXPECT_EQ(kernels_->read_reals(kernels_->partials(), 1), first);

    kernels_->largest(x, 2);
    const int systems = GetParam().systems;
    const Buffer out = kernels_->reals(systems, "largest");
    kernels_->reduce_largest(2, out);
    const std::vector<double> got = kernels_->read_reals(out, systems);
    for (int k = 0; k < systems; ++k) {
      double largest = 0;
      for (std::int64_t i = k; i < kernels_->size(); i += systems)
        largest = std::max(largest, std::abs(vx[i]));
      EXPECT_EQ(got[k], largest) << "system " << k;
    }
  }
}

// NaN must not be lost in comparisons.
TEST_P(VectorBlocks, TheLargestOfNotFinite) {
  prepare(1031);
  std::vector<double> values(kernels_->size(), 1.0);
  values[(values.size() - 3)] = std::numeric_limits<double>::quiet_NaN();
  Vector x = kernels_->vector("test");
  set_vector(*device_, x, values);
  kernels_->largest(x, 0);
  const Buffer out = kernels_->reals(GetParam().systems, "largest");
  kernels_->reduce_largest(0, out);
  const std::vector<double> got = kernels_->read_reals(out, GetParam().systems);
  for (int k = 0; k < GetParam().systems; ++k)
    EXPECT_EQ(std::isinf(got[k]), k == (kernels_->size() - 3) % GetParam().systems);
}

const BlockSetting block_settings[] = {{"opencl", Precision::f64, 1},
                                       {"opencl", Precision::f16, 4},
                                       {"opencl", Precision::bf16, 1},
                                       {"host", Precision::f32, 4}};
INSTANTIATE_TEST_SUITE_P(All, VectorBlocks, testing::ValuesIn(block_settings),
                         [](const auto &info) {
                           return fmt::format("{}_{}_{}", info.param.backend,
                                              to_string(info.param.precision), info.param.systems);
                         });

// Conversions are rounded once: what the host makes of the product in the wider precision.
void expect_conversion(Device &device, Precision from, Precision to) {
  SCOPED_TRACE(to_string(from) + " to " + to_string(to));
  VectorConversion conversion(device, from, to);
  const Buffer scalar =
      upload(device, stored_numbers(std::vector{4.0, 0.125}, conversion.arithmetic()), "scalars");
  for (const std::int64_t size : {1, 13, 40009}) {
    std::vector<double> values(size);
    for (std::int64_t i = 0; i < size; ++i)
      values[i] = std::sin(0.3 + static_cast<double>(i));
    values = rounded_to(values, from);
    Vector x = make_vector(device, size, from, "x"), y = make_vector(device, size, to, "y");
    set_vector(device, x, values);
    conversion.convert(x, y, 0.5);
    std::vector<double> expected(size);
    const auto times = [&](double factor) {
      for (std::int64_t i = 0; i < size; ++i)
        expected[i] = factor * values[i];
      return rounded_to(expected, to);
    };
    EXPECT_EQ(get_vector(device, y), times(0.5));
    conversion.convert(x, y, 0.5, {DeviceScalar::Use::multiply, scalar, 1});
    EXPECT_EQ(get_vector(device, y), times(0.0625));
    conversion.convert(x, y, 0.5, {DeviceScalar::Use::divide, scalar, 0});
    EXPECT_EQ(get_vector(device, y), times(0.125));
    set_vector(device, y, std::vector<double>(size, 0.0));
    conversion.add(x, y, -2);
    EXPECT_EQ(get_vector(device, y), times(-2));
  }
}

TEST(VectorConversion, RoundsOnce) {
  const std::unique_ptr<Device> device = open_device("opencl");
  expect_conversion(*device, Precision::f64, Precision::f16);
  expect_conversion(*device, Precision::f16, Precision::f64);
  expect_conversion(*device, Precision::f32, Precision::bf16);
  const std::unique_ptr<Device> host = open_host_device({.sanitize = sanitizers_run()});
  expect_conversion(*host, Precision::f64, Precision::bf16);
}

TEST(VectorConversion, CostsAreWhatIsCounted) {
  for (const bool gpu : {false, true}) {
    const std::unique_ptr<Device> device = open_host_device({.count = true, .gpu = gpu});
    VectorConversion conversion(*device, Precision::f64, Precision::f16);
    Vector x = make_vector(*device, 10007, Precision::f64, "x");
    Vector y = make_vector(*device, 10007, Precision::f16, "y");
    const Buffer scalar = upload(*device, std::vector<double>{2}, "scalar");
    using Use = DeviceScalar::Use;
    for (const Use use : {Use::nothing, Use::multiply, Use::divide}) {
      set_vector(*device, x, std::vector<double>(x.size, 1.0));
      set_vector(*device, y, std::vector<double>(y.size, 1.0));
      take_counted_costs(*device);
      conversion.convert(x, y, 1, {use, scalar, 0});
      conversion.add(x, y, 1, {use, scalar, 0});
      expect_counted(take_counted_costs(*device), by_name({conversion.cost(x.size, false, use),
                                                           conversion.cost(x.size, true, use)}));
    }
  }
}

TEST(VectorBlocksInCuda, Compile) {
  CudaCompiler device;
  const VectorKernels kernels(device, Precision::bf16, 1000, 52,
                              {"block", "cg", "bicgstab", "gmres", "jacobi", "chebyshev"}, 4);
  const VectorConversion conversion(device, Precision::f64, Precision::f16);
  EXPECT_EQ(device.binaries(), 2);
}

} // namespace
} // namespace weft
