#include "cli/command_run.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <unistd.h>

#include "base/error.h"
#include "base/kept_notices.h"
#include "base/log.h"
#include "base/names.h"
#include "base/system/interruption.h"
#include "base/system/standard_output.h"
#include "base/system/way_to_go_on.h"
#include "case/output_folder.h"
#include "cli/case_options.h"
#include "op/law/result_check.h"
#include "options/option_checks.h"
#include "output/earlier_results.h"
#include "output/expectations.h"
#include "output/report/report.h"
#include "output/results.h"
#include "output/summary.h"
#include "run/adjoint/solve_adjoints.h"
#include "run/export_system.h"
#include "run/input/user_case.h"
#include "run/kernel_timing.h"
#include "run/phase.h"
#include "run/ranks_record.h"
#include "run/run_checkpoints.h"
#include "run/run_results.h"
#include "run/signals.h"
#include "run/simulation.h"
#include "run/transient.h"
#include "run/transient_output.h"

namespace weft {

namespace {

struct RunOptions : CaseOptions {
  std::string output;
  std::string restart;       // a checkpoint
  bool force = false;        // of another problem
  std::string system_prefix; // of --export-system; empty: none
  bool expect = false;
  bool json = false;
  bool report = false; // report.html
};

// A folder where a file of results goes would be found only when that is put in its place.
void refuse_folders_in_the_way(const std::string &folder) {
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    std::error_code ignored;
    if (is_result_file(name) && entry.is_directory(ignored))
      throw Error(ErrorKind::system, {.what = "a folder lies where a file of results goes",
                                      .where = entry.path().string(),
                                      .remedy = "move it, or choose another folder with --out"});
  }
}

// Made once the input is known to be right, and before the solution, so that an hour's work is not
// lost to a typing error.
void make_output_folder(const std::string &folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || access(folder.c_str(), W_OK) != 0)
    throw Error(ErrorKind::system,
                {.what = "the output folder can't be written",
                 .where = folder,
                 .found = error ? error.message() : std::string(std::strerror(errno)),
                 .remedy = "give another with --out, or change its permissions"});
  refuse_folders_in_the_way(folder);
}

// A run that goes on keeps what its checkpoint's series has in the folder, if it lies there.
void set_aside_earlier_results(const std::string &folder, const std::string &checkpoint,
                               const std::optional<Checkpoint> &restart) {
  std::set<std::string> keep;
  std::error_code ignored;
  if (restart && std::filesystem::equivalent(std::filesystem::absolute(checkpoint).parent_path(),
                                             folder, ignored)) {
    keep = files_of_series(*restart);
    keep.insert("checkpoint.h5");
  }
  const int moved = set_aside_results(folder, keep, checkpoint);
  if (moved > 0)
    log::info("{} of an earlier run moved to {}/previous", moved == 1 ? "a file" : "files", folder);
}

// Says how to go on with a run that is interrupted before its first checkpoint.
std::string way_without_checkpoint(const Case &c) {
  if (!c.time)
    return "run it again: a stationary solve begins anew";
  if (c.output.checkpoint_every)
    return "run it again: no checkpoint was written yet";
  return "run it again; with [output] checkpoint_every it could go on from here (weft run CASE "
         "--restart checkpoint.h5)";
}

// Step by step to the end, from the initial state or a checkpoint.
void run_over_time(Simulation &s, const std::string &folder,
                   const std::optional<Checkpoint> &restart, TransientOutput &output) {
  if (restart)
    output.restore(*restart);
  RunCheckpoints checkpoints(s, folder, restart ? restart->state.time : s.c.time->start);
  const TransientWatch watch = {
      .on_step =
          [&](Stepper &stepper) {
            output.write(stepper);
            checkpoints.after_step(stepper, output);
          },
      .on_interruption = [&](Stepper &stepper) { checkpoints.at_interruption(stepper, output); }};
  solve_transient(s, true, watch, restart ? &restart->state : nullptr);
}

Expectations expected_values(const std::string &file) {
  Expectations expected = read_expectations(file);
  if (expected.entries.empty() && expected.stages.empty())
    throw Error(ErrorKind::input, {.what = "--expect without values to expect",
                                   .where = file,
                                   .remedy = "write expect.toml beside the case"});
  return expected;
}

// What helps against each end of a solve of equations; its reason says what there was to be seen.
std::string remedy_of_system(const Simulation &s) {
  if (s.solver.status == SolveStatus::not_finite)
    return "look at what the equations have there (a division, a root, a logarithm), or begin "
           "elsewhere with [initial]";
  if (s.solver.status == SolveStatus::indefinite)
    return "cg is for symmetric positive definite systems: leave [solver] method out, or choose "
           "gmres or direct";
  if (!s.model->system()->linear())
    return "begin nearer to the solution with [initial], or bring what is large up in steps with "
           "[load]";
  return s.solver.status == SolveStatus::max_iterations
             ? "leave [solver] out, which chooses, or allow more with [solver] max_iterations"
             : "leave [solver] out, which chooses, or try [solver] method = \"direct\"";
}

// What to do where the solve did not converge.
std::string remedy_of_failure(const Simulation &s, const std::string &folder) {
  if (s.model->system() != nullptr)
    return remedy_of_system(s) + "; the history of residuals is in " + folder + "/results.json";
  const TimeSpec &time = *s.c.time;
  const bool unlimited = s.c.form.law && s.c.form.law->limiter == "none";
  return fmt::format(
      "{}{}; the last good state is in {}/fields.pvd",
      time.tolerance  ? "lower [time] adaptive tolerance"
      : time.step > 0 ? "lower [time] step"
      : time.cfl > 0  ? "lower [time] cfl"
                      : "write [time] cfl = 0.1",
      unlimited ? ", or, where there are shocks, a limiter in [conservation_law]" : "", folder);
}

// What the user reads of a run that was asked to end.
void add_interruption(Run &run) {
  const Interrupted now{interruption()};
  SolveReport &report = run.s.solver;
  if (report.status != SolveStatus::interrupted)
    finish_report(report, SolveStatus::interrupted);
  run.outcome.add("interrupted", now.exit_code(),
                  Error(ErrorKind::numerical,
                        {.what = report.reason, .where = run.s.c.file, .remedy = way_to_go_on()})
                      .what());
}

// From the initial state or a checkpoint to the solution; what goes wrong is in the outcome.
void solve_run(Run &run, const RunOptions &options, const std::optional<Checkpoint> &restart) {
  Simulation &s = run.s;
  const auto solve_all = [&] {
    first_residual(s);
    if (!options.system_prefix.empty())
      for (const std::string &file : export_system(s, options.system_prefix))
        log::info("{}", file);
    if (run.over_time)
      run_over_time(s, run.folder, restart, *run.over_time);
    else
      solve(s, true);
  };
  const CommunicationCounts before = s.ranks ? s.ranks->counts() : CommunicationCounts();
  bool solved = false, stopped = false; // before there was a solution
  try {
    solved = attempt(run, solve_all);
  } catch (const Interrupted &) {
    if (s.ranks && s.ranks->unwinds())
      throw;
    stopped = true;
  }
  if (s.ranks)
    run.ranks = make_ranks_record(s, before, s.ranks->counts());
  if (stopped || s.solver.status == SolveStatus::interrupted)
    add_interruption(run);
  else if (solved && !s.solver.converged)
    run.outcome.add("not_converged", exit_code(ErrorKind::numerical),
                    Error(ErrorKind::numerical, {.what = s.solver.reason,
                                                 .where = s.c.file,
                                                 .remedy = remedy_of_failure(s, run.folder)})
                        .what());
}

// Errors and gradients of functionals; where that is interrupted, the solution is written all the
// same.
void add_adjoints(Run &run) {
  try {
    attempt(run, [&] { run.adjoint = solve_adjoints(run.s); });
  } catch (const Interrupted &) {
    add_interruption(run);
  }
}

// Saves a run that is held in a kernel: see watch_kernels().
void save_unfinished(Run &run, const Error &reason) {
  run.device_answers = false;
  run.s.solver.converged = false;
  run.s.solver.reason = reason.diagnostic().what;
  run.outcome.add("failed", exit_code(reason.kind()), reason.what());
  write_what_there_is(run);
}

// What a later stage needs of an earlier one is on the host.
void let_go_of_device(Simulation &s) {
  s.save_unfinished = nullptr;
  s.watch.reset();
  s.kept_solver.reset();
  s.model.reset();
  s.device.reset();
}

// Output that fails is found at the end, and what became of the run comes first.
void print_results(const Run &run, bool json) {
  if (json)
    print_out(results_json(run.record) + "\n");
  else if (run.s.has_result && log::level() != log::Level::quiet)
    print_out(summary_text(run.record, run.files));
}

// What a stage must reach; of a case without stages, and of the last stage, what is not said of
// others. Nothing where that is nothing.
std::optional<Expectations> expected_of_stage(const Case &c, const Expectations &expected) {
  if (c.stages.empty() || c.stage == c.stages.back())
    return expected;
  const auto found = expected.stages.find(c.stage);
  if (found == expected.stages.end())
    return {};
  return Expectations{.source = expected.source, .entries = found->second};
}

// Names in expect.toml are those of stages before the last.
void check_expected_stages(const Case &c, const Expectations &expected, const std::string &file) {
  for (const auto &[name, entries] : expected.stages)
    if (std::find(c.stages.begin(), c.stages.end(), name) == c.stages.end() ||
        name == c.stages.back())
      throw Error(ErrorKind::input,
                  {.what = "values that are expected of a stage that the case does not have, or of "
                           "its last",
                   .where = file,
                   .found = "[stages." + name + "]",
                   .allowed = c.stages.empty() ? "none: the case has no stages"
                                               : "stages before the last: " + join_names(c.stages),
                   .remedy = "write those of the last stage in [functionals] and [errors]"});
}

// Solves a case, or the stage of it that `input` names, and writes what there is into the folder.
// Returns what it was solved with, without the device.
std::shared_ptr<Simulation> run_problem(const RunOptions &options, const CaseInput &input,
                                        Communicator *ranks, std::vector<RunRecord> &earlier) {
  const log::KeptNotices notices;
  // case -> mesh -> space
  std::shared_ptr<Simulation> s =
      make_simulation_without_operator(input, options.problem, {}, ranks);
  const bool is_last = s->c.stages.empty() || s->c.stage == s->c.stages.back();
  Run run{.s = *s, .notices = notices, .earlier = earlier};
  if (options.expect) {
    run.expectations_file = expectations_file(options.case_file);
    const Expectations expected = expected_values(run.expectations_file);
    check_expected_stages(s->c, expected, run.expectations_file);
    run.expected = expected_of_stage(s->c, expected);
    if (run.expected)
      check_expected_names(*run.expected, run.expectations_file, s->c, s->discretisation);
  }
  std::optional<Checkpoint> restart;
  if (!options.restart.empty())
    restart = read_restart(options.restart, *s, options.force);
  if (options.output.empty())
    check_output_folder(s->c);
  const std::string folder = options.output.empty() ? s->c.output.directory : options.output;
  run.folder = is_last ? folder : folder + "/" + s->c.stage;
  on_first(ranks, [&] {
    if (earlier.empty()) { // of the last stage, beside which others lie
      make_output_folder(folder);
      set_aside_earlier_results(folder, options.restart, restart);
    }
    if (!is_last) {
      make_output_folder(run.folder);
      set_aside_earlier_results(run.folder, {}, {});
    }
  });
  set_way_to_go_on(way_without_checkpoint(s->c));
  if (!ranks) // others can't be asked for their part
    s->save_unfinished = [&run](const Error &reason) { save_unfinished(run, reason); };
  // -> form -> kernels -> operator
  make_solver_and_operator(*s, options.problem);
  std::optional<TransientOutput> over_time;
  if (s->c.time)
    run.over_time = &over_time.emplace(*s, run.folder);
  // -> solution -> output, which a run that failed leaves too
  solve_run(run, options, restart);
  if (!s->has_result && run.outcome.exit_code == exit_code(ErrorKind::input))
    throw RunFailed(run.outcome); // the run did not begin
  if (s->has_result && run.outcome.status == "done")
    add_adjoints(run);
  write_what_there_is(run);
  if (s->has_result && run.outcome.exit_code <= exit_code(ErrorKind::numerical))
    add_kernel_times(run);
  s->device->keep_kernels(); // so that the process ends with its last line
  if (options.report && is_last)
    attempt(run, [&] {
      on_first(ranks, [&] { write_report(run.folder, run.folder + "/report.html"); });
      run.files.push_back(run.folder + "/report.html");
    });
  if (is_first(ranks) && (is_last || !options.json))
    print_results(run, options.json);
  if (!run.outcome.failures.empty())
    throw RunFailed(run.outcome);
  if (run.expected)
    log::info("all {} expected values{} reached ({})", run.expected->entries.size(),
              s->c.stage.empty() ? "" : " of the stage " + s->c.stage, run.expected->source);
  earlier.push_back(run.record);
  let_go_of_device(*s);
  return s;
}

// What a case in stages can't be asked for.
void refuse_in_stages(const RunOptions &options) {
  const auto refuse = [&](bool asked, const std::string &option) {
    if (asked)
      throw Error(ErrorKind::unsupported, {.what = option + " with a case in stages",
                                           .where = options.case_file,
                                           .remedy = "make a case of its own of the stage"});
  };
  refuse(!options.restart.empty(), "--restart");
  refuse(!options.system_prefix.empty(), "--export-system");
  refuse(!options.problem.variants_file.empty(), "--variants");
}

void run(const RunOptions &options, Communicator *ranks) {
  if (is_first(ranks))
    show_phases();
  CaseInput input(options.case_file);
  std::vector<RunRecord> records;
  const std::vector<std::string> stages = read_user_case(input, options.problem).stages;
  if (stages.empty()) {
    run_problem(options, input, ranks, records);
    return;
  }
  refuse_in_stages(options);
  EarlierStages earlier;
  input.earlier = &earlier;
  for (const std::string &stage : stages) {
    log::info("stage {}", stage);
    input.stage = stage;
    const std::shared_ptr<Simulation> s = run_problem(options, input, ranks, records);
    earlier.add(s, s->c, s->discretisation, s->state);
  }
}

} // namespace

void add_run_command(CLI::App &app, Communicator *ranks) {
  CLI::App *command = app.add_subcommand("run", "solve a case and write its results");
  auto options = std::make_shared<RunOptions>();
  add_case_options(*command, *options);
  add_variant_options(*command, *options);
  command->add_option("--out", options->output, "folder of the results")
      ->check(some_text())
      ->type_name("DIR");
  command
      ->add_option("--export-system", options->system_prefix,
                   "write the assembled system as PREFIX.mtx and PREFIX_rhs.mtx (Matrix Market)")
      ->type_name("PREFIX");
  command
      ->add_option("--restart", options->restart,
                   "go on from a checkpoint: checkpoint.h5 of a run with [output] checkpoint_every")
      ->type_name("FILE");
  command
      ->add_flag("--force", options->force,
                 "with --restart: go on though the case asks for something else than it did")
      ->needs("--restart");
  command->add_flag("--expect", options->expect,
                    "compare with expect.toml beside the case; exit code 1 where it differs");
  command->add_flag("--json", options->json, "print results.json on standard output");
  command->add_flag("--report", options->report,
                    "write report.html, a page of the results, beside them (weft report)");
  command->callback([options, ranks] {
    std::optional<RunFailed> failed; // of all ranks, each knows why
    together(ranks, [&] {
      try {
        run(*options, ranks);
      } catch (const RunFailed &failure) {
        failed = failure;
      }
    });
    if (failed)
      throw RunFailed(*failed);
  });
}

} // namespace weft
