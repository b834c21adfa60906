#include "options/trust_option.h"

namespace weft {

void add_trust_option(CLI::App &command, bool &trust) {
  command.add_flag("--trust", trust,
                   "let the case and its files run code of their own, as any program of yours: "
                   "only for files whose author you know (SECURITY.md)");
}

} // namespace weft
