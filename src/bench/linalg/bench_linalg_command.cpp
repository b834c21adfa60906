#include "bench/linalg/bench_linalg_command.h"

#include <memory>

#include "bench/bench_options.h"
#include "bench/linalg/bench_linalg.h"

namespace weft {

namespace {

struct LinalgCommandOptions : LinalgOptions {
  std::string json, csv, plot;
};

} // namespace

void add_bench_linalg(CLI::App &bench) {
  CLI::App *command = bench.add_subcommand(
      "linalg",
      "building blocks of linear algebra in f64, f32, f16 and bf16: rates against length, "
      "roofline, Jacobi in 16 bits on a stencil of Q1 as it stands and, beside it, with its "
      "diagonal "
      "raised by 5% (Goeddeke)");
  const auto options = std::make_shared<LinalgCommandOptions>();
  command->add_option("--part", options->parts, "only these: blocks, roofline, jacobi")
      ->delimiter(',')
      ->check(CLI::IsMember({"blocks", "roofline", "jacobi"}));
  command->add_option("--block", options->blocks, "only these")
      ->delimiter(',')
      ->check(CLI::IsMember(linalg_block_names()));
  command->add_option("--precision", options->precisions, "of vectors, only these")
      ->delimiter(',')
      ->check(CLI::IsMember({"f64", "f32", "f16", "bf16"}));
  command->add_option("--systems", options->systems, "vectors at once, interleaved; only these")
      ->delimiter(',')
      ->check(CLI::IsMember({1, 4}));
  command
      ->add_option("--length", options->lengths,
                   "unknowns of all systems; default: eight from 4096 to 33554432")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 26));
  command->add_option("--width", options->width, "of the square patch that Jacobi solves on")
      ->check(CLI::Range(3, 20000))
      ->capture_default_str();
  add_repeats_option(*command, options->repeats);
  add_device_options(*command, options->device, options->threads);
  add_table_options(*command, options->json, options->csv,
                    "write rows of blocks, and beside it those of other parts");
  add_plot_option(*command, options->plot);
  command->callback([options] {
    const LinalgResult result = bench_linalg(*options);
    if (!options->json.empty())
      write_linalg_json(options->json, result);
    if (!options->csv.empty())
      write_linalg_csv(options->csv, result);
    if (!options->plot.empty())
      plot_linalg(result, options->plot);
  });
}

} // namespace weft
