#include "run/run_results.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <future>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "base/version.h"
#include "output/expectations.h"
#include "output/field_files.h"
#include "output/probes.h"
#include "output/vtk/vtu.h"
#include "output/write_fields.h"
#include "ranks/communicator.h"
#include "run/kernel_timing.h"
#include "run/phase.h"
#include "run/settings/kernel_settings.h"

namespace weft {

namespace {

RunRecord make_record(const Simulation &s) {
  RunRecord record;
  record.version = version();
  record.device = s.device->info().name;
  record.stage = s.c.stage;
  record.case_file = s.c.file;
  record.case_text = s.c.text;
  record.overrides = s.c.overrides;
  record.title = s.c.title;
  record.mesh_cells = s.mesh.share ? s.mesh.share->num_whole_cells : s.mesh.num_cells();
  record.mesh_nodes = s.mesh.share ? s.mesh.share->num_whole_nodes : s.mesh.num_nodes();
  record.dofs = s.discretisation.num_global;
  record.solver = s.solver;
  record.solver_choice = s.solver_choice;
  record.time = s.time;
  if (!s.variant.kernel.empty())
    record.variants = {s.variant};
  return record;
}

void evaluate_functionals(Run &run) {
  for (const FunctionalSpec &spec : run.s.c.functionals) {
    FunctionalValue value{.name = spec.name, .values = {std::nan("")}};
    attempt(run, [&] { value = functional(run.s.c, run.s.discretisation, spec, run.s.state); });
    run.record.functionals.push_back(value);
  }
}

void count_at_bounds(Run &run) {
  attempt(run, [&] {
    run.record.at_bounds =
        dofs_at_bounds(run.s.c, run.s.discretisation, run.s.state, case_precision(run.s.c));
  });
}

// The density of an estimated error, one value a cell.
OutputField density_field(const EstimatedError &error) {
  return {.name = "error_" + error.functional,
          .components = 1,
          .discontinuous = true,
          .order = 0,
          .values = error.density};
}

// Says what is not finite, whether the files can be written or not.
void write_stationary_fields(const Simulation &s, const AdjointResults &adjoint,
                             const std::string &folder, std::vector<NotFinite> &not_finite) {
  std::vector<OutputField> fields = output_fields(s.c, s.discretisation, s.state);
  for (const EstimatedError &error : adjoint.errors)
    fields.push_back(density_field(error));
  for (const OutputField &field : fields)
    if (!field.fault.empty())
      not_finite.push_back({"fields." + field.name, {}, field.fault});
  const std::string name = s.ranks ? field_file(0, true) : "fields.vtu";
  write_fields(folder, name, s.discretisation, fields);
  on_first(s.ranks, [&] { write_pvd(folder + "/fields.pvd", {{0.0, name}}); });
}

void write_stationary_probes(Run &run) {
  const Simulation &s = run.s;
  if (s.c.output.probes.empty())
    return;
  write_probes(run.folder + "/probes.csv", s.c, s.discretisation, s.state, s.solver.converged);
  run.files.push_back(run.folder + "/probes.csv");
}

void write_stationary_lines(Run &run) {
  const Simulation &s = run.s;
  if (s.c.output.lines.empty())
    return;
  write_lines(run.folder + "/lines.csv", s.c, s.discretisation, s.state, s.solver.converged);
  run.files.push_back(run.folder + "/lines.csv");
}

void write_state(Run &run) {
  const Phase phase("output");
  StageTimer timer(run.s.timings, "output");
  if (run.over_time && run.device_answers) // first: what functionals see are first times
    attempt(run, [&] { run.over_time->see_arrival_times(); });
  // While the system copies what is written, functionals are evaluated; ranks, whose threads do not
  // speak to one another, do one after the other.
  const std::launch beside = run.s.ranks ? std::launch::deferred : std::launch::async;
  std::vector<NotFinite> not_finite;
  std::future<void> fields;
  if (!run.over_time)
    fields = std::async(beside, write_stationary_fields, std::cref(run.s), std::cref(run.adjoint),
                        run.folder, std::ref(not_finite));
  evaluate_functionals(run);
  attempt(run, [&] { run.record.errors = errors(run.s.c, run.s.discretisation, run.s.state); });
  count_at_bounds(run);
  if (run.over_time) {
    attempt(run, [&] { run.over_time->finish_rows(); });
    attempt(run, [&] { run.over_time->finish_fields(); });
    run.files = run.over_time->files();
  } else {
    attempt(run, [&] {
      fields.get();
      run.files.push_back(run.folder + "/fields.pvd");
    });
    run.record.not_finite = std::move(not_finite);
    attempt(run, [&] { write_stationary_probes(run); });
    attempt(run, [&] { write_stationary_lines(run); });
  }
}

// After all values are known.
void refuse_not_finite(Run &run) {
  std::vector<NotFinite> &all = run.record.not_finite;
  const auto add = [&](const std::string &name, const std::string &fault) {
    const bool known = std::any_of(all.begin(), all.end(),
                                   [&](const NotFinite &value) { return value.name == name; });
    if (!fault.empty() && !known)
      all.push_back({name, {}, fault});
  };
  if (run.over_time)
    all = run.over_time->not_finite();
  for (const FunctionalValue &value : run.record.functionals)
    add("functionals." + value.name, value.fault);
  const auto fault_of = [](const std::vector<double> &values) {
    const bool finite = std::all_of(values.begin(), values.end(),
                                    [](double value) { return std::isfinite(value); });
    return finite ? "" : "is not finite where the functional is";
  };
  for (const EstimatedError &error : run.record.adjoint.errors)
    add("functional_errors." + error.functional, fault_of(error.errors));
  for (const FunctionalGradient &gradient : run.record.adjoint.gradients)
    add(fmt::format("gradients.{}.{}", gradient.functional, gradient.parameter),
        fault_of(gradient.values));
  for (const FieldError &error : run.record.errors)
    add("errors." + error.field, error.fault);
  if (all.empty())
    return;
  std::string lines;
  for (const NotFinite &value : all)
    lines += "\n  " + to_string(value);
  run.outcome.add("not_finite", exit_code(ErrorKind::numerical),
                  Error(ErrorKind::numerical,
                        {.what = "values that are not finite:" + lines, .where = run.s.c.file})
                      .what());
}

void compare(Run &run) {
  run.record.expected = checked_values(*run.expected, run.record);
  run.record.expected_source = run.expected->source;
  std::string lines;
  for (const std::string &line : check_expectations(*run.expected, run.record))
    lines += "\n  " + line;
  if (!lines.empty())
    throw Error(ErrorKind::numerical,
                {.what = fmt::format("values differ from {} ({}):{}", run.expectations_file,
                                     run.expected->source, lines)});
}

// The longest of all ranks, of the stages that the first has.
Timings timings_of_ranks(const Simulation &s) {
  Timings own = s.timings;
  own.add("total", seconds_since_process_start());
  if (!s.ranks)
    return own;
  std::string names;
  for (const auto &[stage, seconds] : own.stages())
    names += stage + "\n";
  std::istringstream lines(first_text(s.ranks, names));
  Timings longest;
  for (std::string stage; std::getline(lines, stage);) {
    const auto found = own.stages().find(stage);
    longest.add(stage, largest(s.ranks, found == own.stages().end() ? 0 : found->second));
  }
  return longest;
}

void write_record(Run &run) {
  run.record.timings = timings_of_ranks(run.s);
  run.record.outcome = run.outcome;
  run.record.notices = run.notices.texts();
  on_first(run.s.ranks, [&] { write_results(run.folder + "/results.json", run.record); });
}

std::string text_of(const RunOutcome &outcome) {
  require(!outcome.failures.empty(), "a run that failed says why");
  std::string text = outcome.failures.front();
  for (std::size_t i = 1; i < outcome.failures.size(); ++i)
    text += "\nerror: " + outcome.failures[i];
  return text;
}

} // namespace

bool attempt(Run &run, const std::function<void()> &work) {
  try {
    together(run.s.ranks, work);
    return true;
  } catch (const std::exception &exception) {
    if (run.s.ranks && run.s.ranks->unwinds())
      throw;
    const Error error = error_of(exception);
    run.outcome.add("failed", exit_code(error.kind()), error.what());
  }
  return false;
}

RunRecord record_of(Run &run) {
  run.record = make_record(run.s);
  if (run.s.has_result) {
    evaluate_functionals(run);
    attempt(run, [&] { run.record.errors = errors(run.s.c, run.s.discretisation, run.s.state); });
    count_at_bounds(run);
  }
  refuse_not_finite(run);
  run.record.timings = timings_of_ranks(run.s);
  run.record.outcome = run.outcome;
  run.record.notices = run.notices.texts();
  return run.record;
}

void write_what_there_is(Run &run) {
  run.record = make_record(run.s);
  run.record.earlier = run.earlier;
  run.record.ranks = run.ranks;
  run.record.adjoint = run.adjoint;
  run.files.clear();
  if (run.s.has_result)
    write_state(run);
  refuse_not_finite(run);
  if (run.expected && run.outcome.status == "done")
    attempt(run, [&] { compare(run); });
  if (attempt(run, [&] { write_record(run); }))
    run.files.push_back(run.folder + "/results.json");
  const std::string checkpoint = run.folder + "/checkpoint.h5";
  std::error_code ignored;
  if (run.s.c.output.checkpoint_every && std::filesystem::exists(checkpoint, ignored))
    run.files.push_back(checkpoint);
}

void add_kernel_times(Run &run) {
  attempt(run, [&] { run.record.kernels = time_kernels(run.s); });
  attempt(run, [&] { write_record(run); });
}

RunFailed::RunFailed(const RunOutcome &outcome)
    : std::runtime_error(text_of(outcome)), exit_code_(outcome.exit_code) {}

} // namespace weft
