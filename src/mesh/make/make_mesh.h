// From what a case says about its mesh to the mesh: read or generated, checked, scaled, blocked.
#pragma once

#include "base/timer.h"
#include "case/mesh_spec.h"
#include "mesh/mesh_levels.h"
#include "mesh/raw_mesh.h"

namespace weft {

// Errors: input (a value that makes no sense).
void check_mesh_spec(const MeshSpec &spec);

// Reads (.msh), meshes (.geo, .step, .stp through gmsh, cached) or generates, then checks and
// blocks. Adds the stages mesh_read, mesh_gmsh, mesh_refine, mesh_topology, mesh_blocks to
// `timings`.
// `coarser`: receives the coarser meshes that there are, from the finest: those before each
// refinement, and of a box whose numbers of cells are even those with half of them, their vertices
// being every second one of the finer mesh.
// Errors: input (missing, damaged, wrong mesh), system (gmsh not installed or failed).
Mesh make_mesh(const MeshSpec &spec, Timings &timings, std::vector<CoarserMesh> *coarser = nullptr);

// The same with cells in the order of the file or the generator, children after one another where
// it is refined, and not blocked.
Mesh make_whole_mesh(const MeshSpec &spec, Timings &timings);

// What ranks share is cut from: such a mesh, refined as little as spec.refine allows.
struct WholeMesh {
  Mesh mesh;
  std::vector<PeriodicLink> links; // between vertices
  int refinements_left = 0;
};
// `least_cells`: refined until it has so many cells, or as often as the spec says.
WholeMesh make_whole_mesh(const MeshSpec &spec, std::int64_t least_cells, Timings &timings);

// The mesh of a file or box with its cells in the file's or the generator's order, not blocked, and
// of the file's geometry order; tags[set][cell] are the cells' numbers in the file. For looking at
// a file, and for orders of cells. Takes nothing of `spec` but what says where the mesh comes from,
// its scale and its groups. `labels`: receives those of the entities of its geometry.
Mesh make_mesh_as_it_is(const MeshSpec &spec,
                        std::vector<std::vector<std::int64_t>> *tags = nullptr,
                        std::vector<RawLabel> *labels = nullptr);

} // namespace weft
