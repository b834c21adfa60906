// A piece of a mesh as bytes, from rank to rank.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mesh/parts/mesh_piece.h"

namespace weft {

std::vector<std::byte> piece_to_bytes(const MeshPiece &piece);
// What piece_to_bytes() made, in a process of the same program.
MeshPiece piece_from_bytes(std::span<const std::byte> bytes);

} // namespace weft
