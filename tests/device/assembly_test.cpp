// Assembled operators against the same operators without a matrix and against plain loops.
#include <gtest/gtest.h>

#include "base/error.h"
#include "device/profiling_device.h"
#include "op/assembly/assembled_operator.h"
#include "op/reference/matrix.h"
#include "support/kernel_case.h"
#include "support/mixed_mesh.h"
#include "support/test_device.h"

namespace weft {
namespace {

class Assembly : public testing::Test {
public:
  Vector uploaded(const std::vector<double> &values, Precision precision) {
    Vector v = make_vector(*device, static_cast<std::int64_t>(values.size()), precision, "test");
    set_vector(*device, v, values);
    return v;
  }
  std::vector<double> applied(FormOperator &op) {
    const Vector u = uploaded(wavy(op.size(), 0.3), op.precision());
    const Vector x = uploaded(wavy(op.size(), 1.1), op.precision());
    Vector y = make_vector(*device, op.size(), op.precision(), "y");
    op.linearise(u);
    op.apply(x, y);
    return get_vector(*device, y);
  }
  std::vector<double> diagonal_of(FormOperator &op) {
    Vector y = make_vector(*device, op.size(), op.precision(), "y");
    op.diagonal(y);
    return get_vector(*device, y);
  }

  void expect_agreement(const Discretisation &d, const AssemblySettings &settings,
                        Precision precision = Precision::f64) {
    OperatorSettings plain;
    plain.precision = precision;
    plain.lanes = device->info().is_cpu ? 4 : 1; // shorter texts, and lanes without a cell
    AssembledOperator assembled(*device, d, plain, settings);
    const double tolerance = precision == Precision::f64 ? 1e-12 : 2e-4;
    const std::vector<double> u = wavy(d.num_owned, 0.3), product = applied(assembled);
    EXPECT_LT(difference(product, reference::apply(d, u, wavy(d.num_owned, 1.1))), tolerance);
    EXPECT_LT(difference(diagonal_of(assembled), reference::diagonal(d, u)), tolerance);
    const HostMatrix found = assembled.matrix()->host(), expected = reference::matrix(d, u);
    ASSERT_EQ(found.row_start, expected.row_start);
    ASSERT_EQ(found.columns, expected.columns);
    EXPECT_LT(difference(found.values, expected.values), tolerance);
  }

  std::unique_ptr<Device> device = open_test_device();
};

// Blocks of one leaf, so that there are several; element matrices in memory.
std::vector<AssemblySettings> ways() {
  return {{.blocks = true, .leaves_per_block = 1},
          {.format = MatrixFormat::csr, .blocks = false, .loop_order = LoopOrder::qss}};
}

std::string text(const std::string &cell, const std::string &form, int order) {
  return box_text(cell, 1, 0.2, "[7, 6, 5]") +
         form_text(form, "P" + std::to_string(order), is_flat(cell));
}

TEST_F(Assembly, OfScalarVectorAndSeveralFields) {
  const std::tuple<const char *, const char *, int> problems[] = {
      {"tetrahedron", "nonlinear", 1},
      {"prism", "nonlinear", 1},
      {"pyramid", "mass", 1},
      {"quadrilateral", "elasticity", 1},
      {"triangle", "two_fields", 2}};
  for (const auto &[cell, form, order] : problems) {
    const DiscreteProblem problem(text(cell, form, order), {}, 2);
    for (const AssemblySettings &settings : ways()) {
      // By memory on one cell of each dimension; every one with WEFT_TEST_ALL.
      const bool first = cell == std::string("tetrahedron") || cell == std::string("triangle");
      if (!*settings.blocks && !first && !std::getenv("WEFT_TEST_ALL"))
        continue;
      SCOPED_TRACE(std::string(cell) + " " + form + (*settings.blocks ? " blocks" : " memory"));
      expect_agreement(problem.d, settings);
    }
  }
}

TEST_F(Assembly, IsTheOperatorWithoutAMatrix) {
  const DiscreteProblem problem(text("tetrahedron", "nonlinear", 1), {}, 2);
  OperatorSettings settings;
  settings.lanes = device->info().is_cpu ? 4 : 1;
  AssembledOperator assembled(*device, problem.d, settings, ways()[0]);
  FormOperator matrix_free(*device, problem.d, settings);
  EXPECT_LT(difference(applied(assembled), applied(matrix_free)), 1e-12);
}

TEST_F(Assembly, InSinglePrecision) {
  const DiscreteProblem problem(text("triangle", "mass", 1));
  expect_agreement(problem.d, ways()[0], Precision::f32);
}

TEST_F(Assembly, OfTwoCellTypes) {
  const CaseFolder folder;
  const std::string file = folder.write("mixed.msh", mixed_mesh_text(21));
  const DiscreteProblem problem(
      "[mesh]\nfile = \"" + file + "\"\n" + form_text("nonlinear", "P1", true), {}, 2);
  ASSERT_EQ(problem.mesh.sets.size(), 2u);
  for (const AssemblySettings &settings : ways())
    expect_agreement(problem.d, settings);
}

TEST_F(Assembly, OfCellsThatMeetThemselves) {
  const DiscreteProblem problem(
      "[mesh]\nbox = { cells = [1, 2, 40], cell = \"tetrahedron\", periodic = "
      "[\"x\", \"y\"] }\n[fields]\nu = { element = \"P1\" }\n[weak_form]\n"
      "cells.all = \"inner(grad(u), grad(test(u))) + u*test(u)\"\n");
  for (const AssemblySettings &settings : ways())
    expect_agreement(problem.d, settings);
}

TEST_F(Assembly, OfIntegralsOverFacetsAlone) {
  const DiscreteProblem problem(box_text("prism") +
                                "[fields]\nu = { element = \"P1\" }\n[weak_form]\n"
                                "facets.boundary = \"u*test(u)\"\n");
  for (const AssemblySettings &settings : ways())
    expect_agreement(problem.d, settings);
}

// The matrix of (1 + u^2) dt(u) with coefficients that depend on t follows the shift and the time.
TEST_F(Assembly, OfTimeDerivatives) {
  const DiscreteProblem problem(box_text("triangle") + form_text("transient", "P1", true), {}, 2);
  OperatorSettings settings;
  settings.lanes = device->info().is_cpu ? 4 : 1;
  AssembledOperator assembled(*device, problem.d, settings, ways()[0]);
  FormOperator matrix_free(*device, problem.d, settings);
  const Vector offset = uploaded(wavy(problem.d.num_owned, 2.6), Precision::f64);
  std::vector<double> last;
  for (const auto &[time, shift] : {std::pair{0.4, 1.7}, {0.4, 17.0}, {0.9, 17.0}}) {
    for (FormOperator *op : {static_cast<FormOperator *>(&assembled), &matrix_free}) {
      op->set_time(time);
      op->set_rate(offset, shift);
      op->set_second_rate(offset, shift / 2, 2 * shift);
    }
    const std::vector<double> product = applied(assembled);
    EXPECT_LT(difference(product, applied(matrix_free)), 1e-12);
    EXPECT_NE(product, last);
    last = product;
  }
}

// A linear form is assembled again where the shift or the time changes it, and only then.
TEST_F(Assembly, OfALinearFormOverTime) {
  const DiscreteProblem problem(box_text("triangle") +
                                "[time]\nend = 1\nstep = 1\n[fields]\nu = { element = \"P1\" }\n"
                                "[weak_form]\ncells.all = \"dt(u)*test(u) + inner(grad(u), "
                                "grad(test(u)))\"\n");
  OperatorSettings settings;
  settings.lanes = device->info().is_cpu ? 4 : 1;
  ProfilingDevice profiling(std::move(device));
  AssembledOperator op(profiling, problem.d, settings);
  const Vector u = make_vector(profiling, op.size(), op.precision(), "u");
  const auto launches_of = [&](double time, double shift) {
    op.set_time(time);
    op.set_rate(u, shift);
    profiling.set_profiling(true);
    op.linearise(u);
    profiling.set_profiling(false);
    return profiling.take_profile().size();
  };
  EXPECT_GT(launches_of(0, 2), 0u);
  EXPECT_EQ(launches_of(0.5, 2), 0u);
  EXPECT_GT(launches_of(0.5, 3), 0u);
}

// Without conditions: symmetric, and constants are in the null space.
TEST_F(Assembly, OfTheLaplacianHasRowsThatSumToZero) {
  const DiscreteProblem problem(box_text("tetrahedron", 1, 0.2, "[7, 6, 5]") +
                                "[fields]\nu = { element = \"P1\" }\n[weak_form]\ncells.all = "
                                "\"inner(grad(u), grad(test(u)))\"\n");
  AssembledOperator op(*device, problem.d, {}, ways()[0]);
  op.linearise(uploaded(wavy(op.size(), 0.3), op.precision()));
  const HostMatrix a = op.matrix()->host();
  const CsrPattern &pattern = op.matrix()->pattern();
  double largest = 0;
  for (const double value : a.values)
    largest = std::max(largest, std::abs(value));
  for (std::int32_t row = 0; row < a.num_rows(); ++row) {
    double sum = 0;
    for (std::int32_t e = a.row_start[row]; e < a.row_start[row + 1]; ++e) {
      sum += a.values[e];
      EXPECT_NEAR(a.values[e], a.values[pattern.place(a.columns[e], row)], 1e-14 * largest);
    }
    EXPECT_NEAR(sum, 0, 1e-13 * largest);
  }
}

TEST_F(Assembly, MakesPrescribedRowsAndColumnsThoseOfTheIdentity) {
  const DiscreteProblem problem(text("tetrahedron", "nonlinear", 1), {}, 2);
  const std::vector<bool> constrained = constrained_flags(problem.d);
  AssembledOperator op(*device, problem.d, {}, ways()[0]);
  op.linearise(uploaded(wavy(op.size(), 0.3), op.precision()));
  const HostMatrix a = op.matrix()->host();
  int rows = 0;
  for (std::int32_t row = 0; row < a.num_rows(); ++row)
    for (std::int32_t e = a.row_start[row]; e < a.row_start[row + 1]; ++e)
      if (constrained[row] || constrained[a.columns[e]]) {
        EXPECT_EQ(a.values[e], row == a.columns[e] ? 1 : 0);
        rows += row == a.columns[e] ? 1 : 0;
      }
  EXPECT_EQ(rows, static_cast<int>(problem.d.constraints.dofs.size()));
}

TEST_F(Assembly, AgainAllocatesNothingAndGivesTheSameBits) {
  const DiscreteProblem problem(text("tetrahedron", "nonlinear", 1), {}, 2);
  for (const AssemblySettings &settings : ways()) {
    AssembledOperator op(*device, problem.d, {}, settings);
    const Vector u = uploaded(wavy(op.size(), 0.3), op.precision());
    const Vector other = uploaded(wavy(op.size(), 2.3), op.precision());
    op.linearise(u);
    const std::vector<double> first = op.matrix()->host().values;
    const std::uint64_t bytes = device->allocated_bytes(), peak = device->peak_allocated_bytes();
    op.linearise(other);
    EXPECT_NE(op.matrix()->host().values, first);
    op.linearise(u);
    EXPECT_EQ(op.matrix()->host().values, first);
    EXPECT_EQ(device->allocated_bytes(), bytes);
    EXPECT_EQ(device->peak_allocated_bytes(), peak);
  }
}

TEST_F(Assembly, OfALinearFormIsDoneOnce) {
  const DiscreteProblem problem(text("triangle", "elasticity", 1));
  ProfilingDevice profiling(std::move(device));
  AssembledOperator op(profiling, problem.d, {});
  const Vector u = make_vector(profiling, op.size(), op.precision(), "u");
  op.linearise(u);
  profiling.set_profiling(true);
  op.linearise(u);
  EXPECT_TRUE(profiling.take_profile().empty());
}

// A device with hardly any memory.
class SmallDevice : public ProfilingDevice {
public:
  explicit SmallDevice(std::unique_ptr<Device> device)
      : ProfilingDevice(std::move(device)), info_(ProfilingDevice::info()) {
    info_.memory_bytes = 100000;
  }
  const DeviceInfo &info() const override { return info_; }

private:
  DeviceInfo info_;
};

TEST_F(Assembly, SaysHowMuchMemoryItNeeds) {
  const DiscreteProblem problem(text("tetrahedron", "elasticity", 1));
  SmallDevice small(std::move(device));
  try {
    AssembledOperator op(small, problem.d, {});
    FAIL() << "fits in 100 kB";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::system);
    EXPECT_NE(error.diagnostic().found.find("GiB"), std::string::npos);
    EXPECT_NE(error.diagnostic().remedy.find("matrix_free"), std::string::npos);
  }
}

} // namespace
} // namespace weft
