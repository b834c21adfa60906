// The experiments of weft bench residual --paper at sizes of a few cells: what rows there
// are and what they say of themselves; times are only asked to be there.
#include "bench/residual/bench_paper.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

#include "bench/bench_forms.h"
#include "bench/residual/bench_search.h"
#include "bench/residual/paper_problem.h"
#include "device/open/open_device.h"
#include "op/set_up/make_discretisation.h"
#include "support/known_figures.h"

namespace weft {
namespace {

// Equation (7) for 2D Poisson of order 1: ((2 + 6*2)*3 + 4)*1 + 6*2*3 flops a cell.
constexpr double flops_a_triangle = 82;

TEST(PaperProblem, Table2HasThePapersUnknowns) {
  const Mesh mesh = paper_mesh(2, Table2Options{}.edges);
  const Discretisation d = paper_discretisation("poisson", mesh);
  EXPECT_EQ(d.num_owned, 66049);
  EXPECT_EQ(mesh.sets.size(), 1u);
  EXPECT_EQ(mesh.sets.front().type, CellType::triangle);
  // The coefficient is a known field, one value a cell.
  ASSERT_EQ(d.auxiliary.size(), 1u);
  EXPECT_EQ(static_cast<std::int64_t>(d.auxiliary.front().values.size()), mesh.num_cells());
}

TEST(PaperProblem, BalanceOfThePapersExample) {
  const Mesh mesh = paper_mesh(2, 3);
  const Discretisation d = paper_discretisation("poisson", mesh);
  const PaperCost single = paper_cost(d, paper_settings("poisson", Precision::f32, 16, 8));
  EXPECT_DOUBLE_EQ(single.balance, 41.0 / 22);
  EXPECT_DOUBLE_EQ(single.flops, flops_a_triangle * 2 * 3 * 3);
  const PaperCost twice = paper_cost(d, paper_settings("poisson", Precision::f64, 16, 8));
  EXPECT_DOUBLE_EQ(twice.balance, 41.0 / 44);
}

TEST(PaperProblem, EdgesGiveAboutTheNodes) {
  EXPECT_EQ(paper_edges(2, 66049), 256);
  EXPECT_EQ(paper_edges(3, 1000), 9);
  EXPECT_EQ(paper_edges(3, 1), 1);
}

std::string text_of(const std::filesystem::path &path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void expect_timed(const PaperRow &row) {
  EXPECT_TRUE(row.reason.empty()) << row.reason;
  EXPECT_GT(row.paper_gflops(), 0);
  EXPECT_GT(row.predicted_gflops(), 0);
  EXPECT_GT(*row.record.fraction, 0);
  EXPECT_FALSE(row.driver.empty());
}

TEST(BenchPaper, RowsOfTableFiguresAndSearch) {
  const auto device = open_device("opencl");
  const MachineFigures figures = known_figures(*device);
  const std::size_t precisions = device->info().has_f64 ? 2 : 1;

  PaperWork work({{}, 0});
  // More blocks than a work-group can have threads are said not to run, and why.
  const auto table = bench_paper_table2(
      *device, figures, {.edges = 5, .blocks = {2, 1 << 20}, .batches = {3}, .repeats = 1}, work);
  ASSERT_EQ(table.size(), 2 * precisions);
  EXPECT_EQ(table[0].record.precision, "f32");
  expect_timed(table[0]);
  EXPECT_EQ(table[0].num_blocks, 2);
  EXPECT_DOUBLE_EQ(table[0].paper.flops, flops_a_triangle * 50);
  EXPECT_NE(table[1].reason.find("work-items"), std::string::npos) << table[1].reason;
  EXPECT_FALSE(table[1].record.seconds);

  const auto rows = bench_paper_figures(
      *device, figures,
      {.nodes = {16, 36}, .most_unknowns = 40, .dims = {2}, .num_blocks = 2, .repeats = 1}, work);
  // Poisson at both sizes, elasticity (twice the unknowns) at the first: each as integrals alone,
  // as residual, and by another strategy.
  ASSERT_EQ(rows.size(), 3 * 3 * precisions);
  for (const PaperRow &row : rows) {
    expect_timed(row);
    EXPECT_LE(*row.record.dofs, 40);
  }
  EXPECT_EQ(rows[0].work, "integration");
  EXPECT_EQ(rows[0].record.strategy, "transposed");
  EXPECT_LT(*rows[0].record.flops, *rows[1].record.flops); // the sums over cells come to it
  EXPECT_NE(rows[2].record.strategy, "transposed");

  const auto file = std::filesystem::temp_directory_path() /
                    ("weft_bench_paper_" + std::to_string(getpid()) + ".csv");
  write_paper_csv(file, table);
  const std::string csv = text_of(file);
  std::filesystem::remove(file);
  EXPECT_EQ(csv.substr(0, 12), "kernel,form,");
  EXPECT_NE(csv.find(",predicted_s,"), std::string::npos);
  EXPECT_NE(csv.find("work-items"), std::string::npos);

  const Mesh mesh = paper_mesh(2, 5);
  const Case c = bench_case(bench_form("poisson", 2), 1, 2);
  const Discretisation d = make_discretisation(c, mesh, bench_quadrature_degree(1));
  const SearchOutcome search =
      search_residual(*device, d, Precision::f32, "poisson", figures, {.budget_s = 0.5});
  ASSERT_FALSE(search.rows.empty());
  EXPECT_EQ(search.rows.size(), search.tuning.trials.size());
  EXPECT_EQ(search.rows.front().rank, 0);
  EXPECT_TRUE(search.tuning.best);
  EXPECT_GE(search.worst_to_best(), 1);
  EXPECT_EQ(search.rows.front().ratio, 1); // the reference is the model's first choice
  EXPECT_GT(search.reference_s, 0);
  for (const SearchRow &row : search.rows)
    if (row.reason.empty()) {
      EXPECT_GT(*row.record.predicted_s, 0);
      EXPECT_GE(row.num_timings, 1);
      EXPECT_GT(*row.record.bytes, 0);
    }
}

} // namespace
} // namespace weft
