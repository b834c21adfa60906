// Explicit steps on parts of a mesh: fixed steps and those by the CFL number have the bits of the
// whole, adaptive ones are as long up to rounding, parts without cells among them.
#include <atomic>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "op/evaluate/field_values.h"
#include "op/law/arrival_times.h"
#include "op/law/law_rates.h"
#include "solve/time/explicit_stepper.h"
#include "support/mixed_mesh.h"
#include "support/on_ranks.h"
#include "support/reaction_case.h"
#include "support/shared_laws.h"

namespace weft {
namespace {

struct Steps {
  std::vector<double> state;
  std::vector<std::vector<double>> first_times; // [name][node]
  std::int64_t count = 0, rejected = 0;
};

Steps solve(Device &device, const Case &c, const Discretisation &d, const TimeSettings &settings) {
  LawRates rates(device, d, {.form_name = "steps", .lanes = 2});
  ExplicitStepper stepper(rates, settings, d.field_offset);
  stepper.start(initial_state(c, d));
  std::optional<ArrivalTimes> first;
  if (!c.first_times.empty()) {
    first.emplace(c, d, rates);
    first->start(stepper.time(), *stepper.device_state());
  }
  while (!stepper.finished()) {
    if (const SolveReport report = stepper.step(); !report.converged)
      throw Error(ErrorKind::numerical, {.what = report.reason});
    if (first)
      first->look(stepper.time(), *stepper.device_state());
  }
  Steps steps{.state = stepper.solution(),
              .count = stepper.progress().num_steps,
              .rejected = stepper.progress().num_rejected};
  if (first)
    steps.first_times = first->times(stepper.time());
  return steps;
}

double difference_on(int size, const DiscreteProblem &whole, const TimeSettings &settings,
                     const Steps &serial) {
  std::atomic<double> largest = 0;
  on_ranks(whole, size, [&](Communicator &ranks, const Discretisation &d, Device &device) {
    const Steps own = solve(device, whole.c, d, settings);
    double apart = own.count == serial.count && own.rejected == serial.rejected
                       ? largest_difference(whole.d, serial.state, d, own.state)
                       : 1;
    for (std::size_t i = 0; i < serial.first_times.size(); ++i)
      apart = std::max(apart, largest_difference(whole.d, serial.first_times[i].data(), d,
                                                 own.first_times[i].data(), 0, 1));
    const double of_all = weft::largest(&ranks, apart);
    if (ranks.rank() == 0)
      largest = of_all;
  });
  return largest;
}

TEST(ExplicitStepsOnRanks, HaveTheBitsOfTheWhole) {
  const DiscreteProblem whole(basin_case());
  for (const TimeScheme scheme : {TimeScheme::lsrk4, TimeScheme::ssprk3}) {
    TimeSettings settings{.scheme = scheme, .stops = {0.02, 0.05}};
    settings.cfl = 0.3;
    const Steps by_cfl = solve(test_device(), whole.c, whole.d, settings);
    EXPECT_GT(by_cfl.count, 10);
    settings.cfl = 0;
    settings.step = 0.002;
    const Steps fixed = solve(test_device(), whole.c, whole.d, settings);
    for (const int size : {2, 3, 4}) {
      EXPECT_EQ(difference_on(size, whole, settings, fixed), 0) << size;
      TimeSettings with_cfl = settings;
      with_cfl.cfl = 0.3;
      with_cfl.step = 0;
      EXPECT_EQ(difference_on(size, whole, with_cfl, by_cfl), 0) << size;
    }
  }
}

// Gas at rest, of high pressure on the left: a shock runs to the right.
std::string shock_tube(const std::string &mesh, int order, bool flat) {
  return fmt::format(
      "physics = [\"euler\"]\n{0}[fields]\nrho = {{ element = \"DG{1}\" }}\nm = {{ element = "
      "\"DG{1}\", shape = \"vector\" }}\nE = {{ element = \"DG{1}\" }}\n[conservation_law]\n"
      "limiter = \"shock\"\n[initial]\nrho = \"where(x < 0.4, 1, 0.125)\"\nm = [{2}]\nE = "
      "\"where(x < 0.4, 1, 0.1)/(gamma - 1)\"\n[boundary.all]\nouter = {{ rho = \"rho\", m = "
      "\"m_mirrored\", E = \"E\" }}\n[time]\nscheme = \"ssprk3\"\nend = 0.05\n",
      mesh, order, flat ? "0, 0" : "0, 0, 0");
}

// Limiters of states look at the means of neighbours.
TEST(ExplicitStepsOnRanks, HaveThemWithShocks) {
  const CaseFolder folder;
  const std::string mixed = folder.write("mixed.msh", mixed_mesh_text(8));
  const auto box = [](const char *cells, const char *cell) {
    return fmt::format("[mesh]\nbox = {{ cells = {}, cell = \"{}\", distort = 0.2 }}\n", cells,
                       cell);
  };
  const std::string texts[] = {shock_tube(box("[9, 6]", "triangle"), 2, true),
                               shock_tube(box("[9, 6]", "quadrilateral"), 2, true),
                               shock_tube(box("[5, 3, 3]", "tetrahedron"), 1, false),
                               shock_tube("[mesh]\nfile = \"" + mixed + "\"\n", 2, true)};
  for (const std::string &text : texts) {
    const DiscreteProblem whole(text);
    TimeSettings settings{.scheme = TimeScheme::ssprk3, .stops = {0.02, 0.05}};
    settings.cfl = 0.4;
    const Steps serial = solve(test_device(), whole.c, whole.d, settings);
    EXPECT_GT(serial.count, 5);
    for (const int size : {2, 3, 5})
      EXPECT_EQ(difference_on(size, whole, settings, serial), 0) << size << text;
  }
}

// Sources that are split off, with known fields and parameters by region, and first times; on few
// cells parts are empty.
TEST(ExplicitStepsOnRanks, HaveThemWithReactionsAndFirstTimes) {
  for (const bool rush_larsen : {true, false}) {
    TimeSettings settings{.scheme = TimeScheme::lsrk4, .step = 0.05, .stops = {0.6}};
    std::int64_t never = 0;
    const auto expect_equal = [&](int slices, std::initializer_list<int> sizes) {
      const ReactionProblem p(
          {.order = 1, .rush_larsen = rush_larsen, .substeps = 2, .slices = slices});
      const DiscreteProblem &whole = p.problem;
      const Steps serial = solve(test_device(), whole.c, whole.d, settings);
      for (const std::vector<double> &times : serial.first_times) {
        const auto reached =
            std::ranges::count_if(times, [](double time) { return std::isfinite(time); });
        EXPECT_GT(reached, 0);
        never += std::int64_t(times.size()) - reached;
      }
      for (const int size : sizes)
        EXPECT_EQ(difference_on(size, whole, settings, serial), 0) << size << rush_larsen;
    };
    expect_equal(7, {2, 3});
    expect_equal(2, {8});
    EXPECT_GT(never, 0);
  }
}

TEST(ExplicitStepsOnRanks, AdaptiveStepsAreAsLongUpToRounding) {
  const DiscreteProblem whole(basin_case());
  TimeSettings settings{.scheme = TimeScheme::ssprk3, .stops = {0.05}};
  settings.tolerance = 1e-6;
  settings.step = 0.01;
  const Steps serial = solve(test_device(), whole.c, whole.d, settings);
  EXPECT_GT(serial.count, 3);
  for (const int size : {2, 3})
    EXPECT_LT(difference_on(size, whole, settings, serial), 1e-10) << size;
}

// Two triangles on four ranks: norms, errors, limits of steps and spectra of nothing.
TEST(ExplicitStepsOnRanks, PartsMayBeEmpty) {
  const DiscreteProblem plain(basin_case("[1, 1]")),
      viscous(basin_case("[1, 1]", " - 0.01*h*grad(q)"));
  for (const DiscreteProblem *whole : {&plain, &viscous}) {
    TimeSettings settings{.scheme = TimeScheme::ssprk3, .stops = {0.05}};
    settings.cfl = 0.3;
    const Steps by_cfl = solve(test_device(), whole->c, whole->d, settings);
    EXPECT_EQ(difference_on(4, *whole, settings, by_cfl), 0);
    settings.cfl = 0;
    on_ranks(*whole, 4, [&](Communicator &ranks, const Discretisation &d, Device &device) {
      const auto count = double(solve(device, whole->c, d, settings).count);
      EXPECT_EQ(largest(&ranks, count), smallest(&ranks, count));
    });
    settings.tolerance = 1e-6;
    settings.step = 0.01;
    const Steps adaptive = solve(test_device(), whole->c, whole->d, settings);
    EXPECT_LT(difference_on(4, *whole, settings, adaptive), 1e-10);
  }
}

} // namespace
} // namespace weft
