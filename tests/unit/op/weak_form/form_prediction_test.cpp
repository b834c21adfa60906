// Costs that are predicted without making anything, against those of operators made in full.
#include "op/weak_form/form_prediction.h"

#include <gtest/gtest.h>

#include "op/weak_form/form_operator.h"
#include "support/build_only_device.h"
#include "support/discrete_problem.h"

namespace weft {
namespace {

DeviceInfo cpu() {
  DeviceInfo info;
  info.backend = "opencl";
  info.name = "a processor";
  info.is_cpu = true;
  info.compute_units = 2;
  info.native_lanes_f64 = 4;
  info.local_memory_bytes = 1 << 20;
  info.max_work_group = 4096;
  return info;
}

DeviceInfo gpu() {
  DeviceInfo info = cpu();
  info.is_cpu = false;
  info.native_lanes_f64 = 1;
  info.local_memory_bytes = 48 << 10;
  info.max_work_group = 1024;
  return info;
}

std::string nonlinear(const std::string &cell) {
  return "[mesh]\nbox = { cells = " + std::string(is_flat(cell) ? "[31, 19]" : "[9, 8, 7]") +
         ", cell = \"" + cell +
         "\", distort = 0.1 }\n[parameters]\nk = 3\n[fields]\nu = { element = \"P1\" }\n"
         "[weak_form]\ncells.all = \"(k + u^2)*inner(grad(u), grad(test(u))) - x*test(u)\"\n"
         "facets.x0 = \"k*u*test(u)\"\n[dirichlet]\nx1.u = 1\n";
}

std::string two_fields(const std::string &cell) {
  return "[mesh]\nbox = { cells = " + std::string(is_flat(cell) ? "[31, 19]" : "[9, 8, 7]") +
         ", cell = \"" + cell +
         "\", distort = 0.1 }\n[fields]\nv = { element = \"P2\", shape = \"vector\" }\n"
         "p = { element = \"P1\" }\n[weak_form]\ncells.all = \"inner(grad(v), grad(test(v))) - "
         "p*div(test(v)) + div(v)*test(p)\"\n";
}

void expect_near(const KernelCost &found, const KernelCost &expected) {
  EXPECT_DOUBLE_EQ(found.operations.flops(), expected.operations.flops());
  EXPECT_DOUBLE_EQ(found.bytes_read, expected.bytes_read);
  EXPECT_DOUBLE_EQ(found.bytes_written, expected.bytes_written);
  EXPECT_DOUBLE_EQ(found.bytes_streamed, expected.bytes_streamed);
  EXPECT_DOUBLE_EQ(found.local_bytes, expected.local_bytes);
  EXPECT_DOUBLE_EQ(found.stage_reads4, expected.stage_reads4);
  EXPECT_DOUBLE_EQ(found.stage_reads1, expected.stage_reads1);
  EXPECT_DOUBLE_EQ(found.stage_adds4, expected.stage_adds4);
  EXPECT_DOUBLE_EQ(found.stage_adds2, expected.stage_adds2);
  EXPECT_DOUBLE_EQ(found.stage_adds1, expected.stage_adds1);
  EXPECT_DOUBLE_EQ(found.memory_reads1, expected.memory_reads1);
  EXPECT_EQ(found.unrolled_points, expected.unrolled_points);
  EXPECT_DOUBLE_EQ(found.memory_alone1, expected.memory_alone1);
  EXPECT_LE(found.memory_alone1, found.memory_reads1);
  EXPECT_DOUBLE_EQ(found.stage_bytes, expected.stage_bytes);
  EXPECT_DOUBLE_EQ(found.work_groups, expected.work_groups);
  EXPECT_DOUBLE_EQ(found.work_items, expected.work_items);
  EXPECT_DOUBLE_EQ(found.launches, expected.launches);
}

// Every launch of an operator with these settings.
void expect_costs_of_operator(const Discretisation &d, const DeviceInfo &info,
                              const OperatorSettings &settings) {
  BuildOnlyDevice device(info);
  FormOperator op(device, d, settings);
  const FormIntegrals integrals(d);
  for (const IntegralKind kind : {IntegralKind::residual, IntegralKind::linearised}) {
    SCOPED_TRACE(to_string(kind));
    FormPrediction prediction(integrals, info, kind);
    const std::vector<NamedCost> found = prediction.costs(op.settings());
    const std::vector<NamedCost> expected = op.costs(kind);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      SCOPED_TRACE(expected[i].name);
      expect_near(found[i].cost, expected[i].cost);
    }
  }
}

std::vector<OperatorSettings> all_settings() {
  std::vector<OperatorSettings> all;
  for (const Strategy strategy : {Strategy::transposed, Strategy::cell, Strategy::block})
    for (const GeometrySource geometry : {GeometrySource::on_the_fly, GeometrySource::stored})
      for (const int lanes : {1, 8}) {
        OperatorSettings settings;
        settings.precision = lanes == 1 ? Precision::f32 : Precision::f64;
        settings.strategy = strategy;
        settings.geometry = geometry;
        settings.lanes = lanes;
        all.push_back(settings);
      }
  return all;
}

TEST(FormPrediction, IsTheCostOfTheOperatorOnCpus) {
  for (const std::string cell : {"triangle", "tetrahedron", "prism"}) {
    SCOPED_TRACE(cell);
    const DiscreteProblem problem(nonlinear(cell));
    for (OperatorSettings settings : all_settings())
      for (const int leaves : {1, 4}) {
        SCOPED_TRACE(to_string(*settings.strategy) + " " + std::to_string(leaves));
        settings.leaves_per_block = leaves;
        settings.groups_per_item = 16 * leaves;
        expect_costs_of_operator(problem.d, cpu(), settings);
      }
  }
}

TEST(FormPrediction, IsTheCostOfTheOperatorOfSeveralFields) {
  const DiscreteProblem problem(two_fields("triangle"));
  for (const OperatorSettings &settings : all_settings())
    if (settings.strategy != Strategy::transposed)
      expect_costs_of_operator(problem.d, cpu(), settings);
}

TEST(FormPrediction, IsTheCostOfTheOperatorOfSumsByPlanes) {
  for (const std::string cell : {"quadrilateral", "hexahedron"})
    for (const std::string &text : {nonlinear(cell), two_fields(cell)}) {
      const DiscreteProblem problem(text);
      for (const GeometrySource geometry : {GeometrySource::on_the_fly, GeometrySource::stored})
        expect_costs_of_operator(problem.d, gpu(),
                                 {.geometry = geometry, .sums = Summation::planes});
    }
}

// Blocks by work-groups at once, in several passes, and with no room for a stage.
TEST(FormPrediction, IsTheCostOfTheOperatorOfBlocksByWorkGroups) {
  for (const std::string cell : {"tetrahedron", "quadrilateral"})
    for (const std::string &text : {nonlinear(cell), two_fields(cell)}) {
      const DiscreteProblem problem(text);
      for (const int lanes : {1, 4})
        for (const int leaves : {1, 4})
          for (const int bytes : {48 << 10, 12 << 10, 4 << 10}) {
            SCOPED_TRACE(cell + " " + std::to_string(lanes) + " " + std::to_string(leaves) + " " +
                         std::to_string(bytes));
            OperatorSettings settings;
            settings.strategy = Strategy::block;
            settings.block_groups = true;
            settings.lanes = lanes;
            settings.leaves_per_block = leaves;
            settings.local_memory_bytes = bytes;
            expect_costs_of_operator(problem.d, gpu(), settings);
          }
    }
}

} // namespace
} // namespace weft
