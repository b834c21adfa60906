#include "base/system/user_folders.h"

#include <cerrno>
#include <cstdlib>
#include <fmt/format.h>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/system/ownership.h"
#include "base/system/run_folder.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

// The folder `weft` under the one that the variable names, or under the other one of the home
// folder; empty where there is neither.
fs::path named_folder(const char *variable, const char *in_home) {
  if (const char *xdg = std::getenv(variable); xdg && fs::path(xdg).is_absolute())
    return fs::path(xdg) / "weft";
  if (const char *home = std::getenv("HOME"); home && fs::path(home).is_absolute())
    return fs::path(home) / in_home / "weft";
  return {};
}

// Makes the folder; what keeps it from being used, else nothing.
std::string make_folder(const fs::path &folder) {
  if (const std::error_code error = make_private_folder(folder))
    return fmt::format("the folder can't be made ({})", error.message());
  if (const std::string trouble = folder_trouble(folder); !trouble.empty())
    return trouble;
  return ::access(folder.c_str(), W_OK | X_OK) == 0 ? "" : "it can't be written";
}

// The folder that stands in for all of the cache. Made once a run, for one reason.
fs::path private_cache(const std::string &reason) {
  static std::mutex mutex;
  static fs::path folder;
  const std::lock_guard guard(mutex);
  if (!folder.empty() && fs::is_directory(folder))
    return folder;
  folder = make_run_folder(fs::temp_directory_path());
  if (folder.empty())
    throw Error(ErrorKind::system,
                {.what = "a folder for compiled kernels and meshes cannot be made",
                 .where = fs::temp_directory_path().string(),
                 .found = reason,
                 .remedy = "let XDG_CACHE_HOME or TMPDIR name a folder that can be written"});
  log::notice("compiled kernels and meshes are kept for this run only: {}", reason);
  return folder;
}

} // namespace

std::error_code make_private_folder(const fs::path &folder) {
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  if (::mkdir(folder.c_str(), 0700) == 0)
    return {};
  const std::error_code reason(errno, std::generic_category());
  if (reason != std::errc::file_exists)
    return reason;
  return fs::is_directory(folder, error) ? std::error_code()
                                         : std::make_error_code(std::errc::not_a_directory);
}

std::string folder_trouble(const fs::path &folder) {
  if (const std::string reason = reason_to_distrust(folder.string()); !reason.empty())
    return fmt::format(
        "{}; if all in it is yours, chown it to yourself, chmod go-w, else remove it", reason);
  struct stat link = {};
  if (::lstat(folder.c_str(), &link) == 0 && link.st_uid != ::geteuid() && link.st_uid != 0)
    return fmt::format("the link was made by user {}", link.st_uid);
  return "";
}

fs::path cache_folder() {
  const fs::path folder = named_folder("XDG_CACHE_HOME", ".cache");
  if (folder.empty())
    return private_cache("neither XDG_CACHE_HOME nor HOME names a folder");
  const std::string trouble = make_folder(folder);
  return trouble.empty() ? folder : private_cache(fmt::format("{}: {}", folder.string(), trouble));
}

fs::path cache_folder(const std::string &part) {
  const fs::path folder = cache_folder() / part;
  const std::string trouble = make_folder(folder);
  if (trouble.empty())
    return folder;
  const fs::path instead = private_cache(fmt::format("{}: {}", folder.string(), trouble)) / part;
  make_folder(instead);
  return instead;
}

DataFolder data_folder() {
  const fs::path folder = named_folder("XDG_DATA_HOME", ".local/share");
  if (folder.empty())
    return {{}, "there is no place for it, as neither XDG_DATA_HOME nor HOME names a folder"};
  if (const std::string trouble = folder_trouble(folder); !trouble.empty())
    return {{}, fmt::format("{}: {}", folder.string(), trouble)};
  return {folder, ""};
}

} // namespace weft
