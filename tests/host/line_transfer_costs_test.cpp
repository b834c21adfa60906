// The cost formulas of kernels/matrix/level_lines.kernel against what the kernels do.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "device/host/host_device.h"
#include "op/levels/line_transfer.h"
#include "op/levels/nested_space.h"
#include "support/discrete_problem.h"
#include "support/expect_counted.h"

namespace weft {
namespace {

// Five and three cells across, so that lanes are left without a cell.
TEST(LineTransferCosts, AreWhatIsCounted) {
  const std::string form = "[weak_form]\ncells.all = \"inner(grad(u), grad(test(u)))\"\n";
  for (const bool gpu : {false, true})
    for (const std::string text : {"[mesh]\nbox = { cells = [5, 3], cell = \"quadrilateral\" }\n"
                                   "[fields]\nu = { element = \"P4\", shape = \"vector\" }\n",
                                   "[mesh]\nbox = { cells = [3, 1, 2], cell = \"hexahedron\" }\n"
                                   "[fields]\nu = { element = \"P5\" }\n"}) {
      SCOPED_TRACE(text);
      const DiscreteProblem p(text + form);
      const NestedSpace space = make_lower_order_space(p.c, p.d, 2);
      const auto device = open_host_device({.count = true, .gpu = gpu});
      Vector fine = make_vector(*device, p.d.num_owned, Precision::f64, "fine");
      Vector coarse = make_vector(*device, space.d.num_owned, Precision::f32, "coarse");
      set_vector(*device, fine, std::vector<double>(fine.size, 0.5));
      set_vector(*device, coarse, std::vector<double>(coarse.size, 0.5));
      LineTransfer transfer(*device, p.d, space.d, {fine.size, fine.precision, nullptr},
                            {coarse.size, coarse.precision, nullptr});
      take_counted_costs(*device);
      transfer.prolong_add(coarse, fine);
      transfer.restrict_to(fine, coarse);
      expect_counted(take_counted_costs(*device), by_name(transfer.costs()));
    }
}

} // namespace
} // namespace weft
