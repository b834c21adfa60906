// The tables of a tuning database, and records written to and read from them. All functions throw
// SqliteError; those that change something are called within a transaction.
#pragma once

#include <vector>

#include "base/system/sqlite.h"
#include "tune/database/tuning_records.h"

namespace weft {

// What an opened file is.
enum class TuningSchema {
  empty,   // nothing in it yet
  current, // with the tables of this program
  newer,   // of a later version of Weft
  other    // of an earlier version, or not Weft's at all
};
TuningSchema tuning_schema(SqliteConnection &connection);
void create_tuning_tables(SqliteConnection &connection);

// Makes the record the result of its key. An imported one is taken only if the key has none, or an
// older one that was imported too: what was measured here stays. False if it was not taken.
bool put_result(SqliteConnection &connection, const ResultRecord &record);
// Adds a search; of a key, the last 10 are kept. An imported one that is there already (the same
// key and time) is not added.
void put_search(SqliteConnection &connection, const SearchRecord &record);
// Makes the record the figures of its device, driver and generator; imported ones as put_result().
bool put_machine(SqliteConnection &connection, const KeptMachine &record);
// Removes what this program no longer uses, because its kernels' texts changed since, but for the
// last few generators, so that going back and forth between versions loses nothing.
void remove_outdated(SqliteConnection &connection, const TuningKey &key);
void remove_outdated(SqliteConnection &connection, const KeptMachine &record);

// Results of the kernel, problem, driver and generator of `key`, on any device, of any size.
std::vector<ResultRecord> results_for(SqliteConnection &connection, const TuningKey &key);
// Everything, in an order that depends on what is kept alone.
std::vector<ResultRecord> all_results(SqliteConnection &connection);
std::vector<SearchRecord> all_searches(SqliteConnection &connection);
std::vector<KeptMachine> all_machines(SqliteConnection &connection);
std::optional<MachineFigures> machine_figures(SqliteConnection &connection,
                                              const std::string &device, const std::string &driver,
                                              const std::string &generator);
void remove_all(SqliteConnection &connection);

} // namespace weft
