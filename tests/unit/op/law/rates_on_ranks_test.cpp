// Conservation laws on the parts of a mesh: states have the same bits as on the whole, whatever the
// number of ranks, and what ranks send is what their border has.
#include <atomic>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "op/evaluate/field_values.h"
#include "op/law/law_rates.h"
#include "support/mixed_mesh_3d.h"
#include "support/on_ranks.h"

namespace weft {
namespace {

constexpr int num_stages = 4;

struct Run {
  std::vector<double> state; // as the host has it
  double unit_step = 0;
  HaloCounts per_stage, sent; // as is said, and in fact
  std::int64_t kinds = 0;     // of arrays that are exchanged in a stage
  std::int64_t num_peers = 0, inner_groups = 0, border_groups = 0;
};

HaloCounts sent_so_far(const Discretisation &d) {
  return d.ranks ? HaloCounts{d.ranks->counts().messages, d.ranks->counts().bytes} : HaloCounts{};
}

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
  const HaloCounts before = sent_so_far(d);
  for (int stage = 0; stage < num_stages; ++stage) {
    rates.stage(0.01 * stage, 0.2 * result.unit_step, {.state = 1, .rate = 0.2 * result.unit_step},
                q, nullptr, nullptr, next);
    rates.limit(0.01 * stage, next);
    std::swap(q, next);
  }
  const HaloCounts after = sent_so_far(d);
  result.sent = {after.messages - before.messages, after.bytes - before.bytes};
  result.per_stage = rates.halo_per_stage();
  result.state = rates.state(q);
  const bool with_gradients = d.law->viscous || d.law->cell_gradients;
  result.kinds = 1 + (with_gradients ? 1 : 0) + (d.law->limits_gradients ? 1 : 0) +
                 (rates.limits_states() ? 1 : 0);
  result.num_peers = std::int64_t(rates.mesh().peers.size());
  for (const DgSet &set : rates.mesh().sets) {
    result.inner_groups += set.groups_of(DgRange::inner).count();
    result.border_groups += set.groups_of(DgRange::border).count();
  }
  return result;
}

void expect_as_on_one_rank(const std::string &text, const std::string &what, int lanes = 4,
                           bool fused = true) {
  const DiscreteProblem whole(text);
  const DgSettings settings{.form_name = "ranks", .fused = fused, .lanes = lanes};
  const Run serial = run(test_device(), whole.c, whole.d, settings);
  for (const int size : {1, 2, 3, 5}) {
    std::atomic<int> wrong = 0;
    on_ranks(whole, size, [&](Communicator &ranks, const Discretisation &d, Device &device) {
      const Run own = run(device, whole.c, d, settings);
      wrong += own.unit_step == serial.unit_step ? 0 : 1;
      wrong += largest_difference(whole.d, serial.state, d, own.state) == 0 ? 0 : 1;
      // One message to each neighbour for each kind of array in each stage.
      wrong += own.per_stage.messages == own.num_peers * own.kinds ? 0 : 1;
      wrong += own.sent.messages == num_stages * own.per_stage.messages ? 0 : 1;
      wrong += own.sent.bytes == num_stages * own.per_stage.bytes ? 0 : 1;
      const auto groups = sum(&ranks, own.inner_groups);
      wrong += size == 2 && groups == 0 ? 1 : 0; // something is computed meanwhile
      wrong += (own.border_groups > 0) != (own.num_peers > 0) ? 1 : 0;
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

// Means of neighbours: what goes between limiting and the next stage is a message more.
TEST(RatesOnRanks, LimitersOfStatesHave) {
  for (const std::string cell : {"triangle", "tetrahedron"})
    expect_as_on_one_rank(
        euler(box(cell), is_flat(cell), "DG2", "[conservation_law]\nlimiter = \"shock\"\n"), cell);
}

// Second derivatives: gradients and penalties of neighbours; in one kernel a stage, and in parts.
TEST(RatesOnRanks, DiffusionHas) {
  for (const std::string cell : {"triangle", "hexahedron"})
    expect_as_on_one_rank(
        fmt::format(
            "{}[fields]\nc = {{ element = \"DG2\" }}\n[parameters]\nD = \"1 + x\"\n"
            "[conservation_law]\nflux.c = \"-0.1*(1 + c^2)*grad(c)\"\nsource.c = \"x - c\"\n"
            "[initial]\nc = \"sin(3*x) + y\"\n[boundary.x0]\nouter = {{ c = 1 }}\n"
            "[boundary.all]\nouter = {{ c = \"c\" }}\n{}",
            box(cell), time),
        cell, 4, cell == "triangle");
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
