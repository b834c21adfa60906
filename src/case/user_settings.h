// The user's own settings: config.toml in $XDG_CONFIG_HOME/weft, or in ~/.config/weft. They say
// what no case may say.
#pragma once

#include <string>

namespace weft {

struct UserSettings {
  // Files that cases and the command line name may run code of their own: C text beyond the subset
  // that is checked, geometries that start programs.
  bool trust = false;
};

// Where they lie; empty where neither XDG_CONFIG_HOME nor HOME names a folder.
std::string user_settings_file();

// The settings in a file; the defaults where there is none. A file that another user may have
// written, or that lies in a folder where others may write, is left alone, with a notice.
// Errors (input): not TOML, unknown key, wrong type; with file and line.
UserSettings read_user_settings(const std::string &path);

// Whether the user trusts the files of this run to run code of their own. `said`: by --trust or
// ProblemOptions::trust; otherwise what the user's settings say, which are read once a process.
// Nobody else answers this question. Errors: as read_user_settings().
bool trusts_foreign_code(bool said);

} // namespace weft
