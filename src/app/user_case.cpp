#include "app/user_case.h"

#include "case/user_settings.h"

namespace weft {

Case read_user_case(const std::string &case_file, const ProblemOptions &options) {
  return read_case(case_file, options.overrides, trusts_foreign_code(options.trust));
}

} // namespace weft
