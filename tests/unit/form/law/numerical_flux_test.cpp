// What every numerical flux of every physics file must be: consistent, conservative, the same in
// rotated axes, and differentiable where it is smooth.
#include <Eigen/Dense>
#include <cmath>
#include <set>
#include <sstream>

#include "form/graph/differentiate.h"
#include "support/law_testing.h"

namespace weft {
namespace {

using testing::at_facet;
using testing::law_of;
using testing::RandomStates;
using testing::SideState;

struct NamedFlux {
  const char *physics;
  const char *flux;
  int dim;
  const char *lines = "";
};

void PrintTo(const NamedFlux &f, std::ostream *out) {
  *out << f.physics << " " << f.flux << " " << f.dim;
}

const char *const two_media = "[parameters]\nrho = { a = 1, b = 2 }\nK = { a = 3, b = 1 }\n";
const char *const two_materials = "[parameters]\neps = { a = 1, b = 2 }\nmu = { a = 3, b = 1 }\n";

std::vector<NamedFlux> all_fluxes() {
  std::vector<NamedFlux> all;
  for (const char *flux : {"central", "lax_friedrichs", "upwind"}) {
    for (const int dim : {2, 3}) {
      all.push_back({"advection", flux, dim});
      all.push_back({"acoustics", flux, dim, two_media});
    }
    all.push_back({"maxwell", flux, 3, two_materials});
    all.push_back({"maxwell_tm", flux, 2, two_materials});
  }
  for (const char *flux : {"central", "lax_friedrichs", "hll", "hllc", "roe"})
    for (const int dim : {2, 3})
      for (const char *gas : {"euler", "navier_stokes"})
        all.push_back({gas, flux, dim});
  for (const char *flux : {"central", "lax_friedrichs", "hll"})
    all.push_back({"shallow_water", flux, 2});
  return all;
}

ConservationLaw make(const NamedFlux &f) {
  return law_of(f.physics, f.dim,
                std::string(f.lines) + "[conservation_law]\nnumerical_flux = \"" + f.flux + "\"\n");
}

class NumericalFlux : public ::testing::TestWithParam<NamedFlux> {};

TEST_P(NumericalFlux, IsConsistent) {
  const ConservationLaw law = make(GetParam());
  RandomStates random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const SideState q = random.state(law);
    const auto n = random.unit_vector(law.dim);
    const auto expected = testing::normal_flux(law, q, n);
    const auto found = at_facet(law, law.numerical_flux, q, q, n);
    for (int k = 0; k < law.num_components; ++k)
      EXPECT_NEAR(found[k], expected[k], 1e-12 * (1 + std::abs(expected[k]))) << k;
  }
}

TEST_P(NumericalFlux, IsConservative) {
  const ConservationLaw law = make(GetParam());
  RandomStates random(2);
  for (int trial = 0; trial < 20; ++trial) {
    const SideState a = random.state(law), b = random.state(law);
    const auto n = random.unit_vector(law.dim);
    std::vector<double> opposite;
    for (const double x : n)
      opposite.push_back(-x);
    const auto there = at_facet(law, law.numerical_flux, a, b, n);
    const auto back = at_facet(law, law.numerical_flux, b, a, opposite);
    for (int k = 0; k < law.num_components; ++k)
      EXPECT_NEAR(there[k], -back[k], 1e-11 * (1 + std::abs(there[k]))) << k;
  }
}

Eigen::MatrixXd random_rotation(RandomStates &random, int dim) {
  const auto values = random.list(dim * dim, -1, 1);
  const Eigen::MatrixXd m = Eigen::Map<const Eigen::MatrixXd>(values.data(), dim, dim);
  Eigen::MatrixXd rotation = m.householderQr().householderQ();
  if (rotation.determinant() < 0)
    rotation.col(0) *= -1;
  return rotation;
}

// Vector fields, and directions of gradients, in rotated axes.
std::vector<double> rotated(const ConservationLaw &law, const Eigen::MatrixXd &rotation,
                            const std::vector<double> &values, int width) {
  std::vector<double> result;
  int first = 0;
  for (const FieldSpec &field : law.fields) {
    const int rows = field.components();
    Eigen::MatrixXd block(rows, width);
    for (int k = 0; k < rows; ++k)
      for (int d = 0; d < width; ++d)
        block(k, d) = values[(first + k) * width + d];
    if (rows == law.dim)
      block = rotation * block;
    if (width == law.dim)
      block = block * rotation.transpose();
    for (int k = 0; k < rows; ++k)
      for (int d = 0; d < width; ++d)
        result.push_back(block(k, d));
    first += rows;
  }
  return result;
}

class IsotropicFlux : public ::testing::TestWithParam<NamedFlux> {};

TEST_P(IsotropicFlux, IsTheSameInRotatedAxes) {
  const ConservationLaw law = make(GetParam());
  RandomStates random(3);
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::MatrixXd rotation = random_rotation(random, law.dim);
    const auto turn = [&](const SideState &s) {
      SideState result{rotated(law, rotation, s.q, 1), {}, s.parameters};
      if (law.viscous)
        result.gradient = rotated(law, rotation, s.gradient, law.dim);
      return result;
    };
    const SideState a = random.state(law), b = random.state(law);
    const auto n = random.unit_vector(law.dim);
    const Eigen::VectorXd turned = rotation * Eigen::Map<const Eigen::VectorXd>(n.data(), law.dim);
    const auto expected = rotated(law, rotation, at_facet(law, law.numerical_flux, a, b, n), 1);
    const auto found = at_facet(law, law.numerical_flux, turn(a), turn(b),
                                {turned.data(), turned.data() + law.dim});
    for (int k = 0; k < law.num_components; ++k)
      EXPECT_NEAR(found[k], expected[k], 1e-11 * (1 + std::abs(expected[k]))) << k;
  }
}

// The derivatives of all outputs by a field's value on a side.
PointwiseFunction derivative_of(const PointwiseFunction &function, const Symbol &by) {
  Graph graph;
  std::vector<NodeId> map, outputs;
  for (const Node &node : function.nodes) {
    const auto operand = [&](int k) { return node.operand[k] < 0 ? -1 : map[node.operand[k]]; };
    map.push_back(node.op == Op::constant ? graph.constant(node.value)
                  : node.op == Op::symbol
                      ? graph.symbol(function.symbols[node.symbol])
                      : graph.make(node.op, operand(0), operand(1), operand(2)));
  }
  for (const NodeId output : function.outputs)
    outputs.push_back(map[output]);
  return extract(graph, derivative(graph, outputs, by));
}

TEST_P(NumericalFlux, HasTheDerivativeThatDifferencesFind) {
  const ConservationLaw law = make(GetParam());
  RandomStates random(4);
  const SideState a = random.state(law), b = random.state(law);
  const auto n = random.unit_vector(law.dim);
  constexpr double h = 1e-6;
  for (const Side side : {Side::minus, Side::plus})
    for (int f = 0, j = 0; f < static_cast<int>(law.fields.size()); ++f)
      for (int k = 0; k < law.fields[f].components(); ++k, ++j) {
        const auto moved = [&](double by) {
          SideState left = a, right = b;
          (side == Side::minus ? left : right).q[j] += by;
          return at_facet(law, law.numerical_flux, left, right, n);
        };
        const PointwiseFunction slope =
            derivative_of(law.numerical_flux, {SymbolKind::field, f, k, 0, side});
        const auto found = at_facet(law, slope, a, b, n);
        const auto up = moved(h), down = moved(-h);
        for (int i = 0; i < law.num_components; ++i)
          EXPECT_NEAR(found[i], (up[i] - down[i]) / (2 * h), 1e-6 * (1 + std::abs(found[i])))
              << "output " << i << " by component " << j;
      }
}

// The tests of this file know all files, and those name their source.
TEST(NumericalFluxFiles, AreAllTestedAndHaveASource) {
  std::set<std::string> tested;
  for (const NamedFlux &f : all_fluxes())
    tested.insert(f.flux);
  std::set<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(WEFT_SOURCE_DIR "/physics/flux")) {
    files.insert(entry.path().stem().string());
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    EXPECT_NE(text.str().find("doi:10."), std::string::npos) << entry.path();
    EXPECT_NE(text.str().find("F* ="), std::string::npos) << entry.path();
  }
  EXPECT_EQ(files, tested);
}

std::string name_of_test(const ::testing::TestParamInfo<NamedFlux> &info) {
  return std::string(info.param.physics) + "_" + info.param.flux + "_" +
         std::to_string(info.param.dim) + "d";
}

// Advection has a velocity, which does not turn with the axes.
std::vector<NamedFlux> isotropic_fluxes() {
  std::vector<NamedFlux> all = all_fluxes();
  std::erase_if(all, [](const NamedFlux &f) { return f.physics == std::string("advection"); });
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, NumericalFlux, ::testing::ValuesIn(all_fluxes()), name_of_test);
INSTANTIATE_TEST_SUITE_P(All, IsotropicFlux, ::testing::ValuesIn(isotropic_fluxes()), name_of_test);

} // namespace
} // namespace weft
