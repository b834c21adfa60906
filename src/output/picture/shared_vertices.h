// Vertices of a picture's sheets made few.
#pragma once

#include "output/picture/picture.h"

namespace weft {

// Makes vertices of equal integers one, numbers them in the order in which triangles name them, and
// drops triangles that have no area left. Where the picture then has more than about `max_bytes`,
// vertices in the same box of a regular lattice become the first of them, and `thinned` says so.
void share_vertices(Picture &picture, std::size_t max_bytes);

} // namespace weft
