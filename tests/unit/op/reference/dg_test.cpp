// The reference of nodal discontinuous Galerkin where its rates are known: polynomials, of which
// the method has the exact derivatives.
#include <gtest/gtest.h>

#include <cmath>

#include "op/reference/dg.h"
#include "support/discrete_problem.h"

namespace weft {
namespace {

using Position = std::array<double, 3>;
using Function = std::function<double(const Position &)>;

std::vector<double> at_nodes(const Discretisation &d, const Function &f) {
  const NodeMap &map = d.map_of_field(0);
  std::vector<double> values;
  for (std::int64_t i = 0; i < map.num_local; ++i) {
    Position x = {0, 0, 0};
    std::copy_n(&map.coordinates[i * d.mesh->dim], d.mesh->dim, x.begin());
    values.push_back(f(x));
  }
  return values;
}

double largest_difference(const std::vector<double> &a, const std::vector<double> &b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

struct Mapping {
  const char *cell;
  double distort;
  int geometry_order, order;
};

std::string law_text(const Mapping &m, const std::string &law) {
  return box_text(m.cell, m.geometry_order, m.distort, "[1, 2, 1]") +
         "[fields]\nq = { element = \"DG" + std::to_string(m.order) + "\" }\n" + law +
         "[time]\nend = 1\ncfl = 0.5\n";
}

std::string vector_text(bool flat, const std::string &third) {
  return flat ? "]" : ", " + third + "]";
}

// Affine cells have all of the element's polynomials. Curved ones have x where the metric's degree
// and x's own, 2 each way, are within the order: 3 in two dimensions, 6 in three.
class ExactAdvection : public testing::TestWithParam<Mapping> {};
// Gradients in curved cells are no polynomials.
class ExactDiffusion : public testing::TestWithParam<Mapping> {};

TEST_P(ExactAdvection, HasItsRate) {
  const Mapping m = GetParam();
  const bool flat = is_flat(m.cell), curved = m.geometry_order == 2;
  const std::string q = curved ? "2*x + t" : "x^3 - x*y + 2*t";
  const DiscreteProblem p(
      law_text(m, "[conservation_law]\nflux.q = \"[1.5*q, -q" + vector_text(flat, "0.5*q") +
                      "\"\ncapacity.q = 2\nsource.q = \"q - x\"\n[boundary.all]\n"
                      "outer = { q = \"" +
                      q + "\" }\n"),
      curved ? std::function<void(double *)>(bend) : nullptr);
  const double t = 0.3;
  const auto value = [&](const Position &x) {
    return curved ? 2 * x[0] + t : x[0] * x[0] * x[0] - x[0] * x[1] + 2 * t;
  };
  const auto rate = [&](const Position &x) {
    const double dx = curved ? 2 : 3 * x[0] * x[0] - x[1], dy = curved ? 0 : -x[0];
    return (-1.5 * dx + dy + value(x) - x[0]) / 2;
  };
  const auto found = reference::dg_rate(p.d, at_nodes(p.d, value), t);
  EXPECT_LT(largest_difference(found, at_nodes(p.d, rate)), curved ? 1e-9 : 1e-11);
}

TEST_P(ExactDiffusion, HasItsRate) {
  const Mapping m = GetParam();
  const bool flat = is_flat(m.cell);
  const DiscreteProblem p(
      law_text(m, "[parameters]\nk = 0.7\n[conservation_law]\nflux.q = "
                  "\"-k*grad(q)\"\n[boundary.x0]\nouter = { q = \"x^3 - x*y^2\" }\n"
                  "[boundary.all]\nflux = { q = \"-k*dot([3*x^2 - y^2, -2*x*y" +
                      vector_text(flat, "0") + ", n)\" }\n"));
  const auto value = [](const Position &x) { return x[0] * x[0] * x[0] - x[0] * x[1] * x[1]; };
  const auto rate = [](const Position &x) { return 0.7 * 4 * x[0]; };
  const auto found = reference::dg_rate(p.d, at_nodes(p.d, value), 0);
  EXPECT_LT(largest_difference(found, at_nodes(p.d, rate)), 1e-10);
}

const auto affine_cells = testing::Values(
    Mapping{"triangle", 0.2, 1, 3}, Mapping{"quadrilateral", 0, 1, 3},
    Mapping{"tetrahedron", 0.2, 1, 3}, Mapping{"prism", 0, 1, 3}, Mapping{"hexahedron", 0, 1, 3});
const auto curved_cells =
    testing::Values(Mapping{"triangle", 0.2, 2, 4}, Mapping{"quadrilateral", 0.2, 2, 4},
                    Mapping{"tetrahedron", 0.2, 2, 6}, Mapping{"prism", 0.2, 2, 6},
                    Mapping{"hexahedron", 0.2, 2, 6});
const auto cell_name = [](const auto &info) { return std::string(info.param.cell); };
INSTANTIATE_TEST_SUITE_P(Affine, ExactAdvection, affine_cells, cell_name);
INSTANTIATE_TEST_SUITE_P(Curved, ExactAdvection, curved_cells, cell_name);
INSTANTIATE_TEST_SUITE_P(Affine, ExactDiffusion, affine_cells, cell_name);

TEST(ReferenceDg, IntegratesOverTheMesh) {
  for (const char *cell : {"triangle", "quadrilateral", "tetrahedron", "prism", "hexahedron"}) {
    SCOPED_TRACE(cell);
    const DiscreteProblem p(law_text({cell, 0.2, 1, 2},
                                     "[conservation_law]\nflux.q = \"0*grad(q)\"\n"
                                     "[boundary.all]\nflux = { q = 0 }\n"));
    const auto x = at_nodes(p.d, [](const Position &at) { return at[0]; });
    EXPECT_NEAR(reference::dg_integrals(p.d, x).at(0), 0.5, 1e-13);
  }
}

} // namespace
} // namespace weft
