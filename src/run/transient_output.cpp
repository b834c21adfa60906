#include "run/transient_output.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <sstream>
#include <utility>

#include "base/log.h"
#include "base/number.h"
#include "base/system/atomic_file.h"
#include "op/set_up/make_discretisation.h"
#include "output/csv.h"
#include "output/field_files.h"
#include "output/probes.h"
#include "output/vtk/vtu.h"
#include "output/write_fields.h"
#include "run/transient.h"

namespace weft {

namespace {

// Rows are written at most so often between outputs of fields.
constexpr double save_every_s = 1;

const char *const functionals_name = "functionals.csv";
const char *const probes_name = "probes.csv";
const char *const lines_name = "lines.csv";
const char *const fields_name = "fields.csv"; // only in checkpoints: times and files

// Begins a table with its line of names; anew where a run that goes on asks for other columns.
void begin_table(std::string &table, const std::string &head, const char *name) {
  if (table.starts_with(head))
    return;
  if (!table.empty())
    log::notice("{} has other columns than before the restart: it begins anew", name);
  table = head;
}

std::string text_named(const std::map<std::string, std::string> &texts, const char *name) {
  const auto found = texts.find(name);
  return found == texts.end() ? std::string() : found->second;
}

using FieldFiles = std::vector<std::pair<double, std::string>>;

// The number that a line of a table begins with; none where it begins with something else.
std::optional<double> first_number(const std::string &line) {
  double number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc() || end == line.data() + line.size() || *end != ',')
    return std::nullopt;
  return number;
}

// Times and files, from the text that checkpoints hold of them. None where Weft did not write it: a
// checkpoint may be made by hand, and a name leads nowhere but to a file beside it.
std::optional<FieldFiles> fields_of(const std::string &text) {
  FieldFiles fields;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::optional<double> time = first_number(line);
    const std::string name = line.substr(std::min(line.size(), line.find(',') + 1));
    if (!time || !is_field_file(name))
      return std::nullopt;
    fields.emplace_back(*time, name);
  }
  return fields;
}

// Rows are of steps that were accepted, but the state is checked only every few of them: those
// after the last good state have 0 as their last entry, `converged`.
void mark_rows_after(std::string &table, double last_good) {
  std::istringstream lines(table);
  std::string marked, line;
  for (bool head = true; std::getline(lines, line); head = false) {
    if (!head && first_number(line).value_or(last_good) > last_good)
      line.back() = '0';
    marked += line + "\n";
  }
  table = marked;
}

} // namespace

TransientOutput::TransientOutput(Simulation &s, std::string folder)
    : s_(s), folder_(std::move(folder)) {
  if (!s.c.over_time.empty())
    statistics_.emplace(s.c, s.discretisation);
  if (s.c.first_times.empty())
    return;
  arrival_times_ = s.model->make_arrival_times();
  ExplicitOperator &rates = *s.model->rates();
  state_ = make_vector(*s.device, rates.size(), rates.precision(), "state");
}

void TransientOutput::look_for_arrival_times(Stepper &stepper) {
  const Vector *q = stepper.device_state();
  if (q == nullptr) {
    s_.model->rates()->set_state(stepper.solution(), state_);
    q = &state_;
  }
  if (looked_)
    arrival_times_->look(stepper.time(), *q);
  else
    arrival_times_->start(stepper.time(), *q);
  looked_ = true;
}

void TransientOutput::write(Stepper &stepper) {
  const double time = stepper.time();
  if (arrival_times_)
    look_for_arrival_times(stepper);
  if (statistics_) {
    take_state(s_, stepper);
    statistics_->look(s_.discretisation, time, s_.state);
    statistics_->set_fields(s_.c, s_.discretisation);
  }
  const bool fields = stepper.at_stop() || time == s_.c.time->start;
  const bool rows = reaches_rows(time) || stepper.finished();
  if (!fields && !rows)
    return;
  if (!statistics_)
    take_state(s_, stepper);
  if (arrival_times_)
    set_arrival_times(s_.discretisation, arrival_times_->times(time));
  if (rows)
    add_rows(time);
  if (fields)
    write_fields(time);
  if (fields || any(s_.ranks, is_first(s_.ranks) && timer_.seconds() - saved_s_ > save_every_s))
    save_rows();
}

bool TransientOutput::reaches_rows(double time) {
  if (s_.c.functionals.empty() && s_.c.output.probes.empty())
    return false;
  if (!s_.c.output.rows_every)
    return true;
  const std::int64_t before =
      std::exchange(intervals_with_rows_, intervals_passed(s_, *s_.c.output.rows_every, time));
  return intervals_with_rows_ > before;
}

void TransientOutput::see_arrival_times() {
  if (arrival_times_)
    set_arrival_times(s_.discretisation, arrival_times_->times(s_.time->end));
}

void TransientOutput::finish_rows() {
  mark_rows_after(functionals_, s_.time->end);
  mark_rows_after(probes_, s_.time->end);
  mark_rows_after(lines_, s_.time->end);
  save_rows();
}

void TransientOutput::finish_fields() {
  if (fields_.empty() || (!s_.c.time->arc_length && fields_.back().first != s_.time->end))
    write_fields(s_.time->end);
  save_rows();
}

void TransientOutput::write_fields(double time) {
  const std::string name =
      field_file(static_cast<std::int64_t>(fields_.size()), s_.ranks != nullptr);
  const std::vector<OutputField> fields = output_fields(s_.c, s_.discretisation, s_.state);
  for (const OutputField &field : fields)
    note_fault("fields." + field.name, time, field.fault);
  weft::write_fields(folder_, name, s_.discretisation, fields);
  // Along a path the load may turn: viewers get the number of the step in place of time.
  fields_.emplace_back(s_.c.time->arc_length ? static_cast<double>(fields_.size()) : time, name);
  on_first(s_.ranks, [&] { write_pvd(path("fields.pvd"), fields_); });
  if (!s_.c.output.lines.empty())
    add_at_time(time, lines_csv(s_.c, s_.discretisation, s_.state, true), lines_, lines_name);
}

void TransientOutput::add_at_time(double time, const std::string &rows, std::string &table,
                                  const char *name) {
  std::istringstream lines(rows);
  std::string line;
  for (bool head = true; std::getline(lines, line); head = false)
    if (!head)
      table += format_real(time) + "," + line + "\n";
    else
      begin_table(table, "time," + line + "\n", name);
}

void TransientOutput::add_rows(double time) {
  if (!s_.c.functionals.empty()) {
    const std::vector<FunctionalValue> values = functionals(s_.c, s_.discretisation, s_.state);
    for (const FunctionalValue &value : values)
      note_fault("functionals." + value.name, time, value.fault);
    std::string head = s_.c.time->is_load() ? csv_field(s_.c.time->parameter) : "time";
    for (const FunctionalValue &value : values)
      for (std::size_t k = 0; k < value.values.size(); ++k)
        head += "," + csv_field(value.values.size() == 1 ? value.name
                                                         : fmt::format("{}_{}", value.name, k));
    begin_table(functionals_, head + ",converged\n", functionals_name);
    functionals_ += format_real(time);
    for (const FunctionalValue &value : values)
      for (const double component : value.values)
        functionals_ += "," + format_real(component);
    functionals_ += ",1\n";
  }
  if (s_.c.output.probes.empty())
    return;
  std::vector<std::vector<double>> values;
  for (const auto &point : s_.c.output.probes)
    values.push_back(probe(s_.discretisation, s_.state, point));
  add_at_time(time, probes_csv(s_.discretisation.form.fields, s_.c.output.probes, values, true),
              probes_, probes_name);
}

void TransientOutput::save_rows() {
  on_first(s_.ranks, [&] {
    for (const auto &[name, text] :
         {std::pair{functionals_name, &functionals_}, std::pair{probes_name, &probes_},
          std::pair{lines_name, &lines_}})
      if (!text->empty())
        write_text_file(path(name), *text);
  });
  saved_s_ = timer_.seconds();
}

void TransientOutput::note_fault(const std::string &name, double time, const std::string &fault) {
  const bool known = std::any_of(not_finite_.begin(), not_finite_.end(),
                                 [&](const NotFinite &value) { return value.name == name; });
  if (fault.empty() || known)
    return;
  not_finite_.push_back({name, time, fault});
  log::notice("{}", to_string(not_finite_.back()));
}

std::vector<std::string> TransientOutput::files() const {
  std::vector<std::string> files = {path("fields.pvd")};
  if (!functionals_.empty())
    files.push_back(path(functionals_name));
  if (!probes_.empty())
    files.push_back(path(probes_name));
  if (!lines_.empty())
    files.push_back(path(lines_name));
  return files;
}

std::map<std::string, std::string> TransientOutput::texts() const {
  std::string fields;
  for (const auto &[time, file] : fields_)
    fields += format_real(time) + "," + file + "\n";
  return {{functionals_name, functionals_},
          {probes_name, probes_},
          {lines_name, lines_},
          {fields_name, fields}};
}

std::map<std::string, std::vector<double>> TransientOutput::kept_fields(double time) const {
  std::map<std::string, std::vector<double>> result;
  if (statistics_)
    result = statistics_->kept();
  if (!arrival_times_)
    return result;
  const std::vector<std::vector<double>> times = arrival_times_->times(time);
  for (std::size_t e = 0; e < times.size(); ++e)
    result[s_.c.first_times[e].name] = times[e];
  return result;
}

void TransientOutput::restore(const Checkpoint &checkpoint) {
  restore_texts(checkpoint.texts);
  if (s_.c.output.rows_every)
    intervals_with_rows_ = intervals_passed(s_, *s_.c.output.rows_every, checkpoint.state.time);
  if (arrival_times_)
    restore_arrival_times(checkpoint);
  if (statistics_)
    restore_statistics(checkpoint);
}

void TransientOutput::restore_arrival_times(const Checkpoint &checkpoint) {
  std::vector<std::vector<double>> times;
  for (const ValueSpec &spec : s_.c.first_times) {
    const auto found = checkpoint.first_times.find(spec.name);
    if (found != checkpoint.first_times.end()) {
      times.push_back(found->second);
      continue;
    }
    log::notice("the checkpoint has no first times \"{}\": they are looked for from its time on",
                spec.name);
    times.emplace_back(s_.discretisation.map_of_field(0).num_local,
                       std::numeric_limits<double>::quiet_NaN());
  }
  s_.model->rates()->set_state(checkpoint.state.states.front(), state_);
  arrival_times_->resume(checkpoint.state.time, state_, times);
  looked_ = true;
}

void TransientOutput::restore_statistics(const Checkpoint &checkpoint) {
  Discretisation &d = s_.discretisation;
  const TimeState &state = checkpoint.state;
  const double time_before = d.time;
  set_time(s_.c, d, state.time);
  d.rates = state.rates;
  for (const std::string &name : statistics_->resume(d, s_.c.time->start, state.time,
                                                     state.states.front(), checkpoint.first_times))
    log::notice("the checkpoint has nothing of [over_time] {}: it begins anew at its time", name);
  set_time(s_.c, d, time_before);
}

void TransientOutput::restore_texts(const std::map<std::string, std::string> &texts) {
  const auto text = [&](const char *name) { return text_named(texts, name); };
  functionals_ = text(functionals_name);
  probes_ = text(probes_name);
  lines_ = text(lines_name);
  const auto fields = fields_of(text(fields_name));
  const bool missing =
      !fields || std::any_of(fields->begin(), fields->end(), [&](const auto &field) {
        return !std::filesystem::exists(path(field.second));
      });
  const bool here = !any(s_.ranks, is_first(s_.ranks) && missing);
  fields_ = fields.value_or(FieldFiles());
  if (!here) {
    log::notice("{} has not all fields from before the restart: fields.pvd begins anew", folder_);
    fields_.clear();
  }
}

std::set<std::string> files_of_series(const Checkpoint &checkpoint) {
  std::set<std::string> names = {"fields.pvd"};
  for (const auto &[time, file] :
       fields_of(text_named(checkpoint.texts, fields_name)).value_or(FieldFiles()))
    names.insert(file);
  for (const char *name : {functionals_name, probes_name, lines_name})
    if (!text_named(checkpoint.texts, name).empty())
      names.insert(name);
  return names;
}

} // namespace weft
