#include "run/user_case.h"

#include <filesystem>

#include "base/error.h"
#include "case/user_settings.h"

namespace weft {

Case read_user_case(const std::string &case_file, const ProblemOptions &options) {
  Case c = read_case(case_file, options.overrides, trusts_foreign_code(options.trust),
                     options.combination);
  c.mesh.gmsh_timeout_s = options.mesh_timeout_s;
  return c;
}

std::string expectations_file(const std::string &case_file) {
  return (std::filesystem::path(case_file).parent_path() / "expect.toml").string();
}

void with_places_of(const Case &c, const std::function<void()> &body) {
  try {
    body();
  } catch (const Error &error) {
    if (!error.diagnostic().where.starts_with("["))
      throw;
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.where = place_in(c, diagnostic.where);
    throw Error(error.kind(), diagnostic);
  }
}

} // namespace weft
