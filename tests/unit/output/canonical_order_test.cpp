// States in the order of files: the same for every number of ranks, and back again.
#include "output/canonical_order.h"

#include <atomic>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/discrete_problem.h"
#include "support/mixed_mesh.h"
#include "support/mixed_mesh_3d.h"
#include "support/parts_of_case.h"
#include "support/shared_laws.h"

namespace weft {
namespace {

std::string file_text(const CaseFolder &folder, const std::string &mesh, const std::string &more) {
  return "file = \"" + folder.write("mesh.msh", mesh) + "\"\n" + more;
}

// A value that says where it belongs: of the place, the field and the component.
double value_at(const double *x, int dim, int field, int component) {
  double value = field + 0.125 * component;
  for (int d = 0; d < dim; ++d)
    value += std::sin((3 + d) * x[d] + 0.1);
  return value;
}

std::vector<double> state_of(const Discretisation &d) {
  std::vector<double> state(d.num_local);
  for (int f = 0; f < static_cast<int>(d.form.fields.size()); ++f) {
    const NodeMap &map = d.map_of_field(f);
    const int components = d.form.fields[f].components();
    for (std::int64_t node = 0; node < map.num_local; ++node)
      for (int k = 0; k < components; ++k)
        state[d.field_offset[f] + node * components + k] =
            value_at(&map.coordinates[node * d.mesh->dim], d.mesh->dim, f, k);
  }
  return state;
}

// Of the first field's nodes.
std::vector<double> node_values(const Discretisation &d) {
  const std::vector<double> state = state_of(d);
  return {state.begin(), state.begin() + d.map_of_field(0).num_local};
}

// Whether the own entries of both are the same, bit for bit, and the ghosts of `b` are 0.
bool same_own_entries(const Discretisation &d, const std::vector<double> &a,
                      const std::vector<double> &b) {
  bool same = a.size() == b.size();
  for (int f = 0; f < static_cast<int>(d.form.fields.size()) && same; ++f) {
    const NodeMap &map = d.map_of_field(f);
    const int components = d.form.fields[f].components();
    std::int64_t dof = d.field_offset[f];
    for (std::size_t s = 0; s < map.sets.size(); ++s) {
      const std::int64_t each = map.sets[s].element.num_nodes() * components;
      const std::int64_t own = d.mesh->share->sets[s].num_owned * each;
      const std::int64_t all = d.mesh->sets[s].num_cells() * each;
      for (std::int64_t i = 0; i < all; ++i, ++dof)
        same = same && b[dof] == (i < own ? a[dof] : 0.0);
    }
  }
  return same;
}

struct Files {
  std::vector<double> state, nodes;
};

// What so many ranks make of their states.
Files files_of(const std::string &text, int size) {
  Files files;
  on_parts_of(text, size, [&](const Case &, const Discretisation &d) {
    const CanonicalOrder order(d);
    const Files mine = {order.to_file(state_of(d)), order.nodes_to_file(node_values(d))};
    if (order.is_first())
      files = mine;
    else
      EXPECT_TRUE(mine.state.empty() && mine.nodes.empty());
  });
  return files;
}

std::vector<std::string> laws(const CaseFolder &folder) {
  return {
      waves_case(file_text(folder, mixed_mesh_text(9), ""), "DG2"),
      waves_case(file_text(folder, mixed_mesh_text(9), "refine = 1"), "DG1"),
      waves_case(file_text(folder, mixed_mesh_3d_text(4), "order = 2"), "DG2"),
      waves_case("box = { cells = [6, 5], cell = \"triangle\", periodic = [\"x\"] }\nrefine = 1",
                 "DG3"),
      waves_case("box = { cells = [2, 1], cell = \"quadrilateral\" }", "DG1"), // parts are empty
      waves_case("box = { cells = [3, 2, 2], cell = \"pyramid\" }", "DG0"),
  };
}

TEST(CanonicalOrder, IsTheSameForEveryNumberOfRanks) {
  const CaseFolder folder;
  for (const std::string &text : laws(folder)) {
    SCOPED_TRACE(text);
    const DiscreteProblem alone(text);
    const CanonicalOrder order(alone.d);
    const std::vector<double> state = state_of(alone.d), file = order.to_file(state);
    EXPECT_EQ(order.from_file(file), state);
    EXPECT_EQ(order.nodes_from_file(order.nodes_to_file(node_values(alone.d))),
              node_values(alone.d));
    for (const int size : {1, 2, 3, 5}) {
      const Files files = files_of(text, size);
      EXPECT_EQ(files.state, file) << size;
      EXPECT_EQ(files.nodes, order.nodes_to_file(node_values(alone.d))) << size;
    }
  }
}

TEST(CanonicalOrder, WhatSomeRanksWroteOthersRead) {
  const CaseFolder folder;
  for (const std::string &text : laws(folder))
    for (const auto &[writers, readers] :
         {std::pair{1, 3}, std::pair{3, 2}, std::pair{4, 1}, std::pair{5, 5}}) {
      SCOPED_TRACE(fmt::format("{} to {}:\n{}", writers, readers, text));
      const Files files = files_of(text, writers);
      on_parts_of(text, readers, [&](const Case &, const Discretisation &d) {
        const CanonicalOrder order(d);
        const std::vector<double> nothing;
        EXPECT_TRUE(same_own_entries(d, state_of(d),
                                     order.from_file(order.is_first() ? files.state : nothing)));
        const std::vector<double> nodes =
            order.nodes_from_file(order.is_first() ? files.nodes : nothing);
        EXPECT_EQ(std::int64_t(nodes.size()), d.map_of_field(0).num_local);
      });
    }
}

std::string form_text(const std::string &mesh, const std::string &more) {
  return "[mesh]\n" + mesh + R"toml(
[fields]
u = { element = "P2", shape = "vector" }
p = { element = "P1" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) - p*div(test(u)) - div(u)*test(p)"
)toml" + more;
}

// By hand: of a row of three squares in the generator's order, nodes as the squares touch them.
TEST(CanonicalOrder, SharedNodesStandWhereTheyAreTouchedFirst) {
  const DiscreteProblem p(R"toml([mesh]
box = { cells = [3, 1], size = [3, 1], cell = "quadrilateral" }
[fields]
T = { element = "P1" }
[weak_form]
cells.all = "inner(grad(T), grad(test(T))) - test(T)"
)toml");
  std::vector<double> state(p.d.num_local); // x + 10 y
  for (std::int64_t node = 0; node < p.d.num_local; ++node)
    state[node] = p.d.maps[0].coordinates[2 * node] + 10 * p.d.maps[0].coordinates[2 * node + 1];
  EXPECT_EQ(CanonicalOrder(p.d).to_file(state), (std::vector<double>{0, 1, 11, 10, 2, 12, 3, 13}));
}

// Blocks change the order in memory alone.
TEST(CanonicalOrder, OfContinuousElementsKnowsNoBlocks) {
  const CaseFolder folder;
  for (const std::string &text :
       {form_text("box = { cells = [7, 9], cell = \"triangle\" }", ""),
        form_text("box = { cells = [5, 4], cell = \"quadrilateral\", periodic = [\"y\"] }", ""),
        form_text(file_text(folder, mixed_mesh_text(20), "refine = 1"), "")}) {
    SCOPED_TRACE(text);
    Case c = read_text(text);
    std::vector<double> first;
    for (const int leaf_cells : {4, 64}) {
      c.mesh.leaf_cells = leaf_cells;
      Timings timings;
      const Mesh mesh = make_mesh(c.mesh, timings);
      resolve_dimension(c, mesh.dim);
      const Discretisation d = make_discretisation(c, mesh);
      const CanonicalOrder order(d);
      const std::vector<double> state = state_of(d), file = order.to_file(state);
      EXPECT_EQ(order.from_file(file), state);
      if (first.empty())
        first = file;
      EXPECT_EQ(file, first) << leaf_cells;
    }
  }
}

double largest_difference(const std::vector<double> &a, const std::vector<double> &b) {
  double largest = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// Ghosts come back too. Rounding is that of places, which cells compute alike but for it.
TEST(CanonicalOrder, OfContinuousElementsIsThatOfOneProcess) {
  const CaseFolder folder;
  for (const std::string &text :
       {form_text("box = { cells = [7, 9], cell = \"triangle\" }", ""),
        form_text("box = { cells = [2, 1], cell = \"quadrilateral\" }", ""), // parts are empty
        form_text("box = { cells = [3, 2, 2], cell = \"tetrahedron\" }\norder = 2", ""),
        form_text(file_text(folder, mixed_mesh_text(9), "refine = 1"), "")}) {
    SCOPED_TRACE(text);
    const DiscreteProblem alone(text);
    const std::vector<double> file = CanonicalOrder(alone.d).to_file(state_of(alone.d));
    for (const int size : {2, 3, 5})
      on_parts_of(text, size, [&](const Case &, const Discretisation &d) {
        const CanonicalOrder order(d);
        const std::vector<double> here = order.to_file(state_of(d)), nothing;
        if (order.is_first())
          EXPECT_LT(largest_difference(here, file), 1e-14) << size;
        else
          EXPECT_TRUE(here.empty());
        EXPECT_LT(
            largest_difference(order.from_file(order.is_first() ? file : nothing), state_of(d)),
            1e-14)
            << size;
      });
  }
}

} // namespace
} // namespace weft
