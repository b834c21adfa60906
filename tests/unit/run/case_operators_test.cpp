// On every case with a weak form, and every combination of its [verify] boxes, the product with the
// assembled matrix is what the matrix-free operator gives. Without WEFT_TEST_ALL some stand for
// others with the same form on other meshes: the tests of kernels have all elements.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

#include "run/simulation.h"

namespace weft {
namespace {

struct Chosen {
  std::string name;        // of the case
  std::string combination; // "pyramid P1"; empty: the case as it is written
  // "poisson_mms_pyramid_P1"
  std::string text() const {
    std::string text = combination.empty() ? name : name + "_" + combination;
    std::replace(text.begin(), text.end(), ' ', '_');
    return text;
  }
  friend void PrintTo(const Chosen &chosen, std::ostream *out) { *out << chosen.text(); }
};

std::vector<Chosen> chosen_cases() {
  std::vector<Chosen> chosen;
  const auto add = [&](const Chosen &c) {
    const bool left_out = c.name == "nafems_le1" || c.name == "nafems_t4" ||
                          c.name == "heat_sink" ||
                          (c.name == "poisson_mms" && c.combination != "pyramid P1");
    if (std::getenv("WEFT_TEST_ALL") != nullptr || !left_out)
      chosen.push_back(c);
  };
  for (const auto &entry : std::filesystem::directory_iterator(WEFT_SOURCE_DIR "/cases")) {
    const std::string name = entry.path().filename().string(), file = entry.path() / "case.toml";
    if (!std::filesystem::exists(file))
      continue;
    const Case c = read_case(file);
    if (c.form.law)
      continue;
    add({name, {}});
    for (const VerifyCombination &combination : c.verify.combinations)
      add({name, combination.name()});
  }
  std::sort(chosen.begin(), chosen.end(),
            [](const Chosen &a, const Chosen &b) { return a.text() < b.text(); });
  return chosen;
}

double wave(std::size_t i) {
  return std::sin(1.0 + 0.7 * static_cast<double>(i));
}

// [dof]: the operator linearised near the initial state, in the middle of a time step if it is
// transient, times a vector of no symmetry.
std::vector<double> product(const Chosen &chosen, const std::string &op) {
  ProblemOptions options;
  options.combination = chosen.combination;
  options.overrides = {"solver.operator=\"" + op + "\""};
  CaseInput input(WEFT_SOURCE_DIR "/cases/" + chosen.name + "/case.toml");
  if (const Case c = read_case(input.file); !c.stages.empty())
    input.stage = c.stages.front(); // later ones go on from its solution
  const auto s = make_simulation(input, options);
  NonlinearOperator &system = *s->model->system();
  const std::int64_t n = system.size();
  const auto vector = [&](const std::vector<double> &values) {
    Vector v = make_vector(*s->device, n, system.precision(), "vector of a test");
    set_vector(*s->device, v, values);
    return v;
  };
  std::vector<double> state = s->state, waves(n);
  for (std::size_t i = 0; i < state.size(); ++i) {
    waves[i] = wave(i);
    state[i] += 1e-2 * waves[i] * std::max(1.0, std::abs(state[i]));
  }
  Vector u = vector(state);
  system.set_constrained(u);
  if (s->c.time)
    system.set_rate(vector(std::vector<double>(n, 0.1)), 7.0);
  system.linearise(u);
  const Vector x = vector(waves);
  Vector y = vector(std::vector<double>(n, 0.0));
  system.apply(x, y);
  return get_vector(*s->device, y);
}

class CaseOperators : public testing::TestWithParam<Chosen> {};

TEST_P(CaseOperators, AssembledIsMatrixFree) {
  const std::vector<double> matrix_free = product(GetParam(), "matrix_free");
  const std::vector<double> assembled = product(GetParam(), "assembled");
  ASSERT_EQ(matrix_free.size(), assembled.size());
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < assembled.size(); ++i) {
    largest = std::max(largest, std::abs(matrix_free[i]));
    difference = std::max(difference, std::abs(matrix_free[i] - assembled[i]));
  }
  EXPECT_GT(largest, 0);
  EXPECT_LT(difference, 1e-13 * largest);
}

INSTANTIATE_TEST_SUITE_P(All, CaseOperators, testing::ValuesIn(chosen_cases()),
                         [](const auto &chosen) { return chosen.param.text(); });

} // namespace
} // namespace weft
