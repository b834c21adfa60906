#include "tune/database/tuning_database.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <mutex>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/log.h"
#include "base/system/user_folders.h"
#include "base/version.h"
#include "device/machine_record_of.h"
#include "tune/database/tuning_file.h"
#include "tune/database/tuning_tables.h"
#include "tune/database/tuning_text.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

// The same trouble is met by every search of a run.
void notice_once(const std::string &text) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  if (said.insert(text).second)
    log::notice("{}", text);
}

void check_key(const TuningKey &key) {
  require(!key.kernel.empty() && !key.problem.empty() && !key.device.empty() &&
              !key.driver.empty() && !key.generator.empty(),
          "a tuning key says kernel, problem, device, driver and generator");
}

std::optional<TuningMatch> match_of(const TuningKey &wanted, const TuningKey &kept) {
  if (kept.device == wanted.device)
    return TuningMatch::device;
  // What a driver does not say, devices do not share.
  if (!wanted.architecture.empty() && kept.architecture == wanted.architecture)
    return TuningMatch::architecture;
  if (!wanted.vendor.empty() && kept.vendor == wanted.vendor)
    return TuningMatch::vendor;
  return std::nullopt;
}

std::optional<int> exponent_of(const std::string &size_class) {
  int value = 0;
  const char *end = size_class.data() + size_class.size();
  const auto [stop, error] = std::from_chars(size_class.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

// Doublings between two size classes; the most where they are not numbers.
int distance(const std::string &a, const std::string &b) {
  const std::optional<int> x = exponent_of(a), y = exponent_of(b);
  return a == b ? 0 : x && y ? std::abs(*x - *y) : std::numeric_limits<int>::max();
}

KeptMachine machine_record(const DeviceInfo &device, const std::string &generator) {
  return {.device = device.identity,
          .architecture = device.architecture,
          .vendor = device.vendor,
          .driver = device.driver,
          .name = device.name,
          .generator = generator,
          .from = {.time_us = now_us(), .program = version()}};
}

} // namespace

TuningKey tuning_key(const DeviceInfo &device, const std::string &kernel,
                     const std::string &problem, const std::string &size_class,
                     const std::string &generator) {
  return {.kernel = kernel,
          .problem = problem,
          .size_class = size_class,
          .device = device.identity,
          .architecture = device.architecture,
          .vendor = device.vendor,
          .driver = device.driver,
          .generator = generator};
}

struct TuningDatabase::Impl {
  explicit Impl(const fs::path &path) : file(path) {}

  // Does the work on the file, once more on a new one if it turns out to be damaged. False, with
  // the reason in `trouble`, where that can't be; false without a reason where there is no file.
  bool read(const std::function<void(SqliteConnection &)> &work) { return attempt(false, work); }
  // The same as one transaction, in a file that still lies at its path afterwards.
  bool write(const std::function<void(SqliteConnection &)> &work) {
    return attempt(true, [&](SqliteConnection &connection) {
      SqliteTransaction transaction(connection, SqliteTransaction::Kind::write);
      work(connection);
      transaction.commit();
    });
  }
  // For what was asked for by name: no notice, but an error.
  [[noreturn]] void fail(const std::string &what) const {
    throw Error(ErrorKind::system, {.what = "the tuning database " + what, .found = trouble});
  }

  TuningFile file;
  std::string trouble;

private:
  bool attempt(bool write, const std::function<void(SqliteConnection &)> &work) {
    trouble.clear();
    for (int i = 0; i < 3; ++i) {
      SqliteConnection *connection = write ? file.for_writing() : file.for_reading();
      if (!connection) {
        trouble = write ? file.trouble_writing() : file.trouble_reading();
        return false;
      }
      try {
        work(*connection);
        if (!write || file.is_current())
          return true;
        trouble = file.path().string() + ": it was replaced by other processes again and again";
      } catch (const SqliteError &error) {
        trouble = fmt::format("{}: {}", file.path().string(), error.what());
        if (!error.is_damage())
          return false;
        file.set_aside_damaged(error.what());
      }
    }
    return false;
  }
};

fs::path TuningDatabase::default_path() {
  const fs::path folder = data_folder().path;
  return folder.empty() ? fs::path() : folder / "tuning.sqlite";
}

TuningDatabase::TuningDatabase(const fs::path &path) : impl_(std::make_unique<Impl>(path)) {}

TuningDatabase::~TuningDatabase() = default;

std::optional<KeptTuning> TuningDatabase::find(const TuningKey &key) {
  check_key(key);
  std::vector<ResultRecord> records;
  if (!impl_->read([&](SqliteConnection &c) { records = results_for(c, key); })) {
    if (!impl_->trouble.empty())
      notice_once("kept tuning can't be read. " + impl_->trouble);
    return std::nullopt;
  }
  using Rank = std::tuple<TuningMatch, int, std::int64_t, std::string>; // the lowest is the best
  std::optional<Rank> best_rank;
  const ResultRecord *best = nullptr;
  for (const ResultRecord &record : records) {
    const std::optional<TuningMatch> match = match_of(key, record.key);
    if (!match)
      continue;
    const Rank rank{*match, distance(key.size_class, record.key.size_class), -record.from.time_us,
                    record.key.device};
    if (!best_rank || rank < *best_rank) {
      best_rank = rank;
      best = &record;
    }
  }
  if (!best)
    return std::nullopt;
  return KeptTuning{best->variant, best->seconds, best->predicted_s, std::get<0>(*best_rank)};
}

bool TuningDatabase::store(const TuningKey &key, const TuningOutcome &outcome) {
  check_key(key);
  require(!outcome.best || std::isfinite(outcome.best_s), "the time of a best variant is a number");
  const bool stored = impl_->write([&](SqliteConnection &c) {
    const Provenance from{.time_us = now_us(), .program = version()};
    put_search(c, {key, from, outcome});
    if (outcome.best)
      put_result(c, {key, from, *outcome.best, outcome.best_s, outcome.predicted_s});
    remove_outdated(c, key);
  });
  if (!stored)
    notice_once("results of tuning are not kept. " + impl_->trouble);
  return stored;
}

std::optional<MachineFigures> TuningDatabase::machine(const DeviceInfo &device,
                                                      const std::string &generator) {
  std::optional<MachineFigures> figures;
  const bool read = impl_->read([&](SqliteConnection &c) {
    figures = machine_figures(c, device.identity, device.driver, generator);
  });
  if (!read && !impl_->trouble.empty())
    notice_once("kept figures of the machine can't be read. " + impl_->trouble);
  return read ? figures : std::nullopt;
}

bool TuningDatabase::store_machine(const DeviceInfo &device, const std::string &generator,
                                   const MachineFigures &figures) {
  KeptMachine record = machine_record(device, generator);
  record.figures = figures;
  const bool stored = impl_->write([&](SqliteConnection &c) {
    put_machine(c, record);
    remove_outdated(c, record);
  });
  if (!stored)
    notice_once("figures of the machine are not kept. " + impl_->trouble);
  return stored;
}

TuningContents TuningDatabase::contents() {
  TuningContents contents;
  const bool read = impl_->read([&](SqliteConnection &c) {
    SqliteTransaction transaction(c, SqliteTransaction::Kind::read); // one moment's state
    contents = {all_machines(c), all_results(c), all_searches(c)};
  });
  if (!read && !impl_->trouble.empty())
    impl_->fail("can't be read");
  return contents;
}

std::string TuningDatabase::export_text() {
  return write_tuning_text(contents());
}

int TuningDatabase::import_text(const std::string &text, const std::string &where) {
  const TuningContents records = read_tuning_text(text, where);
  int num_taken = 0;
  const bool stored = impl_->write([&](SqliteConnection &c) {
    num_taken = 0;
    for (const KeptMachine &record : records.machines)
      num_taken += put_machine(c, record) ? 1 : 0;
    for (const ResultRecord &record : records.results)
      num_taken += put_result(c, record) ? 1 : 0;
    for (const SearchRecord &record : records.searches)
      put_search(c, record);
  });
  if (!stored)
    impl_->fail("can't be written");
  return num_taken;
}

int TuningDatabase::clear() {
  const TuningContents before = contents();
  const auto num_kept = static_cast<int>(before.results.size() + before.machines.size());
  if (num_kept + before.searches.size() > 0 &&
      !impl_->write([](SqliteConnection &c) { remove_all(c); }))
    impl_->fail("can't be written");
  return num_kept;
}

fs::path TuningDatabase::path() const {
  return impl_->file.path();
}

} // namespace weft
