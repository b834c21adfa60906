// A mesh as bytes, from rank to rank.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mesh/mesh.h"

namespace weft {

std::vector<std::byte> mesh_to_bytes(const Mesh &mesh);
// What mesh_to_bytes() made, in a process of the same program.
Mesh mesh_from_bytes(std::span<const std::byte> bytes);

} // namespace weft
