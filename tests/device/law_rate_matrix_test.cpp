// Rates as a matrix against the kernels of the law that it was made from.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/error.h"
#include "op/law/law_rate_matrix.h"
#include "support/case_text.h"
#include "support/discrete_problem.h"
#include "support/mixed_mesh.h"
#include "support/test_device.h"

namespace weft {
namespace {

// Two fields that diffuse, one along a direction that varies and by region, and are carried along,
// and one that stands still.
const std::string linear_law =
    "[fields]\nu = { element = \"FV\" }\nw = { element = \"FV\" }\nv = { element = \"FV\" }\n"
    "[conservation_law]\nflux.u = \"-(1 + x)*grad(u) - 2*dot(a, grad(u))*a\"\n"
    "flux.w = \"a*w - 0.1*grad(u)\"\nsource.u = \"x - 0.3*w\"\nsource.v = \"0.2*x\"\ncapacity.w = "
    "\"1 + y\"\n"
    "limiter = \"none\"\ndiffusion = \"corrected\"\nnumerical_flux = "
    "\"lax_friedrichs\"\nwave_speed = \"1.5\"\n";

struct Trial {
  DiscreteProblem p;
  LawRates law;
  LawRateMatrix matrix;
  std::vector<double> state, start, sum;

  Trial(const std::string &text, Precision precision)
      : p(text), law(test_device(), p.d, {.precision = precision}), matrix(law, p.d) {
    std::mt19937 generator(3);
    std::uniform_real_distribution<double> in_range(-1, 1);
    for (auto *values : {&state, &start, &sum}) {
      values->resize(p.d.num_owned);
      for (double &value : *values)
        value = in_range(generator);
    }
  }

  // State and sum after a stage.
  std::vector<double> stage_of(ExplicitOperator &op, const StageUpdate &update) {
    std::vector<Vector> vectors;
    for (const auto *values : {&state, &start, &sum, &state}) {
      vectors.push_back(make_vector(op.device(), op.size(), op.precision(), "vector"));
      op.set_state(*values, vectors.back());
    }
    op.stage(0, 0.01, update, vectors[0], &vectors[1], &vectors[2], vectors[3]);
    std::vector<double> result = op.state(vectors[3]);
    const std::vector<double> of_sum = op.state(vectors[2]);
    result.insert(result.end(), of_sum.begin(), of_sum.end());
    return result;
  }
};

void expect_same(const std::string &mesh, const std::string &boundary, Precision precision) {
  Trial t(mesh + "[definitions]\na = \"" +
              (mesh.find("tetra") == std::string::npos ? "[0.8, 0.6*y]" : "[0.8, 0.6*y, 0.3]") +
              "\"\n" + linear_law + boundary + "[time]\nend = 1\ncfl = 0.5\n",
          precision);
  const double tolerance = precision == Precision::f64 ? 1e-12 : 2e-5;
  // A stage with all terms, and one with as few as may be.
  for (const StageUpdate &update : {StageUpdate{.keep = -0.5,
                                   .start = 0.75,
                                   .state = 0.25,
                                   .sum = 0.4,
                                   .rate = 0.3,
                                   .uses_start = true,
                                   .uses_sum = true,
                                   .keeps_sum = true},
                                    StageUpdate{.state = 1, .rate = 1}}) {
    const std::vector<double> expected = t.stage_of(t.law, update);
    const std::vector<double> found = t.stage_of(t.matrix, update);
    double largest = 0;
    for (const double value : expected)
      largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(found[i], expected[i], tolerance * largest) << mesh << " " << i;
  }
}

TEST(LawRateMatrix, AreThoseOfTheLaw) {
  const std::string outer = "[boundary.x0]\nouter = { u = \"y\", w = 1 }\n[boundary.all]\nflux = { "
                            "u = \"0.1*u\", w = \"0.5*w\" }\n";
  expect_same("[mesh]\nbox = { cells = [7, 5], cell = \"triangle\", distort = 0.2 }\n", outer,
              Precision::f32);
  expect_same("[mesh]\nbox = { cells = [3, 2, 3], cell = \"tetrahedron\", distort = 0.2 }\n", outer,
              Precision::f64);
  expect_same("[mesh]\nbox = { cells = [9, 7], cell = \"quadrilateral\", distort = 0.2, periodic = "
              "[\"x\", \"y\"] }\n",
              "", Precision::f64);
}

TEST(LawRateMatrix, OfSeveralCellTypes) {
  const CaseFolder folder;
  const std::string file = folder.write("mixed.msh", mixed_mesh_text(7));
  expect_same("[mesh]\nfile = \"" + file + "\"\n", "[boundary.all]\nouter = { u = \"y\", w = 1 }\n",
              Precision::f64);
}

TEST(LawRateMatrix, OfOtherLawsAreRefused) {
  const auto refuses = [](const std::string &element, const std::string &law) {
    const DiscreteProblem p(
        "[mesh]\nbox = { cells = [3, 3], cell = \"triangle\" }\n[fields]\nu = { "
        "element = \"" +
        element + "\" }\n[conservation_law]\n" + law +
        "[boundary.all]\nflux = { u = 0 }\n[time]\nend = 1\ncfl = 0.5\n");
    LawRates op(test_device(), p.d, {});
    EXPECT_THROW(LawRateMatrix(op, p.d), Error) << element << " " << law;
  };
  refuses("DG1", "flux.u = \"-grad(u)\"\n");
  refuses("FV", "flux.u = \"-u*grad(u)\"\n");
  refuses("FV", "flux.u = \"-grad(u)\"\nsource.u = \"u^2\"\n");
  refuses("FV", "flux.u = \"-(1 + t)*grad(u)\"\n");
}

} // namespace
} // namespace weft
