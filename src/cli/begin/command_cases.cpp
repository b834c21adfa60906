#include "cli/begin/command_cases.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/system/standard_output.h"
#include "cli/begin/gallery.h"

namespace weft {

namespace {

void print_cases() {
  const std::vector<GalleryCase> cases = gallery_cases();
  std::size_t width = 0;
  for (const GalleryCase &c : cases)
    width = std::max(width, c.name.size());
  std::string text, group;
  for (const GalleryCase &c : cases) {
    if (c.group != group)
      text += fmt::format("{}{}\n", group.empty() ? "" : "\n", c.group);
    group = c.group;
    text +=
        fmt::format("  {:<{}}  {}\n  {:<{}}  ({})\n", c.name, width, c.solved, "", width, c.how);
  }
  print_out(text + "\nweft new NAME --from CASE makes a folder of your own with one of them.\n");
}

} // namespace

void add_cases_command(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("cases", "list the cases that come with Weft, to begin from");
  command->callback(print_cases);
}

} // namespace weft
