#include "op/evaluate/time_statistics.h"

#include <algorithm>

#include "form/expression/expression.h"
#include "op/problem/field_regions.h"

namespace weft {

TimeStatistics::TimeStatistics(const Case &c, const Discretisation &d) {
  for (const OverTimeSpec &spec : c.over_time)
    entries_.push_back({.name = spec.name,
                        .kind = spec.kind,
                        .expression = resolve_on_cells(
                            make_expression(c.form, spec.value, Shape{}, true, false), d),
                        .kept = {},
                        .last = {}});
}

std::vector<double> TimeStatistics::evaluate(const Discretisation &d, const Entry &entry,
                                             const std::vector<double> &state) const {
  const std::vector<bool> regions = classes_of_function(d, entry.expression.expression.function);
  return values_at_nodes(d, entry.expression, d.map_of_field(0), &state,
                         reads_regions(d, entry.expression.expression.function) ? &regions
                                                                                : nullptr);
}

void TimeStatistics::begin(const Discretisation &d, Entry &entry, double time,
                           const std::vector<double> &state) const {
  entry.kept = evaluate(d, entry, state);
  entry.start = time;
  if (entry.kind != OverTimeKind::mean)
    return;
  entry.last = entry.kept;
  std::fill(entry.kept.begin(), entry.kept.end(), 0.0);
}

void TimeStatistics::look(const Discretisation &d, double time, const std::vector<double> &state) {
  const double h = time - time_;
  time_ = time;
  if (!begun_) {
    for (Entry &entry : entries_)
      begin(d, entry, time, state);
    begun_ = true;
    return;
  }
  for (Entry &entry : entries_) {
    std::vector<double> now = evaluate(d, entry, state);
    for (std::size_t i = 0; i < now.size(); ++i) {
      double &kept = entry.kept[i];
      if (entry.kind == OverTimeKind::mean)
        kept += h * (entry.last[i] + now[i]) / 2;
      else
        kept =
            entry.kind == OverTimeKind::maximum ? std::max(kept, now[i]) : std::min(kept, now[i]);
    }
    if (entry.kind == OverTimeKind::mean)
      entry.last = std::move(now);
  }
}

void TimeStatistics::set_fields(const Case &c, Discretisation &d) const {
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    const Entry &entry = entries_[e];
    std::vector<double> &values = d.auxiliary[c.form.auxiliary.size() + e].values;
    values = entry.kept;
    if (entry.kind == OverTimeKind::mean)
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = time_ > entry.start ? values[i] / (time_ - entry.start) : entry.last[i];
  }
}

std::map<std::string, std::vector<double>> TimeStatistics::kept() const {
  std::map<std::string, std::vector<double>> all;
  for (const Entry &entry : entries_)
    all[entry.name] = entry.kept;
  return all;
}

std::vector<std::string>
TimeStatistics::resume(const Discretisation &d, double start, double time,
                       const std::vector<double> &state,
                       const std::map<std::string, std::vector<double>> &kept) {
  std::vector<std::string> missing;
  begun_ = true;
  time_ = time;
  for (Entry &entry : entries_) {
    begin(d, entry, time, state);
    const auto found = kept.find(entry.name);
    if (found == kept.end()) {
      missing.push_back(entry.name);
      continue;
    }
    entry.kept = found->second;
    entry.start = start;
  }
  return missing;
}

} // namespace weft
