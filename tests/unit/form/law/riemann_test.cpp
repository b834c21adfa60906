// Upwind fluxes of linear systems against the exact solution of the Riemann problem between two
// materials, found by eigenvalues of the flux.
#include <Eigen/Dense>

#include "support/law_testing.h"

namespace weft {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::RandomStates;
using testing::SideState;

// The matrix A of the normal flux A q: column by column.
MatrixXd flux_matrix(const ConservationLaw &law, SideState side, const std::vector<double> &n) {
  MatrixXd a(law.num_components, law.num_components);
  for (int j = 0; j < law.num_components; ++j) {
    side.q.assign(law.num_components, 0);
    side.q[j] = 1;
    const auto column = testing::normal_flux(law, side, n);
    a.col(j) = Eigen::Map<const VectorXd>(column.data(), law.num_components);
  }
  return a;
}

// Eigenvectors of C^-1 A with speeds of one sign.
MatrixXd waves(const ConservationLaw &law, const MatrixXd &a, const SideState &side, double sign) {
  const auto capacity = testing::in_cell(law, law.capacity, side);
  const VectorXd c = Eigen::Map<const VectorXd>(capacity.data(), law.num_components);
  // Symmetric in the variables sqrt(C) q, since A is.
  const MatrixXd root = c.cwiseSqrt().asDiagonal(), inverse = root.inverse();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(inverse * a * inverse);
  std::vector<int> chosen;
  for (int i = 0; i < law.num_components; ++i)
    if (sign * solver.eigenvalues()[i] > 1e-9)
      chosen.push_back(i);
  return inverse * solver.eigenvectors()(Eigen::all, chosen);
}

// Waves leave the interface into both sides, and the normal flux is the same on either side of it.
VectorXd exact_flux(const ConservationLaw &law, const SideState &minus, const SideState &plus,
                    const std::vector<double> &n) {
  const MatrixXd a = flux_matrix(law, minus, n);
  EXPECT_LT((a - a.transpose()).norm(), 1e-14);
  const MatrixXd left = waves(law, a, minus, -1), right = waves(law, a, plus, 1);
  MatrixXd system(a.rows(), left.cols() + right.cols());
  system << a * left, -a * right;
  const VectorXd l = Eigen::Map<const VectorXd>(minus.q.data(), a.rows());
  const VectorXd r = Eigen::Map<const VectorXd>(plus.q.data(), a.rows());
  const VectorXd strengths = system.colPivHouseholderQr().solve(a * (r - l));
  EXPECT_LT((system * strengths - a * (r - l)).norm(), 1e-12);
  return a * (l + left * strengths.head(left.cols()));
}

struct LinearSystem {
  const char *physics;
  int dim;
  const char *materials;
};

TEST(Riemann, UpwindFluxesOfSystemsAreExactBetweenTwoMaterials) {
  const char *const media = "[parameters]\nrho = { a = 1, b = 2 }\nK = { a = 3, b = 1 }\n";
  const char *const materials = "[parameters]\neps = { a = 1, b = 2 }\nmu = { a = 3, b = 1 }\n";
  for (const LinearSystem &system :
       {LinearSystem{"acoustics", 2, media}, LinearSystem{"acoustics", 3, media},
        LinearSystem{"maxwell", 3, materials}, LinearSystem{"maxwell_tm", 2, materials}}) {
    SCOPED_TRACE(system.physics);
    const ConservationLaw law = testing::law_of(system.physics, system.dim, system.materials);
    EXPECT_TRUE(law.linear);
    EXPECT_EQ(law.cell_table.size(), 2u);
    RandomStates random(5);
    for (int trial = 0; trial < 20; ++trial) {
      const SideState a = random.state(law), b = random.state(law);
      const auto n = random.unit_vector(law.dim);
      const VectorXd expected = exact_flux(law, a, b, n);
      const auto found = testing::at_facet(law, law.numerical_flux, a, b, n);
      for (int k = 0; k < law.num_components; ++k)
        EXPECT_NEAR(found[k], expected[k], 1e-12) << "component " << k;
    }
  }
}

// The wave speed is the largest of the eigenvalues.
TEST(Riemann, WaveSpeedsOfSystems) {
  const char *const media = "[parameters]\nrho = { a = 1, b = 2 }\nK = { a = 3, b = 1 }\n";
  const char *const materials = "[parameters]\neps = { a = 1, b = 2 }\nmu = { a = 3, b = 1 }\n";
  for (const LinearSystem &system :
       {LinearSystem{"acoustics", 2, media}, LinearSystem{"maxwell", 3, materials},
        LinearSystem{"maxwell_tm", 2, materials}}) {
    SCOPED_TRACE(system.physics);
    const ConservationLaw law = testing::law_of(system.physics, system.dim, system.materials);
    RandomStates random(6);
    const SideState side = random.state(law);
    const MatrixXd a = flux_matrix(law, side, random.unit_vector(law.dim));
    const auto capacity = testing::in_cell(law, law.capacity, side);
    const VectorXd c = Eigen::Map<const VectorXd>(capacity.data(), law.num_components);
    const MatrixXd inverse = MatrixXd(c.cwiseSqrt().asDiagonal()).inverse();
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(inverse * a * inverse);
    EXPECT_NEAR(testing::in_cell(law, law.wave_speed, side)[0], solver.eigenvalues().maxCoeff(),
                1e-12);
  }
}

// Stationary contact: density jumps, nothing else does. The contact wave is not smeared.
TEST(Riemann, ContactsStayAtRest) {
  for (const char *flux : {"hllc", "roe"}) {
    const ConservationLaw law = testing::law_of(
        "euler", 3, "[conservation_law]\nnumerical_flux = \"" + std::string(flux) + "\"\n");
    const SideState heavy{.q = {2, 0, 0, 0, 2.5}}, light{.q = {0.5, 0, 0, 0, 2.5}};
    const std::vector<double> n = {0.6, 0.8, 0};
    const auto found = testing::at_facet(law, law.numerical_flux, heavy, light, n);
    const double expected[] = {0, 0.6, 0.8, 0, 0};
    for (int k = 0; k < 5; ++k)
      EXPECT_NEAR(found[k], expected[k], 1e-14) << flux << " " << k;
  }
}

// Gas that runs faster than sound: nothing comes from downstream.
TEST(Riemann, SupersonicFlowIsUpwind) {
  for (const char *flux : {"hll", "hllc", "roe"}) {
    const ConservationLaw law = testing::law_of(
        "euler", 2, "[conservation_law]\nnumerical_flux = \"" + std::string(flux) + "\"\n");
    const SideState from{.q = {1, 4, 0.5, 12}}, to{.q = {1.1, 4.2, 0.4, 12}};
    const std::vector<double> n = {1, 0}, back = {-1, 0};
    const auto expected = testing::normal_flux(law, from, n);
    const auto there = testing::at_facet(law, law.numerical_flux, from, to, n);
    const auto here = testing::at_facet(law, law.numerical_flux, to, from, back);
    for (int k = 0; k < 4; ++k) {
      EXPECT_NEAR(there[k], expected[k], 1e-12) << flux << " " << k;
      EXPECT_NEAR(here[k], -expected[k], 1e-12) << flux << " " << k;
    }
  }
}

// A shock at rest (Mach 2) has the same normal flux on both sides; Roe's flux keeps it.
TEST(Riemann, RoeKeepsAShockAtRest) {
  const ConservationLaw law =
      testing::law_of("euler", 2, "[conservation_law]\nnumerical_flux = \"roe\"\n");
  const double gamma = 1.4, mach = 2, rho = 1, p = 1, u = mach * std::sqrt(gamma);
  const double ratio = (gamma + 1) * mach * mach / ((gamma - 1) * mach * mach + 2);
  const double p_after = p * (1 + 2 * gamma / (gamma + 1) * (mach * mach - 1));
  const auto state = [&](double density, double velocity, double pressure) {
    return SideState{.q = {density, density * velocity, 0,
                           pressure / (gamma - 1) + 0.5 * density * velocity * velocity}};
  };
  const SideState before = state(rho, u, p), after = state(rho * ratio, u / ratio, p_after);
  const std::vector<double> n = {1, 0};
  const auto expected = testing::normal_flux(law, before, n);
  const auto found = testing::at_facet(law, law.numerical_flux, before, after, n);
  for (int k = 0; k < 4; ++k)
    EXPECT_NEAR(found[k], expected[k], 1e-11) << k;
}

} // namespace
} // namespace weft
