#include "cli/command_compile_ahead.h"

#include <memory>

#include "bench/bench_options.h"
#include "bench/compile_workers.h"
#include "bench/residual/residual_job.h"
#include "device/open/open_device.h"

namespace weft {

namespace {

struct CompileOptions {
  std::string device;
  int threads = 0;
};

} // namespace

void add_compile_ahead_command(CLI::App &app) {
  CLI::App *command = app.add_subcommand("compile-ahead",
                                         "compile kernels that weft bench names on standard input");
  command->group(""); // hidden
  const auto options = std::make_shared<CompileOptions>();
  add_device_options(*command, options->device, options->threads);
  command->callback([options] {
    const std::unique_ptr<Device> device = open_device(options->device, options->threads);
    ResidualCompiler compiler(*device);
    serve_jobs([&](const std::string &text) { compiler.compile(residual_job_from_text(text)); });
  });
}

} // namespace weft
