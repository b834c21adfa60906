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

void expect_as_on_one_rank(const std::string &text, const std::string &what, int lanes = 4) {
  const DiscreteProblem whole(text);
  const DgSettings settings{.form_name = "ranks", .lanes = lanes};
  const Run serial = run(test_device(), whole.c, whole.d, settings);
  for (const int size : {1, 2, 3, 5}) {
    std::atomic<int> wrong = 0;
    on_ranks(whole, size, [&](Communicator &ranks, const Discretisation &d, Device &device) {
      const Run own = run(device, whole.c, d, settings);
      wrong += own.unit_step == serial.unit_step ? 0 : 1;
      wrong += largest_difference(whole.d, serial.state, d, own.state) == 0 ? 0 : 1;
      // One message to each neighbour for each kind of array, each stage and each look at steps.
      const DgMesh dg = LawRates(device, d, settings).mesh();
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
