// What a run leaves in its folder, however it ended: fields, rows, results.json.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/kept_notices.h"
#include "case/case.h"
#include "output/results.h"
#include "run/simulation.h"
#include "run/transient_output.h"

namespace weft {

// A run as far as it has come.
struct Run {
  Simulation &s;
  const log::KeptNotices &notices;
  std::string folder;
  TransientOutput *over_time = nullptr; // of a transient problem
  // With --expect: what the results must reach, and the file that says so.
  std::optional<Expectations> expected;
  std::string expectations_file;
  // Else first times stay as they were last seen: they lie on the device.
  bool device_answers = true;
  std::vector<RunRecord> earlier;   // stages before this one
  AdjointResults adjoint;           // of functionals that asked for errors or gradients
  RunOutcome outcome;               // what has gone wrong so far
  std::optional<RanksRecord> ranks; // how they shared the solve
  RunRecord record;                 // of write_what_there_is()
  std::vector<std::string> files;   // that it wrote, for the report
};

// Does a part of a run's work, together with the other ranks; where it throws, adds that to the
// outcome. Returns whether it did not.
bool attempt(Run &run, const std::function<void()> &work);

// Writes what there is: of the last known state its functionals, errors, fields and rows, and
// results.json at any rate. Each part that fails is added to the outcome, and the others are
// written all the same; throws nothing, but what unwinds() ranks. Uses no device, but for first
// times.
void write_what_there_is(Run &run);

// What results.json says of the run as it is, without a file of it. Errors in values are in the
// outcome.
RunRecord record_of(Run &run);

// Times the kernels of a run that was solved, and writes results.json once more with them. What
// fails is added to the outcome.
void add_kernel_times(Run &run);

// What went wrong in a run, after all of it that there is was written.
class RunFailed : public std::runtime_error {
public:
  // The outcome has a failure.
  explicit RunFailed(const RunOutcome &outcome);
  int exit_code() const { return exit_code_; }

private:
  int exit_code_;
};

} // namespace weft
