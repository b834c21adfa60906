// The search for the fastest variant of a kernel: ranked by the model, timed within a budget,
// validated before it is trusted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tune/search/search_space.h"

namespace weft {

// One variant made ready to run on the device.
class TuningTrial {
public:
  virtual ~TuningTrial() = default;
  // Runs once and waits; seconds of the kernel alone.
  virtual double run() = 0;
  // Compares the result with the reference; what differs, or nothing.
  virtual std::optional<std::string> validate() = 0;
};

// What a kernel hands to the tuner.
class TuningTarget {
public:
  virtual ~TuningTarget() = default;
  virtual SearchSpace space() = 0;
  // What is used where nothing is known of the machine: it is timed too, so that a tuned run is not
  // slower. None: the target has no such choice.
  virtual std::optional<Variant> default_variant() { return {}; }
  // Seconds by the performance model; cheap: nothing is compiled or allocated on the device.
  virtual double predict(const Variant &variant) = 0;
  // Makes and compiles it. Throws `unsupported` or `system` where the device cannot run it.
  virtual std::unique_ptr<TuningTrial> prepare(const Variant &variant) = 0;
};

struct TunerOptions {
  double budget_s = 10;
  int ranked = 6; // best by the model that are timed in any case the budget allows
  int random = 4; // others, chosen at random
  std::uint64_t seed = 1;
  // Seconds since any moment, against which the budget is held; open: the machine's own clock.
  std::function<double()> clock;
  // Called with the next candidates, `ahead_batch` of them at a time, before they are prepared one
  // after the other: to compile them in parallel.
  std::function<void(const std::vector<Variant> &)> ahead;
  int ahead_batch = 1;
};

struct TrialRecord {
  Variant variant;
  double predicted_s = 0;
  int rank = 0;                // by the model among all candidates; 0: its first choice
  std::vector<double> seconds; // in the order they were taken; empty if it could not run
  double ratio = 0;            // its time over the best's; see TuningOutcome
  std::string rejected;        // why it is not to be used; empty if it may
  bool validated = false;
};

struct TuningOutcome {
  std::optional<Variant> best; // none if no candidate ran and was right
  double best_s = 0;           // median
  double predicted_s = 0;      // of the best
  Variant first_choice;        // the model's
  double first_choice_s = 0;   // median as timed; 0 if it could not run
  double first_choice_ratio =
      0; // its time over the best's, in rounds that timed both; 0: not known
  std::vector<TrialRecord> trials;
  int num_candidates = 0;
  double spent_s = 0;
  bool settled = false; // stopped because the best was clear, not because the budget was spent
};

struct RankedVariant {
  Variant variant;
  double predicted_s = 0;
};
// All candidates, the shortest predicted time first; ties in the order of the space. Those within
// 2% of the shortest count as equal: the more choices one shares with the default the earlier it
// comes. Throws `unsupported` where there is none.
std::vector<RankedVariant> rank_candidates(TuningTarget &target);

// The search. Candidates are prepared one after the other, those the model ranks best first; each
// is timed in turn with the best so far and given up where it is clearly slower. Those left are
// timed in rounds (A B C A B C ...) until the best is settled or the budget, which preparing counts
// to as well, is spent. Whatever the budget, the model's first choice and the default are timed. A
// candidate is validated when it becomes the best: nothing is given up for the sake of one that is
// wrong. Throws `unsupported` where the space has no candidate; what a single candidate throws is
// kept in its record.
TuningOutcome tune(TuningTarget &target, const TunerOptions &options);

} // namespace weft
