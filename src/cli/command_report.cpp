#include "cli/command_report.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "case/output_folder.h"
#include "options/option_checks.h"
#include "output/report/report.h"
#include "run/input/user_case.h"

namespace weft {

namespace {

struct ReportOptions {
  std::string place; // a case file, or a folder of results
  std::string output;
  std::vector<std::string> slices;
};

// "x=0.5".
SliceAt read_slice(const std::string &text) {
  SliceAt slice;
  const char *const end = text.data() + text.size();
  const bool named = text.size() > 2 && text[0] >= 'x' && text[0] <= 'z' && text[1] == '=';
  if (named) {
    slice.axis = text[0] - 'x';
    const auto [stop, error] = std::from_chars(text.data() + 2, end, slice.position);
    if (error == std::errc() && stop == end && std::isfinite(slice.position))
      return slice;
  }
  throw Error(ErrorKind::input, {.what = "a slice is not understood",
                                 .where = "--slice",
                                 .found = text,
                                 .allowed = "x, y or z, = and a number: x=0.5",
                                 .remedy = "name a plane so"});
}

// A case's results lie where it says that they go, which a stranger's may not say of any folder.
std::string folder_of(const std::string &place) {
  if (std::filesystem::is_directory(place))
    return place;
  const Case c = read_user_case(place, {});
  check_output_folder(c);
  return c.output.directory;
}

void run_report(const ReportOptions &options) {
  PictureOptions picture;
  for (const std::string &slice : options.slices)
    picture.slices.push_back(read_slice(slice));
  const std::string folder = folder_of(options.place);
  const std::string file = options.output.empty() ? folder + "/report.html" : options.output;
  write_report(folder, file, picture);
  log::info("{}", file);
}

} // namespace

void add_report_command(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "report", "the results of a run as a page: one HTML file, report.html beside them");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("place", options->place, "a case, or the folder of its results")
      ->required()
      ->check(CLI::ExistingPath)
      ->option_text("CASE|FOLDER");
  command->add_option("--out", options->output, "the page's file, in place of report.html")
      ->check(some_text())
      ->option_text("FILE");
  command
      ->add_option("--slice", options->slices,
                   "a plane that cuts a 3D mesh (x=0.5), in place of three through the middle; "
                   "several may be given")
      ->option_text("AXIS=VALUE");
  command->callback([options] { run_report(*options); });
}

} // namespace weft
