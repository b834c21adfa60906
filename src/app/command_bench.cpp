#include "app/command_bench.h"

#include <fmt/format.h>

#include "app/bench_residual.h"
#include "base/error.h"

namespace weft {

namespace {

struct Options : BenchOptions {
  std::string mesh_file, json, csv;
};

void run_residual(Options &options) {
  if (options.mesh_file.empty())
    // As many tetrahedra as bench/meshes/cube.geo gives, without meshing.
    options.mesh.box =
        BoxSpec{.dim = 3, .cells = {63, 63, 63}, .cell = "tetrahedron", .distort = 0.2};
  else
    options.mesh.file = options.mesh_file;
  const BenchResult result = bench_residual(options);
  if (result.rows.empty())
    throw Error(ErrorKind::input, {.what = "no row of the benchmark fits the choices made",
                                   .remedy = "see weft bench residual --help"});
  if (!options.json.empty())
    write_bench_json(options.json, result.machine, result.rows);
  if (!options.csv.empty())
    write_bench_csv(options.csv, result.rows);
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
  residual->add_option("--device", options->device, "as in weft run");
  residual->add_option("--threads", options->threads, "cores of a CPU device; 0 = all")
      ->check(CLI::NonNegativeNumber);
  residual->add_option("--repeats", options->repeats, "timings a row")
      ->check(CLI::Range(3, 1000))
      ->capture_default_str();
  residual->add_option("--form", options->form, "only this one")
      ->check(CLI::IsMember({"poisson_P1", "poisson_P2", "elasticity_P1"}));
  residual->add_option("--strategy", options->strategy, "only this one")
      ->check(CLI::IsMember({"transposed", "cell", "block"}));
  residual->add_option("--geometry", options->geometry, "only this one")
      ->check(CLI::IsMember({"on_the_fly", "stored"}));
  residual->add_option("--precision", options->precision, "only this one")
      ->check(CLI::IsMember({"f64", "f32"}));
  residual->add_option("--json", options->json, "write machine and rows")->type_name("FILE");
  residual->add_option("--csv", options->csv, "write rows")->type_name("FILE");
  residual->callback([options] { run_residual(*options); });
}

} // namespace weft
