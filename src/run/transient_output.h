// What a transient run looks at as it goes: fields at times of output, probes and functionals of
// steps, first times.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/timer.h"
#include "op/evaluate/time_statistics.h"
#include "op/law/arrival_times.h"
#include "output/checkpoint.h"
#include "output/results.h"
#include "run/simulation.h"
#include "solve/time/stepper.h"

namespace weft {

// fields_0000.vtu, ... with fields.pvd (of several ranks fields_0000.pvtu, ... and their pieces),
// at the start, the times of output and the end, and rows of lines.csv; functionals.csv and
// probes.csv, a row (of probes: one a point) at the start and after each step, or each that
// [output] rows_every names.
class TransientOutput {
public:
  // `s` must outlive it.
  TransientOutput(Simulation &s, std::string folder);

  // Fields where the stepper is at its start or a stop; rows where they are due.
  void write(Stepper &stepper);
  // At the end of a run, however it ended, of the last good state: first times as what is known
  // when results are evaluated; all rows, those after it marked; its fields, where they are not
  // written yet.
  void see_arrival_times();
  void finish_rows();
  void finish_fields();
  // What was not finite in rows and fields, each name where it was first seen.
  const std::vector<NotFinite> &not_finite() const { return not_finite_; }
  // Paths of the files that a reader opens.
  std::vector<std::string> files() const;

  // The files that grow, by their names, for a run that goes on from here; and back. Where files of
  // fields from before are not in the folder, the series of fields begins anew.
  std::map<std::string, std::string> texts() const;
  // Of [first_times], up to that time, and of [over_time], by their names.
  std::map<std::string, std::vector<double>> kept_fields(double time) const;
  void restore(const Checkpoint &checkpoint);

private:
  void look_for_arrival_times(Stepper &stepper);
  void restore_texts(const std::map<std::string, std::string> &texts);
  void restore_arrival_times(const Checkpoint &checkpoint);
  void restore_statistics(const Checkpoint &checkpoint);
  bool reaches_rows(double time);
  void write_fields(double time);
  void add_rows(double time);
  // Adds the rows of a table with its head, with the time before each.
  static void add_at_time(double time, const std::string &rows, std::string &table,
                          const char *name);
  void save_rows();
  void note_fault(const std::string &name, double time, const std::string &fault);
  std::string path(const std::string &name) const { return folder_ + "/" + name; }

  Simulation &s_;
  std::string folder_;
  std::unique_ptr<ArrivalTimes> arrival_times_;
  std::optional<TimeStatistics> statistics_;
  Vector state_; // of steppers that have another order
  bool looked_ = false;
  std::int64_t intervals_with_rows_ = -1;              // of [output] rows_every
  std::vector<std::pair<double, std::string>> fields_; // time and file
  std::string functionals_, probes_, lines_;
  std::vector<NotFinite> not_finite_;
  Timer timer_;
  double saved_s_ = 0;
};

// Names of the files in a run's folder that belong to a checkpoint: those of fields written before
// it, and those that grow.
std::set<std::string> files_of_series(const Checkpoint &checkpoint);

} // namespace weft
