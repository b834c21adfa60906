#include "cli/command_reference.h"

#include <memory>

#include "base/system/standard_output.h"
#include "bench/support_table.h"
#include "case/case.h"

namespace weft {

void add_reference_command(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "reference", "print the reference page of the case language (docs/reference/case.md)");
  command->group(""); // hidden
  auto support = std::make_shared<bool>(false);
  command->add_flag("--support", *support, "print the README's table of what works where instead");
  command->callback([support] {
    const std::string text = *support ? support_table_markdown() : case_reference_markdown();
    print_out(text);
  });
}

} // namespace weft
