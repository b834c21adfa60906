#include "app/user_case.h"

#include "case/user_settings.h"

namespace weft {

Case read_user_case(const std::string &case_file, const ProblemOptions &options) {
  Case c = read_case(case_file, options.overrides, trusts_foreign_code(options.trust));
  c.mesh.gmsh_timeout_s = options.mesh_timeout_s;
  return c;
}

} // namespace weft
