// Conservation laws on the parts of a mesh: states have the same bits as on the whole, whatever the
// number of ranks, and what ranks send is what their border has.
#include <atomic>
#include <cstring>
#include <mutex>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mesh/parts/mesh_parts.h"
#include "op/evaluate/expression_values.h"
#include "op/evaluate/field_values.h"
#include "op/law/law_rates.h"
#include "ranks/thread_ranks.h"
#include "support/discrete_problem.h"
#include "support/mixed_mesh_3d.h"
#include "support/test_device.h"

namespace weft {
namespace {

struct Run {
  std::vector<double> state; // as the host has it
  double unit_step = 0;
};

// Some stages from the initial state, with a step that the state itself gives.
Run run(Device &device, const Case &c, const Discretisation &d, const DgSettings &settings) {
  LawRates rates(device, d, settings);
  const auto vector = [&](const char *purpose) {
    return make_vector(device, rates.layout(), settings.precision, purpose);
  };
  Vector q = vector("state"), next = vector("next state");
  rates.set_state(initial_state(c, d), q);
  rates.set_state(initial_state(c, d), next);
  Run result;
  result.unit_step = rates.unit_step(0, q);
  for (int stage = 0; stage < 4; ++stage) {
    rates.stage(0.01 * stage, 0.2 * result.unit_step, {.state = 1, .rate = 0.2 * result.unit_step},
                q, nullptr, nullptr, next);
    std::swap(q, next);
  }
  result.state = rates.state(q);
  return result;
}

// The values of a cell, in the order of the whole mesh's cells, put back from a part.
void expect_same_bits(const Discretisation &whole, const Run &serial, const Discretisation &part,
                      const Run &own, std::atomic<int> &wrong) {
  const CellGraph graph = make_cell_graph(*whole.mesh);
  wrong += own.unit_step == serial.unit_step ? 0 : 1;
  for (std::size_t f = 0; f < whole.form.fields.size(); ++f) {
    const int components = whole.form.fields[f].components();
    const NodeMap &map = whole.map_of_field(int(f)), &part_map = part.map_of_field(int(f));
    for (std::size_t s = 0; s < part.mesh->sets.size(); ++s) {
      const MeshShare::Cells &share = part.mesh->share->sets[s];
      const int n = map.sets[s].element.num_nodes();
      for (std::int64_t c = 0; c < share.num_owned; ++c)
        for (int i = 0; i < n; ++i)
          for (int k = 0; k < components; ++k) {
            const std::int64_t there = share.whole[c] - graph.first_cell[s];
            const double a =
                serial.state[whole.field_offset[f] +
                             std::int64_t{map.sets[s].nodes[there * n + i]} * components + k];
            const double b =
                own.state[part.field_offset[f] +
                          std::int64_t{part_map.sets[s].nodes[c * n + i]} * components + k];
            wrong += std::memcmp(&a, &b, sizeof a) == 0 ? 0 : 1;
          }
    }
  }
}

void expect_as_on_one_rank(const std::string &text, const std::string &what, int lanes = 4) {
  const DiscreteProblem whole(text);
  const DgSettings settings{.form_name = "ranks", .lanes = lanes};
  const Run serial = run(test_device(), whole.c, whole.d, settings);
  const CellGraph graph = make_cell_graph(whole.mesh);
  const std::vector<double> cost(whole.mesh.sets.size(), 1.0);
  for (const int size : {1, 2, 3, 5}) {
    const MeshParts parts(whole.mesh, graph, partition_mesh(graph, cost, size), size);
    std::atomic<int> wrong = 0;
    std::mutex one_at_a_time;
    run_thread_ranks(size, [&](Communicator &ranks) {
      const Mesh mesh = parts.part(ranks.rank(), 16);
      const Discretisation d = make_discretisation(whole.c, mesh, {}, &ranks);
      const std::unique_ptr<Device> device = [&] {
        const std::lock_guard lock(one_at_a_time);
        return open_test_device();
      }();
      const Run own = run(*device, whole.c, d, settings);
      expect_same_bits(whole.d, serial, d, own, wrong);
      // One message to each neighbour for each stage and look at steps.
      const DgMesh dg = LawRates(*device, d, settings).mesh();
      const bool with_gradients = whole.d.law->viscous || whole.d.law->cell_gradients;
      const int kinds = 1 + (with_gradients ? 1 : 0) + (whole.d.law->limits_gradients ? 1 : 0);
      const auto messages = std::int64_t(dg.peers.size()) * (1 + 4 * kinds);
      wrong += ranks.counts().messages == messages ? 0 : 1;
    });
    EXPECT_EQ(wrong, 0) << what << " on " << size;
  }
}

std::string box(const std::string &cell) {
  return fmt::format("[mesh]\nbox = {{ cells = {}, cell = \"{}\", distort = 0.2 }}\n",
                     is_flat(cell) ? "[7, 6]" : "[4, 3, 3]", cell);
}
const std::string time = "[time]\nend = 1\ncfl = 0.5\n";

std::string euler(const std::string &mesh, bool flat, const std::string &element,
                  const std::string &more = "") {
  return fmt::format(
      "physics = [\"euler\"]\n{}[fields]\nrho = {{ element = \"{}\" }}\nm = {{ element = \"{}\", "
      "shape = \"vector\" }}\nE = {{ element = \"{}\" }}\n[initial]\nrho = \"1 + 0.2*sin(3*x + "
      "y)\"\nm = [\"0.3*y\", \"0.1 + 0.2*x\"{}]\nE = \"2.5 + x*y\"\n[boundary.all]\nouter = {{ rho "
      "= \"rho\", m = \"m_mirrored\", E = \"E\" }}\n{}{}",
      mesh, element, element, element, flat ? "" : ", \"0.1*x\"", more, time);
}

TEST(RatesOnRanks, EulerHasTheSameBitsOnAllCells) {
  for (const std::string cell : {"triangle", "quadrilateral", "tetrahedron", "prism", "hexahedron"})
    expect_as_on_one_rank(euler(box(cell), is_flat(cell), "DG2"), cell);
}

TEST(RatesOnRanks, CurvedMixedAndPeriodicMeshesHave) {
  expect_as_on_one_rank(
      euler(
          "[mesh]\nbox = { cells = [6, 5], cell = \"triangle\", periodic = [\"x\"] }\norder = 2\n",
          true, "DG3"),
      "curved, periodic");
  const CaseFolder folder;
  const std::string file = folder.write("mixed.msh", mixed_mesh_3d_text(4));
  expect_as_on_one_rank(euler("[mesh]\nfile = \"" + file + "\"\n", false, "DG1"), "mixed", 2);
}

// Second derivatives: gradients and penalties of neighbours.
TEST(RatesOnRanks, DiffusionHas) {
  for (const std::string cell : {"triangle", "hexahedron"})
    expect_as_on_one_rank(
        fmt::format(
            "{}[fields]\nc = {{ element = \"DG2\" }}\n[parameters]\nD = \"1 + x\"\n"
            "[conservation_law]\nflux.c = \"-0.1*(1 + c^2)*grad(c)\"\nsource.c = \"x - c\"\n"
            "[initial]\nc = \"sin(3*x) + y\"\n[boundary.x0]\nouter = {{ c = 1 }}\n"
            "[boundary.all]\nouter = {{ c = \"c\" }}\n{}",
            box(cell), time),
        cell);
}

// Finite volumes with limited gradients, in regions and with a known field.
TEST(RatesOnRanks, FiniteVolumesHave) {
  for (const std::string cell : {"quadrilateral", "tetrahedron", "pyramid"})
    expect_as_on_one_rank(euler(box(cell), is_flat(cell), "FV",
                                "[conservation_law]\nlimiter = \"venkatakrishnan\"\n"),
                          cell);
}

} // namespace
} // namespace weft
