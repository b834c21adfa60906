// Operators of weak forms on ranks: the rows of each rank against the reference loops of the whole.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <string>

#include <fmt/format.h>

#include "op/assembly/assembled_operator.h"
#include "op/problem/dof_layout.h"
#include "op/reference/reference.h"
#include "support/case_text.h"
#include "support/mixed_mesh.h"
#include "support/on_ranks.h"

namespace weft {
namespace {

// What a dof is known by: its field and component, and where its node is; periodic sides are one.
using Place = std::array<std::int64_t, 5>;

Place place_of(const NodeMap &map, int dim, std::int64_t node, int field, int component,
               bool is_periodic) {
  Place place = {field, component, 0, 0, 0};
  for (int k = 0; k < dim; ++k)
    place[2 + k] = std::llround(1e9 * map.coordinates[node * dim + k]);
  if (is_periodic)
    place[2] %= 1000000000;
  return place;
}

// Calls body(dof as the host has it, entry of a vector or -1, place) for dofs, ghosts too.
template <typename Body> void for_each_dof(const Discretisation &d, const Body &body) {
  const bool is_periodic = d.form.fields[0].name == "w"; // along x, by the name of the test's field
  for (int f = 0; f < int(d.form.fields.size()); ++f) {
    const NodeMap &map = d.map_of_field(f);
    const int n = d.form.fields[f].components();
    for (std::int64_t node = 0; node < map.num_local; ++node)
      for (int k = 0; k < n; ++k)
        body(d.field_offset[f] + node * n + k,
             node < map.num_owned ? vector_dof(d, f, node, k) : -1,
             place_of(map, d.mesh->dim, node, f, k, is_periodic));
  }
}

// A value in (0.5, 2.5) at each place.
std::vector<double> waves(const Discretisation &d, double phase) {
  std::vector<double> values(d.num_local);
  for_each_dof(d, [&](std::int64_t dof, std::int64_t, const Place &place) {
    double along = phase + 0.3 * double(place[0]) + 0.7 * double(place[1]);
    for (int k = 0; k < 3; ++k)
      along += (2.0 + k) * 1e-9 * double(place[2 + k]);
    values[dof] = 1.5 + std::sin(along);
  });
  return values;
}

std::map<Place, double> by_place(const Discretisation &d, const std::vector<double> &values) {
  std::map<Place, double> result;
  for_each_dof(
      d, [&](std::int64_t dof, std::int64_t, const Place &place) { result[place] = values[dof]; });
  return result;
}

// The largest difference of own entries, relative to the largest value.
double largest_difference(const std::map<Place, double> &whole, const Discretisation &part,
                          const std::vector<double> &entries) {
  double size = 0, apart = 0;
  for (const auto &[place, value] : whole)
    size = std::max(size, std::abs(value));
  for_each_dof(part, [&](std::int64_t, std::int64_t entry, const Place &place) {
    if (entry < 0)
      return;
    const double difference = std::abs(entries[entry] - whole.at(place));
    apart = std::max(apart, std::isfinite(difference) ? difference : 1e300);
  });
  return apart / size;
}

// Residual, product and diagonal.
void expect_reference(const DiscreteProblem &whole, const OperatorSettings &settings,
                      bool assembled, const std::string &what, const std::vector<int> &sizes) {
  const std::vector<double> u = waves(whole.d, 0.3), x = waves(whole.d, 1.1);
  const auto residual = by_place(whole.d, reference::residual(whole.d, u));
  const auto product = by_place(whole.d, reference::apply(whole.d, u, x));
  const auto diagonal = by_place(whole.d, reference::diagonal(whole.d, u));
  for (const int size : sizes) {
    std::mutex mutex;
    std::array<double, 3> apart = {0, 0, 0};
    std::int64_t dofs = 0;
    on_ranks(whole, size, [&](Communicator &ranks, const Discretisation &d, Device &device) {
      const std::unique_ptr<FormOperator> op =
          assembled ? std::make_unique<AssembledOperator>(device, d, settings)
                    : std::make_unique<FormOperator>(device, d, settings);
      const auto vector = [&] {
        return make_vector(device, op->layout(), op->precision(), "vector of a test");
      };
      Vector state = vector(), direction = vector(), result = vector();
      op->set_dofs(waves(d, 0.3), state);
      op->set_dofs(waves(d, 1.1), direction);
      std::array<double, 3> here;
      op->residual(state, result);
      here[0] = largest_difference(residual, d, get_vector(device, result));
      op->linearise(state);
      op->apply(direction, result);
      here[1] = largest_difference(product, d, get_vector(device, result));
      op->diagonal(result);
      here[2] = largest_difference(diagonal, d, get_vector(device, result));
      EXPECT_EQ(sum(&ranks, d.num_owned), whole.d.num_owned);
      const std::lock_guard lock(mutex);
      dofs += d.num_owned;
      for (int i = 0; i < 3; ++i)
        apart[i] = std::max(apart[i], here[i]);
    });
    EXPECT_EQ(dofs, whole.d.num_owned) << what;
    EXPECT_LT(apart[0], 1e-11) << what << " on " << size << ": residual";
    EXPECT_LT(apart[1], 1e-11) << what << " on " << size << ": product";
    EXPECT_LT(apart[2], 1e-11) << what << " on " << size << ": diagonal";
  }
}

std::string reaction(int order) {
  return fmt::format(R"TOML(
[parameters]
k = "1 + x*y"
h = 2
[fields]
u = {{ element = "P{}" }}
[weak_form]
cells.all = "k*inner(grad(u), grad(test(u))) + u**2*test(u)"
facets.x1 = "h*u**3*test(u)"
[dirichlet]
y0 = {{ u = "1 + x" }}
)TOML",
                     order);
}

// A vector and a scalar, of other orders where cells have them.
std::string flow(int order) {
  return fmt::format(R"TOML(
[fields]
v = {{ element = "P{}", shape = "vector" }}
p = {{ element = "P1" }}
[weak_form]
cells.all = "inner(grad(v), grad(test(v))) + dot(v, v)*dot(v, test(v)) - p*div(test(v)) + div(v)*test(p) + p*test(p)"
[dirichlet]
x0 = {{ v = ["y", "x"] }}
)TOML",
                     order);
}

void on_all_strategies(const std::string &text, const std::string &what,
                       const std::vector<int> &sizes = {2, 5},
                       const std::function<void(double *)> &deform = {}) {
  const DiscreteProblem whole(text, deform);
  for (const Strategy strategy : {Strategy::block, Strategy::cell}) {
    OperatorSettings settings;
    settings.strategy = strategy;
    if (strategy == Strategy::block)
      settings.leaves_per_block = 2;
    expect_reference(whole, settings, false, what + " " + to_string(strategy), sizes);
  }
  expect_reference(whole, {}, true, what + " assembled", sizes);
}

TEST(OperatorsOnRanks, OfAScalarOnAllCells) {
  for (const std::string cell : all_cells) {
    const std::string text = box_text(cell, 1, 0.2, "[4, 3, 3]") + reaction(1);
    if (cell == "triangle" || cell == "prism")
      on_all_strategies(text, cell, {2});
    else // what the loops over cells read is the same to all cells
      expect_reference(DiscreteProblem(text), {}, true, cell + " assembled", {2});
    const DiscreteProblem curved(box_text(cell, 2, 0.2, "[4, 3, 3]") + reaction(2), bend);
    expect_reference(curved, {}, false, "curved " + cell, {5});
  }
}

// Nodes within edges and faces are in an order that all ranks have.
TEST(OperatorsOnRanks, OfHighOrders) {
  for (const auto &[cell, order] : {std::pair("tetrahedron", 4), std::pair("hexahedron", 4),
                                    std::pair("prism", 3), std::pair("triangle", 5)}) {
    const DiscreteProblem whole(box_text(cell, 1, 0.2, "[3, 2, 2]") + reaction(order));
    expect_reference(whole, {}, false, fmt::format("{} P{}", cell, order), {3});
  }
  on_all_strategies(box_text("tetrahedron", 1, 0.2, "[2, 2, 2]") + reaction(3), "tetrahedra P3",
                    {3});
}

TEST(OperatorsOnRanks, OfSeveralFields) {
  for (const std::string cell : {"triangle", "quadrilateral"})
    on_all_strategies("[mesh]\nbox = { cells = [7, 6], cell = \"" + cell + "\", distort = 0.2 }\n" +
                          flow(2),
                      cell);
}

// Edges and points are with each rank that has a node of them.
TEST(OperatorsOnRanks, OfCurvesAndPoints) {
  const DiscreteProblem whole(box_text("tetrahedron", 1, 0.2, "[4, 3, 3]") + R"TOML(
groups.rail = { edges = "y < 1e-9 and z < 1e-9" }
groups.post = { edges = "x < 1e-9 and y < 1e-9" }
groups.tip = { point = [1, 1, 1] }
groups.foot = { point = [0, 0, 0] }
[parameters]
c = { rail = 2, post = 5, tip = 3, foot = 4 }
[fields]
u = { element = "P2" }
[weak_form]
cells.all = "u*test(u)"
edges.rail = "(c + x)*u^2*test(u)"
edges.post = "c*u*test(u)"
points.tip = "c*u^3*test(u)"
points.foot = "c*(u - 7)*test(u)"
)TOML");
  expect_reference(whole, {}, false, "curves and points", {2, 5});
  expect_reference(whole, {}, true, "curves and points, assembled", {3});
}

TEST(OperatorsOnRanks, OfPeriodicMeshes) {
  on_all_strategies("[mesh]\nbox = { cells = [7, 6], cell = \"triangle\", distort = 0.2, periodic "
                    "= [\"x\"] }\n[fields]\nw = { element = \"P3\" }\n[weak_form]\ncells.all = "
                    "\"inner(grad(w), grad(test(w))) + w**2*test(w)\"\n[dirichlet]\ny0 = { w = "
                    "\"1\" }\n",
                    "periodic triangles");
}

// A known field of a parameter that jumps from region to region: which side its nodes take is the
// same for all ranks.
TEST(OperatorsOnRanks, OfKnownFieldsThatJump) {
  const CaseFolder folder;
  on_all_strategies("[mesh]\nfile = \"" + folder.write("mixed.msh", mixed_mesh_text(9)) +
                        R"TOML("
[parameters]
c = { soft = 1, hard = 7 }
[auxiliary]
k = { element = "P1", value = "c*(1 + x)" }
[fields]
u = { element = "P2" }
[weak_form]
cells.all = "k*inner(grad(u), grad(test(u))) + u*test(u)"
[dirichlet]
x0 = { u = "1" }
)TOML",
                    "two regions");
}

} // namespace
} // namespace weft
