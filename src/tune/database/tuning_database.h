// Results of tuning and what machines were measured to do, kept between runs and shared by
// processes: SQLite under $XDG_DATA_HOME/weft.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"
#include "tune/machine_figures.h"
#include "tune/search/tuner.h"

namespace weft {

// What a result was found for. None is empty but `size_class`, and `architecture` and `vendor`
// where the driver does not say them.
struct TuningKey {
  std::string kernel;     // "fem_integrate"
  std::string problem;    // signature: what is integrated, on which cells, elements, precision
  std::string size_class; // how large: a power of two of the cells, its exponent as text
  std::string device;     // DeviceInfo::identity
  std::string architecture, vendor;
  std::string driver;
  std::string generator; // hash of what makes the kernel's text: kernel files and printers
};
TuningKey tuning_key(const DeviceInfo &device, const std::string &kernel,
                     const std::string &problem, const std::string &size_class,
                     const std::string &generator);

enum class TuningMatch { device, architecture, vendor };

struct TuningContents; // tune/database/tuning_records.h

struct KeptTuning {
  Variant variant;
  double seconds = 0;
  double predicted_s = 0;
  TuningMatch match = TuningMatch::device; // how near the device is that it was found on
};

// Any number of processes may use one file at once; an object serves one thread. The file is opened
// when something is first asked of it, and made when something is first stored.
class TuningDatabase {
public:
  // $XDG_DATA_HOME/weft/tuning.sqlite (~/.local/share/weft/...); empty where there is none
  // that is this user's alone (base/system/user_folders.h).
  static std::filesystem::path default_path();

  // find(), store(), machine() and store_machine() never throw because of the file's state: a
  // damaged one is set aside with a notice and a new one begun; one of a later version of Weft is
  // left alone; where nothing can be written, what is there is read and a notice says that nothing
  // is kept. The others are asked for by name, and throw `system` where the file can't be read or
  // written.
  explicit TuningDatabase(const std::filesystem::path &path = default_path());
  ~TuningDatabase();

  // The best kept result for the key: of the same device, else architecture, else vendor; among
  // those of the same size class, else the nearest one. Results of another driver or generator are
  // not used.
  std::optional<KeptTuning> find(const TuningKey &key);
  // Keeps every timing of a search and, if it has one, its best variant, which takes the place of
  // the key's older one. Of a key the last 10 searches are kept. False (with a notice the first
  // time) where it can't be written.
  bool store(const TuningKey &key, const TuningOutcome &outcome);

  // Figures of exactly this device, driver and `generator` (hash of the micro-benchmarks).
  std::optional<MachineFigures> machine(const DeviceInfo &device, const std::string &generator);
  bool store_machine(const DeviceInfo &device, const std::string &generator,
                     const MachineFigures &figures);

  TuningContents contents();
  // All that is kept, as lines of text that import_text() of another machine takes; the format is
  // in tune/database/tuning_text.h.
  std::string export_text();
  // Number of results and of machines' figures taken. What was measured by the owner of this
  // database stays; what was imported before is replaced by what is newer. Searches are added to
  // those that are kept. Throws `input` with the line that is wrong; then nothing is taken.
  int import_text(const std::string &text, const std::string &where);
  // Forgets everything; returns the number of results and of machines' figures.
  int clear();
  std::filesystem::path path() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace weft
