#include "case/user_settings.h"

#include <cstdlib>
#include <filesystem>

#include "base/log.h"
#include "base/system/ownership.h"
#include "case/bindings.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

// Says that a file is left alone because of `path`, where others may have written.
bool may_be_of_others(const std::string &path) {
  const std::string reason = reason_to_distrust(path);
  if (!reason.empty())
    log::notice("your settings are not read: {}: {}; chown it to yourself, chmod go-w", path,
                reason);
  return !reason.empty();
}

} // namespace

std::string user_settings_file() {
  const auto folder_in = [](const char *variable) -> fs::path {
    const char *folder = std::getenv(variable);
    return folder && fs::path(folder).is_absolute() ? fs::path(folder) : fs::path();
  };
  if (const fs::path xdg = folder_in("XDG_CONFIG_HOME"); !xdg.empty())
    return (xdg / "weft" / "config.toml").string();
  if (const fs::path home = folder_in("HOME"); !home.empty())
    return (home / ".config" / "weft" / "config.toml").string();
  return {};
}

UserSettings read_user_settings(const std::string &path) {
  UserSettings settings;
  std::error_code failure;
  if (path.empty() || !fs::exists(path, failure))
    return settings;
  if (may_be_of_others(fs::path(path).parent_path().string()) || may_be_of_others(path))
    return settings;
  const toml::table root = parse_toml(read_toml_text(path, "file of your settings"), path);
  read_table(
      root, nullptr,
      {bind_boolean("trust", settings.trust, "files that cases name may run code of their own")});
  return settings;
}

bool trusts_foreign_code(bool said) {
  static const UserSettings settings = read_user_settings(user_settings_file());
  return said || settings.trust;
}

} // namespace weft
