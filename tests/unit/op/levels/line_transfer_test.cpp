// Transfers between orders without a matrix, against the matrix.
#include "op/levels/line_transfer.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/stored_numbers.h"
#include "device/host/host_device.h"
#include "linalg/start_vector.h"
#include "op/levels/nested_space.h"
#include "support/discrete_problem.h"
#include "support/test_device.h"

namespace weft {
namespace {

std::string box_of(const std::string &cell, const std::string &more = "") {
  return fmt::format("[mesh]\nbox = {{ cells = {}, cell = \"{}\"{} }}\n",
                     is_flat(cell) ? "[5, 3]" : "[3, 3, 2]", cell, more);
}

std::string fields_of(int order, const std::string &more = "") {
  return fmt::format("[fields]\nu = {{ element = \"P{}\"{} }}\n[weak_form]\ncells.all = "
                     "\"inner(grad(u), grad(test(u)))\"\n",
                     order, more);
}

Vector scaling(Device &device, std::int64_t size, double factor) {
  Vector s = make_vector(device, size, Precision::f64, "scaling");
  std::vector<double> values(size);
  for (std::int64_t i = 0; i < size; ++i)
    values[i] = factor * (2 + std::sin(static_cast<double>(i)));
  set_vector(device, s, values);
  return s;
}

void expect_near(const std::vector<double> &values, const std::vector<double> &expected,
                 double tolerance) {
  ASSERT_EQ(values.size(), expected.size());
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    largest = std::max(largest, std::abs(values[i] - expected[i]));
  EXPECT_LT(largest, tolerance);
}

// Both ways against P, and twice with the same bits.
void expect_transfers(Device &device, const DiscreteProblem &problem, int lower, Precision fine,
                      Precision coarse) {
  const NestedSpace space = make_lower_order_space(problem.c, problem.d, lower);
  ASSERT_TRUE(LineTransfer::suits(problem.d, space.d));
  const HostMatrix p = make_prolongation(space, problem.d);
  const std::int64_t num_fine = problem.d.num_owned, num_coarse = space.d.num_owned;
  const Vector s_fine = scaling(device, num_fine, 1), s_coarse = scaling(device, num_coarse, 0.7);
  LineTransfer transfer(device, problem.d, space.d, {num_fine, fine, &s_fine},
                        {num_coarse, coarse, &s_coarse});
  EXPECT_EQ(transfer.num_fine(), num_fine);
  EXPECT_EQ(transfer.num_coarse(), num_coarse);
  const std::vector<double> x = start_vector(num_coarse, 1), y = start_vector(num_fine, 2);
  const std::vector<double> sf = get_vector(device, s_fine), sc = get_vector(device, s_coarse);
  std::vector<double> up = y, down(num_coarse, 0.0);
  for (std::int64_t i = 0; i < num_fine; ++i)
    for (auto e = p.row_start[i]; e < p.row_start[i + 1]; ++e) {
      const double value = p.values[e] * sc[p.columns[e]] / sf[i];
      up[i] += value * x[p.columns[e]];
      down[p.columns[e]] += value * y[i];
    }
  Vector vx = make_vector(device, num_coarse, coarse, "coarse");
  Vector vy = make_vector(device, num_fine, fine, "fine");
  const double tolerance = std::max(200 * unit_roundoff(fine), 200 * unit_roundoff(coarse));
  std::vector<double> ups[2], downs[2];
  for (int run = 0; run < 2; ++run) {
    set_vector(device, vx, x);
    set_vector(device, vy, y);
    transfer.prolong_add(vx, vy);
    ups[run] = get_vector(device, vy);
    set_vector(device, vy, y);
    transfer.restrict_to(vy, vx);
    downs[run] = get_vector(device, vx);
  }
  expect_near(ups[0], up, tolerance);
  expect_near(downs[0], down, tolerance);
  EXPECT_EQ(ups[0], ups[1]);
  EXPECT_EQ(downs[0], downs[1]);
}

TEST(LineTransfer, IsTheMatrixBetweenOrders) {
  for (const std::string cell : {"quadrilateral", "hexahedron"})
    for (const auto &[order, lower] :
         {std::pair(2, 1), std::pair(3, 1), std::pair(4, 2), std::pair(7, 3), std::pair(8, 4)}) {
      SCOPED_TRACE(fmt::format("{} {} {}", cell, order, lower));
      const DiscreteProblem problem(box_of(cell, ", distort = 0.2") + fields_of(order) +
                                    "[dirichlet]\nx0 = { u = \"y\" }\n");
      expect_transfers(test_device(), problem, lower, Precision::f32, Precision::f32);
    }
}

TEST(LineTransfer, VectorsOfAllPrecisions) {
  const DiscreteProblem problem(box_of("hexahedron") + fields_of(4, ", shape = \"vector\"") +
                                "[dirichlet]\nx0 = { u = [0, 0, 0] }\nz1 = { \"u[1]\" = 0 }\n");
  for (const Precision fine : {Precision::f64, Precision::f32})
    for (const Precision coarse : {Precision::f64, Precision::f32})
      expect_transfers(test_device(), problem, 2, fine, coarse);
}

TEST(LineTransfer, PeriodicNodesAndSeveralFields) {
  const DiscreteProblem across(
      "[mesh]\nbox = { cells = [3, 4], cell = \"quadrilateral\", periodic = [\"x\"] }\n" +
      fields_of(3));
  expect_transfers(test_device(), across, 1, Precision::f64, Precision::f64);
  const DiscreteProblem fields(
      box_of("hexahedron", ", periodic = [\"y\"]") +
      "[fields]\nv = { element = \"P2\", shape = \"vector\" }\np = { element = \"P1\" }\n"
      "[weak_form]\ncells.all = \"inner(grad(v), grad(test(v))) - p*div(test(v)) + "
      "div(v)*test(p)\"\n");
  expect_transfers(test_device(), fields, 1, Precision::f64, Precision::f32);
}

TEST(LineTransfer, OnTheHostsDevice) {
  for (const bool gpu : {false, true}) {
    const auto device = open_host_device({.gpu = gpu});
    const DiscreteProblem flat(box_of("quadrilateral") + fields_of(4));
    expect_transfers(*device, flat, 2, Precision::f64, Precision::f32);
    const DiscreteProblem problem(box_of("hexahedron") + fields_of(3));
    expect_transfers(*device, problem, 1, Precision::f32, Precision::f32);
  }
}

TEST(LineTransfer, OtherCellsAndMeshesAreLeftToMatrices) {
  const auto suits = [](const std::string &cell) {
    const DiscreteProblem problem(box_of(cell) + fields_of(2));
    return LineTransfer::suits(problem.d, make_lower_order_space(problem.c, problem.d, 1).d);
  };
  EXPECT_TRUE(suits("quadrilateral"));
  EXPECT_FALSE(suits("triangle"));
  EXPECT_FALSE(suits("prism"));
  const DiscreteProblem one(box_of("hexahedron") + fields_of(2)),
      other(box_of("hexahedron") + fields_of(1));
  EXPECT_FALSE(LineTransfer::suits(one.d, other.d));
}

} // namespace
} // namespace weft
