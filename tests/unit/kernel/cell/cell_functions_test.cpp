// The functions of a cell, printed and only counted.
#include "kernel/cell/cell_functions.h"

#include <gtest/gtest.h>

#include "form/graph/graph.h"

namespace weft {
namespace {

// f0 = u, f1 = u grad u.
CellIntegral integral_of(CellType cell, int order, IntegralKind kind, Summation sums) {
  CellIntegral in;
  in.kind = kind;
  in.dim = dimension(cell);
  in.cell = cell;
  in.sums = sums;
  in.families = {{make_element(cell, 1)}, {make_element(cell, order)}};
  in.inputs = {{NodalInput::Kind::coordinates, 0, in.dim, 0}, {NodalInput::Kind::field, 0, 1, 1}};
  in.tests = {{1, 1}};
  in.quadrature = make_quadrature(cell, 2 * order);
  Graph graph;
  const NodeId u = graph.symbol({.kind = SymbolKind::field});
  std::vector<NodeId> outputs = {u};
  for (int d = 0; d < in.dim; ++d)
    outputs.push_back(
        graph.mul(u, graph.symbol({.kind = SymbolKind::field_gradient, .direction = d})));
  if (kind == IntegralKind::diagonal)
    outputs.resize((1 + in.dim) * (1 + in.dim), u);
  in.function = extract(graph, outputs);
  return in;
}

void expect_counted_as_printed(const CellIntegral &in, bool with_rows, const std::string &what) {
  const CellFunctions printed = print_cell_functions(in, with_rows);
  const CellFunctions counted = count_cell_functions(in, with_rows);
  EXPECT_FALSE(printed.tables.empty()) << what;
  EXPECT_TRUE(counted.tables.empty()) << what;
  EXPECT_EQ(counted.functions, printed.functions) << what;
  EXPECT_EQ(counted.line_sums, printed.line_sums) << what;
  EXPECT_EQ(counted.num_values, printed.num_values) << what;
  EXPECT_EQ(counted.row_reads, printed.row_reads) << what;
  for (const auto part : {&CellFunctions::prepare, &CellFunctions::point, &CellFunctions::test,
                          &CellFunctions::finish, &CellFunctions::rows, &CellFunctions::lines})
    EXPECT_EQ((counted.*part).flops(), (printed.*part).flops()) << what;
}

TEST(CellFunctions, AreCountedAsTheyArePrinted) {
  for (const CellType cell : {CellType::triangle, CellType::quadrilateral, CellType::hexahedron})
    for (const IntegralKind kind : {IntegralKind::residual, IntegralKind::diagonal})
      for (const bool with_rows : {false, true})
        expect_counted_as_printed(integral_of(cell, 2, kind, Summation::points), with_rows,
                                  to_string(cell) + " " + to_string(kind));
  for (const CellType cell : {CellType::quadrilateral, CellType::hexahedron})
    expect_counted_as_printed(integral_of(cell, 4, IntegralKind::residual, Summation::lines), false,
                              to_string(cell) + " by lines");
}

} // namespace
} // namespace weft
