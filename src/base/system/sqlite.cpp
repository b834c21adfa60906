#include "base/system/sqlite.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <sqlite3.h>

namespace weft {

namespace {

// How long a process waits for others that write: each holds the file for milliseconds.
constexpr int busy_timeout_ms = 20000;

[[noreturn]] void fail(sqlite3 *handle, int code) {
  std::string message = handle ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
  if (const int reason = handle ? sqlite3_system_errno(handle) : 0; reason != 0)
    message += fmt::format(" ({})", std::strerror(reason));
  throw SqliteError(handle ? sqlite3_extended_errcode(handle) : code, message);
}

// "file:/home/ada/a%3fb.sqlite?immutable=1"
std::string uri_of(const std::filesystem::path &path, const char *options) {
  std::string uri = "file:";
  for (const char c : path.string())
    if (std::isalnum(static_cast<unsigned char>(c)) || std::strchr("/._-", c))
      uri += c;
    else
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
  return uri + options;
}

} // namespace

SqliteError::SqliteError(int code, const std::string &message)
    : std::runtime_error(message), code_(code) {}

bool SqliteError::is_damage() const {
  const int primary = code_ & 0xff;
  return primary == SQLITE_NOTADB || primary == SQLITE_CORRUPT;
}

bool SqliteError::is_busy() const {
  const int primary = code_ & 0xff;
  return primary == SQLITE_BUSY || primary == SQLITE_PROTOCOL;
}

SqliteConnection::SqliteConnection(const std::filesystem::path &path, Access access) {
  const int flags = access == Access::create       ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                    : access == Access::read_write ? SQLITE_OPEN_READWRITE
                                                   : SQLITE_OPEN_READONLY;
  const std::string uri = uri_of(path, access == Access::frozen ? "?immutable=1" : "");
  const int code = sqlite3_open_v2(uri.c_str(), &handle_, flags | SQLITE_OPEN_URI, nullptr);
  try {
    if (code != SQLITE_OK)
      fail(handle_, code);
    sqlite3_extended_result_codes(handle_, 1);
    sqlite3_busy_timeout(handle_, busy_timeout_ms);
    // -wal and -shm stay when the last process closes: removed by name, they might be another
    // file's by then, where a damaged one was set aside meanwhile. They are emptied.
    int on = 1;
    sqlite3_file_control(handle_, "main", SQLITE_FCNTL_PERSIST_WAL, &on);
    // What lies in the file is data only, even if somebody else wrote it.
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    run("PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON; PRAGMA journal_size_limit = 0");
  } catch (...) {
    sqlite3_close(handle_);
    throw;
  }
}

SqliteConnection::~SqliteConnection() {
  sqlite3_close(handle_);
}

void SqliteConnection::run(const std::string &sql) {
  if (const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
      code != SQLITE_OK)
    fail(handle_, code);
}

std::string SqliteConnection::value(const std::string &sql) {
  SqliteStatement statement(*this, sql.c_str());
  return statement.step() ? statement.text(0) : std::string();
}

std::int64_t SqliteConnection::last_insert_id() const {
  return sqlite3_last_insert_rowid(handle_);
}

int SqliteConnection::num_changes() const {
  return sqlite3_changes(handle_);
}

bool SqliteConnection::is_read_only() const {
  return sqlite3_db_readonly(handle_, "main") == 1;
}

bool SqliteConnection::in_transaction() const {
  return sqlite3_get_autocommit(handle_) == 0;
}

SqliteStatement::SqliteStatement(Prepare, SqliteConnection &connection, const char *sql)
    : connection_(connection) {
  check(sqlite3_prepare_v2(connection.handle(), sql, -1, &handle_, nullptr));
}

SqliteStatement::~SqliteStatement() {
  sqlite3_finalize(handle_);
}

void SqliteStatement::check(int code) {
  if (code != SQLITE_OK)
    fail(connection_.handle(), code);
}

bool SqliteStatement::step() {
  const int code = sqlite3_step(handle_);
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    fail(connection_.handle(), code);
  return code == SQLITE_ROW;
}

std::string SqliteStatement::text(int column) {
  const auto *bytes = reinterpret_cast<const char *>(sqlite3_column_text(handle_, column));
  return bytes ? std::string(bytes, sqlite3_column_bytes(handle_, column)) : std::string();
}

double SqliteStatement::real(int column) {
  return sqlite3_column_double(handle_, column);
}

std::int64_t SqliteStatement::integer(int column) {
  return sqlite3_column_int64(handle_, column);
}

bool SqliteStatement::is_null(int column) {
  return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

void SqliteStatement::bind(int place, const std::string &value) {
  check(sqlite3_bind_text(handle_, place, value.data(), static_cast<int>(value.size()),
                          SQLITE_TRANSIENT));
}

void SqliteStatement::bind(int place, double value) {
  check(std::isfinite(value) ? sqlite3_bind_double(handle_, place, value)
                             : sqlite3_bind_null(handle_, place));
}

void SqliteStatement::bind(int place, std::int64_t value) {
  check(sqlite3_bind_int64(handle_, place, value));
}

void SqliteStatement::bind(int place, const std::optional<std::string> &value) {
  if (value)
    bind(place, *value);
  else
    check(sqlite3_bind_null(handle_, place));
}

void SqliteStatement::reset() {
  sqlite3_reset(handle_); // a failure was reported by step()
  sqlite3_clear_bindings(handle_);
}

SqliteTransaction::SqliteTransaction(SqliteConnection &connection, Kind kind)
    : connection_(connection) {
  connection_.run(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

SqliteTransaction::~SqliteTransaction() {
  if (!connection_.in_transaction())
    return;
  try {
    connection_.run("ROLLBACK");
  } catch (const SqliteError &) { // the next process rolls it back
  }
}

void SqliteTransaction::commit() {
  connection_.run("COMMIT");
}

} // namespace weft
