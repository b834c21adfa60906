// The version of this program.
#pragma once

#include <string>

namespace weft {

std::string version(); // "0.1.0"
// The commit of git, as `git describe` names it when the program is built ("18caecc3c0e1", with
// "-dirty" where files were changed since); empty where the sources were no checkout.
std::string commit();

} // namespace weft
