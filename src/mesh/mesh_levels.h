// Coarser meshes of the same domain, for geometric multigrid.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "case/mesh_spec.h"
#include "mesh/mesh.h"

namespace weft {

// Where the vertices of a mesh lie in the next coarser one: each is the mean of one or more of its
// vertices, so that linear and multilinear functions are interpolated by equal weights.
struct VertexParents {
  std::vector<std::int64_t> first;    // [node of the finer mesh + 1]; nothing for no vertices
  std::vector<std::int32_t> vertices; // node numbers of the coarser mesh

  std::span<const std::int32_t> of(std::int64_t node) const {
    return {vertices.data() + first[node], static_cast<std::size_t>(first[node + 1] - first[node])};
  }
};

struct CoarserMesh {
  Mesh mesh;
  VertexParents parents; // of the next finer mesh
};

// Throws an input error, saying what can be coarsened, where a mesh has no coarser one: it is
// neither refined nor a box whose numbers of cells are even.
void require_coarser_mesh(const MeshSpec &spec);

} // namespace weft
