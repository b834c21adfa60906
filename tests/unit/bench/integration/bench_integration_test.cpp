// The tables of Banas, Kruzel, Bielanski 2015 at sizes of a few cells: their counts, and what
// rows there are and what they say of themselves; times are only asked to be there.
#include "bench/integration/bench_integration.h"

#include <gtest/gtest.h>

#include "bench/integration/matrix_search.h"
#include "device/open/open_device.h"
#include "support/known_figures.h"

namespace weft {
namespace {

TEST(IntegrationProblem, SizesAndCountsOfThePaper) {
  const auto &problems = integration_problems();
  constexpr int accesses[] = {36, 66, 52, 80};
  constexpr int qss[] = {290, 2700, 986, 4806}, sqs[] = {290, 10416, 986, 12492},
                ssq[] = {290, 54876, 1623, 65232};
  // Table 3's totals.
  constexpr int point_total[] = {37, 67, 56, 86}, all_total[] = {52, 192, 68, 206},
                ssq_total[] = {14, 16, 30, 30};
  for (std::size_t p = 0; p < problems.size(); ++p) {
    EXPECT_EQ(paper_accesses(problems[p]), accesses[p]);
    EXPECT_EQ(paper_operations(problems[p], LoopOrder::qss), qss[p]);
    EXPECT_EQ(paper_operations(problems[p], LoopOrder::sqs), sqs[p]);
    EXPECT_EQ(paper_operations(problems[p], LoopOrder::ssq), ssq[p]);
    EXPECT_EQ(paper_sizes(problems[p]).point_total, point_total[p]);
    EXPECT_EQ(paper_sizes(problems[p]).all_total, all_total[p]);
    EXPECT_EQ(paper_sizes(problems[p]).ssq_total, ssq_total[p]);
  }
}

// Table 4's accesses to shared memory follow from the sizes: geometry and coefficients are read
// once for all points or at each; shape functions without one entry, and matrix and vector read and
// written, at each.
TEST(IntegrationProblem, AccessesToSharedMemoryOfThePaper) {
  for (const IntegrationProblem &problem : integration_problems()) {
    const int shapes = problem.num_shapes(), points = problem.num_points();
    const int times = problem.cell == CellType::tetrahedron ? 1 : points; // derivatives anew
    EXPECT_EQ(paper_shared_accesses(problem, LocalArray::geometry), 3 * shapes * times);
    EXPECT_EQ(paper_shared_accesses(problem, LocalArray::coefficients),
              (problem.form == "poisson" ? 1 : 20) * points);
    EXPECT_EQ(paper_shared_accesses(problem, LocalArray::shape), points * (shapes * shapes - 1));
    EXPECT_EQ(paper_shared_accesses(problem, LocalArray::matrix),
              points * (shapes + 1) * (2 * shapes + 1));
  }
}

// Table 5's benchmark figures.
TEST(IntegrationProblem, LimitingIntensitiesOfThePaper) {
  EXPECT_EQ(std::lround(limiting_intensity(1100, 144)), 61);
  EXPECT_EQ(std::lround(limiting_intensity(840, 171)), 39);
  EXPECT_EQ(std::floor(limiting_intensity(180, 67)), 21);
  EXPECT_EQ(std::lround(limiting_intensity(1170, 208)), 45);
}

TEST(IntegrationProblem, AsWeftHasThem) {
  for (const IntegrationProblem &problem : integration_problems()) {
    const Mesh mesh = integration_mesh(problem.cell, 48);
    const Discretisation d = integration_discretisation(problem, mesh);
    EXPECT_TRUE(d.form.linear);
    EXPECT_EQ(d.form.symmetric, problem.form == "poisson");
    // Constant in a cell: as many numbers each as Banas et al. read.
    int values = 0;
    for (const AuxiliaryField &field : d.auxiliary)
      values += static_cast<int>(field.values.size());
    EXPECT_EQ(values, paper_sizes(problem).coefficients * mesh.num_cells());
  }
}

TEST(BenchIntegration, RowsOfTheTablesAndOfAssembly) {
  const auto device = open_device("opencl");
  const MachineFigures figures = known_figures(*device);
  const IntegrationOptions options = {.repeats = 1,
                                      .budget_s = 0,
                                      .size = 1e-4,
                                      .form = "poisson",
                                      .cell = "tetrahedron",
                                      .leaves = {2}};
  const auto rows = bench_integration_tables(*device, figures, options);
  ASSERT_EQ(rows.size(), paper_loop_orders.size());
  for (const IntegrationRow &row : rows) {
    SCOPED_TRACE(row.record.kernel);
    EXPECT_EQ(row.num_timed, 1); // the first candidate, whatever the budget
    EXPECT_GT(row.num_candidates, 100);
    EXPECT_LT(row.difference, 1e-11);
    EXPECT_GT(*row.record.seconds, 0);
    EXPECT_GT(*row.record.predicted_s, 0);
    EXPECT_GT(row.own_operations(), 0);
    EXPECT_GT(row.paper_fraction, 0);
    EXPECT_GT(row.own_fraction, 0);
    EXPECT_GT(*row.record.fraction, 0);
    EXPECT_LE(*row.record.fraction, std::min(row.paper_fraction, row.own_fraction) * (1 + 1e-12));
    // At least what is written: matrix and vector.
    EXPECT_GE(row.own_accesses(), 4 * (4 + 1));
    for (const double accesses : row.own_shared_accesses)
      EXPECT_EQ(accesses > 0, row.loop_order == LoopOrder::qss);
    EXPECT_NE(row.record.variant.find("order=" + to_string(row.loop_order)), std::string::npos);
  }

  int fastest = 0;
  for (const AssemblyRow &row : bench_assembly(*device, figures, options)) {
    SCOPED_TRACE(row.record.kernel + " " + row.record.variant);
    EXPECT_GT(*row.record.seconds, 0);
    EXPECT_GT(*row.record.fraction, 0);
    EXPECT_GT(row.pattern_s, 0);
    EXPECT_GE(row.entries, row.rows);
    fastest += row.fastest ? 1 : 0;
  }
  EXPECT_EQ(fastest, 2); // of order 1 and of order 2

  IntegrationOptions one = options;
  one.order = "sqs";
  const auto of_one_order = bench_integration_tables(*device, figures, one);
  ASSERT_EQ(of_one_order.size(), 1);
  EXPECT_EQ(of_one_order.front().loop_order, LoopOrder::sqs);
}

TEST(BenchIntegration, TheSearchVariesChoices) {
  const auto device = open_device("opencl");
  const IntegrationProblem &problem = integration_problems().front();
  const Mesh mesh = integration_mesh(problem.cell, 48);
  const Discretisation d = integration_discretisation(problem, mesh);
  const FormIntegrals integrals(d);
  const MatrixSearchOutcome outcome =
      search_matrix_kernel(*device, integrals, d, {.form_name = "poisson", .budget_s = 1});
  EXPECT_GE(outcome.num_timed, 1);
  EXPECT_LE(outcome.num_timed + outcome.num_unsupported, outcome.num_candidates);
  EXPECT_TRUE(outcome.wrong.empty());
  outcome.run->compute();
  EXPECT_LT(difference_from_reference(*outcome.run, d), 1e-11);
}

} // namespace
} // namespace weft
