#include "cli/begin/command_new.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>

#include "base/embedded.h"
#include "base/error.h"
#include "base/names.h"
#include "base/printable.h"
#include "base/system/atomic_file.h"
#include "base/system/standard_output.h"
#include "cli/begin/gallery.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

struct NewOptions {
  std::string folder;
  std::string from; // of the gallery; empty: the smallest case, with a comment on each part
};

std::vector<GalleryFile> files_of(const std::string &from) {
  if (from.empty())
    return {{.name = "case.toml", .text = embedded_text("src/cli/begin/new_case.toml")}};
  std::vector<GalleryFile> files = gallery_files(from);
  if (!files.empty())
    return files;
  std::vector<std::string> names;
  for (const GalleryCase &c : gallery_cases())
    names.push_back(c.name);
  const std::string nearest = nearest_name(from, names);
  throw Error(ErrorKind::input,
              {.what = "no case \"" + from + "\" comes with Weft",
               .where = "--from",
               .allowed = join_names(names),
               .remedy = nearest.empty() ? "weft cases says what each of them solves"
                                         : "did you mean " + nearest + "?"});
}

// Made here, so that nothing that lies in a folder already is written over.
void make_folder(const fs::path &folder) {
  std::error_code error;
  const fs::path parent = folder.parent_path();
  if (!parent.empty())
    fs::create_directories(parent, error);
  if (!error && fs::create_directory(folder, error))
    return;
  throw Error(error ? ErrorKind::system : ErrorKind::input,
              {.what = error ? "the folder can't be made" : "the folder is there already",
               .where = folder.string(),
               .found = error ? error.message() : "",
               .remedy = error ? "give another name, or change permissions"
                               : "give another name: nothing is written over"});
}

void make_case(const NewOptions &options) {
  const std::vector<GalleryFile> files = files_of(options.from);
  fs::path folder = fs::path(options.folder).lexically_normal();
  if (!folder.has_filename()) // "plate/"
    folder = folder.parent_path();
  make_folder(folder);
  std::string text;
  for (const GalleryFile &file : files) {
    AtomicFile written((folder / file.name).string());
    written.write(file.text);
    written.commit();
    text += printable((folder / file.name).string()) + "\n";
  }
  print_out(text +
            fmt::format("\nNext: weft run {}\n", printable((folder / "case.toml").string())));
}

} // namespace

void add_new_command(CLI::App &app) {
  CLI::App *command = app.add_subcommand("new", "make a folder with a case to begin from");
  auto options = std::make_shared<NewOptions>();
  command->add_option("NAME", options->folder, "the folder, which is not there yet")
      ->required()
      ->type_name("");
  command->add_option("--from", options->from, "a case that comes with Weft: see weft cases")
      ->type_name("CASE");
  command->callback([options] { make_case(*options); });
}

} // namespace weft
