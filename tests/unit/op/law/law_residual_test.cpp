// A law as a system of equations: what its operator computes is what the law's rate says.
#include "op/law/law_residual.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/discrete_problem.h"
#include "support/test_device.h"

namespace weft {
namespace {

// Three boxes' cells leave lanes without a cell, whatever the number of lanes.
std::string law_box(const std::string &element, const std::string &cell = "triangle") {
  return "[mesh]\nbox = { cells = [3, 3], cell = \"" + cell +
         "\", distort = 0.2 }\n[fields]\nu = { element = \"" + element +
         "\" }\n[time]\nend = 1\nstep = 1\n";
}

const std::string advection_case = R"TOML(
[conservation_law]
flux.u = "[u, 0.5*u]"
source.u = "3 - 2*u + t"
capacity.u = "2 + x"
numerical_flux = "upwind"
[boundary]
all = { outer = { u = "300 + t" } }
)TOML";

const std::string burgers = R"TOML(
[conservation_law]
flux.u = "[u^2/2, u]"
source.u = "-u^3"
numerical_flux = "lax_friedrichs"
[boundary]
all = { outer = { u = "2" } }
)TOML";

const std::string mixed = R"TOML(
[conservation_law]
flux.u = "[u, 0.5*u] - 0.3*grad(u)"
source.u = "x"
numerical_flux = "upwind"
[boundary]
all = { outer = { u = "1 + y" } }
)TOML";

struct System {
  DiscreteProblem problem;
  LawRates rate;
  LawResidual op;

  explicit System(const std::string &text, DgSettings settings = {})
      : problem(text), rate(test_device(), problem.d, settings), op(rate, problem.d) {}

  Vector vector(const std::vector<double> &values) {
    Vector v = make_vector(test_device(), op.size(), op.precision(), "test");
    set_vector(test_device(), v, values);
    return v;
  }
  std::vector<double> values(const Vector &v) { return get_vector(test_device(), v); }
  std::vector<double> wave(double phase) const {
    std::vector<double> result(problem.d.num_owned);
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = 1.5 + std::sin(phase + 1.7 * double(i));
    return result;
  }
  // L(t, u) by the explicit operator.
  std::vector<double> explicit_rate(double time, const std::vector<double> &u) {
    Vector q = make_vector(test_device(), rate.size(), rate.precision(), "q");
    Vector k = make_vector(test_device(), rate.size(), rate.precision(), "k");
    rate.set_state(u, q);
    rate.stage(time, 1, {.rate = 1}, q, nullptr, nullptr, k);
    return rate.state(k);
  }
  std::vector<double> residual(const std::vector<double> &u) {
    Vector r = vector(u);
    op.residual(vector(u), r);
    return values(r);
  }
  std::vector<double> apply(const std::vector<double> &x) {
    Vector y = vector(x);
    op.apply(vector(x), y);
    return values(y);
  }
  // [column][row]
  std::vector<std::vector<double>> dense() {
    std::vector<std::vector<double>> columns;
    for (std::int64_t j = 0; j < op.size(); ++j) {
      std::vector<double> unit(op.size(), 0);
      unit[j] = 1;
      columns.push_back(apply(unit));
    }
    return columns;
  }
};

double largest_entry(const std::vector<double> &a) {
  double result = 0;
  for (const double value : a)
    result = std::max(result, std::abs(value));
  return result;
}

double change_of(std::vector<double> a, const std::vector<double> &b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] -= b[i];
  return largest_entry(a) / largest_entry(b);
}

void expect_jacobian_of_differences(System &system, double tolerance) {
  const std::vector<double> u = system.wave(0.2), x = system.wave(2.1);
  const Vector state = system.vector(u), offset = system.vector(system.wave(1.4));
  system.op.set_time(0.3);
  system.op.set_rate(offset, 2.5);
  system.op.linearise(state);
  constexpr double h = 1e-4;
  std::vector<double> more = u, less = u;
  for (std::size_t i = 0; i < u.size(); ++i) {
    more[i] += h * x[i];
    less[i] -= h * x[i];
  }
  std::vector<double> quotient = system.residual(more);
  const std::vector<double> below = system.residual(less);
  for (std::size_t i = 0; i < u.size(); ++i)
    quotient[i] = (quotient[i] - below[i]) / (2 * h);
  EXPECT_LT(change_of(system.apply(x), quotient), tolerance);
}

TEST(LawResidual, ResidualIsTheExplicitRateTimesWeights) {
  System system(law_box("DG0") + advection_case);
  const std::vector<double> u = system.wave(0.4), offset = system.wave(0.9);
  system.op.set_time(0.7);
  const Vector kept = system.vector(offset);
  system.op.set_rate(kept, 3);
  const std::vector<double> rate = system.explicit_rate(0.7, u), r = system.residual(u);
  double weights = 0;
  for (std::size_t i = 0; i < u.size(); ++i)
    weights += r[i] / (3 * u[i] + offset[i] - rate[i]);
  EXPECT_NEAR(weights, 2.5, 1e-12); // the capacity's integral over the unit square
}

TEST(LawResidual, ResidualsOfHigherOrdersHaveNoWeights) {
  System system(law_box("DG2", "quadrilateral") + burgers);
  const std::vector<double> u = system.wave(0.4);
  std::vector<double> rate = system.explicit_rate(0, u);
  for (double &value : rate)
    value = -value;
  EXPECT_LT(change_of(system.residual(u), rate), 1e-14);
  EXPECT_FALSE(system.op.linear());
  EXPECT_FALSE(system.op.symmetric());
}

TEST(LawResidual, JacobiansAreThoseOfDifferences) {
  System affine(law_box("DG0") + advection_case), viscous(law_box("DG1") + mixed),
      steep(law_box("DG1") + burgers);
  EXPECT_TRUE(affine.op.linear());
  EXPECT_TRUE(viscous.op.linear());
  expect_jacobian_of_differences(affine, 1e-9);
  expect_jacobian_of_differences(viscous, 1e-9);
  expect_jacobian_of_differences(steep, 1e-7);
}

// Boundary values of 300 beside directions of 1e-12: the affine part does not drown them.
TEST(LawResidual, ProductsOfAffineLawsAreLinear) {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    System system(law_box("DG0") + advection_case, {.precision = precision});
    system.op.linearise(system.vector(std::vector<double>(system.op.size(), 300)));
    const std::vector<double> x = system.wave(0.5), y = system.apply(x);
    std::vector<double> small = x;
    for (double &value : small)
      value *= 1e-12;
    std::vector<double> of_small = system.apply(small);
    for (double &value : of_small)
      value *= 1e12;
    EXPECT_LT(change_of(of_small, y), precision == Precision::f64 ? 1e-12 : 1e-4);
  }
}

void expect_diagonal(System &system, double tolerance) {
  system.op.set_rate(system.vector(std::vector<double>(system.op.size(), 0)), 1.5);
  system.op.linearise(system.vector(system.wave(0.1)));
  const auto columns = system.dense();
  std::vector<double> exact;
  for (std::size_t i = 0; i < columns.size(); ++i)
    exact.push_back(columns[i][i]);
  Vector d = system.vector(exact);
  system.op.diagonal(d);
  EXPECT_LT(change_of(system.values(d), exact), tolerance);
}

TEST(LawResidual, DiagonalsAreThoseOfTheDenseMatrix) {
  System affine(law_box("DG0") + advection_case), viscous(law_box("DG1") + mixed),
      steep(law_box("DG1") + burgers);
  expect_diagonal(affine, 1e-12);
  expect_diagonal(viscous, 1e-10);
  expect_diagonal(steep, 1e-7);
}

TEST(LawResidual, TheMatrixOfOrderZeroIsTheJacobian) {
  for (const std::string &law : {advection_case, burgers}) {
    System system(law_box("DG0", "quadrilateral") + law);
    EXPECT_EQ(system.op.matrix(), nullptr);
    system.op.keep_matrix();
    system.op.set_rate(system.vector(std::vector<double>(system.op.size(), 0)), 1.5);
    system.op.linearise(system.vector(system.wave(0.1)));
    ASSERT_NE(system.op.matrix(), nullptr);
    const HostMatrix matrix = system.op.matrix()->host();
    auto columns = system.dense();
    const double scale = largest_entry(columns[0]);
    for (std::int32_t row = 0; row < matrix.num_rows(); ++row)
      for (std::int32_t e = matrix.row_start[row]; e < matrix.row_start[row + 1]; ++e) {
        EXPECT_NEAR(matrix.values[e], columns[matrix.columns[e]][row], 1e-8 * scale);
        columns[matrix.columns[e]][row] = 0; // nothing else is left
      }
    for (const auto &column : columns)
      EXPECT_LT(largest_entry(column), 1e-8 * scale);
  }
}

// Two-point diffusion is symmetric with the weights, whatever the cells, conductivities, capacities
// and boundary values.
TEST(LawResidual, TwoPointDiffusionIsSymmetric) {
  System system(law_box("FV") + "[conservation_law]\nflux.u = \"-(1 + x)*grad(u)\"\n"
                                "capacity.u = \"2 + y\"\nsource.u = \"1 - 3*u\"\n"
                                "diffusion = \"two_point\"\n"
                                "[boundary]\nall = { outer = { u = \"293 + x\" } }\n");
  EXPECT_TRUE(system.op.symmetric());
  system.op.set_rate(system.vector(std::vector<double>(system.op.size(), 0)), 1.5);
  system.op.linearise(system.vector(system.wave(0.1)));
  const auto columns = system.dense();
  const double scale = largest_entry(columns[0]);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    EXPECT_GT(columns[i][i], 0);
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_NEAR(columns[i][j], columns[j][i], 1e-12 * scale);
  }
}

// A corrected flux sees the neighbours of neighbours: the matrix has the entries of cells that meet
// and the sums of rows.
TEST(LawResidual, TheMatrixOfACorrectedFluxKeepsTheSumsOfRows) {
  System system(law_box("FV") + "[conservation_law]\nflux.u = \"u*[1, 0.5] - 0.2*grad(u)\"\n"
                                "diffusion = \"corrected\"\nlimiter = \"none\"\n"
                                "numerical_flux = \"upwind\"\n"
                                "[boundary]\nall = { outer = { u = \"2\" } }\n");
  EXPECT_TRUE(system.op.linear());
  EXPECT_FALSE(system.op.symmetric());
  system.op.keep_matrix();
  expect_diagonal(system, 1e-12);
  const auto columns = system.dense();
  const std::vector<double> sums = system.apply(std::vector<double>(system.op.size(), 1));
  const HostMatrix matrix = system.op.matrix()->host();
  const double scale = largest_entry(columns[0]);
  bool sees_farther = false;
  for (std::int32_t row = 0; row < matrix.num_rows(); ++row) {
    double sum = 0, rest = sums[row];
    for (std::int32_t e = matrix.row_start[row]; e < matrix.row_start[row + 1]; ++e) {
      const double entry = columns[matrix.columns[e]][row];
      sum += matrix.values[e];
      rest -= entry;
      if (matrix.columns[e] != row) {
        EXPECT_NEAR(matrix.values[e], entry, 1e-12 * scale);
      }
    }
    EXPECT_NEAR(sum, sums[row], 1e-12 * scale);
    sees_farther = sees_farther || std::abs(rest) > 1e-3 * scale;
  }
  EXPECT_TRUE(sees_farther);
}

// The sum of F over a periodic mesh is that of the offset: fluxes cancel.
TEST(LawResidual, SumsOfOrderZeroAreConserved) {
  const std::string text =
      "[mesh]\nbox = { cells = [3, 3], cell = \"triangle\", periodic = [\"x\", \"y\"] }\n"
      "[fields]\nu = { element = \"DG0\" }\n[time]\nend = 1\nstep = 1\n"
      "[conservation_law]\nflux.u = \"[u^2/2, u]\"\n"
      "numerical_flux = \"lax_friedrichs\"\n";
  System system(text);
  const std::vector<double> r = system.residual(system.wave(0.3));
  EXPECT_GT(largest_entry(r), 1e-3);
  EXPECT_NEAR(std::accumulate(r.begin(), r.end(), 0.0), 0, 1e-14);
}

TEST(CellColouring, CellsNearEachOtherDiffer) {
  const DiscreteProblem problem(law_box("DG0") + advection_case);
  const CellGraph graph = make_cell_graph(problem.mesh);
  for (const int distance : {1, 2, 3}) {
    const Colouring colouring = colour_cells(graph, distance);
    EXPECT_LE(colouring.num_colours, graph.num_cells);
    for (std::int64_t cell = 0; cell < graph.num_cells; ++cell) {
      std::vector<std::int64_t> near = {cell};
      for (int step = 0; step < distance; ++step)
        for (std::size_t i = near.size(); i-- > 0;)
          for (int slot = 0; slot < graph.width; ++slot)
            if (const std::int32_t next = graph.neighbour[near[i] * graph.width + slot]; next >= 0)
              near.push_back(next);
      for (const std::int64_t other : near)
        if (other != cell) {
          EXPECT_NE(colouring.colours[cell], colouring.colours[other]);
        }
    }
  }
}

} // namespace
} // namespace weft
