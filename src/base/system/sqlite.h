// SQLite as C++: connections and statements that close themselves, failures that are thrown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace weft {

class SqliteError : public std::runtime_error {
public:
  // `code`: SQLite's extended result code.
  SqliteError(int code, const std::string &message);
  int code() const { return code_; }
  // The file is no database, or its pages contradict each other.
  bool is_damage() const;
  // Other processes held it for longer than is waited for.
  bool is_busy() const;

private:
  int code_;
};

// One open database file. All functions throw SqliteError; none is called by two threads at once.
class SqliteConnection {
public:
  enum class Access {
    read_write,
    create,    // read_write, and made where there is none
    read_only, // needs the files -wal and -shm, or a folder to make them in
    frozen     // reads the main file alone, without locks: of a file nobody can write
  };
  SqliteConnection(const std::filesystem::path &path, Access access);
  ~SqliteConnection();
  SqliteConnection(const SqliteConnection &) = delete;
  SqliteConnection &operator=(const SqliteConnection &) = delete;

  // Statements that give no rows, separated by semicolons.
  void run(const std::string &sql);
  // The first column of the first row, as text; empty without a row.
  std::string value(const std::string &sql);
  std::int64_t last_insert_id() const;
  int num_changes() const; // rows that the last statement changed
  bool is_read_only() const;
  // False between a begin and its commit.
  bool in_transaction() const;
  sqlite3 *handle() const { return handle_; }

private:
  sqlite3 *handle_ = nullptr;
};

// A prepared statement; texts and numbers are bound to ?1, ?2, ... in order.
class SqliteStatement {
public:
  template <typename... Values>
  SqliteStatement(SqliteConnection &connection, const char *sql, const Values &...values)
      : SqliteStatement(Prepare(), connection, sql) {
    bind_all(values...);
  }
  ~SqliteStatement();
  SqliteStatement(const SqliteStatement &) = delete;
  SqliteStatement &operator=(const SqliteStatement &) = delete;

  // Ready to be stepped again with other values.
  template <typename... Values> void restart(const Values &...values) {
    reset();
    bind_all(values...);
  }

  // To the next row; false after the last. A statement that changes something is stepped once.
  bool step();
  std::string text(int column);
  double real(int column); // 0 where there is no value
  std::int64_t integer(int column);
  bool is_null(int column);

private:
  struct Prepare {};
  SqliteStatement(Prepare, SqliteConnection &connection, const char *sql);
  template <typename... Values> void bind_all(const Values &...values) {
    int place = 0;
    (bind(++place, values), ...);
  }
  void bind(int place, const std::string &value);
  void bind(int place, double value); // infinities and NaN are no value
  void bind(int place, std::int64_t value);
  void bind(int place, int value) { bind(place, std::int64_t{value}); }
  void bind(int place, const std::optional<std::string> &value);
  void reset();
  void check(int code);

  SqliteConnection &connection_;
  sqlite3_stmt *handle_ = nullptr;
};

// Everything between its begin and commit() is kept, or nothing. One that writes waits for other
// writers at its start, and never fails half way because of them; one that reads sees the state of
// one moment.
class SqliteTransaction {
public:
  enum class Kind { read, write };
  SqliteTransaction(SqliteConnection &connection, Kind kind);
  ~SqliteTransaction();
  SqliteTransaction(const SqliteTransaction &) = delete;
  SqliteTransaction &operator=(const SqliteTransaction &) = delete;
  void commit();

private:
  SqliteConnection &connection_;
};

} // namespace weft
