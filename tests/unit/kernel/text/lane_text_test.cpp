// Operations counted beside the text, by hand.
#include "kernel/text/lane_text.h"

#include <gtest/gtest.h>

#include "form/graph/pointwise.h"
#include "kernel/text/pointwise_text.h"

namespace weft {
namespace {

Coefficient number(double value) {
  return {.value = value};
}
Coefficient table(const std::string &entry) {
  return {.literal = false, .table = entry};
}

TEST(LaneText, DropsNamesThatNothingReads) {
  LaneText text(Precision::f64);
  text.open("WEFT_FUNCTION void f() {");
  text.line("const i32 point = q;");
  text.line("const lane a = cell->in[0];");
  text.line("const lane b = a + a;"); // so that nothing reads a either
  text.line("const lane stored = lane_load(p);");
  text.close();
  text.open("WEFT_FUNCTION void g() {");
  text.line("const i32 point = q;");
  text.line("r[0] = table[point];");
  text.close();
  text.drop_unread_names();
  EXPECT_EQ(text.text(), "WEFT_FUNCTION void f() {\n  const lane stored = lane_load(p);\n}\n"
                         "WEFT_FUNCTION void g() {\n  const i32 point = q;\n"
                         "  r[0] = table[point];\n}\n");
}

TEST(LaneText, CountsWhatASumTakes) {
  LaneText text(Precision::f64);
  // a - b + 2 c + phi d: one subtraction, two multiply-adds; the term with 0 is left out.
  text.sum("const lane ", "s",
           {{number(1), "a"},
            {number(-1), "b"},
            {number(2), "c"},
            {table("phi[q]"), "d"},
            {number(0), "e"}},
           false);
  EXPECT_EQ(text.text(), "const lane s = lane_fma(lane_splat(phi[q]), d, "
                         "lane_fma(lane_splat(2.0), c, a - b));\n");
  EXPECT_EQ(text.operations().additions, 1);
  EXPECT_EQ(text.operations().multiply_adds, 2);
  EXPECT_EQ(text.operations().multiplications, 0);
  // 3 a: one product; added to what is there: one multiply-add.
  text.sum("const lane ", "t", {{number(3), "a"}}, false);
  text.sum("", "t", {{number(3), "a"}}, true);
  EXPECT_EQ(text.operations().multiplications, 1);
  EXPECT_EQ(text.operations().multiply_adds, 3);
  EXPECT_EQ(text.operations().flops(), 1 + 1 + 2 * 3);
}

// pow(|u|, 3.3) / sqrt(u) + exp(min(u, -u)), where u < 0, else u
TEST(PointwiseText, CountsOperationsByKind) {
  Graph graph;
  const NodeId u = graph.symbol({.kind = SymbolKind::field});
  const NodeId power = graph.make(Op::pow, graph.make(Op::abs, u, -1, -1), graph.constant(3.3), -1);
  const NodeId quotient = graph.make(Op::div, power, graph.make(Op::sqrt, u, -1, -1), -1);
  const NodeId least = graph.make(Op::min, u, graph.make(Op::neg, u, -1, -1), -1);
  const NodeId sum = graph.make(Op::add, quotient, graph.make(Op::exp, least, -1, -1), -1);
  const NodeId chosen =
      graph.make(Op::where, graph.make(Op::less, u, graph.constant(0), -1), sum, u);
  LaneText text(Precision::f64);
  const std::vector<NodeId> outputs = {chosen};
  print_pointwise(
      text, extract(graph, outputs), [](const Symbol &) { return "u"; }, "t");
  const Operations &operations = text.operations();
  EXPECT_EQ(operations.additions, 1);
  EXPECT_EQ(operations.multiplications, 0);
  EXPECT_EQ(operations.divisions, 1);
  EXPECT_EQ(operations.roots, 1);
  EXPECT_EQ(operations.simple, 2);
  EXPECT_EQ(operations.functions, (std::map<std::string, double>{{"exp", 1}, {"pow", 1}}));
}

// A product that one sum alone uses becomes its multiply-add; one with a second use stays.
TEST(PointwiseText, ContractsProductsThatOneSumUses) {
  Graph graph;
  const auto field = [&](int k) {
    return graph.symbol({.kind = SymbolKind::field, .component = k});
  };
  const NodeId shared = graph.mul(field(0), field(2));
  const std::vector<NodeId> outputs = {
      graph.add(field(2), graph.mul(field(0), field(1))),
      graph.sub(field(2), graph.mul(field(1), field(1))),
      graph.sub(graph.mul(field(1), field(2)), field(0)),
      graph.add(shared, field(1)),
      graph.sub(shared, field(0)),
  };
  LaneText text(Precision::f64);
  print_pointwise(
      text, extract(graph, outputs),
      [](const Symbol &s) { return std::string(1, static_cast<char>('a' + s.component)); }, "t");
  for (const char *line : {"lane_fma(a, b, c)", "lane_fma(-b, b, c)", "lane_fma(c, b, -a)"})
    EXPECT_NE(text.text().find(line), std::string::npos) << line << " in\n" << text.text();
  EXPECT_EQ(text.operations().multiply_adds, 3);
  EXPECT_EQ(text.operations().multiplications, 1);
  EXPECT_EQ(text.operations().additions, 2);
}

} // namespace
} // namespace weft
