#include "run/verify/verify_time.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "base/system/interruption.h"
#include "op/problem/cell_dofs.h"
#include "op/problem/dof_layout.h"
#include "op/set_up/make_discretisation.h"
#include "ranks/first_speaks.h"

namespace weft {

namespace {

// All: root mean squares over the dofs of all ranks.
std::vector<double> change_of_fields(const Discretisation &d, const std::vector<double> &before,
                                     const std::vector<double> &now) {
  const auto own = [&](const std::vector<double> &state) {
    return d.law ? CellDofs(d).own_entries(state) : own_entries(d, state);
  };
  const std::vector<double> own_before = own(before), own_now = own(now);
  std::vector<double> change;
  for (std::size_t f = 0; f < d.own_offset.size(); ++f) {
    const std::int64_t begin = d.own_offset[f];
    const std::int64_t end =
        f + 1 < d.own_offset.size() ? d.own_offset[f + 1] : std::int64_t(own_now.size());
    double square = 0;
    for (std::int64_t i = begin; i < end; ++i)
      square += (own_now[i] - own_before[i]) * (own_now[i] - own_before[i]);
    const std::int64_t count = sum(d.ranks, end - begin);
    change.push_back(
        std::sqrt(sum(d.ranks, square) / static_cast<double>(std::max<std::int64_t>(1, count))));
  }
  return change;
}

void print_level(const Case &c, const std::vector<TimeLevel> &levels, const Communicator *ranks) {
  const TimeLevel &now = levels.back();
  for (std::size_t f = 0; f < c.form.fields.size(); ++f) {
    const std::string &name = c.form.fields[f].name;
    const auto error = std::find_if(now.errors.begin(), now.errors.end(),
                                    [&](const FieldError &e) { return e.field == name; });
    print_on_first(
        ranks, "{:>12.6g}  {:<8} {:>12} {:>12} {:>7}\n", now.step, name,
        error == now.errors.end() ? "-" : fmt::format("{:.4e}", error->l2),
        now.change.empty() ? "-" : fmt::format("{:.4e}", now.change[f]),
        levels.size() < 3
            ? "-"
            : fmt::format("{:.2f}", observed_time_order(levels[levels.size() - 2], now, f)));
  }
}

} // namespace

double observed_time_order(const TimeLevel &coarser, const TimeLevel &finer, std::size_t field) {
  return std::log2(coarser.change[field] / finer.change[field]);
}

std::vector<TimeLevel> verify_time(const std::string &case_file, const ProblemOptions &options,
                                   int num_levels, Communicator *ranks) {
  const auto s = make_simulation(case_file, options, {}, ranks);
  if (s->c.time->tolerance)
    throw Error(ErrorKind::input, {.what = "an order in time with adaptive steps",
                                   .where = case_file + ": [verify] expect_time",
                                   .remedy = "leave out [time] adaptive: steps are halved"});
  const double step = s->c.time->step, cfl = s->c.time->cfl;
  std::vector<TimeLevel> levels;
  std::vector<double> before;
  print_on_first(ranks, "{:>12}  {:<8} {:>12} {:>12} {:>7}\n",
                 step > 0  ? "step"
                 : cfl > 0 ? "cfl"
                           : "share",
                 "field", "L2", "change", "order");
  for (int level = 0; level < std::max(3, num_levels); ++level) {
    s->c.time->step = step / (1 << level);
    s->c.time->cfl = cfl / (1 << level);
    s->c.time->stable_share = 1. / (1 << level);
    set_time(s->c, s->discretisation, s->c.time->start);
    s->state = initial_state(s->c, s->discretisation);
    solve(*s, false);
    throw_if_interrupted();
    if (!s->solver.converged)
      throw Error(ErrorKind::numerical, {.what = s->solver.reason, .where = case_file});
    levels.push_back({.step = step > 0  ? s->c.time->step
                              : cfl > 0 ? s->c.time->cfl
                                        : s->c.time->stable_share,
                      .errors = errors(s->c, s->discretisation, s->state),
                      .change = level == 0
                                    ? std::vector<double>()
                                    : change_of_fields(s->discretisation, before, s->state)});
    before = s->state;
    print_level(s->c, levels, ranks);
  }
  return levels;
}

void check_time_orders(const Case &c, const std::vector<TimeLevel> &levels, double slack) {
  for (const auto &[name, expected] : c.verify.expect_time)
    for (std::size_t f = 0; f < c.form.fields.size(); ++f) {
      if (c.form.fields[f].name != name)
        continue;
      const double order = observed_time_order(levels[levels.size() - 2], levels.back(), f);
      if (!(order >= expected - slack))
        throw Error(ErrorKind::numerical,
                    {.what = "the observed order of " + name + " in time is too low",
                     .where = c.file,
                     .found = fmt::format("{:.2f}", order),
                     .allowed = fmt::format("at least {} - {}", expected, slack)});
    }
}

nlohmann::ordered_json to_json(const Case &c, const std::vector<TimeLevel> &levels) {
  nlohmann::ordered_json json;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    nlohmann::ordered_json entry = {{"step", levels[i].step}};
    for (const FieldError &error : levels[i].errors)
      entry["errors"][error.field] = {{"L2", error.l2}, {"H1", error.h1}};
    for (std::size_t f = 0; f < levels[i].change.size(); ++f) {
      entry["changes"][c.form.fields[f].name] = levels[i].change[f];
      if (i > 1)
        entry["orders"][c.form.fields[f].name] = observed_time_order(levels[i - 1], levels[i], f);
    }
    json.push_back(entry);
  }
  return json;
}

} // namespace weft
