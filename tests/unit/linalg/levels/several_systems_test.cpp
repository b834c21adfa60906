// Levels and transfers with four right-hand sides at once: each is what it is alone, bit for bit.
#include <cmath>
#include <gtest/gtest.h>

#include "device/host/host_device.h"
#include "linalg/levels/level_matrix.h"
#include "linalg/levels/matrix_transfer.h"
#include "support/cuda_compiler.h"
#include "support/level_cases.h"
#include "support/test_device.h"

namespace weft {
namespace {

constexpr int num_systems = 4;

// Values of [entry][system].
std::vector<double> interleaved_values(std::int64_t size, double factor) {
  std::vector<double> values(size * num_systems);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::cos(factor * static_cast<double>(i) + 1);
  return values;
}

std::vector<double> of_system(const std::vector<double> &all, int system) {
  std::vector<double> one;
  for (std::size_t i = system; i < all.size(); i += num_systems)
    one.push_back(all[i]);
  return one;
}

Vector uploaded(Device &device, const std::vector<double> &values, Precision precision) {
  Vector v =
      make_vector(device, static_cast<std::int64_t>(values.size()), precision, "values of a test");
  set_vector(device, v, values);
  return v;
}

void expect_products_of_each(Device &device, const HostMatrix &a, Precision storage) {
  LevelMatrix one(device, a, storage, {});
  LevelMatrix all(device, a, storage, {}, nullptr, num_systems);
  ASSERT_EQ(all.size(), one.size() * num_systems);
  const Precision p = one.precision();
  const std::int64_t rows = one.size();
  const auto vx = interleaved_values(rows, 0.3), vb = interleaved_values(rows, 0.7),
             vw = interleaved_values(rows, 1.1);
  const SmootherStep steps[] = {{.c1 = 0.4, .c2 = 0.8},
                                {.c1 = 0, .c2 = 0.8, .reads_w = false, .keeps_w = false},
                                {.c1 = 0, .c2 = 0.8, .reads_w = false, .reads_x = false}};
  Vector diagonal = uploaded(device, vx, p);
  all.diagonal(diagonal);
  for (int system = 0; system < num_systems; ++system) {
    Vector of_one = uploaded(device, of_system(vx, system), p);
    one.diagonal(of_one);
    EXPECT_EQ(of_system(get_vector(device, diagonal), system), get_vector(device, of_one));
  }
  // What each of the level's operations leaves in w and out.
  const auto run = [&](LevelMatrix &level, const std::vector<double> &x_values,
                       const std::vector<double> &b_values, const std::vector<double> &w_values) {
    Vector x = uploaded(device, x_values, p), b = uploaded(device, b_values, p);
    Vector out = uploaded(device, w_values, p);
    std::vector<std::vector<double>> results;
    level.apply(x, out);
    results.push_back(get_vector(device, out));
    level.residual(b, x, out);
    results.push_back(get_vector(device, out));
    for (const SmootherStep &step : steps) {
      Vector w = uploaded(device, w_values, p);
      level.smooth(b, x, w, out, step);
      results.push_back(get_vector(device, out));
      results.push_back(get_vector(device, w));
    }
    return results;
  };
  const auto of_all = run(all, vx, vb, vw);
  for (int system = 0; system < num_systems; ++system) {
    const auto of_one =
        run(one, of_system(vx, system), of_system(vb, system), of_system(vw, system));
    for (std::size_t k = 0; k < of_one.size(); ++k)
      EXPECT_EQ(of_system(of_all[k], system), of_one[k]) << "operation " << k;
  }
}

void expect_transfers_of_each(Device &device, int fine, Precision storage) {
  const HostMatrix p = pairs_prolongation(fine);
  const std::int64_t coarse = (fine + 1) / 2;
  const auto make = [&](int systems) {
    return MatrixTransfer(device, p, {},
                          {.size = fine, .vectors = Precision::f64, .systems = systems},
                          {.size = coarse, .vectors = Precision::f32, .systems = systems}, storage);
  };
  MatrixTransfer one = make(1), all = make(num_systems);
  ASSERT_EQ(all.num_fine(), fine * num_systems);
  ASSERT_EQ(all.num_coarse(), coarse * num_systems);
  const auto v_fine = interleaved_values(fine, 0.3), v_coarse = interleaved_values(coarse, 0.7);
  const auto run = [&](MatrixTransfer &transfer, const std::vector<double> &fine_values,
                       const std::vector<double> &coarse_values) {
    Vector x = uploaded(device, fine_values, Precision::f64);
    Vector y = uploaded(device, coarse_values, Precision::f32);
    transfer.prolong_add(y, x);
    transfer.restrict_to(x, y);
    return std::pair(get_vector(device, x), get_vector(device, y));
  };
  const auto of_all = run(all, v_fine, v_coarse);
  for (int system = 0; system < num_systems; ++system) {
    const auto of_one = run(one, of_system(v_fine, system), of_system(v_coarse, system));
    EXPECT_EQ(of_system(of_all.first, system), of_one.first);
    EXPECT_EQ(of_system(of_all.second, system), of_one.second);
  }
}

TEST(LevelsOfSeveralSystems, ProductsAreThoseOfEach) {
  for (const Precision storage : {Precision::f64, Precision::f32, Precision::f16, Precision::bf16})
    for (const int rows : {1, 15, 17, 700}) {
      SCOPED_TRACE(to_string(storage) + " " + std::to_string(rows));
      expect_products_of_each(test_device(), jumping_matrix(rows), storage);
    }
  expect_products_of_each(test_device(), arrow_matrix(70000), Precision::f16); // 32-bit columns
}

TEST(LevelsOfSeveralSystems, TransfersAreThoseOfEach) {
  for (const int fine : {1, 2, 15, 997})
    for (const Precision storage : {Precision::f32, Precision::f16}) {
      SCOPED_TRACE(to_string(storage) + " " + std::to_string(fine));
      expect_transfers_of_each(test_device(), fine, storage);
    }
}

TEST(LevelsOfSeveralSystems, OnTheHostsDevice) {
  for (const bool gpu : {false, true}) {
    SCOPED_TRACE(gpu ? "as a GPU" : "as a CPU");
    const auto device = open_host_device({.gpu = gpu});
    expect_products_of_each(*device, jumping_matrix(37), Precision::f16);
    expect_transfers_of_each(*device, 37, Precision::f16);
  }
}

TEST(LevelsOfSeveralSystems, CompileAsCudaText) {
  for (const Precision storage : {Precision::f64, Precision::f16}) {
    CudaCompiler device;
    const LevelMatrix level(device, jumping_matrix(100), storage, {}, nullptr, num_systems);
    const MatrixTransfer transfer(
        device, pairs_prolongation(100), {},
        {.size = 100, .vectors = level.precision(), .systems = num_systems},
        {.size = 50, .vectors = Precision::f32, .systems = num_systems}, storage);
    EXPECT_EQ(device.binaries(), 6); // filled, products; twice for the transfer
  }
}

} // namespace
} // namespace weft
