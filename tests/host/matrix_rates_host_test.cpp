// The kernel of rates as a matrix as plain C++: its costs by closed formulas against what is
// counted.
#include "device/host/host_device.h"
#include "op/law/law_rate_matrix.h"
#include "support/discrete_problem.h"
#include "support/expect_counted.h"

namespace weft {
namespace {

TEST(MatrixRatesHost, CostWhatIsCounted) {
  const DiscreteProblem p(
      "[mesh]\nbox = { cells = [3, 2, 2], cell = \"tetrahedron\", distort = 0.1 }\n"
      "[fields]\nu = { element = \"FV\" }\nv = { element = \"FV\" }\n"
      "[conservation_law]\nflux.u = \"-grad(u)\"\nsource.v = \"x\"\n"
      "diffusion = \"corrected\"\n[boundary.all]\nflux = { u = 0 }\n[time]\nend = 1\n"
      "cfl = 0.5\n");
  for (const bool gpu : {false, true}) {
    const auto device = open_host_device({.count = true, .gpu = gpu});
    LawRates law(*device, p.d, {});
    LawRateMatrix rates(law, p.d);
    Vector vectors[4];
    for (Vector &v : vectors) {
      v = make_vector(*device, rates.size(), rates.precision(), "vector");
      set_vector(*device, v, std::vector<double>(rates.size(), 1.0));
    }
    for (const StageUpdate &update :
         {StageUpdate{.state = 1, .rate = 1},
          StageUpdate{.start = 0.75, .state = 0.25, .rate = 0.25, .uses_start = true},
          StageUpdate{.keep = -0.5, .state = 1, .sum = 0.4, .uses_sum = true, .keeps_sum = true}}) {
      take_counted_costs(*device);
      rates.stage(0, 0.01, update, vectors[0], &vectors[1], &vectors[2], vectors[3]);
      device->finish();
      const NamedCost cost = rates.cost(update);
      expect_counted(take_counted_costs(*device), {{cost.name, cost.cost}});
    }
  }
}

} // namespace
} // namespace weft
