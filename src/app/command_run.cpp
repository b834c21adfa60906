#include "app/command_run.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

#include "app/case_options.h"
#include "app/export_system.h"
#include "app/kernel_timing.h"
#include "app/run_checkpoints.h"
#include "app/simulation.h"
#include "app/transient.h"
#include "app/transient_output.h"
#include "base/error.h"
#include "base/log.h"
#include "base/version.h"
#include "mesh/make_mesh.h"
#include "output/expectations.h"
#include "output/probes.h"
#include "output/report.h"
#include "output/results.h"
#include "output/vtu.h"

namespace weft {

namespace {

struct RunOptions : CaseOptions {
  std::string output;
  std::string restart;       // a checkpoint
  std::string system_prefix; // of --export-system; empty: none
  bool expect = false;
  bool json = false;
};

// Made once the input is known to be right, and before the solution, so that an hour's work is not
// lost to a typing error.
std::string make_output_folder(const std::string &folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || access(folder.c_str(), W_OK) != 0)
    throw Error(ErrorKind::system,
                {.what = "the output folder can't be written",
                 .where = folder,
                 .found = error ? error.message() : std::string(std::strerror(errno)),
                 .remedy = "give another with --out, or change its permissions"});
  return folder;
}

RunRecord make_record(const Simulation &s) {
  RunRecord record;
  record.version = version();
  record.device = s.device->info().name;
  record.case_file = s.c.file;
  record.mesh_cells = s.mesh.num_cells();
  record.mesh_nodes = s.mesh.num_nodes();
  record.dofs = s.discretisation.num_dofs;
  record.solver = s.solver;
  record.solver_choice = s.solver_choice;
  record.time = s.time;
  if (!s.variant.kernel.empty())
    record.variants = {s.variant};
  return record;
}

// Fields, probes; returns the paths written.
std::vector<std::string> write_fields(const Simulation &s, const std::string &folder) {
  const std::string vtu = folder + "/fields.vtu", pvd = folder + "/fields.pvd";
  write_vtu(vtu, s.discretisation, output_fields(s.c, s.discretisation, s.state));
  write_pvd(pvd, {{0.0, "fields.vtu"}});
  std::vector<std::string> files = {pvd};
  if (!s.c.output.probes.empty()) {
    write_probes(folder + "/probes.csv", s.c, s.discretisation, s.state);
    files.push_back(folder + "/probes.csv");
  }
  return files;
}

// Step by step to the end, from the initial state or a checkpoint.
void run_over_time(Simulation &s, const std::string &folder,
                   const std::optional<Checkpoint> &restart, TransientOutput &output) {
  if (restart)
    output.restore(*restart);
  RunCheckpoints checkpoints(s, folder, restart ? restart->state.time : s.c.time->start);
  solve_transient(
      s, true,
      [&](Stepper &stepper) {
        output.write(stepper);
        checkpoints.after_step(stepper, output);
      },
      restart ? &restart->state : nullptr);
}

// expect.toml beside the case.
std::string expectations_file(const std::string &case_file) {
  return (std::filesystem::path(case_file).parent_path() / "expect.toml").string();
}

Expectations expected_values(const std::string &file) {
  Expectations expected = read_expectations(file);
  if (expected.entries.empty())
    throw Error(ErrorKind::input, {.what = "--expect without values to expect",
                                   .where = file,
                                   .remedy = "write expect.toml beside the case"});
  return expected;
}

void compare(const Expectations &expected, const std::string &file, const RunRecord &record) {
  const std::vector<std::string> differing = check_expectations(expected, record);
  std::string lines;
  for (const std::string &line : differing)
    lines += "\n  " + line;
  if (!differing.empty())
    throw Error(ErrorKind::numerical, {.what = fmt::format("values differ from {} ({}):{}", file,
                                                           expected.source, lines)});
  log::info("all {} expected values reached ({})", expected.entries.size(), expected.source);
}

std::string remedy_of_failure(const Simulation &s, const std::vector<std::string> &files) {
  if (!s.dg || s.law_system)
    return "the history of residuals is in " + files.back();
  return fmt::format("lower [time] {}; the last good state is in {}",
                     s.c.time->tolerance ? "adaptive tolerance"
                     : s.c.time->cfl > 0 ? "cfl"
                                         : "step",
                     files.front());
}

void run(const RunOptions &options) {
  // case -> mesh -> space -> form -> kernels -> operator
  const std::unique_ptr<Simulation> s = make_simulation(options.case_file, options.problem);
  std::optional<Expectations> expected;
  if (options.expect)
    expected = expected_values(expectations_file(options.case_file));
  std::optional<Checkpoint> restart;
  if (!options.restart.empty())
    restart = read_restart(options.restart, *s);
  const std::string folder =
      make_output_folder(options.output.empty() ? s->c.output.directory : options.output);
  // -> solution
  if (s->op)
    first_residual(*s);
  if (!options.system_prefix.empty())
    for (const std::string &file : export_system(*s, options.system_prefix))
      log::info("{}", file);
  std::optional<TransientOutput> over_time;
  if (s->c.time) {
    over_time.emplace(*s, folder);
    run_over_time(*s, folder, restart, *over_time);
  } else {
    solve(*s, true);
  }
  // -> output, which a solve that failed leaves too
  RunRecord record = make_record(*s);
  std::vector<std::string> files;
  {
    StageTimer timer(s->timings, "output");
    if (over_time)
      over_time->finish(); // first: what functionals see are first times up to the last good state
    record.functionals = functionals(s->c, s->discretisation, s->state);
    record.errors = errors(s->c, s->discretisation, s->state);
    files = over_time ? over_time->files() : write_fields(*s, folder);
  }
  record.kernels = time_kernels(*s);
  s->timings.add("total", seconds_since_process_start());
  record.timings = s->timings;
  files.push_back(folder + "/results.json");
  write_results(files.back(), record);
  if (options.json)
    fmt::print("{}\n", results_json(record));
  else if (log::level() != log::Level::quiet)
    fmt::print("{}", report_text(record, files));

  if (!s->solver.converged)
    throw Error(
        ErrorKind::numerical,
        {.what = s->solver.reason, .where = s->c.file, .remedy = remedy_of_failure(*s, files)});
  if (expected)
    compare(*expected, expectations_file(options.case_file), record);
}

} // namespace

void add_run_command(CLI::App &app) {
  CLI::App *command = app.add_subcommand("run", "solve a case and write its results");
  auto options = std::make_shared<RunOptions>();
  add_case_options(*command, *options);
  add_variant_options(*command, *options);
  command->add_option("--out", options->output, "folder of the results")->type_name("DIR");
  command
      ->add_option("--export-system", options->system_prefix,
                   "write the assembled system as PREFIX.mtx and PREFIX_rhs.mtx (Matrix Market)")
      ->type_name("PREFIX");
  command
      ->add_option("--restart", options->restart,
                   "go on from a checkpoint: checkpoint.h5 of a run with [output] checkpoint_every")
      ->type_name("FILE");
  command->add_flag("--expect", options->expect,
                    "compare with expect.toml beside the case; exit code 1 where it differs");
  command->add_flag("--json", options->json, "print results.json on standard output");
  command->callback([options] { run(*options); });
}

} // namespace weft
