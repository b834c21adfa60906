#include "tune/database/tuning_tables.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/error.h"

namespace weft {

namespace {

constexpr int schema_version = 1;
constexpr int application_id = 0x57656674; // "Weft"
constexpr int searches_kept = 10;          // of a key
constexpr int generators_kept = 4;         // of a key, but for its generator

// Times are microseconds since 1970, UTC; `seconds` of a result is a median.
constexpr const char *tables = R"(
CREATE TABLE keys (
  id INTEGER PRIMARY KEY,
  kernel TEXT NOT NULL, problem TEXT NOT NULL, size_class TEXT NOT NULL, device TEXT NOT NULL,
  architecture TEXT NOT NULL, vendor TEXT NOT NULL, driver TEXT NOT NULL, generator TEXT NOT NULL,
  UNIQUE (kernel, problem, driver, generator, device, size_class)
) STRICT;
CREATE TABLE results (
  key INTEGER PRIMARY KEY REFERENCES keys ON DELETE CASCADE,
  variant TEXT NOT NULL, seconds REAL NOT NULL, predicted_s REAL,
  time_us INTEGER NOT NULL, program TEXT NOT NULL, imported INTEGER NOT NULL
) STRICT;
CREATE TABLE searches (
  id INTEGER PRIMARY KEY,
  key INTEGER NOT NULL REFERENCES keys ON DELETE CASCADE,
  best TEXT, best_s REAL, predicted_s REAL, first_choice TEXT NOT NULL, first_choice_s REAL,
  num_candidates INTEGER NOT NULL, spent_s REAL, settled INTEGER NOT NULL,
  time_us INTEGER NOT NULL, program TEXT NOT NULL, imported INTEGER NOT NULL,
  UNIQUE (key, time_us)
) STRICT;
CREATE TABLE trials (
  id INTEGER PRIMARY KEY,
  search INTEGER NOT NULL REFERENCES searches ON DELETE CASCADE,
  variant TEXT NOT NULL, predicted_s REAL, rejected TEXT NOT NULL, validated INTEGER NOT NULL
) STRICT;
CREATE INDEX trials_of_search ON trials (search);
CREATE TABLE timings (
  trial INTEGER NOT NULL REFERENCES trials ON DELETE CASCADE,
  place INTEGER NOT NULL, seconds REAL,
  PRIMARY KEY (trial, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE machines (
  id INTEGER PRIMARY KEY,
  device TEXT NOT NULL, architecture TEXT NOT NULL, vendor TEXT NOT NULL, driver TEXT NOT NULL,
  name TEXT NOT NULL, generator TEXT NOT NULL,
  time_us INTEGER NOT NULL, program TEXT NOT NULL, imported INTEGER NOT NULL,
  UNIQUE (device, driver, generator)
) STRICT;
CREATE TABLE figures (
  machine INTEGER NOT NULL REFERENCES machines ON DELETE CASCADE,
  name TEXT NOT NULL, median REAL, low REAL, high REAL,
  PRIMARY KEY (machine, name)
) STRICT, WITHOUT ROWID;
)";

constexpr const char *key_columns =
    "kernel, problem, size_class, device, architecture, vendor, driver, generator";
constexpr int num_key_columns = 8;

TuningKey key_at(SqliteStatement &row, int column) {
  TuningKey key;
  for (std::string *text : {&key.kernel, &key.problem, &key.size_class, &key.device,
                            &key.architecture, &key.vendor, &key.driver, &key.generator})
    *text = row.text(column++);
  return key;
}

// A text that is no variant was not written by this program.
Variant variant_at(SqliteStatement &row, int column) {
  try {
    return variant_from_string(row.text(column));
  } catch (const Error &) {
    throw SqliteError(SQLITE_CORRUPT, "a variant in it can't be read");
  }
}

Provenance provenance_at(SqliteStatement &row, int column) {
  return {row.integer(column), row.text(column + 1), row.integer(column + 2) != 0};
}

std::int64_t id_of_key(SqliteConnection &connection, const TuningKey &key) {
  SqliteStatement statement(
      connection,
      "INSERT INTO keys (kernel, problem, size_class, device, architecture, vendor, driver, "
      "generator) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO UPDATE SET "
      "architecture = excluded.architecture, vendor = excluded.vendor RETURNING id",
      key.kernel, key.problem, key.size_class, key.device, key.architecture, key.vendor, key.driver,
      key.generator);
  statement.step();
  const std::int64_t id = statement.integer(0);
  statement.step(); // to its end, or it would not be done
  return id;
}

// Whether a record may take the place of one that `kept` (columns time_us, imported) finds.
bool may_replace(SqliteStatement &&kept, const Provenance &from) {
  if (!from.imported || !kept.step())
    return true;
  return kept.integer(1) != 0 && kept.integer(0) < from.time_us;
}

void put_trials(SqliteConnection &connection, std::int64_t search,
                const std::vector<TrialRecord> &trials) {
  SqliteStatement add_timing(connection, "INSERT INTO timings VALUES (?1, ?2, ?3)");
  for (const TrialRecord &trial : trials) {
    SqliteStatement(connection,
                    "INSERT INTO trials (search, variant, predicted_s, rejected, validated) "
                    "VALUES (?1, ?2, ?3, ?4, ?5)",
                    search, to_string(trial.variant), trial.predicted_s, trial.rejected,
                    trial.validated)
        .step();
    const std::int64_t id = connection.last_insert_id();
    int place = 0;
    for (const double seconds : trial.seconds) {
      add_timing.restart(id, place++, seconds);
      add_timing.step();
    }
  }
}

std::vector<TrialRecord> trials_of(SqliteConnection &connection, std::int64_t search) {
  std::vector<TrialRecord> trials;
  SqliteStatement timings(connection,
                          "SELECT seconds FROM timings WHERE trial = ?1 ORDER BY place");
  SqliteStatement rows(connection,
                       "SELECT id, variant, predicted_s, rejected, validated FROM trials "
                       "WHERE search = ?1 ORDER BY id",
                       search);
  while (rows.step()) {
    TrialRecord trial{.variant = variant_at(rows, 1),
                      .predicted_s = rows.real(2),
                      .rejected = rows.text(3),
                      .validated = rows.integer(4) != 0};
    timings.restart(rows.integer(0));
    while (timings.step())
      trial.seconds.push_back(timings.real(0));
    trials.push_back(std::move(trial));
  }
  return trials;
}

std::vector<ResultRecord> read_results(SqliteStatement &rows) {
  std::vector<ResultRecord> records;
  while (rows.step())
    records.push_back({.key = key_at(rows, 0),
                       .from = provenance_at(rows, num_key_columns + 3),
                       .variant = variant_at(rows, num_key_columns),
                       .seconds = rows.real(num_key_columns + 1),
                       .predicted_s = rows.real(num_key_columns + 2)});
  return records;
}

MachineFigures figures_of(SqliteConnection &connection, std::int64_t machine) {
  MachineFigures figures;
  SqliteStatement rows(connection, "SELECT name, median, low, high FROM figures WHERE machine = ?1",
                       machine);
  while (rows.step())
    figures.figures[rows.text(0)] = {rows.real(1), rows.real(2), rows.real(3)};
  return figures;
}

} // namespace

TuningSchema tuning_schema(SqliteConnection &connection) {
  const int version = std::stoi(connection.value("PRAGMA user_version"));
  const int owner = std::stoi(connection.value("PRAGMA application_id"));
  const int num_tables =
      std::stoi(connection.value("SELECT count(*) FROM sqlite_schema WHERE type = 'table'"));
  if (version == 0 && owner == 0 && num_tables == 0)
    return TuningSchema::empty;
  if (owner != application_id)
    return TuningSchema::other;
  if (version > schema_version)
    return TuningSchema::newer;
  const bool has_tables = connection.value("SELECT count(*) FROM sqlite_schema WHERE name IN "
                                           "('keys', 'results', 'searches', 'trials', "
                                           "'timings', 'machines', 'figures')") == "7";
  return version == schema_version && has_tables ? TuningSchema::current : TuningSchema::other;
}

void create_tuning_tables(SqliteConnection &connection) {
  connection.run(tables);
  connection.run(fmt::format("PRAGMA user_version = {}; PRAGMA application_id = {}", schema_version,
                             application_id));
}

bool put_result(SqliteConnection &connection, const ResultRecord &record) {
  const std::int64_t key = id_of_key(connection, record.key);
  if (!may_replace(
          SqliteStatement(connection, "SELECT time_us, imported FROM results WHERE key = ?1", key),
          record.from))
    return false;
  SqliteStatement(connection,
                  "INSERT OR REPLACE INTO results (key, variant, seconds, predicted_s, time_us, "
                  "program, imported) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                  key, to_string(record.variant), record.seconds, record.predicted_s,
                  record.from.time_us, record.from.program, record.from.imported)
      .step();
  return true;
}

void put_search(SqliteConnection &connection, const SearchRecord &record) {
  const std::int64_t key = id_of_key(connection, record.key);
  const TuningOutcome &outcome = record.outcome;
  std::optional<std::string> best;
  if (outcome.best)
    best = to_string(*outcome.best);
  std::int64_t time_us = record.from.time_us;
  const auto add = [&] {
    SqliteStatement(connection,
                    "INSERT OR IGNORE INTO searches (key, best, best_s, predicted_s, first_choice, "
                    "first_choice_s, num_candidates, spent_s, settled, time_us, program, imported) "
                    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
                    key, best, outcome.best_s, outcome.predicted_s, to_string(outcome.first_choice),
                    outcome.first_choice_s, outcome.num_candidates, outcome.spent_s,
                    outcome.settled, time_us, record.from.program, record.from.imported)
        .step();
    return connection.num_changes() > 0;
  };
  bool added = add();
  while (!added && !record.from.imported) { // of two processes in the same microsecond
    ++time_us;
    added = add();
  }
  if (added)
    put_trials(connection, connection.last_insert_id(), outcome.trials);
  SqliteStatement(connection,
                  "DELETE FROM searches WHERE key = ?1 AND id NOT IN (SELECT id FROM searches "
                  "WHERE key = ?1 ORDER BY time_us DESC LIMIT ?2)",
                  key, searches_kept)
      .step();
}

bool put_machine(SqliteConnection &connection, const KeptMachine &record) {
  if (!may_replace(SqliteStatement(connection,
                                   "SELECT time_us, imported FROM machines WHERE device = ?1 AND "
                                   "driver = ?2 AND generator = ?3",
                                   record.device, record.driver, record.generator),
                   record.from))
    return false;
  SqliteStatement(
      connection,
      "INSERT OR REPLACE INTO machines (device, architecture, vendor, driver, name, generator, "
      "time_us, program, imported) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
      record.device, record.architecture, record.vendor, record.driver, record.name,
      record.generator, record.from.time_us, record.from.program, record.from.imported)
      .step();
  const std::int64_t id = connection.last_insert_id();
  for (const auto &[name, figure] : record.figures.figures)
    SqliteStatement(connection, "INSERT INTO figures VALUES (?1, ?2, ?3, ?4, ?5)", id, name,
                    figure.median, figure.low, figure.high)
        .step();
  return true;
}

void remove_outdated(SqliteConnection &connection, const TuningKey &key) {
  SqliteStatement(connection,
                  "DELETE FROM keys WHERE id IN (SELECT k.id FROM keys AS k "
                  "LEFT JOIN searches AS s ON s.key = k.id LEFT JOIN results AS r ON r.key = k.id "
                  "WHERE k.kernel = ?1 AND k.problem = ?2 AND k.size_class = ?3 AND k.device = ?4 "
                  "AND k.driver = ?5 GROUP BY k.id "
                  "ORDER BY max(coalesce(s.time_us, r.time_us, 0)) DESC LIMIT -1 OFFSET ?6)",
                  key.kernel, key.problem, key.size_class, key.device, key.driver, generators_kept)
      .step();
}

void remove_outdated(SqliteConnection &connection, const KeptMachine &record) {
  SqliteStatement(connection,
                  "DELETE FROM machines WHERE id IN (SELECT id FROM machines WHERE device = ?1 "
                  "AND driver = ?2 ORDER BY time_us DESC LIMIT -1 OFFSET ?3)",
                  record.device, record.driver, generators_kept)
      .step();
}

std::vector<ResultRecord> results_for(SqliteConnection &connection, const TuningKey &key) {
  SqliteStatement rows(connection,
                       fmt::format("SELECT {}, variant, seconds, predicted_s, time_us, program, "
                                   "imported FROM results JOIN keys ON keys.id = results.key "
                                   "WHERE kernel = ?1 AND problem = ?2 AND driver = ?3 AND "
                                   "generator = ?4",
                                   key_columns)
                           .c_str(),
                       key.kernel, key.problem, key.driver, key.generator);
  return read_results(rows);
}

std::vector<ResultRecord> all_results(SqliteConnection &connection) {
  SqliteStatement rows(connection,
                       fmt::format("SELECT {0}, variant, seconds, predicted_s, time_us, program, "
                                   "imported FROM results JOIN keys ON keys.id = results.key "
                                   "ORDER BY {0}",
                                   key_columns)
                           .c_str());
  return read_results(rows);
}

std::vector<SearchRecord> all_searches(SqliteConnection &connection) {
  std::vector<SearchRecord> records;
  SqliteStatement rows(
      connection,
      fmt::format("SELECT {0}, searches.id, best, best_s, predicted_s, first_choice, "
                  "first_choice_s, num_candidates, spent_s, settled, time_us, program, imported "
                  "FROM searches JOIN keys ON keys.id = searches.key ORDER BY {0}, time_us",
                  key_columns)
          .c_str());
  while (rows.step()) {
    const int c = num_key_columns;
    SearchRecord record{.key = key_at(rows, 0), .from = provenance_at(rows, c + 9)};
    TuningOutcome &outcome = record.outcome;
    if (!rows.is_null(c + 1))
      outcome.best = variant_at(rows, c + 1);
    outcome.best_s = rows.real(c + 2);
    outcome.predicted_s = rows.real(c + 3);
    outcome.first_choice = variant_at(rows, c + 4);
    outcome.first_choice_s = rows.real(c + 5);
    outcome.num_candidates = static_cast<int>(rows.integer(c + 6));
    outcome.spent_s = rows.real(c + 7);
    outcome.settled = rows.integer(c + 8) != 0;
    outcome.trials = trials_of(connection, rows.integer(c));
    records.push_back(std::move(record));
  }
  return records;
}

std::vector<KeptMachine> all_machines(SqliteConnection &connection) {
  std::vector<KeptMachine> records;
  SqliteStatement rows(connection,
                       "SELECT id, device, architecture, vendor, driver, name, generator, "
                       "time_us, program, imported FROM machines "
                       "ORDER BY name, device, driver, generator");
  while (rows.step())
    records.push_back({.device = rows.text(1),
                       .architecture = rows.text(2),
                       .vendor = rows.text(3),
                       .driver = rows.text(4),
                       .name = rows.text(5),
                       .generator = rows.text(6),
                       .from = provenance_at(rows, 7),
                       .figures = figures_of(connection, rows.integer(0))});
  return records;
}

std::optional<MachineFigures> machine_figures(SqliteConnection &connection,
                                              const std::string &device, const std::string &driver,
                                              const std::string &generator) {
  SqliteStatement rows(
      connection, "SELECT id FROM machines WHERE device = ?1 AND driver = ?2 AND generator = ?3",
      device, driver, generator);
  if (!rows.step())
    return std::nullopt;
  return figures_of(connection, rows.integer(0));
}

void remove_all(SqliteConnection &connection) {
  connection.run("DELETE FROM keys; DELETE FROM machines");
}

} // namespace weft
