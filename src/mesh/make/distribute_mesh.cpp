#include "mesh/make/distribute_mesh.h"

#include <vector>

#include "base/error.h"
#include "mesh/parts/mesh_bytes.h"
#include "mesh/parts/mesh_parts.h"

namespace weft {

namespace {

std::vector<Parcel> cut(const Mesh &whole, const MeshSpec &spec, int num_parts,
                        const std::function<double(CellType)> &cost, Timings &timings) {
  const StageTimer stage(timings, "mesh_parts");
  const CellGraph graph = make_cell_graph(whole);
  std::vector<double> cost_of_set;
  for (const CellSet &set : whole.sets)
    cost_of_set.push_back(cost(set.type));
  const MeshParts parts(whole, graph, partition_mesh(graph, cost_of_set, num_parts), num_parts);
  std::vector<Parcel> parcels;
  for (int part = 0; part < num_parts; ++part)
    parcels.push_back({part, mesh_to_bytes(parts.part(part, spec.leaf_cells))});
  return parcels;
}

} // namespace

Mesh distribute_mesh(const MeshSpec &spec, Communicator &ranks,
                     const std::function<double(CellType)> &cost, Timings &timings,
                     const std::function<void(const Mesh &whole)> &look) {
  std::vector<Parcel> parcels;
  on_first(&ranks, [&] {
    const Mesh whole = make_whole_mesh(spec, timings);
    if (look)
      look(whole);
    parcels = cut(whole, spec, ranks.size(), cost, timings);
  });
  const std::vector<Parcel> arrived = ranks.deliver(std::move(parcels));
  require(arrived.size() == 1 && arrived[0].rank == 0, "rank 0 hands out the parts");
  return mesh_from_bytes(arrived[0].bytes);
}

} // namespace weft
