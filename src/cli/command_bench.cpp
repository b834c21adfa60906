#include "cli/command_bench.h"

#include <fmt/format.h>

#include "base/error.h"
#include "bench/bench_forms.h"
#include "bench/bench_options.h"
#include "bench/dg/bench_dg_command.h"
#include "bench/fv/bench_fv_command.h"
#include "bench/integration/bench_integration_command.h"
#include "bench/linalg/bench_linalg_command.h"
#include "bench/linalg/bench_spmv.h"
#include "bench/plots/bench_plot_command.h"
#include "bench/residual/bench_model.h"
#include "bench/residual/bench_orders_command.h"
#include "bench/residual/bench_paper.h"
#include "bench/residual/bench_residual.h"
#include "bench/residual/bench_search.h"
#include "case/user_settings.h"
#include "options/option_checks.h"
#include "options/trust_option.h"

namespace weft {

namespace {

struct Options : BenchOptions {
  std::string mesh_file, json, csv;
};

struct ModelBenchOptions : ModelOptions {
  std::string json, csv;
};

void run_residual(Options &options) {
  if (options.mesh_file.empty())
    // As many tetrahedra as bench/meshes/cube.geo gives, without meshing.
    options.mesh.box =
        BoxSpec{.dim = 3, .cells = {63, 63, 63}, .cell = "tetrahedron", .distort = 0.2};
  else
    options.mesh.file = options.mesh_file;
  options.mesh.trust = trusts_foreign_code(options.mesh.trust);
  const BenchResult result = bench_residual(options);
  if (result.rows.empty())
    throw Error(ErrorKind::input, {.what = "no row of the benchmark fits the choices made",
                                   .remedy = "see weft bench residual --help"});
  if (!options.json.empty())
    write_bench_json(options.json, result.machine, result.rows);
  if (!options.csv.empty())
    write_bench_csv(options.csv, result.rows);
}

// --paper and what goes with it; what chooses rows of the usual table does not.
void add_paper_options(CLI::App &residual, const std::shared_ptr<Options> &options) {
  const auto paper = std::make_shared<PaperOptions>();
  CLI::Option *flag = residual.add_flag("--paper");
  flag->description("the experiments of Knepley, Rupp and Terrel's paper instead: its table 2, "
                    "figures 4 and 5");
  for (const char *other :
       {"--mesh", "--form", "--strategy", "--geometry", "--precision", "--json", "--csv"})
    flag->excludes(residual.get_option(other));
  residual.add_option("--out", paper->out, "with --paper: folder of its CSV files and plots")
      ->needs(flag)
      ->type_name("DIR")
      ->capture_default_str();
  residual
      .add_option("--size", paper->size, "with --paper: nodes of its problems, as a share of them")
      ->needs(flag)
      ->check(CLI::Range(1e-3, 100.0))
      ->capture_default_str();
  residual
      .add_flag("--exhaustive", paper->exhaustive,
                "with --paper: the fastest of other strategies is that of all valid variants, and "
                "not of the default one of each strategy and geometry")
      ->needs(flag);
  residual.callback([&residual, flag, options, paper] {
    if (flag->count() == 0)
      return run_residual(*options);
    paper->device = options->device;
    paper->threads = options->threads;
    if (residual.count("--repeats") > 0)
      paper->repeats = options->repeats;
    bench_paper(*paper);
  });
}

void run_model(const ModelBenchOptions &options) {
  const ModelResult result = bench_model(options);
  if (result.rows.empty())
    throw Error(ErrorKind::input, {.what = "no pair of the benchmark fits the choices made",
                                   .remedy = "see weft bench model --help"});
  std::vector<nlohmann::ordered_json> rows;
  for (const ModelRow &row : result.rows)
    rows.push_back(to_json(row));
  if (!options.json.empty())
    write_bench_json(options.json, result.machine, rows);
  if (!options.csv.empty())
    write_rows_csv(options.csv, rows);
}

void add_model(CLI::App &bench) {
  CLI::App *model = bench.add_subcommand(
      "model", "predicted beside measured times of tuned kernels, over forms, cells, orders and "
               "precisions");
  const auto options = std::make_shared<ModelBenchOptions>();
  model->add_option("--form", options->form, "only this one")
      ->check(CLI::IsMember(bench_form_names()));
  model->add_option("--cell", options->cell, "only this one")
      ->check(CLI::IsMember(
          {"triangle", "quadrilateral", "tetrahedron", "hexahedron", "prism", "pyramid"}));
  model->add_option("--precision", options->precision, "only this one")
      ->check(CLI::IsMember({"f64", "f32"}));
  model->add_option("--nodes", options->nodes, "of each problem, about")
      ->check(CLI::Range(8.0, 1e9))
      ->capture_default_str();
  model->add_option("--budget", options->budget_s, "seconds of the search for each best variant")
      ->check(number_in(0.0))
      ->capture_default_str();
  add_repeats_option(*model, options->repeats);
  add_device_options(*model, options->device, options->threads);
  add_table_options(*model, options->json, options->csv);
  model->callback([options] { run_model(*options); });
}

void add_search(CLI::App &bench) {
  CLI::App *search = bench.add_subcommand(
      "search", "a search for the fastest kernel of a residual: the times of the candidates that "
                "the budget allows, beside what the model says");
  const auto options = std::make_shared<SearchOptions>();
  search->add_option("--form", options->form)
      ->check(CLI::IsMember(bench_form_names()))
      ->capture_default_str();
  CLI::Option *cell = search->add_option("--cell", options->cell, "of a distorted box")
                          ->check(CLI::IsMember({"triangle", "quadrilateral", "tetrahedron",
                                                 "hexahedron", "prism", "pyramid"}))
                          ->capture_default_str();
  CLI::Option *nodes = search->add_option("--nodes", options->nodes, "of the box, about")
                           ->check(CLI::Range(8.0, 1e9))
                           ->capture_default_str();
  search->add_option("--order", options->order, "of the elements")
      ->check(CLI::Range(1, 4))
      ->capture_default_str();
  search->add_option("--precision", options->precision)
      ->check(CLI::IsMember({"f64", "f32"}))
      ->capture_default_str();
  search->add_option("--mesh", options->mesh_file, "mesh file instead of a box")
      ->excludes(cell)
      ->excludes(nodes);
  add_trust_option(*search, options->trust);
  add_device_options(*search, options->device, options->threads);
  CLI::Option *budget = search->add_option("--budget", options->budget_s, "seconds")
                            ->check(number_in(1e-3))
                            ->capture_default_str();
  search
      ->add_flag("--exhaustive", options->exhaustive,
                 "all valid candidates, however long that takes; kernels are kept, so that a run "
                 "that was stopped compiles none of them again")
      ->excludes(budget);
  search->add_option("--out", options->out, "folder of the CSV files and the plot")
      ->type_name("DIR")
      ->capture_default_str();
  search->callback([options] { bench_search(*options); });
}

struct SpmvBenchOptions : SpmvOptions {
  std::string json, csv;
};

void add_spmv(CLI::App &bench) {
  CLI::App *spmv =
      bench.add_subcommand("spmv", "products with assembled matrices in each format, and their "
                                   "assembly");
  const auto options = std::make_shared<SpmvBenchOptions>();
  spmv->add_option("--form", options->form)
      ->check(CLI::IsMember(bench_form_names()))
      ->capture_default_str();
  spmv->add_option("--order", options->order, "of the elements")
      ->check(CLI::Range(1, 4))
      ->capture_default_str();
  CLI::Option *nodes = spmv->add_option("--nodes", options->nodes, "of a box, about")
                           ->check(CLI::Range(8.0, 1e9))
                           ->capture_default_str();
  spmv->add_option("--mesh", options->mesh_file, "mesh file instead of a box")->excludes(nodes);
  add_trust_option(*spmv, options->trust);
  spmv->add_option("--format", options->format, "only this one")
      ->check(CLI::IsMember({"csr", "sell"}));
  spmv->add_option("--precision", options->precision, "only this one")
      ->check(CLI::IsMember({"f64", "f32"}));
  add_repeats_option(*spmv, options->repeats);
  add_device_options(*spmv, options->device, options->threads);
  add_table_options(*spmv, options->json, options->csv);
  spmv->callback([options] {
    const BenchResult result = bench_spmv(*options);
    if (!options->json.empty())
      write_bench_json(options->json, result.machine, result.rows);
    if (!options->csv.empty())
      write_bench_csv(options->csv, result.rows);
  });
}

} // namespace

void add_bench_command(CLI::App &app) {
  CLI::App *bench = app.add_subcommand("bench", "tables of speed beside the machine's limits");
  bench->require_subcommand(1);
  CLI::App *residual = bench->add_subcommand(
      "residual", "residuals of Poisson and elasticity, every strategy, geometry and precision");
  auto options = std::make_shared<Options>();
  residual->add_option("--mesh", options->mesh_file,
                       "mesh file; default: a distorted box of 1.5 M tetrahedra");
  add_trust_option(*residual, options->mesh.trust);
  add_device_options(*residual, options->device, options->threads);
  add_repeats_option(*residual, options->repeats, "timings a row; 11 with --paper");
  residual->add_option("--form", options->form, "only this one")
      ->check(CLI::IsMember({"poisson_P1", "poisson_P2", "elasticity_P1"}));
  residual->add_option("--strategy", options->strategy, "only this one")
      ->check(CLI::IsMember({"transposed", "cell", "block"}));
  residual->add_option("--geometry", options->geometry, "only this one")
      ->check(CLI::IsMember({"on_the_fly", "stored"}));
  residual->add_option("--precision", options->precision, "only this one")
      ->check(CLI::IsMember({"f64", "f32"}));
  add_table_options(*residual, options->json, options->csv);
  add_paper_options(*residual, options);
  add_search(*bench);
  add_model(*bench);
  add_spmv(*bench);
  add_bench_integration(*bench);
  add_bench_dg(*bench);
  add_bench_fv(*bench);
  add_bench_orders(*bench);
  add_bench_linalg(*bench);
  add_bench_plot(*bench);
}

} // namespace weft
