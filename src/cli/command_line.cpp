#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <system_error>

#include "base/error.h"
#include "base/log.h"
#include "base/printable.h"
#include "base/system/interruption.h"
#include "base/system/standard_output.h"
#include "base/system/way_to_go_on.h"
#include "base/terminal.h"
#include "cli/begin/command_cases.h"
#include "cli/begin/command_new.h"
#include "cli/command_bench.h"
#include "cli/command_cache.h"
#include "cli/command_check.h"
#include "cli/command_compile_ahead.h"
#include "cli/command_completion.h"
#include "cli/command_devices.h"
#include "cli/command_explain.h"
#include "cli/command_mesh.h"
#include "cli/command_reference.h"
#include "cli/command_report.h"
#include "cli/command_run.h"
#include "cli/command_sweep.h"
#include "cli/command_tune.h"
#include "cli/command_tuned.h"
#include "cli/command_verify.h"
#include "cli/unknown_words.h"
#include "cli/version_text.h"
#include "ranks/open_communicator.h"
#include "run/run_results.h"
#include "run/signals.h"

namespace weft {

namespace {

void add_verbs(CLI::App &app, Communicator *ranks) {
  add_new_command(app);
  add_cases_command(app);
  add_run_command(app, ranks);
  add_check_command(app);
  add_report_command(app);
  add_explain_command(app, ranks);
  add_tune_command(app);
  add_sweep_command(app);
  add_verify_command(app, ranks);
  add_bench_command(app);
  add_mesh_command(app);
  add_devices_command(app);
  add_tuned_command(app);
  add_cache_command(app);
  add_compile_ahead_command(app);
  add_reference_command(app);
  add_completion_command(app); // it knows those before it
}

int report(const std::string &message, int code) {
  const auto turn = take_terminal();
  std::fprintf(stderr, "%s %s\n", coloured(TextColour::red, "error:").c_str(),
               printable(message).c_str());
  return code;
}

// Whether it is what fmt::print() throws: the end of the program says so.
bool is_of_standard_output(const std::exception &exception) {
  const auto *failure = dynamic_cast<const std::system_error *>(&exception);
  if (failure == nullptr || std::ferror(stdout) == 0)
    return false;
  note_output_failure(failure->code().value());
  return true;
}

// The exit code of a program that would end with `code`: output that went nowhere is an error,
// unless its reader has gone, which then has what it wanted.
int end_output(int code) {
  const int failure = end_of_standard_output();
  if (failure == 0 || failure == EPIPE)
    return code;
  report(Error(ErrorKind::system, {.what = "standard output can't be written",
                                   .found = std::generic_category().message(failure),
                                   .remedy = "let it go to a place with room"})
             .what(),
         0);
  return code != 0 ? code : exit_code(ErrorKind::system);
}

// Copies of one run that know nothing of one another never start.
void refuse_processes(const CLI::App &app, const Communicator &ranks) {
  for (const char *verb : {"run", "explain", "verify"})
    if (app.got_subcommand(verb))
      return;
  throw Error(ErrorKind::unsupported,
              {.what = "work shared by several processes",
               .found = fmt::format("{} processes of a launcher (mpirun, srun)", ranks.size()),
               .allowed = "weft run, weft explain, weft verify",
               .remedy = "start weft without the launcher"});
}

// The exit code, but for what becomes of the output.
int run_verb(int argc, char **argv, Communicator *ranks) {
  CLI::App app(
      "Weft: partial differential equations on unstructured meshes, by kernels made at run "
      "time",
      "weft");
  app.set_version_flag("--version", version_text);
  app.require_subcommand(1);
  app.fallthrough();
  bool quiet = false, verbose = false;
  app.add_flag("-q,--quiet", quiet, "errors only");
  app.add_flag("-v,--verbose", verbose, "more about what is done");
  app.parse_complete_callback([&] {
    log::set_level(quiet || !is_first(ranks) ? log::Level::quiet
                   : verbose                 ? log::Level::verbose
                                             : log::Level::normal);
    if (ranks)
      refuse_processes(app, *ranks);
  });
  add_verbs(app, ranks);
  // What all ranks know one says.
  const auto report_once = [&](const std::string &message, int code) {
    return is_first(ranks) || ranks->lost() ? report(message, code) : code;
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return is_first(ranks) ? app.exit(error) : 0;
    std::string message = unknown_verb(app, argc, argv);
    if (message.empty() && dynamic_cast<const CLI::ExtrasError *>(&error))
      message = unknown_argument(app, argc, argv);
    if (message.empty())
      message = std::string(error.what()) + "\n  remedy:  see weft --help, or weft VERB --help";
    return report_once(message, 2);
  } catch (const Interrupted &interruption) {
    const std::string way = way_to_go_on();
    return report_once(interruption.what() + (way.empty() ? "" : "\n  remedy:  " + way),
                       interruption.exit_code());
  } catch (const RunFailed &failed) {
    return report_once(failed.what(), failed.exit_code());
  } catch (const std::exception &exception) {
    if (is_of_standard_output(exception))
      return 0; // end_output() says so
    const Error error = error_of(exception);
    return report_once(error.what(), exit_code(error.kind()));
  }
  return 0;
}

} // namespace

int run_command_line(int argc, char **argv) {
  // A file beyond the limit (ulimit -f) is then an error of writing, with its message.
  std::signal(SIGXFSZ, SIG_IGN);
  take_signals();
  std::unique_ptr<Communicator> ranks;
  try {
    ranks = open_communicator();
  } catch (const Error &error) { // all have it
    const int code = exit_code(error.kind());
    return launched_rank() == 0 ? report(error.what(), code) : code;
  }
  const int code = end_output(run_verb(argc, argv, ranks.get()));
  note_end();
  interrupted(); // the end is near, for whoever asks for it
  if (ranks && ranks->lost()) {
    std::fflush(nullptr);
    ranks->abort(code);
  }
  return code;
}

} // namespace weft
