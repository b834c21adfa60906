// A picture as JSON for the page's script (data.js, makePicture).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "output/picture/picture.h"

namespace weft {

// Keys: dim, timeName, times, box [[least, most]], colours [[r, g, b]], fields {name, components,
// ranges [[least, most]]}, sheets {name, axis, places, values, triangles, outlines}.
// Places and values are columns of little-endian integers of 16 bits in base64; in place of a
// column that equals an earlier one of its sheet stands that one's number. Triangles are numbers of
// vertices, each as how far it lies below the next that was not named yet (0: that one), in base
// 128 with the eighth bit where more follows. Outlines are null where all sides of all triangles
// are edges of the mesh.
nlohmann::ordered_json picture_json(const Picture &picture, const std::string &time_name);

std::string base64(const std::string &bytes);

} // namespace weft
