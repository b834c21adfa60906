#include "bench/fv/bench_fv_command.h"

#include <memory>

#include "bench/bench_options.h"
#include "bench/fv/bench_fv.h"
#include "mesh/order/cell_order.h"
#include "options/trust_option.h"

namespace weft {

namespace {

struct FvCommandOptions : FvBenchOptions {
  std::string json, csv, plot;
};

} // namespace

void add_bench_fv(CLI::App &bench) {
  CLI::App *command = bench.add_subcommand(
      "fv",
      "cell-centred finite volumes: speed against block size, on ideal matrices and meshes in "
      "several orders, beside a model of the caches (Langguth, Wu, Chai and Cai)");
  const auto options = std::make_shared<FvCommandOptions>();
  command->add_option("--part", options->parts, "only these: ideal, meshes")
      ->delimiter(',')
      ->check(CLI::IsMember({"ideal", "meshes"}));
  command
      ->add_option("--cells", options->cells,
                   "rows of ideal matrices; tetrahedra of the box that is the mesh where none is "
                   "named, about")
      ->check(CLI::Range(std::int64_t{64}, std::int64_t{100'000'000}))
      ->capture_default_str();
  command->add_option("--mesh", options->meshes, "mesh files instead of the box")->delimiter(',');
  add_trust_option(*command, options->trust);
  command
      ->add_option("--block", options->blocks,
                   "rows of the blocks of ideal matrices; default: 64, 128, ..., all rows")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}));
  command
      ->add_option("--size", options->block_cells,
                   "cells of a block of meshes in the order `blocks`")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}))
      ->capture_default_str();
  command->add_option("--order", options->orders, "of meshes, only these")
      ->delimiter(',')
      ->check(CLI::IsMember(cell_order_names()));
  command->add_option("--kernel", options->kernels, "only these")
      ->delimiter(',')
      ->check(CLI::IsMember(fv_kernel_names()));
  command->add_option("--precision", options->precisions, "only these")
      ->delimiter(',')
      ->check(CLI::IsMember({"f64", "f32"}));
  add_repeats_option(*command, options->repeats,
                     "timings a row; up to three times as many until their median is known to 3%");
  add_device_options(*command, options->device, options->threads);
  add_table_options(*command, options->json, options->csv);
  add_plot_option(*command, options->plot);
  command->callback([options] {
    const FvBenchResult result = bench_fv(*options);
    if (!options->json.empty())
      write_fv_json(options->json, result);
    if (!options->csv.empty())
      write_fv_csv(options->csv, result);
    if (!options->plot.empty())
      plot_fv(fv_rows(result), options->plot);
  });
}

} // namespace weft
