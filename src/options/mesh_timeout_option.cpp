#include "options/mesh_timeout_option.h"

namespace weft {

void add_mesh_timeout_option(CLI::App &command, double &seconds) {
  command
      .add_option("--mesh-timeout", seconds,
                  "seconds that gmsh may take for a geometry; it is ended after that")
      ->check(CLI::Range(0.1, 1e9))
      ->type_name("SECONDS")
      ->capture_default_str();
}

} // namespace weft
