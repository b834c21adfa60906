// The README and the page of figures say what is: the table of what works, the case file that is
// shown, and figures of speed as the tables in bench/results have them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <utility>

#include "bench/support_table.h"
#include "output/csv_rows.h"
#include "run/kernel_timing.h"

namespace weft {
namespace {

std::string read_source(const std::string &path) {
  std::ifstream file(std::string(WEFT_SOURCE_DIR) + "/" + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Readme, TableOfWhatWorksIsTrue) {
  EXPECT_NE(read_source("README.md").find(support_table_markdown()), std::string::npos)
      << "put the output of `weft reference --support` into README.md:\n"
      << support_table_markdown();
}

TEST(Readme, ShowsTheHeatSinksCaseFile) {
  const std::string text = read_source("cases/heat_sink/case.toml");
  ASSERT_FALSE(text.empty());
  EXPECT_NE(read_source("README.md").find(text), std::string::npos)
      << "README.md must show cases/heat_sink/case.toml as it is";
}

using Json = nlohmann::ordered_json;

std::vector<Json> result_rows(const std::string &table) {
  return read_rows_csv(std::string(WEFT_SOURCE_DIR) + "/bench/results/" + table);
}

// A page with its line ends and bars of tables as they are.
void expect_on_page(const std::string &page, const std::string &text) {
  EXPECT_NE(read_source(page).find(text), std::string::npos) << page << " does not say: " << text;
}

const char *const figures = "docs/performance/README.md";

void expect_in_figures(const std::string &text) {
  expect_on_page(figures, text);
}

TEST(Figures, ResidualsAreThoseOfTheTable) {
  int rows = 0;
  for (const Json &r : result_rows("model_xeon_2_cores.csv")) {
    const std::string form = r["form"], element = r["element"];
    if (r["cell"] != "tetrahedron" ||
        !((form == "poisson" && element < "P3") || (form == "elasticity" && element == "P1")))
      continue;
    expect_in_figures(fmt::format(
        "| {} | {} | {:.0f} | {:.0f} ({:.0f}) | {:.1f} ({:.0f}) |",
        form == "poisson" ? "Poisson " + element + ", k(x, y, z)" : "elasticity " + element,
        r["precision"].get<std::string>(), 1e-6 * r["cells_per_s"].get<double>(),
        r["gflops"].get<double>(), r["peak_gflops"].get<double>(), r["gbps"].get<double>(),
        r["stream_gbps"].get<double>()));
    EXPECT_EQ(r["geometry"], "on_the_fly");
    ++rows;
  }
  EXPECT_EQ(rows, 6);
}

TEST(Figures, ErrorsOfTheModelAreThoseOfTheTables) {
  std::vector<double> errors;
  double limited = 0, gathers = 0, choice = 0;
  for (const Json &r : result_rows("model_xeon_2_cores.csv")) {
    const double error = std::abs(r["predicted_over_measured"].get<double>() - 1);
    errors.push_back(error);
    EXPECT_EQ(r["strategy"], "block");
    double &worst = r["bound"] == "gather" ? gathers : limited;
    worst = std::max(worst, error);
    choice = std::max(choice, r["first_choice_over_best"].get<double>());
  }
  EXPECT_EQ(errors.size(), 46u);
  expect_in_figures(fmt::format("off by {:.1f}% in the median, by {:.0f}% at worst where memory or "
                                "arithmetic is the limit and by {:.0f}% where gathers are",
                                100 * median(errors), 100 * limited, 100 * gathers));
  expect_on_page("README.md",
                 fmt::format("| time of {} residuals, predicted | off by {:.1f}% in the "
                             "median |",
                             errors.size(), 100 * median(errors)));
  expect_in_figures(fmt::format("takes {:.2f} times as long at worst", choice));
  // Thread transposition: integrals alone and residuals of figures 4 and 5.
  double worst = 0;
  std::vector<double> medians;
  for (const char *figure : {"figure4", "figure5"}) {
    std::vector<double> of_figure;
    for (const Json &r : result_rows(fmt::format("paper_xeon_2_cores/{}.csv", figure)))
      if (r["strategy"] == "transposed" && !r["seconds"].is_null() && !r["disturbed"].get<bool>())
        of_figure.push_back(
            std::abs(r["predicted_s"].get<double>() / r["seconds"].get<double>() - 1));
    worst = std::max(worst, *std::max_element(of_figure.begin(), of_figure.end()));
    medians.push_back(median(of_figure));
  }
  expect_in_figures(
      fmt::format("off by {:.0f}% (Poisson) and {:.0f}% (elasticity) in the median and "
                  "by {:.0f}% at worst",
                  100 * medians[0], 100 * medians[1], 100 * worst));
}

// Nanoseconds a cell, and the bytes that the kernel moves as a fraction of the bandwidth of
// reading.
std::pair<double, double> of_finite_volumes(const Json &r) {
  return {1e9 * r["seconds"].get<double>() / r["rows"].get<double>(),
          r["fraction"].get<double>() * r["moved_bytes"].get<double>() / r["bytes"].get<double>()};
}

TEST(Figures, FiniteVolumesAreThoseOfTheTable) {
  for (const Json &r : result_rows("fv_epyc_zen4_2_cores/meshes.csv")) {
    const std::string order = r["order"], kernel = r["kernel"];
    if (r["precision"] != "f64" || (kernel != "staged" && kernel != "plain_ahead") ||
        (order != "blocks" && order != "rcm" && order != "natural"))
      continue;
    const auto [ns, fraction] = of_finite_volumes(r);
    // "takes 2.2 ns a cell staged (77% of the bandwidth of reading)", "and 2.9 plain (70%)", ...
    const std::string number = fmt::format("{:.1f}", ns);
    EXPECT_TRUE(std::regex_search(read_source(figures),
                                  std::regex(fmt::format("`weft bench fv`[^\n]*{} [^,;]*\\({:.0f}%",
                                                         number, 100 * fraction))))
        << order << " " << kernel << ": " << number << " ns, " << 100 * fraction << "%";
    if (kernel == "staged" && order == "blocks")
      expect_on_page("README.md",
                     fmt::format("| finite volumes, f64, METIS blocks | {} ns a cell | {:.0f}% of "
                                 "the bandwidth |",
                                 number, 100 * fraction));
  }
}

// Of a stage with its update, in nanoseconds a scalar dof.
std::string stage_ns(const std::string &table, const std::string &form, int order,
                     const std::string &precision) {
  for (const Json &r : result_rows("dg_epyc_zen4_2_cores/" + table))
    if (r["form"] == form && r["order"] == order && r["precision"] == precision &&
        r["stage"] == "fused")
      return fmt::format("{:.1f}", r["ns_per_dof"].get<double>());
  return "no row";
}

TEST(Figures, StagesAreThoseOfTheTable) {
  const auto three = [](const std::string &table, const std::string &precision) {
    return fmt::format("{}, {} and {}", stage_ns(table, "euler", 3, precision),
                       stage_ns(table, "euler", 4, precision),
                       stage_ns(table, "euler", 5, precision));
  };
  expect_in_figures(fmt::format("Euler's equations take {} ns a scalar dof at orders 3, 4 and 5 in "
                                "fp64, {} ns in fp32; Maxwell's at order 4 {} and {} ns",
                                three("dg.csv", "f64"), three("dg.csv", "f32"),
                                stage_ns("dg.csv", "maxwell", 4, "f64"),
                                stage_ns("dg.csv", "maxwell", 4, "f32")));
  expect_in_figures("Euler " + three("dg_whole.csv", "f64"));
  expect_on_page(
      "README.md",
      fmt::format(
          "| Euler's equations, order 4, f64 | {} ns a scalar dof | {} with whole matrices |",
          stage_ns("dg.csv", "euler", 4, "f64"), stage_ns("dg_whole.csv", "euler", 4, "f64")));
}

TEST(Figures, MultigridBesideHypreIsThatOfTheTable) {
  const Json runs = Json::parse(read_source("bench/results/hypre_1.78M_epyc_zen4_2_cores.json"));
  const auto median_of = [&](const std::string &method, const char *key) {
    std::vector<double> values;
    for (const Json &run : runs[method])
      values.push_back(run[key]);
    return median(values);
  };
  const double beside_hypre = median_of("hypre alone, mpirun -n 2", "total_s") /
                              median_of("weft, multigrid f16", "total_s");
  const double beside_f64 =
      median_of("weft, multigrid f64", "solve_s") / median_of("weft, multigrid f16", "solve_s");
  expect_in_figures(fmt::format("set-up and solve together are {:.1f} times as fast as hypre's "
                                "BoomerAMG alone on both cores; "
                                "the solve with f16 levels is {:.1f} times as fast as all in f64",
                                beside_hypre, beside_f64));
  expect_on_page("README.md",
                 fmt::format("| {:.1f} times as fast | hypre's BoomerAMG |", beside_hypre));
  expect_on_page("README.md", fmt::format("| {:.1f} times as fast | f64 levels |", beside_f64));
}

TEST(Figures, StokesBesidePetscIsThatOfTheTable) {
  const Json table = Json::parse(read_source("bench/results/stokes_1.04M_xeon_2_cores.json"));
  const Json &runs = table["problems"][0]["runs"];
  std::vector<double> ratios;
  for (std::size_t round = 0; round < runs["weft"].size(); ++round)
    ratios.push_back(runs["petsc, 2 ranks"][round]["total_s"].get<double>() /
                     runs["weft"][round]["total_s"].get<double>());
  EXPECT_EQ(ratios.size(), 3u);
  expect_in_figures(
      fmt::format("takes {:.2f} times as long for set-up and solve together", median(ratios)));
  expect_on_page("README.md",
                 fmt::format("| {:.2f} times as fast | PETSc's field split |", median(ratios)));
}

TEST(Results, EveryTableHasDateCommitAndMachine) {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(WEFT_SOURCE_DIR) / "bench" / "results";
  std::vector<std::string> lines;
  std::istringstream readme(read_source("bench/results/README.md"));
  const std::regex known(
      R"(^\| `.*\| 20\d\d-\d\d-\d\d \| [0-9a-f]{7} \| [^|]+ \| [^|]*`[^|]+\|.*)");
  for (std::string line; std::getline(readme, line);)
    if (std::regex_match(line, known))
      lines.push_back(line);
  EXPECT_GT(lines.size(), 10u);
  for (const auto &entry : fs::recursive_directory_iterator(root)) {
    const fs::path file = entry.path(), of_picture = fs::path(file).replace_extension(".svg"),
                   of_other = fs::path(file).replace_extension(".png");
    if ((file.extension() != ".csv" && file.extension() != ".json") || fs::exists(of_picture) ||
        fs::exists(of_other)) // the points of a picture
      continue;
    const fs::path relative = fs::relative(file, root);
    const std::string name = file.filename().string(), folder = relative.parent_path().string();
    EXPECT_TRUE(std::any_of(
        lines.begin(), lines.end(),
        [&](const std::string &line) {
          const auto has = [&](const std::string &text) {
            return line.find(text) != std::string::npos;
          };
          if (folder.empty())
            return has("`" + file.stem().string() + "`") || has("`" + name + "`");
          return has("`" + folder + "`") ||
                 (has("`" + folder + "/") && (has("/" + name + "`") || has("`" + name + "`")));
        }))
        << relative.string()
        << " has no line with date, commit, machine and command in bench/results/README.md";
  }
}

} // namespace
} // namespace weft
