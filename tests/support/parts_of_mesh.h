// Whole meshes cut into the parts of ranks that are threads.
#pragma once

#include <functional>
#include <vector>

#include "mesh/build/cell_graph.h"
#include "mesh/make/make_mesh.h"
#include "mesh/parts/make_part.h"
#include "mesh/parts/partition_mesh.h"
#include "mesh/parts/piece_cutter.h"
#include "ranks/thread_ranks.h"

namespace weft {

// Periodic pairs as links; of any order.
inline std::vector<PeriodicLink> links_of(const Mesh &whole) {
  if (whole.periodic_master.empty())
    return {};
  return {PeriodicLink(whole.periodic_master.begin(), whole.periodic_master.end())};
}

// Cut by METIS at equal costs; [part]. `leaf_cells`: as in a case.
inline std::vector<Mesh> parts_of_mesh(const Mesh &whole, int num_parts, int leaf_cells = 16) {
  const CellGraph graph = make_cell_graph(whole);
  const std::vector<double> cost(whole.sets.size(), 1.0);
  const MeshPiece all =
      whole_piece(whole, links_of(whole), partition_mesh(graph, cost, num_parts), num_parts);
  PieceCutter cutter(all);
  std::vector<MeshPiece> pieces;
  for (int part = 0; part < num_parts; ++part)
    pieces.push_back(cutter.piece(part));
  std::vector<Mesh> parts(num_parts);
  run_thread_ranks(num_parts, [&](Communicator &ranks) {
    parts[ranks.rank()] = make_part(pieces[ranks.rank()], leaf_cells, ranks);
  });
  return parts;
}

} // namespace weft
