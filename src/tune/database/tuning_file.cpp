#include "tune/database/tuning_file.h"

#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/system/file_lock.h"
#include "base/system/file_system.h"
#include "base/system/user_folders.h"
#include "tune/database/tuning_tables.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

// Others hold the lock while they open the file.
constexpr int lock_timeout_ms = 20000;

// The file is whole, but this program can't read it.
struct NewerTables {};

fs::path beside(const fs::path &path, const std::string &suffix) {
  return path.string() + suffix;
}

// A name that no other file has: "tuning.sqlite.damaged-20261121T120000-4711".
fs::path place_aside(const fs::path &path) {
  const std::string name = fmt::format("{}.damaged-{:%Y%m%dT%H%M%S}-{}", path.string(),
                                       fmt::gmtime(std::time(nullptr)), getpid());
  fs::path place = name;
  std::error_code ignored;
  for (int i = 2; fs::exists(place, ignored); ++i)
    place = fmt::format("{}-{}", name, i);
  return place;
}

void check_schema(SqliteConnection &connection) {
  switch (tuning_schema(connection)) {
  case TuningSchema::newer:
    throw NewerTables();
  case TuningSchema::other:
    throw SqliteError(SQLITE_NOTADB, "it holds other tables than this version of Weft keeps");
  case TuningSchema::empty:
  case TuningSchema::current:
    return;
  }
}

} // namespace

TuningFile::TuningFile(fs::path path) : path_(std::move(path)) {
  std::error_code error; // -wal and -shm lie beside the file a link points to
  if (const fs::path real = fs::canonical(path_, error); !error)
    path_ = real;
}

std::optional<TuningFile::Identity> TuningFile::identity_of(const fs::path &path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0)
    return std::nullopt;
  return Identity{status.st_dev, status.st_ino};
}

bool TuningFile::is_current() const {
  return connection_ && identity_of(path_) == identity_;
}

SqliteConnection *TuningFile::for_reading() {
  return connect(false);
}

SqliteConnection *TuningFile::for_writing() {
  return connect(true);
}

SqliteConnection *TuningFile::connect(bool write) {
  if (unusable_)
    return nullptr;
  if (!is_current()) {
    connection_.reset();
    trouble_.clear();
    only_read_.clear();
    open(write);
  }
  if (!connection_ || (write && !only_read_.empty()))
    return nullptr;
  return &*connection_;
}

void TuningFile::give_up(std::string trouble) {
  connection_.reset();
  unusable_ = true;
  trouble_ = std::move(trouble);
}

bool TuningFile::make_folder() {
  const std::error_code error = make_private_folder(path_.parent_path());
  if (error)
    give_up(fmt::format("{}: the folder can't be made ({})", path_.parent_path().string(),
                        error.message()));
  return !error;
}

void TuningFile::open(bool write) {
  if (path_.empty())
    return give_up(data_folder().trouble);
  if (write ? !make_folder() : !identity_of(path_))
    return;
  // So that nobody opens a file, and its -wal, while another process renames them.
  const FileLock lock(beside(path_, "-lock"), lock_timeout_ms);
  if (lock.timed_out())
    return give_up(path_.string() + ": another process holds its lock");
  if (!write && !identity_of(path_)) // it was set aside while we waited
    return;
  try {
    for (int attempt = 0; attempt < 2; ++attempt) {
      try {
        open_locked(write);
        return;
      } catch (const SqliteError &error) {
        if (error.is_busy()) { // another time, then
          connection_.reset();
          trouble_ = fmt::format("{}: {}", path_.string(), error.what());
          return;
        }
        if (!error.is_damage())
          return open_read_only(error.what());
        connection_.reset();
        if (!set_aside_locked(error.what()))
          return;
      }
      if (!write)
        return;
    }
  } catch (const NewerTables &) {
    give_up(path_.string() + ": it was written by a later version of Weft and is left as it is");
  }
}

void TuningFile::open_locked(bool write) {
  connection_.emplace(path_, write ? SqliteConnection::Access::create
                                   : SqliteConnection::Access::read_write);
  identity_ = identity_of(path_);
  check_schema(*connection_);
  if (connection_->is_read_only())
    return accept_read_only("no permission");
  if (tuning_schema(*connection_) == TuningSchema::empty) {
    if (write)
      make_tables();
    else
      connection_.reset();
  }
  // A commit survives the process at once, and the machine after the next checkpoint.
  if (connection_ && connection_->value("PRAGMA journal_mode") == "wal")
    connection_->run("PRAGMA synchronous = NORMAL");
}

void TuningFile::make_tables() {
  if (!shares_mapped_memory(path_.parent_path()) ||
      connection_->value("PRAGMA journal_mode = WAL") != "wal")
    log::notice("{}: its file system offers processes no shared memory, so that they wait for each "
                "other to read and write",
                path_.string());
  SqliteTransaction transaction(*connection_, SqliteTransaction::Kind::write);
  create_tuning_tables(*connection_);
  transaction.commit();
}

void TuningFile::open_read_only(const std::string &reason) {
  std::string trouble = reason;
  for (const auto access :
       {SqliteConnection::Access::read_only, SqliteConnection::Access::frozen}) {
    connection_.reset();
    try {
      connection_.emplace(path_, access);
      identity_ = identity_of(path_);
      check_schema(*connection_);
      return accept_read_only(reason);
    } catch (const SqliteError &error) {
      trouble = error.what();
    }
  }
  give_up(fmt::format("{}: {}", path_.string(), trouble));
}

void TuningFile::accept_read_only(const std::string &reason) {
  only_read_ =
      fmt::format("{}: the file or its folder can't be written ({})", path_.string(), reason);
  if (tuning_schema(*connection_) == TuningSchema::empty)
    connection_.reset();
}

void TuningFile::set_aside_damaged(const std::string &reason) {
  const std::optional<Identity> damaged = identity_;
  connection_.reset();
  if (!only_read_.empty())
    return give_up(
        fmt::format("{}: it is damaged ({}) and can't be set aside", path_.string(), reason));
  const FileLock lock(beside(path_, "-lock"), lock_timeout_ms);
  if (lock.timed_out())
    return give_up(path_.string() + ": another process holds its lock");
  if (identity_of(path_) == damaged) // otherwise another process was here first
    set_aside_locked(reason);
}

bool TuningFile::set_aside_locked(const std::string &reason) {
  const fs::path aside = place_aside(path_);
  // The file itself last: what is left behind in between is opened without a strange -wal.
  for (const char *suffix : {"-wal", "-shm", ""}) {
    std::error_code error;
    fs::rename(beside(path_, suffix), beside(aside, suffix), error);
    if (error && (*suffix == 0 || error != std::errc::no_such_file_or_directory)) {
      give_up(fmt::format("{}: it is damaged ({}) and can't be set aside ({})", path_.string(),
                          reason, error.message()));
      return false;
    }
  }
  log::notice("the tuning database {} can't be used ({}). It was set aside as {}, and a new one is "
              "begun",
              path_.string(), reason, aside.string());
  return true;
}

} // namespace weft
