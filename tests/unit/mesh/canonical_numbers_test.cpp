// The canonical order of cells is that of the file or generator, whatever orders and parts there
// are.
#include <algorithm>

#include "mesh/order/blocks.h"
#include "support/mesh_files.h"
#include "support/mixed_mesh_3d.h"
#include "support/parts_of_mesh.h"

namespace weft {
namespace {

// A box, one refined and periodic, and a mixed mesh of a file, refined on curved cells.
std::vector<MeshSpec> specs_in(const TemporaryFolder &folder) {
  std::vector<MeshSpec> specs(4);
  specs[0].box = box_spec("tetrahedron", {5, 4, 6});
  specs[1].box = box_spec("triangle", {6, 5, 1});
  specs[1].box->periodic = {true, false, false};
  specs[1].refine = 2;
  specs[2].file = folder.write("mixed.msh", mixed_mesh_3d_text(5));
  specs[3].file = specs[2].file;
  specs[3].order = 2;
  specs[3].refine = 1;
  for (MeshSpec &spec : specs)
    spec.leaf_cells = 8;
  return specs;
}

// Each of the cells has the nodes and the region that its number stands for in the whole mesh, the
// nodes being numbered by `whole_node`.
template <typename WholeNode>
void expect_cells_of(const Mesh &whole, const Mesh &mesh, std::vector<bool> &seen,
                     WholeNode whole_node) {
  const CellGraph graph = make_cell_graph(whole);
  ASSERT_EQ(mesh.sets.size(), whole.sets.size());
  for (std::size_t s = 0; s < mesh.sets.size(); ++s) {
    const CellSet &set = mesh.sets[s], &of_whole = whole.sets[s];
    const std::vector<std::int32_t> numbers = canonical_numbers(mesh, int(s));
    for (std::size_t c = 0; c < numbers.size(); ++c) {
      ASSERT_FALSE(seen[numbers[c]]);
      seen[numbers[c]] = true;
      const std::int64_t there = numbers[c] - graph.first_cell[s];
      EXPECT_EQ(set.region[c], of_whole.region[there]);
      for (int i = 0; i < set.nodes_per_cell; ++i)
        EXPECT_EQ(whole_node(set.nodes[std::int64_t(c) * set.nodes_per_cell + i]),
                  of_whole.nodes[there * set.nodes_per_cell + i]);
    }
  }
}

bool all_of(const std::vector<bool> &seen) {
  return std::find(seen.begin(), seen.end(), false) == seen.end();
}

TEST(CanonicalNumbers, OfAMeshInBlocksAreThoseOfTheWholeOne) {
  const TemporaryFolder folder;
  int num_moved = 0; // meshes whose first cells are in another order
  for (const MeshSpec &spec : specs_in(folder)) {
    Timings timings;
    const Mesh whole = make_whole_mesh(spec, timings), mesh = make_mesh(spec, timings);
    EXPECT_EQ(mesh.coordinates, whole.coordinates);
    std::vector<bool> seen(whole.num_cells());
    expect_cells_of(whole, mesh, seen, [](std::int32_t node) { return node; });
    EXPECT_TRUE(all_of(seen));
    num_moved += mesh.sets[0].nodes != whole.sets[0].nodes ? 1 : 0;
  }
  EXPECT_GE(num_moved, 3) << "blocks change the order";
}

TEST(CanonicalNumbers, OfPartsAreThoseOfTheWhole) {
  const TemporaryFolder folder;
  for (const MeshSpec &spec : specs_in(folder)) {
    Timings timings;
    const Mesh whole = make_whole_mesh(spec, timings);
    std::vector<bool> seen(whole.num_cells());
    for (const Mesh &part : parts_of_mesh(whole, 3, spec.leaf_cells)) {
      expect_cells_of(whole, part, seen,
                      [&](std::int32_t node) { return part.share->whole_nodes[node]; });
    }
    EXPECT_TRUE(all_of(seen));
  }
}

// Ordered once more, cells still know where they come from.
TEST(CanonicalNumbers, OutliveFurtherOrders) {
  const Mesh once = mesh_of_box(box_spec("quadrilateral", {9, 7, 1}), 1, 8);
  Mesh twice = once;
  order_cells(twice, 4);
  std::vector<bool> seen(once.num_cells());
  MeshSpec spec;
  spec.box = box_spec("quadrilateral", {9, 7, 1});
  Timings timings;
  expect_cells_of(make_whole_mesh(spec, timings), twice, seen,
                  [](std::int32_t node) { return node; });
  EXPECT_TRUE(all_of(seen));
}

} // namespace
} // namespace weft
