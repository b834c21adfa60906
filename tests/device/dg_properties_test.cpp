// What discontinuous Galerkin kernels keep, whatever the mesh: free streams, sums, bits; and the
// longest step.
#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "support/dg_case.h"
#include "support/test_device.h"

namespace weft {
namespace {

// Moves nodes of a box with period 1, so that order 2 is curved in all directions.
void swell(double *x, int dim) {
  double moved[3];
  for (int d = 0; d < dim; ++d)
    moved[d] = x[d] + 0.04 * std::sin(2 * std::numbers::pi * x[(d + 1) % dim]);
  std::copy_n(moved, dim, x);
}

std::string euler_text(const std::string &mesh, int order) {
  const std::string element = "{ element = \"DG" + std::to_string(order) + "\" }\n";
  return "physics = [\"euler\"]\n" + mesh + "[fields]\nrho = " + element + "m = { element = \"DG" +
         std::to_string(order) + "\", shape = \"vector\" }\nE = " + element +
         "[time]\nend = 1.0\ncfl = 0.5\n";
}

std::string periodic_box(const std::string &cell, int geometry_order, bool distorted) {
  const bool flat = is_flat(cell);
  return "[mesh]\nbox = { cells = " + std::string(flat ? "[4, 4]" : "[3, 3, 3]") + ", cell = \"" +
         cell + "\", distort = " + (distorted ? "0.2" : "0") + ", periodic = [\"x\", \"y\"" +
         (flat ? "" : ", \"z\"") + "] }\norder = " + std::to_string(geometry_order) + "\n";
}

struct PeriodicEuler : DiscreteProblem {
  PeriodicEuler(const std::string &cell, int geometry_order, bool distorted, int order)
      : DiscreteProblem(euler_text(periodic_box(cell, geometry_order, distorted), order),
                        [=](double *x) {
                          if (geometry_order == 2)
                            swell(x, is_flat(cell) ? 2 : 3);
                        }) {}
};

DgSettings few_lanes() {
  DgSettings settings;
  settings.lanes = test_device().info().is_cpu ? 4 : 1;
  return settings;
}

// A gas in motion, the same everywhere.
std::vector<double> free_stream(const Discretisation &d) {
  std::vector<double> dofs;
  const int dim = d.mesh->dim;
  const std::int64_t nodes = d.map_of_field(0).num_local;
  dofs.assign(nodes, 1.2);
  for (std::int64_t i = 0; i < nodes; ++i)
    for (int k = 0; k < dim; ++k)
      dofs.push_back(0.3 + 0.2 * k);
  dofs.insert(dofs.end(), nodes, 2.7);
  return dofs;
}
double free_stream_speed(int dim) {
  double square = 0;
  for (int k = 0; k < dim; ++k)
    square += (0.3 + 0.2 * k) * (0.3 + 0.2 * k);
  const double pressure = 0.4 * (2.7 - 0.5 * square / 1.2);
  return std::sqrt(square) / 1.2 + std::sqrt(1.4 * pressure / 1.2);
}

// Where ten steps lead, of Euler's method, which has to be stable: else rounding grows.
double change_in_ten_steps(LawRates &op, const std::vector<double> &dofs) {
  Device &device = test_device();
  Vector q = make_vector(device, op.size(), op.precision(), "q");
  Vector next = make_vector(device, op.size(), op.precision(), "next");
  op.set_state(dofs, q);
  const double step = op.unit_step(0, q) / 10;
  for (int i = 0; i < 10; ++i) {
    op.stage(0, step, {.state = 1, .rate = 1}, q, nullptr, nullptr, next);
    std::swap(q, next);
  }
  return difference(op.state(q), dofs);
}

std::vector<double> rates(LawRates &op, const std::vector<double> &dofs) {
  Device &device = test_device();
  Vector q = make_vector(device, op.size(), op.precision(), "q");
  Vector rate = make_vector(device, op.size(), op.precision(), "rate");
  op.set_state(dofs, q);
  op.stage(0, 1, {.rate = 1}, q, nullptr, nullptr, rate);
  return op.state(rate);
}

// Sums of rates over sums of their sizes, the largest of some components.
double imbalance(const Discretisation &d, const std::vector<double> &rate,
                 const std::vector<int> &components) {
  std::vector<double> size = rate;
  for (double &v : size)
    v = std::abs(v);
  const auto sum = reference::dg_integrals(d, rate), scale = reference::dg_integrals(d, size);
  double largest = 0;
  for (const int k : components)
    largest = std::max(largest, std::abs(sum[k]) / scale[k]);
  return largest;
}

class DgCells : public testing::TestWithParam<std::string> {};

TEST_P(DgCells, KeepFreeStreamsAndSums) {
  const int dim = is_flat(GetParam()) ? 2 : 3;
  const std::vector<int> all = dim == 2 ? std::vector{0, 1, 2, 3} : std::vector{0, 1, 2, 3, 4};
  // The metric is of a higher degree than elements of order 1.
  for (const auto &[geometry_order, distorted, order] :
       {std::tuple{1, false, 3}, {1, true, 3}, {2, true, 3}, {1, true, 1}, {2, true, 1}}) {
    SCOPED_TRACE("geometry of order " + std::to_string(geometry_order) +
                 (distorted ? ", distorted, DG" : ", DG") + std::to_string(order));
    const PeriodicEuler p(GetParam(), geometry_order, distorted, order);
    LawRates op(test_device(), p.d, few_lanes());
    const bool simplex = GetParam() == "triangle" || GetParam() == "tetrahedron";
    EXPECT_EQ(op.mesh().sets[0].affine, geometry_order == 1 && (simplex || !distorted));
    EXPECT_LT(change_in_ten_steps(op, free_stream(p.d)), 1e-12);
    EXPECT_LT(imbalance(p.d, rates(op, dg_state(p.d)), all), 1e-13);
  }
}

INSTANTIATE_TEST_SUITE_P(All, DgCells,
                         testing::Values("triangle", "quadrilateral", "tetrahedron", "prism",
                                         "hexahedron"),
                         [](const auto &info) { return info.param; });

// Between walls mass and energy are kept.
TEST(DgMixedCells, KeepFreeStreamsAndSums) {
  const CaseFolder folder;
  const std::string mesh =
      "[mesh]\nfile = \"" + folder.write("mixed.msh", mixed_mesh_3d_text(2)) + "\"\norder = 2\n";
  const DiscreteProblem far(
      euler_text(mesh, 2) + "[boundary.all]\nouter = { rho = 1.2, m = [0.3, 0.5, 0.7], E = 2.7 }\n",
      bend);
  LawRates stream(test_device(), far.d, few_lanes());
  EXPECT_LT(change_in_ten_steps(stream, free_stream(far.d)), 1e-12);

  const DiscreteProblem closed(euler_text(mesh, 2) + "[boundary.all]\nouter = { rho = \"rho\", m = "
                                                     "\"m_mirrored\", E = \"E\" }\n",
                               bend);
  LawRates walls(test_device(), closed.d, few_lanes());
  EXPECT_LT(imbalance(closed.d, rates(walls, dg_state(closed.d)), {0, 4}), 1e-13);
}

// A velocity of position, of which order 0 has no node on facets.
TEST(DgOrderZero, ConservesInVelocitiesOfPlace) {
  const DiscreteProblem p(
      "[mesh]\nbox = { cells = [5, 4], distort = 0.2 }\n[fields]\nq = { element = "
      "\"DG0\" }\n[conservation_law]\nflux.q = \"[x*(1 - x), -y*(1 - y)*x]*q\"\n"
      "numerical_flux = \"upwind\"\n[boundary.all]\nflux = { q = 0 }\n[time]\nend = "
      "1\ncfl = 0.5\n");
  LawRates op(test_device(), p.d, few_lanes());
  EXPECT_LT(imbalance(p.d, rates(op, dg_state(p.d)), {0}), 1e-13);
}

// The inscribed sphere's diameter is h in squares and cubes with sides h, and
// 4 (h^2/2)/(2 h + sqrt(2) h) in a right triangle with legs h.
TEST(DgSteps, AreThoseOfWavesAcrossInscribedSpheres) {
  for (const auto &[cell, order, length] : {std::tuple{"quadrilateral", 3, 0.25},
                                            {"hexahedron", 2, 1.0 / 3},
                                            {"triangle", 3, 0.5 / (2 + std::numbers::sqrt2)}}) {
    SCOPED_TRACE(cell);
    const int dim = is_flat(cell) ? 2 : 3;
    const DiscreteProblem p(euler_text(periodic_box(cell, 1, false), order));
    LawRates op(test_device(), p.d, few_lanes());
    Vector q = make_vector(test_device(), op.size(), op.precision(), "q");
    std::vector<double> dofs = free_stream(p.d);
    op.set_state(dofs, q);
    const double expected = length / (free_stream_speed(dim) * (2 * order + 1));
    EXPECT_NEAR(op.unit_step(0, q), expected, 1e-13);
    dofs[dofs.size() / 2] = std::numeric_limits<double>::quiet_NaN();
    op.set_state(dofs, q);
    EXPECT_TRUE(std::isnan(op.unit_step(0, q)));
  }
}

} // namespace
} // namespace weft
