#include "tune/search/tuner.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <random>

#include "base/error.h"
#include "base/log.h"
#include "base/system/interruption.h"
#include "base/timer.h"

namespace weft {

namespace {

// Share of the budget after which no further candidate is prepared: the rest is for timing.
constexpr double preparing_share = 0.7;
// Rounds in which a newcomer is timed in turn with the best so far.
constexpr int rounds_a_heat = 3;
// A candidate this many times slower than the best after a heat is given up.
constexpr double clearly_slower = 1.3;
// Times within this are the same: nobody notices, and machines drift by more.
constexpr double same_time = 0.02;
// Rounds that timed both before small differences count.
constexpr int rounds_to_settle = 7;
// A difference counts if it is this many times its own uncertainty.
constexpr double sure = 3;
constexpr int most_rounds = 100;

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

// The time of one candidate over another's, from rounds that timed both: bandwidth drifts between
// rounds, and a ratio within one round does not see it.
struct Ratio {
  int rounds = 0;
  double median = 0;
  double error = 0; // standard error of the median, by the median absolute deviation
};

struct Entrant {
  TrialRecord record;
  std::unique_ptr<TuningTrial> trial; // null: not, or no longer, in the race
  std::vector<int> rounds;            // of record.seconds
  bool in_race() const { return trial != nullptr; }
};

Ratio ratio(const Entrant &a, const Entrant &b) {
  std::vector<double> ratios;
  for (std::size_t i = 0, j = 0; i < a.rounds.size() && j < b.rounds.size();) {
    if (a.rounds[i] == b.rounds[j])
      ratios.push_back(a.record.seconds[i++] / b.record.seconds[j++]);
    else
      ++(a.rounds[i] < b.rounds[j] ? i : j);
  }
  Ratio result{.rounds = static_cast<int>(ratios.size()), .median = median(ratios)};
  std::vector<double> deviations;
  for (const double r : ratios)
    deviations.push_back(std::abs(r - result.median));
  // 1.4826: from the median absolute deviation to the standard deviation of a normal distribution;
  // 1.2533: from the error of the mean to that of the median.
  if (!ratios.empty())
    result.error = 1.2533 * 1.4826 * median(deviations) / std::sqrt(ratios.size());
  return result;
}

int num_choices_shared(const Variant &a, const Variant &b) {
  return static_cast<int>(
      std::count_if(a.choices.begin(), a.choices.end(),
                    [&](const auto &choice) { return b.value(choice.first) == choice.second; }));
}

// What a single candidate throws ends its race, not the search.
std::string reason_of(const std::exception &error) {
  std::string text = error.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

class Race {
public:
  Race(TuningTarget &target, const TunerOptions &options)
      : target_(target), options_(options),
        clock_(options.clock ? options.clock : [timer = Timer()] { return timer.seconds(); }),
        start_(clock_()) {}

  double spent() const { return clock_() - start_; }
  std::vector<Entrant> &entrants() { return entrants_; }
  const Entrant *best() const { return best_ < 0 ? nullptr : &entrants_[best_]; }

  // Prepares a candidate and times it in turn with the best so far.
  void enter(const RankedVariant &candidate, int rank);
  // Seconds that preparing the next candidate is likely to take.
  double usual_entry_s() const { return median(entry_seconds_); }
  // Rounds of all that are left; true if the best was settled within the budget.
  bool finish();

private:
  void give_up(Entrant &entrant, const std::string &why);
  // Times an entrant once; false if it failed.
  bool time(Entrant &entrant);
  void round(const std::vector<int> &places);
  // Makes the fastest of those in the race the best, validated.
  void find_best();
  bool validated(Entrant &entrant);
  // Ends the race of those clearly slower than the best. The model's first choice stays until the
  // last rounds, in which its distance from the best is seen.
  void drop_slower(bool last_rounds);
  bool settled() const;
  bool budget_spent() const { return spent() >= options_.budget_s; }

  TuningTarget &target_;
  const TunerOptions &options_;
  std::function<double()> clock_;
  double start_;
  std::vector<Entrant> entrants_;
  std::vector<double> entry_seconds_;
  int best_ = -1;
  int num_rounds_ = 0;
};

void Race::give_up(Entrant &entrant, const std::string &why) {
  entrant.record.rejected = why;
  entrant.trial.reset();
}

bool Race::time(Entrant &entrant) {
  try {
    const double seconds = entrant.trial->run();
    entrant.record.seconds.push_back(seconds);
    entrant.rounds.push_back(num_rounds_);
    return true;
  } catch (const std::exception &error) {
    log::notice("variant {} failed while it was timed: {}", to_string(entrant.record.variant),
                error.what());
    give_up(entrant, reason_of(error));
    return false;
  }
}

void Race::round(const std::vector<int> &places) {
  throw_if_interrupted();
  for (const int place : places)
    if (entrants_[place].in_race())
      time(entrants_[place]);
  ++num_rounds_;
}

bool Race::validated(Entrant &entrant) {
  if (entrant.record.validated)
    return true;
  std::optional<std::string> differs;
  try {
    differs = entrant.trial->validate();
  } catch (const std::exception &error) {
    differs = reason_of(error);
  }
  if (!differs) {
    entrant.record.validated = true;
    return true;
  }
  log::notice("variant {} is wrong and is not used: {}", to_string(entrant.record.variant),
              *differs);
  give_up(entrant, *differs);
  return false;
}

void Race::find_best() {
  const int before = best_;
  do {
    best_ = -1;
    for (int e = 0; e < static_cast<int>(entrants_.size()); ++e) {
      const Entrant &entrant = entrants_[e];
      if (!entrant.in_race() || entrant.record.seconds.empty())
        continue;
      if (best_ < 0) {
        best_ = e;
        continue;
      }
      // Within shared rounds where there are any.
      const Ratio r = ratio(entrant, entrants_[best_]);
      if (r.rounds > 0 ? r.median < 1
                       : median(entrant.record.seconds) < median(entrants_[best_].record.seconds))
        best_ = e;
    }
  } while (best_ >= 0 && !validated(entrants_[best_]));
  if (best_ != before && best_ >= 0)
    log::debug("tuning: best so far {} ({:.4g} ms)", to_string(entrants_[best_].record.variant),
               1e3 * median(entrants_[best_].record.seconds));
}

void Race::drop_slower(bool last_rounds) {
  for (int e = 0; e < static_cast<int>(entrants_.size()) && best_ >= 0; ++e) {
    Entrant &entrant = entrants_[e];
    if (e == best_ || !entrant.in_race() || (!last_rounds && entrant.record.rank == 0))
      continue;
    const Ratio r = ratio(entrant, entrants_[best_]);
    const bool clear = r.rounds >= rounds_a_heat && r.median > clearly_slower;
    const bool sure_slower =
        r.rounds >= rounds_to_settle && r.median > 1 + same_time && r.median - sure * r.error > 1;
    if (clear || sure_slower)
      entrant.trial.reset();
  }
}

bool Race::settled() const {
  for (int e = 0; e < static_cast<int>(entrants_.size()); ++e) {
    if (e == best_ || !entrants_[e].in_race())
      continue;
    const Ratio r = ratio(entrants_[e], entrants_[best_]);
    if (r.rounds < rounds_to_settle || r.median > 1 + same_time)
      return false;
  }
  return best_ >= 0;
}

void Race::enter(const RankedVariant &candidate, int rank) {
  const double before = clock_();
  entrants_.push_back({.record = {.variant = candidate.variant,
                                  .predicted_s = candidate.predicted_s,
                                  .rank = rank}});
  Entrant &entrant = entrants_.back();
  const int place = static_cast<int>(entrants_.size()) - 1;
  try {
    entrant.trial = target_.prepare(candidate.variant);
  } catch (const Error &error) {
    if (error.kind() != ErrorKind::unsupported)
      log::notice("variant {} could not be made: {}", to_string(candidate.variant), error.what());
    give_up(entrant, reason_of(error));
  } catch (const std::exception &error) {
    log::notice("variant {} could not be made: {}", to_string(candidate.variant), error.what());
    give_up(entrant, reason_of(error));
  }
  std::vector<int> heat = {place};
  if (best_ >= 0)
    heat.insert(heat.begin(), best_);
  for (int r = 0; r < rounds_a_heat && entrant.in_race(); ++r) {
    if (r > 0 && budget_spent())
      break;
    round(heat);
  }
  find_best();
  drop_slower(false);
  entry_seconds_.push_back(clock_() - before);
}

bool Race::finish() {
  for (int r = 0; r < most_rounds; ++r) {
    if (best_ < 0)
      return false; // nothing ran and was right
    if (settled())
      return true;
    if (budget_spent())
      return false;
    std::vector<int> all(entrants_.size());
    for (std::size_t e = 0; e < all.size(); ++e)
      all[e] = static_cast<int>(e);
    round(all);
    find_best();
    drop_slower(true);
  }
  return settled();
}

// Places among the ranked candidates in the order in which they enter.
std::vector<int> pick(const std::vector<RankedVariant> &ranked, const std::optional<Variant> &usual,
                      const TunerOptions &options) {
  const int num = static_cast<int>(ranked.size());
  std::vector<int> places = {0};
  for (int r = 1; r < num; ++r)
    if (ranked[r].variant == usual)
      places.push_back(r);
  const auto picked = [&](int r) {
    return std::find(places.begin(), places.end(), r) != places.end();
  };
  const int first = std::min(std::max(1, options.ranked), num);
  for (int r = 1; r < first; ++r)
    if (!picked(r))
      places.push_back(r);
  std::vector<int> rest;
  for (int r = first; r < num; ++r)
    if (!picked(r))
      rest.push_back(r);
  // By hand: what std::shuffle does with a generator's numbers is not laid down.
  std::mt19937_64 generator(options.seed);
  for (int i = 0; i < options.random && !rest.empty(); ++i) {
    const std::size_t place = generator() % rest.size();
    places.push_back(rest[place]);
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(place));
  }
  return places;
}

// Through a third one where they were never timed in the same round.
double ratio_to_best(const Entrant &entrant, const Entrant &best, const std::vector<Entrant> &all) {
  if (entrant.record.seconds.empty())
    return 0;
  if (&entrant == &best)
    return 1;
  if (const Ratio r = ratio(entrant, best); r.rounds > 0)
    return r.median;
  int most_rounds = 0;
  double through = 0;
  for (const Entrant &third : all) {
    const Ratio to = ratio(entrant, third), from = ratio(third, best);
    if (const int rounds = std::min(to.rounds, from.rounds); rounds > most_rounds) {
      most_rounds = rounds;
      through = to.median * from.median;
    }
  }
  return most_rounds > 0 ? through : median(entrant.record.seconds) / median(best.record.seconds);
}

} // namespace

std::vector<RankedVariant> rank_candidates(TuningTarget &target) {
  const SearchSpace space = target.space();
  std::vector<RankedVariant> ranked;
  for (Variant &variant : candidates(space)) {
    const double predicted_s = target.predict(variant);
    ranked.push_back({std::move(variant), predicted_s});
  }
  if (ranked.empty()) {
    std::string constraints;
    for (const Constraint &constraint : space.constraints)
      constraints += (constraints.empty() ? "" : "; ") + constraint.text;
    throw Error(ErrorKind::unsupported,
                {.what = "no variant of kernel " + space.kernel + " is possible here",
                 .allowed = constraints,
                 .remedy = "fix fewer settings of [device]"});
  }
  std::stable_sort(
      ranked.begin(), ranked.end(),
      [](const RankedVariant &a, const RankedVariant &b) { return a.predicted_s < b.predicted_s; });
  // No model tells so little apart: of the first, those like the default come first.
  const std::optional<Variant> usual = target.default_variant();
  if (!usual)
    return ranked;
  const double most_s = (1 + same_time) * ranked.front().predicted_s;
  const auto end = std::find_if(ranked.begin(), ranked.end(),
                                [&](const RankedVariant &r) { return r.predicted_s > most_s; });
  std::stable_sort(ranked.begin(), end, [&](const RankedVariant &a, const RankedVariant &b) {
    return num_choices_shared(a.variant, *usual) > num_choices_shared(b.variant, *usual);
  });
  return ranked;
}

TuningOutcome tune(TuningTarget &target, const TunerOptions &options) {
  Race race(target, options);
  const std::vector<RankedVariant> ranked = rank_candidates(target);
  TuningOutcome outcome;
  outcome.num_candidates = static_cast<int>(ranked.size());
  outcome.first_choice = ranked.front().variant;
  const std::optional<Variant> usual = target.default_variant();
  const std::vector<int> places = pick(ranked, usual, options);
  std::size_t num_ahead = 0; // of places
  for (std::size_t i = 0; i < places.size(); ++i) {
    const int place = places[i];
    const bool has_time = race.spent() + race.usual_entry_s() <= preparing_share * options.budget_s;
    const bool always = place == 0 || ranked[place].variant == usual;
    if (!has_time && race.best() && !always)
      break;
    if (options.ahead && i >= num_ahead) {
      std::vector<Variant> next;
      for (; num_ahead < std::min(places.size(), i + options.ahead_batch); ++num_ahead)
        next.push_back(ranked[places[num_ahead]].variant);
      options.ahead(next);
    }
    race.enter(ranked[place], place);
  }
  outcome.settled = race.finish();
  const Entrant &first = race.entrants().front();
  outcome.first_choice_s = median(first.record.seconds);
  if (const Entrant *best = race.best()) {
    outcome.best = best->record.variant;
    outcome.best_s = median(best->record.seconds);
    outcome.predicted_s = best->record.predicted_s;
    for (Entrant &entrant : race.entrants())
      entrant.record.ratio = ratio_to_best(entrant, *best, race.entrants());
    if (first.record.rejected.empty())
      outcome.first_choice_ratio = first.record.ratio;
  }
  for (Entrant &entrant : race.entrants())
    outcome.trials.push_back(std::move(entrant.record));
  outcome.spent_s = race.spent();
  return outcome;
}

} // namespace weft
