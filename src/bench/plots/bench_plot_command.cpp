#include "bench/plots/bench_plot_command.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "base/error.h"
#include "bench/fv/bench_fv.h"
#include "bench/integration/bench_integration.h"
#include "bench/residual/bench_paper.h"
#include "output/csv_rows.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

struct PlotOptions {
  std::vector<std::string> tables;
  std::string out = ".";
};

// A benchmark whose tables are known by the keys of their rows.
struct KnownTable {
  const char *name;
  std::vector<const char *> keys;
  std::vector<Json> rows;
  bool fits(const Json &row) const {
    return std::all_of(keys.begin(), keys.end(),
                       [&](const char *key) { return row.contains(key); });
  }
};

void run_plot(const PlotOptions &options) {
  KnownTable paper{"weft bench residual --paper", {"paper_gflops", "predicted_gflops", "work"}, {}};
  KnownTable integration{"weft bench integration", {"loop_order", "ns_a_cell"}, {}};
  KnownTable fv{"weft bench fv", {"moved_bytes", "predicted_over_measured", "block"}, {}};
  for (const std::string &file : options.tables) {
    const std::vector<Json> rows = read_rows_csv(file);
    KnownTable *found = nullptr;
    for (KnownTable *table : {&paper, &integration, &fv})
      if (!rows.empty() && table->fits(rows.front()))
        found = table;
    if (!found)
      throw Error(ErrorKind::input,
                  {.what = "a table whose figures Weft does not know",
                   .where = file,
                   .allowed = fmt::format("CSV files of {}, {} and {}", paper.name,
                                          integration.name, fv.name),
                   .remedy = "name one of these; other benchmarks draw theirs with --plot"});
    found->rows.insert(found->rows.end(), rows.begin(), rows.end());
  }
  plot_paper(paper.rows, options.out);
  if (!integration.rows.empty() && !plot_integration(integration.rows, options.out))
    throw Error(ErrorKind::input,
                {.what = "a table of weft bench integration lacks a problem",
                 .where = options.tables.front(),
                 .allowed = "rows of both forms on tetrahedra and prisms",
                 .remedy = "run weft bench integration without --form and --cell"});
  plot_fv(fv.rows, options.out);
}

} // namespace

void add_bench_plot(CLI::App &bench) {
  CLI::App *command = bench.add_subcommand(
      "plot", "draws figures anew from CSV files of weft bench: panels of figures 4 and 5 "
              "(residual --paper), figures 3 to 5 (integration), time and bandwidth against block "
              "size (fv; several runs: their medians)");
  const auto options = std::make_shared<PlotOptions>();
  command->add_option("tables", options->tables, "CSV files")->required()->type_name("FILE");
  command->add_option("--out", options->out, "folder of the figures and their points")
      ->type_name("DIR")
      ->capture_default_str();
  command->callback([options] { run_plot(*options); });
}

} // namespace weft
