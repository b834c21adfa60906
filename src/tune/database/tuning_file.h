// The file of a tuning database: found, made, read only where it can't be written, and set aside
// when it is damaged, by any number of processes at once.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>

#include "base/system/sqlite.h"

namespace weft {

class TuningFile {
public:
  // An empty path: there is no place for it. Nothing is opened before it is asked for.
  explicit TuningFile(std::filesystem::path path);

  // A connection to the file that lies at the path now, with the tables of this program. Null where
  // nothing was written yet, and where it can't be read: then trouble_reading() says why.
  SqliteConnection *for_reading();
  const std::string &trouble_reading() const { return trouble_; }
  // Makes folder, file and tables if need be. Null where it can't be written: trouble_writing()
  // says why.
  SqliteConnection *for_writing();
  const std::string &trouble_writing() const { return trouble_.empty() ? only_read_ : trouble_; }

  // The connection met damage. The file is set aside, with a notice that names both paths, unless
  // another process did so already; the next call of for_*() finds or makes another.
  void set_aside_damaged(const std::string &reason);
  // False if the file at the path is no longer the one of the last connection.
  bool is_current() const;

  const std::filesystem::path &path() const { return path_; }

private:
  // A file's device and inode: what is renamed keeps them.
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const Identity &) const = default;
  };
  static std::optional<Identity> identity_of(const std::filesystem::path &path);

  SqliteConnection *connect(bool write);
  bool make_folder();
  void open(bool write);
  void open_locked(bool write);
  void make_tables();
  void open_read_only(const std::string &reason);
  void accept_read_only(const std::string &reason);
  bool set_aside_locked(const std::string &reason);
  void give_up(std::string trouble);

  std::filesystem::path path_;
  std::optional<SqliteConnection> connection_;
  std::optional<Identity> identity_; // of the file connected to
  bool unusable_ = false;
  std::string trouble_;   // why it can't be used
  std::string only_read_; // why it can't be written
};

} // namespace weft
