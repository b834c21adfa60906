#include "case/output_folder.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "base/error.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

// Links resolved as far as the path exists.
fs::path resolved(const fs::path &path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return error ? fs::path() : real;
}

bool lies_in(const fs::path &path, const fs::path &folder) {
  return !path.empty() && !folder.empty() &&
         std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
             folder.end();
}

[[noreturn]] void refuse(const Case &c, const std::string &what, const fs::path &found,
                         const std::vector<fs::path> &allowed) {
  throw Error(ErrorKind::input,
              {.what = what,
               .where = c.output.directory_place.empty() ? c.file : c.output.directory_place,
               .found = found.string(),
               .allowed = fmt::format("below the case's folder {} or the working folder {}",
                                      allowed[0].string(), allowed[1].string()),
               .remedy =
                   "name the folder yourself with --out, or say --trust if you know the case's "
                   "author"});
}

} // namespace

void check_output_folder(const Case &c) {
  if (c.trust || c.output.directory_is_users)
    return;
  const fs::path folder = resolved(c.output.directory);
  std::error_code error;
  const std::vector<fs::path> allowed = {resolved(fs::absolute(c.file).parent_path()),
                                         resolved(fs::current_path())};
  const auto is_allowed = [&](const fs::path &path) {
    return lies_in(path, allowed[0]) || lies_in(path, allowed[1]);
  };
  if (!is_allowed(folder))
    refuse(c, "the case writes its output outside of its own folder", c.output.directory, allowed);
  using Entries = fs::recursive_directory_iterator;
  for (Entries entry(folder, fs::directory_options::skip_permission_denied, error);
       !error && entry != Entries(); entry.increment(error))
    if (entry->is_symlink(error) && !is_allowed(resolved(entry->path())))
      refuse(c, "the output folder of the case holds a link that leads elsewhere", entry->path(),
             allowed);
}

} // namespace weft
