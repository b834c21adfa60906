// Where Weft keeps files of its user between runs. Compiled kernels are loaded and run from there,
// so that a folder is used only where nobody else can write.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace weft {

// The folder `part` ("kernels", "meshes", "scratch") of $XDG_CACHE_HOME/weft, of ~/.cache/weft
// without it. The folders are made if need be, with mode 0700. Where neither variable names an
// absolute path, where the folder can't be made, or where it or `part` belongs to another user or
// others may write there, a folder of this run stands in for it, which is removed at the end; a
// notice says so once. Thread-safe.
std::filesystem::path cache_folder(const std::string &part);

// $XDG_CACHE_HOME/weft itself, by the same rules.
std::filesystem::path cache_folder();

// $XDG_DATA_HOME/weft (~/.local/share/weft); not made. Where there is none, or it is not this
// user's alone, `path` is empty and `trouble` says why.
struct DataFolder {
  std::filesystem::path path;
  std::string trouble;
};
DataFolder data_folder();

// Makes a folder that only this user may enter, and those above it as usual; an existing one stays
// as it is.
std::error_code make_private_folder(const std::filesystem::path &folder);

// Why files of this user may not be kept in an existing folder: it belongs to another user than
// this one and root, or others may write there, or a link to it was made by such a user. Empty
// where they may, or where nothing is there.
std::string folder_trouble(const std::filesystem::path &folder);

} // namespace weft
