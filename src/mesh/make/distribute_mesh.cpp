#include "mesh/make/distribute_mesh.h"

#include <map>
#include <vector>

#include "base/error.h"
#include "mesh/parts/box_pieces.h"
#include "mesh/parts/finer_piece.h"
#include "mesh/parts/make_part.h"
#include "mesh/parts/partition_mesh.h"
#include "mesh/parts/piece_bytes.h"
#include "mesh/parts/piece_cutter.h"
#include "mesh/refine/cell_children.h"

namespace weft {

namespace {

using CellCost = std::function<double(CellType)>;

// Of what a cell becomes.
double cost_of_children(CellType cell, int refinements, const CellCost &cost) {
  if (refinements == 0)
    return cost(cell);
  std::map<CellType, int> children;
  for (const CellChild &child : cell_children(cell))
    ++children[child.type];
  double sum = 0;
  for (const auto &[type, count] : children)
    sum += count * cost_of_children(type, refinements - 1, cost);
  return sum;
}

std::vector<Parcel> cut(WholeMesh whole, int num_parts, const CellCost &cost) {
  const CellGraph graph = make_cell_graph(whole.mesh);
  std::vector<double> cost_of_set;
  for (const CellSet &set : whole.mesh.sets)
    cost_of_set.push_back(cost_of_children(set.type, whole.refinements_left, cost));
  const MeshPiece all = whole_piece(std::move(whole.mesh), std::move(whole.links),
                                    partition_mesh(graph, cost_of_set, num_parts), num_parts);
  PieceCutter cutter(all);
  std::vector<Parcel> parcels;
  for (int part = 0; part < num_parts; ++part)
    parcels.push_back({part, piece_to_bytes(cutter.piece(part))});
  return parcels;
}

// Made whole by rank 0.
MeshPiece piece_of_whole(const MeshSpec &spec, std::int64_t least_cells, Communicator &ranks,
                         const CellCost &cost, Timings &timings,
                         const std::function<void(const Mesh &)> &look, int &refinements_left) {
  std::vector<Parcel> parcels;
  on_first(&ranks, [&] {
    WholeMesh whole = make_whole_mesh(spec, least_cells, timings);
    if (look)
      look(whole.mesh);
    refinements_left = whole.refinements_left;
    const StageTimer stage(timings, "mesh_parts");
    parcels = cut(std::move(whole), ranks.size(), cost);
  });
  std::vector<int> left(ranks.size());
  ranks.gather(&refinements_left, sizeof refinements_left, left.data());
  refinements_left = left[0];
  const std::vector<Parcel> arrived = ranks.deliver(std::move(parcels));
  require(arrived.size() == 1 && arrived[0].rank == 0, "rank 0 hands out the pieces");
  return piece_from_bytes(arrived[0].bytes);
}

// Nothing where no rank can make its part by itself.
std::optional<std::vector<Brick>> bricks_of(const MeshSpec &spec, std::int64_t least_cells,
                                            int num_parts) {
  if (!spec.box || !spec.periodic.empty() || !spec.groups.empty())
    return {};
  std::int64_t boxes = 1;
  for (int d = 0; d < spec.box->dim; ++d)
    boxes *= spec.box->cells[d];
  return boxes < least_cells ? std::nullopt : cut_box(*spec.box, num_parts);
}

} // namespace

Mesh distribute_mesh(const MeshSpec &spec, Communicator &ranks, const CellCost &cost,
                     Timings &timings, const std::function<void(const Mesh &whole)> &look,
                     std::int64_t least_cells) {
  MeshPiece piece;
  int refinements_left = spec.refine;
  together(&ranks, [&] {
    check_mesh_spec(spec);
    if (const auto bricks = bricks_of(spec, least_cells * ranks.size(), ranks.size())) {
      const StageTimer stage(timings, "mesh_read");
      piece = make_box_piece(*spec.box, spec.scale, *bricks, ranks.rank());
      if (spec.order == 2)
        piece = raised_piece(piece, ranks);
    } else {
      piece = piece_of_whole(spec, least_cells * ranks.size(), ranks, cost, timings, look,
                             refinements_left);
    }
  });
  for (; refinements_left > 0; --refinements_left) {
    const StageTimer stage(timings, "mesh_refine");
    piece = refined_piece(piece, ranks);
  }
  const StageTimer stage(timings, "mesh_topology");
  return make_part(piece, spec.leaf_cells, ranks);
}

} // namespace weft
