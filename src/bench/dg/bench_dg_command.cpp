#include "bench/dg/bench_dg_command.h"

#include <limits>
#include <memory>

#include "bench/bench_options.h"
#include "bench/dg/bench_dg.h"
#include "options/option_checks.h"
#include "options/trust_option.h"

namespace weft {

namespace {

struct DgCommandOptions : DgBenchOptions {
  bool search = false, differentiation = false, exhaustive = false;
  std::string json, csv, plot;
};

void run_bench_dg(DgCommandOptions options, const CLI::App &command) {
  if (options.search || options.differentiation) {
    if (command.count("--order") == 0)
      options.orders = {4};
    if (command.count("--budget") == 0)
      options.budget_s = 240;
    if (options.exhaustive)
      options.budget_s = std::numeric_limits<double>::infinity();
  }
  if (options.differentiation) {
    const DgWorkResult result = bench_dg_work(options);
    if (!options.csv.empty())
      write_dg_work_csv(options.csv, result);
    if (!options.plot.empty())
      plot_dg_work(result, options.plot);
    return;
  }
  if (options.search) {
    const DgSearchResult result = search_dg(options);
    if (!options.csv.empty())
      write_dg_search_csv(options.csv, result);
    if (!options.plot.empty())
      plot_dg_search(result, std::filesystem::path(options.plot) / "search_times.svg");
    return;
  }
  const DgBenchResult result = bench_dg(options);
  if (!options.json.empty())
    write_dg_json(options.json, result);
  if (!options.csv.empty())
    write_dg_csv(options.csv, result);
  if (!options.plot.empty())
    plot_dg(result, options.plot);
}

} // namespace

void add_bench_dg(CLI::App &bench) {
  CLI::App *command = bench.add_subcommand(
      "dg",
      "discontinuous Galerkin: GFlop/s and bandwidth of each stage against the order (figures "
      "26.9 and 26.10 of Kloeckner, Warburton and Hesthaven); with --differentiation 26.8");
  const auto options = std::make_shared<DgCommandOptions>();
  command->add_option("--form", options->forms, "only these: maxwell, euler")
      ->delimiter(',')
      ->check(CLI::IsMember({"maxwell", "euler"}));
  command->add_option("--flux", options->flux,
                      "the numerical flux; else upwind (Maxwell), lax_friedrichs (Euler)");
  command->add_option("--cell", options->cell)
      ->check(CLI::IsMember({"triangle", "quadrilateral", "tetrahedron", "hexahedron", "prism"}))
      ->capture_default_str();
  command->add_option("--order", options->orders, "only these: 3,4,5")
      ->delimiter(',')
      ->check(CLI::Range(0, 9));
  command->add_option("--precision", options->precision, "only this one")
      ->check(CLI::IsMember({"f64", "f32"}));
  command
      ->add_option("--products", options->products,
                   "reference matrices whole, or by classes of symmetry; default: what is faster")
      ->check(CLI::IsMember({"whole", "by_symmetry"}));
  CLI::Option *dofs = command
                          ->add_option("--dofs", options->dofs,
                                       "of a distorted box, about; default: 5 M, or "
                                       "what the last cache does not hold")
                          ->check(CLI::Range(1.0, 1e10));
  command->add_option("--mesh", options->mesh_file, "mesh file instead of a box")->excludes(dofs);
  add_trust_option(*command, options->trust);
  add_device_options(*command, options->device, options->threads);
  command
      ->add_option("--budget", options->budget_s,
                   "seconds of the search for each order's variant; 0: the default variant; with "
                   "--search 240 unless said otherwise")
      ->check(number_in(0.0))
      ->capture_default_str();
  add_repeats_option(*command, options->repeats);
  CLI::Option *search =
      command->add_flag("--search", options->search,
                        "a search among the variants of a whole stage, of the first form and order "
                        "(4): those that the budget allows to try");
  CLI::Option *differentiation = command->add_flag(
      "--differentiation", options->differentiation,
      "figure 26.8: the time of differentiation, of the first form and order (4), for each way of "
      "cutting up its work: cells in sequence, in line, in parallel");
  differentiation->excludes(search);
  command->add_flag("--exhaustive", options->exhaustive,
                    "with --search or --differentiation: all candidates, however long that takes");
  add_table_options(*command, options->json, options->csv);
  add_plot_option(*command, options->plot);
  command->callback([options, command, search, differentiation] {
    if (options->exhaustive && search->count() + differentiation->count() == 0)
      throw CLI::RequiresError("--exhaustive", "--search or --differentiation");
    run_bench_dg(*options, *command);
  });
}

} // namespace weft
