// Operators of forms on the device WEFT_TEST_DEVICE against the reference loops: their kernels in
// every kind, their matrix.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "op/assembly/assembled_operator.h"
#include "op/reference/matrix.h"
#include "support/kernel_case.h"
#include "support/test_device.h"

namespace weft {

// With shorter texts, and lanes without a cell.
inline OperatorSettings device_settings(std::optional<Strategy> strategy = {},
                                        Precision precision = Precision::f64) {
  OperatorSettings settings;
  settings.strategy = strategy;
  settings.precision = precision;
  settings.lanes = test_device().info().is_cpu ? 4 : 1;
  return settings;
}

inline void expect_kinds(const Discretisation &d, const OperatorSettings &settings) {
  for (const IntegralKind kind :
       {IntegralKind::residual, IntegralKind::linearised, IntegralKind::diagonal}) {
    SCOPED_TRACE(to_string(kind));
    expect_reference(test_device(), d, settings, kind);
  }
}

// `most`: difference that rounding may leave, relative to the largest entry.
inline void expect_matrix(const Discretisation &d, const AssemblySettings &settings,
                          double most = 1e-12) {
  AssembledOperator op(test_device(), d, device_settings(), settings);
  const std::vector<double> u = wavy(d.num_owned, 0.3);
  for (const IntegralKind kind : {IntegralKind::linearised, IntegralKind::diagonal})
    EXPECT_LT(difference(result_of(test_device(), op, kind), reference_of(d, kind)), most);
  op.assemble(); // a second time: nothing is left of the first
  const HostMatrix found = op.matrix()->host(), expected = reference::matrix(d, u);
  ASSERT_EQ(found.row_start, expected.row_start);
  ASSERT_EQ(found.columns, expected.columns);
  EXPECT_LT(difference(found.values, expected.values), most);
}

} // namespace weft
