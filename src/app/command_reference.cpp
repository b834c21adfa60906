#include "app/command_reference.h"

#include <fmt/format.h>

#include "case/case.h"

namespace weft {

void add_reference_command(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("reference", "Print docs/case_reference.md from the declarations");
  command->group(""); // hidden
  command->callback([] { fmt::print("{}", case_reference_markdown()); });
}

} // namespace weft
