// Kernels of discontinuous Galerkin methods as plain C++, under the sanitizers, against the
// reference.
#include <gtest/gtest.h>

#include <limits>

#include "device/host/host_device.h"
#include "support/dg_case.h"

namespace weft {
namespace {

// Each cell type and law; precisions, ways and updates in turn. Axes as in DgCase.
std::vector<DgCase> host_dg_cases() {
  return {{{0, 0, 2, 2, 0, 0, 3, 0, 2}}, {{1, 1, 1, 3, 1, 0, 1, 1, 0}},
          {{2, 0, 1, 1, 0, 1, 2, 2, 4}}, {{3, 1, 1, 0, 1, 0, 4, 3, 1}},
          {{4, 2, 1, 2, 0, 0, 0, 0, 3}}, {{5, 1, 2, 1, 0, 1, 3, 1, 2}},
          {{6, 1, 1, 3, 0, 0, 2, 0, 2}}, {{0, 1, 0, 0, 0, 1, 0, 2, 3}},
          {{3, 1, 1, 2, 0, 0, 0, 4, 2}}, {{2, 2, 2, 3, 1, 0, 0, 5, 1}}};
}

class DgHostKernels : public testing::TestWithParam<DgCase> {};

TEST_P(DgHostKernels, AgreeWithTheReferenceUnderTheSanitizers) {
  const DgCase c = GetParam();
  const DgProblem p(c, c.dim() == 2 ? "[2, 3]" : "[2, 1, 1]");
  const auto device = open_host_device({.sanitize = sanitizers_run(), .reverse = true});
  expect_dg_reference(*device, p.problem.d, c.settings(true), c.stage_update());
}

INSTANTIATE_TEST_SUITE_P(Cells, DgHostKernels, testing::ValuesIn(host_dg_cases()),
                         [](const auto &info) { return info.param.name(); });

TEST(DgHostKernels, OfTheLongestStepUnderTheSanitizers) {
  const DgCase c{{4, 1, 1, 3, 0, 1, 0, 2, 0}};
  const DgProblem p(c, "[2, 1, 1]");
  const auto device = open_host_device({.sanitize = sanitizers_run()});
  LawRates op(*device, p.problem.d, c.settings(true));
  Vector q = make_vector(*device, op.size(), op.precision(), "state");
  op.set_state(dg_state(p.problem.d), q);
  EXPECT_GT(op.unit_step(dg_time, q), 0);
}

// The least value of a field's polynomials, [node of the map], at points of facets.
double least_on_facets(const DgMesh &mesh, const NodeMap &map, const std::vector<double> &values) {
  double least = std::numeric_limits<double>::infinity();
  for (const DgSet &set : mesh.sets)
    for (std::size_t first = 0; first < map.sets[set.set].nodes.size(); first += set.num_nodes())
      for (const NodalFacet &facet : set.operators.facets)
        for (int point = 0; point < facet.num_points(); ++point) {
          double value = 0;
          for (int e = point * facet.entries; e < (point + 1) * facet.entries; ++e)
            value += facet.trace[e] * values[map.sets[set.set].nodes[first + facet.nodes[e]]];
          least = std::min(least, value);
        }
  return least;
}

// Densities that are negative at nodes: not afterwards, nor on facets, and the sums over the mesh
// stay.
TEST(DgHostKernels, OfLimitersKeepSumsAndMakePositive) {
  for (const char *limiter : {"positivity", "shock"})
    for (const DgCase &c :
         {DgCase{{0, 2, 3, 2, 0, 1, 0, 0, 0}}, DgCase{{6, 1, 2, 2, 0, 0, 0, 0, 0}}}) {
      SCOPED_TRACE(std::string(limiter) + " " + c.cell_name());
      const CaseFolder folder;
      const std::string file = folder.write("mixed.msh", mixed_mesh_3d_text(2));
      const DiscreteProblem p(dg_problem_text(c, file, "[3, 2]") +
                                  "[conservation_law]\nlimiter = \"" + limiter + "\"\n",
                              c.value[DgCase::shape] == 2 ? std::function<void(double *)>(bend)
                                                          : nullptr);
      const auto device = open_host_device({.sanitize = sanitizers_run()});
      LawRates op(*device, p.d, c.settings(true));
      std::vector<double> dofs = dg_state(p.d);
      const std::int64_t nodes = p.d.map_of_field(0).num_local;
      for (std::int64_t i = 0; i < nodes; ++i)
        dofs[i] = 1 + 1.4 * std::sin(0.7 * static_cast<double>(i));
      Vector q = make_vector(*device, op.size(), op.precision(), "state");
      op.set_state(dofs, q);
      op.limit(0, q);
      const std::vector<double> limited = op.state(q);
      EXPECT_GT(*std::min_element(limited.begin(), limited.begin() + nodes), 0);
      EXPECT_GT(least_on_facets(op.mesh(), p.d.map_of_field(0), limited), 0);
      EXPECT_LT(
          difference(reference::dg_integrals(p.d, limited), reference::dg_integrals(p.d, dofs)),
          1e-13);
    }
}

} // namespace
} // namespace weft
