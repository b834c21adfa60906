// Whose files are: what others than the user may have written is not believed.
#pragma once

#include <string>

namespace weft {

// Why what lies at `path` may be another user's doing: "it belongs to user 1000", "its mode 0777
// lets others write". Empty where it belongs to the user or to root and only the owner may write,
// and where nothing lies there. Symbolic links are followed.
std::string reason_to_distrust(const std::string &path);

} // namespace weft
