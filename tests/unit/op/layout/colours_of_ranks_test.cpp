// Colours of cells among ranks: those of the whole mesh.
#include "op/layout/colours_of_ranks.h"

#include <gtest/gtest.h>
#include <mutex>

#include "op/layout/cell_colouring.h"
#include "support/case_text.h"
#include "support/on_ranks.h"

namespace weft {
namespace {

TEST(ColoursOfRanks, AreThoseOfTheWhole) {
  const DiscreteProblem whole(box_text("tetrahedron", 1, 0.1, "[3, 3, 2]") +
                              "[fields]\nu = { element = \"P1\" }\n[weak_form]\n"
                              "cells.all = \"u*test(u)\"\n");
  const CellGraph graph = make_cell_graph(whole.mesh);
  for (const int distance : {1, 3}) {
    const Colouring expected = colour_cells(graph, distance);
    for (const int size : {2, 5}) {
      std::mutex mutex;
      std::int64_t cells = 0, wrong = 0;
      on_parts(whole, size, [&](Communicator &ranks, const Discretisation &d) {
        const Mesh &part = *d.mesh;
        const CellGraph of_part = make_cell_graph(part, Partners::some);
        const Colouring colours = colour_cells_of_ranks(part, of_part, distance, ranks);
        EXPECT_EQ(colours.num_colours, expected.num_colours);
        const std::lock_guard lock(mutex);
        for (std::size_t s = 0; s < part.sets.size(); ++s)
          for (std::int64_t c = 0; c < part.sets[s].num_cells(); ++c, ++cells)
            wrong += colours.colours[of_part.first_cell[s] + c] !=
                     expected.colours[part.share->sets[s].whole[c]];
      });
      EXPECT_GT(cells, graph.num_cells); // ghosts too
      EXPECT_EQ(wrong, 0);
    }
  }
}

} // namespace
} // namespace weft
