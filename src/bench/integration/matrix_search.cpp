#include "bench/integration/matrix_search.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <random>

#include "base/error.h"
#include "base/log.h"
#include "base/timer.h"
#include "device/lanes.h"
#include "op/reference/element_matrix.h"
#include "run/explain/work_estimate.h"
#include "run/kernel_timing.h"

namespace weft {

namespace {

// Timings of a newcomer and of the best, in turn; more where they are near to each other. A gain
// within the noise is none: over hundreds of newcomers such gains lead away from the best.
constexpr int few_rounds = 3, many_rounds = 9;
constexpr double clearly_slower = 1.15, clearly_faster = 0.985;
// Rounding of sums over a few points; an entry that is wrong is off by far more.
constexpr double tolerance_f64 = 1e-11, tolerance_f32 = 1e-4;

template <typename Value>
MatrixAxis variant_axis(const std::string &name, Value MatrixVariant::*member,
                        const std::vector<Value> &values) {
  MatrixAxis axis{.name = name, .values = {}};
  for (const Value value : values)
    axis.values.push_back([=](MatrixCandidate &c) { c.variant.*member = value; });
  return axis;
}

MatrixAxis writing_axis() {
  const auto writing = [](MatrixDestination destination, bool stream) {
    return [=](MatrixCandidate &c) {
      c.variant.destination = destination;
      c.variant.stream = stream;
    };
  };
  return {.name = "writing",
          .values = {writing(MatrixDestination::interleaved, true),
                     writing(MatrixDestination::interleaved, false),
                     writing(MatrixDestination::per_cell, false)}};
}

OperatorSettings settings_of(const MatrixCandidate &candidate, Precision precision,
                             const std::string &form_name) {
  OperatorSettings settings;
  settings.strategy = Strategy::cell;
  settings.geometry = candidate.geometry;
  settings.precision = precision;
  settings.lanes = candidate.lanes;
  settings.form_name = form_name;
  return settings;
}

class MatrixSearch {
public:
  MatrixSearch(Device &device, const FormIntegrals &integrals, const Discretisation &small,
               const MatrixSearchOptions &options)
      : device_(device), integrals_(integrals), small_(small), small_integrals_(small),
        options_(options), axes_(matrix_axes(device.info(), options.precision)) {}

  MatrixSearchOutcome run();

private:
  using Places = std::vector<std::size_t>; // [axis]: which value

  MatrixCandidate candidate_of(const Places &places) const;
  bool budget_spent() const { return clock_.seconds() >= options_.budget_s; }
  // Times it in turn with the best so far; true if it is the best now.
  bool enter(const Places &places);
  bool faster_than_best(MatrixRun &run);
  bool right(const MatrixCandidate &candidate);
  void vary_one_by_one();
  void vary_all();
  // How many combinations there are, and how many of them time allows.
  void announce() const;

  Device &device_;
  const FormIntegrals &integrals_;
  const Discretisation &small_;
  FormIntegrals small_integrals_;
  const MatrixSearchOptions &options_;
  std::vector<MatrixAxis> axes_;
  Timer clock_;
  std::map<Places, bool> entered_;
  Places best_;
  MatrixSearchOutcome outcome_;
};

MatrixCandidate MatrixSearch::candidate_of(const Places &places) const {
  MatrixCandidate candidate;
  candidate.variant.loop_order = options_.loop_order;
  for (std::size_t a = 0; a < axes_.size(); ++a)
    axes_[a].values[places[a]](candidate);
  return candidate;
}

bool MatrixSearch::faster_than_best(MatrixRun &run) {
  const auto once = [&](MatrixRun &r) {
    return time_calls(device_, 1, [&] { r.compute(); }).front();
  };
  once(run); // compiles, and touches the memory for the first time
  if (!outcome_.run)
    return true;
  std::vector<double> ratios;
  double least_s = std::numeric_limits<double>::max(), least_of_best_s = least_s;
  for (int round = 0; round < many_rounds; ++round) {
    const double best_s = once(*outcome_.run), run_s = once(run);
    ratios.push_back(run_s / best_s);
    least_s = std::min(least_s, run_s);
    least_of_best_s = std::min(least_of_best_s, best_s);
    if (round + 1 == few_rounds && median(ratios) > clearly_slower)
      break;
  }
  // Where other work takes the cores for a while the median misleads; the least times do not.
  return median(ratios) < clearly_faster && least_s < least_of_best_s;
}

bool MatrixSearch::right(const MatrixCandidate &candidate) {
  MatrixRun run(device_, small_integrals_, candidate, options_.precision, options_.form_name);
  run.compute();
  const double difference = difference_from_reference(run, small_);
  if (difference <= (options_.precision == Precision::f64 ? tolerance_f64 : tolerance_f32))
    return true;
  outcome_.wrong.push_back(
      fmt::format("{}: differs from the reference by {:.2g}", to_string(candidate), difference));
  log::notice("{}", outcome_.wrong.back());
  return false;
}

void MatrixSearch::announce() const {
  int all = 1;
  for (const MatrixAxis &axis : axes_)
    all *= static_cast<int>(axis.values.size());
  log::info("{}: {}", to_string(options_.loop_order),
            announcement(all, clock_.seconds() / announced_after, options_.budget_s));
}

bool MatrixSearch::enter(const Places &places) {
  if (!entered_.emplace(places, true).second)
    return false;
  if (entered_.size() == announced_after + 1)
    announce();
  const MatrixCandidate candidate = candidate_of(places);
  try {
    auto run = std::make_unique<MatrixRun>(device_, integrals_, candidate, options_.precision,
                                           options_.form_name);
    const bool faster = faster_than_best(*run);
    ++outcome_.num_timed;
    if (!faster || !right(candidate))
      return false;
    outcome_.run = std::move(run);
  } catch (const Error &error) {
    if (error.kind() != ErrorKind::unsupported && error.kind() != ErrorKind::system)
      throw;
    ++outcome_.num_unsupported;
    log::debug("{}: {}", to_string(candidate), error.what());
    return false;
  }
  outcome_.best = candidate;
  best_ = places;
  return true;
}

void MatrixSearch::vary_one_by_one() {
  bool gained = true;
  while (gained) {
    gained = false;
    for (std::size_t a = 0; a < axes_.size(); ++a)
      for (std::size_t v = 0; v < axes_[a].values.size() && !budget_spent(); ++v) {
        Places places = best_;
        places[a] = v;
        gained = enter(places) || gained;
      }
  }
}

void MatrixSearch::vary_all() {
  std::vector<Places> all = {{}};
  for (const MatrixAxis &axis : axes_) {
    std::vector<Places> longer;
    for (const Places &places : all)
      for (std::size_t v = 0; v < axis.values.size(); ++v) {
        longer.push_back(places);
        longer.back().push_back(v);
      }
    all = std::move(longer);
  }
  outcome_.num_candidates = static_cast<int>(all.size());
  // By hand: what std::shuffle does with a generator's numbers is not laid down.
  std::mt19937_64 generator(1);
  while (!all.empty() && !budget_spent()) {
    std::swap(all[generator() % all.size()], all.back());
    enter(all.back());
    all.pop_back();
  }
}

MatrixSearchOutcome MatrixSearch::run() {
  best_.assign(axes_.size(), 0);
  enter(best_);
  vary_one_by_one();
  vary_all();
  require(outcome_.run != nullptr, "a kernel of element matrices runs and is right");
  return std::move(outcome_);
}

} // namespace

std::string to_string(const MatrixCandidate &candidate) {
  return to_string(candidate.variant, candidate.lanes) +
         (candidate.geometry == GeometrySource::stored ? " geometry=stored" : "");
}

std::vector<MatrixAxis> matrix_axes(const DeviceInfo &info, Precision precision) {
  std::vector<MatrixAxis> axes;
  axes.push_back(
      variant_axis<LocalArray>("local", &MatrixVariant::local,
                               {LocalArray::none, LocalArray::matrix, LocalArray::geometry,
                                LocalArray::coefficients, LocalArray::shape}));
  axes.push_back(variant_axis<int>("prefetch", &MatrixVariant::prefetch,
                                   info.is_cpu ? std::vector{4, 0} : std::vector{0}));
  axes.push_back(variant_axis<int>("groups_per_item", &MatrixVariant::groups_per_item,
                                   info.is_cpu ? std::vector{64, 1, 16} : std::vector{1, 4}));
  axes.push_back(variant_axis<int>("group_size", &MatrixVariant::group_size,
                                   info.is_cpu ? std::vector{1, 8, 16} : std::vector{64, 32, 128}));
  axes.push_back(writing_axis());
  axes.push_back(variant_axis<bool>("reading", &MatrixVariant::coalesced_reading, {false, true}));
  MatrixAxis lanes{.name = "lanes", .values = {}};
  const int widest = default_lanes(info, precision);
  for (const int number : widest > 1 ? std::vector{widest, widest / 2} : std::vector{1})
    lanes.values.push_back([=](MatrixCandidate &c) { c.lanes = number; });
  axes.push_back(lanes);
  axes.push_back({.name = "geometry",
                  .values = {[](MatrixCandidate &c) { c.geometry = GeometrySource::on_the_fly; },
                             [](MatrixCandidate &c) { c.geometry = GeometrySource::stored; }}});
  return axes;
}

MatrixRun::MatrixRun(Device &device, const FormIntegrals &integrals,
                     const MatrixCandidate &candidate, Precision precision,
                     const std::string &form_name)
    : matrices_(
          device, integrals,
          with_choices(settings_of(candidate, precision, form_name), integrals, device.info()), 0,
          candidate.variant, true),
      state_(make_vector(device, integrals.discretisation().num_owned, precision, "state")) {
  set_vector(device, state_, std::vector<double>(state_.size, 0.0));
}

MatrixSearchOutcome search_matrix_kernel(Device &device, const FormIntegrals &integrals,
                                         const Discretisation &small,
                                         const MatrixSearchOptions &options) {
  return MatrixSearch(device, integrals, small, options).run();
}

double difference_from_reference(const MatrixRun &run, const Discretisation &d) {
  std::vector<std::vector<double>> expected;
  reference::for_each_element_matrix(
      d, std::vector<double>(d.num_local, 0.0),
      [&](const reference::ElementMatrix &m) { expected.push_back(m.values); });
  const std::vector<std::vector<double>> vectors = reference::cell_load_vectors(d, 0);
  const std::vector<std::vector<double>> found = run.matrices().host();
  require(found.size() == expected.size(), "element matrices of all cells");
  double most = 0;
  for (std::size_t cell = 0; cell < found.size(); ++cell) {
    expected[cell].insert(expected[cell].end(), vectors[cell].begin(), vectors[cell].end());
    require(found[cell].size() == expected[cell].size(), "all entries of an element matrix");
    double scale = 0, difference = 0;
    for (std::size_t e = 0; e < found[cell].size(); ++e) {
      scale = std::max(scale, std::abs(expected[cell][e]));
      const double here = std::abs(found[cell][e] - expected[cell][e]);
      difference = std::isnan(here) ? here : std::max(difference, here);
    }
    // Not a number stays one, whatever follows.
    const double relative = difference / scale;
    most = std::isnan(most) || most > relative ? most : relative;
  }
  return most;
}

} // namespace weft
