// The cost formulas of kernels/dg/law_vectors.kernel against what the kernels do.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "device/host/host_device.h"
#include "op/law/law_residual.h"
#include "support/discrete_problem.h"
#include "support/expect_counted.h"

namespace weft {
namespace {

// What was counted of kernels of law_vectors.kernel, and as many launches of each by formulas.
void expect_vector_costs(Device &device, const LawResidual &op, std::set<std::string> &seen) {
  std::map<std::string, KernelCost> counted, expected;
  for (const auto &[name, cost] : take_counted_costs(device)) {
    if (name.rfind("law_", 0) != 0)
      continue;
    seen.insert(name);
    counted[name] = cost;
    for (const NamedCost &known : op.vector_costs())
      for (int launch = 0; known.name == name && launch < cost.launches; ++launch)
        expected[name] += known.cost;
  }
  expect_counted(counted, expected);
}

// Triangles that leave lanes without a cell. Order 0 has weights.
std::string law_vectors_text(const std::string &element, const std::string &flux,
                             const std::string &source, const std::string &time = {}) {
  return "[mesh]\nbox = { cells = [3, 3], cell = \"triangle\" }\n[fields]\nu = { element = \"" +
         element + "\" }\n[conservation_law]\nflux.u = \"" + flux +
         "\"\nnumerical_flux = \"lax_friedrichs\"\nwave_speed = \"1\"\nlimiter = \"none\"\n" +
         source +
         "[boundary.all]\nouter = { u = \"u\" }\n[time]\nend = 1\nscheme = \"theta\"\nstep = 1\n" +
         time;
}

TEST(LawVectorCosts, AreWhatIsCounted) {
  const std::string linear = "[u, 0.5*u]", burgers = "[u^2/2, u]",
                    source = "source.u = \"x - u\"\n";
  std::set<std::string> seen;
  for (const auto &[text, precision, gpu] :
       {std::tuple{law_vectors_text("FV", linear, ""), Precision::f64, false},
        std::tuple{law_vectors_text("DG1", linear, ""), Precision::f32, false},
        std::tuple{law_vectors_text("FV", linear, source), Precision::f32, true},
        std::tuple{law_vectors_text("FV", burgers, source, "substeps = 2\n"), Precision::f64,
                   true}}) {
    SCOPED_TRACE(text);
    const DiscreteProblem p(text);
    const auto device = open_host_device({.count = true, .gpu = gpu});
    LawRates rate(*device, p.d, {.precision = precision});
    LawResidual op(rate, p.d);
    Vector u = make_vector(*device, op.size(), precision, "u"),
           r = make_vector(*device, op.size(), precision, "r");
    set_vector(*device, u, std::vector<double>(op.size(), 0.5));
    take_counted_costs(*device);
    op.residual(u, r);
    op.linearise(u);
    op.apply(u, r);
    if (op.splits_reactions())
      op.react(0, 0.1, u);
    expect_vector_costs(*device, op, seen);
  }
  EXPECT_EQ(seen.size(), 8u);
}

} // namespace
} // namespace weft
