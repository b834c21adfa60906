#include "form/expression/elaborate.h"

#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "base/error.h"
#include "form/expression/definition_nesting.h"
#include "form/expression/functions.h"
#include "form/expression/shape.h"

namespace weft {

namespace {

// Bounds that no sensible case comes near, so that any text is done with in time and memory.
constexpr std::size_t max_components = 256;
constexpr std::size_t max_graph_nodes = 200'000;

} // namespace

Elaborator::Elaborator(const FormSpec &spec) : spec_(spec), names_(spec) {}

Tensor Elaborator::evaluate(const SourceText &text, const Scope &scope) {
  scope_ = scope;
  source_ = &text;
  side_ = scope.side;
  in_parameter_ = false;
  depth_ = 0;
  known_.clear();
  const SyntaxNode tree = parse(text);
  Tensor value = value_of(tree);
  if (value.truth)
    fail(tree, "a truth value where a number is needed", "", "choose with where(condition, a, b)");
  return value;
}

Tensor Elaborator::evaluate(const SourceText &text, const Scope &scope, const Shape &expected) {
  Tensor value = evaluate(text, scope);
  if (value.shape == expected)
    return value;
  if (value.is_scalar() && graph_.is_constant(value(0), 0)) {
    std::size_t n = 1;
    for (const int extent : expected)
      n *= extent;
    return {.shape = expected, .components = std::vector(n, value(0))};
  }
  fail_at(text, {0, static_cast<int>(text.text.size())},
          fmt::format("a {} where a {} is needed", describe(value), to_string(expected)));
}

Tensor Elaborator::gradient(const SourceText &text, const Tensor &value) {
  source_ = &text;
  SyntaxNode whole{SyntaxKind::name, text.text};
  whole.span = {0, static_cast<int>(text.text.size())};
  return gradient_at(whole, value);
}

void Elaborator::fail(const SyntaxNode &node, std::string what, std::string allowed,
                      std::string remedy) const {
  fail_at(*source_, node.span, std::move(what), std::move(allowed), std::move(remedy));
}

Tensor Elaborator::value_of(const SyntaxNode &node) {
  if (++depth_ > max_nested_levels)
    fail(node, "definitions and parameters nest too deeply", "", "use fewer levels of definitions");
  Tensor value;
  try {
    value = value_by_kind(node);
  } catch (const ShapeProblem &problem) {
    fail(node, problem.what, "", problem.remedy);
  }
  --depth_;
  if (value.components.size() > max_components)
    fail(node, fmt::format("a value with {} components", value.components.size()),
         fmt::format("{} components", max_components));
  if (graph_.nodes().size() > max_graph_nodes)
    fail(node, "the expressions are too large",
         fmt::format("{} operations in all", max_graph_nodes));
  if (scope_.test)
    check_test_degree(node, value);
  return value;
}

Tensor Elaborator::value_by_kind(const SyntaxNode &node) {
  switch (node.kind) {
  case SyntaxKind::number:
    return make_scalar(graph_.constant(node.value));
  case SyntaxKind::name:
    return named(node);
  case SyntaxKind::call:
    return call(node);
  case SyntaxKind::unary:
    return unary(node);
  case SyntaxKind::binary:
    return binary(node);
  case SyntaxKind::index:
    return component(node);
  case SyntaxKind::list:
    break;
  }
  std::vector<Tensor> entries;
  for (const SyntaxNode &child : node.children)
    entries.push_back(value_of(child));
  return tensor::stack(entries);
}

bool Elaborator::on_edges_or_points() const {
  return scope_.place.domain == Domain::edges || scope_.place.domain == Domain::points;
}

Tensor Elaborator::builtin(const SyntaxNode &node) {
  const std::string &name = node.text;
  const auto vector_of = [&](SymbolKind kind) {
    Tensor result{.shape = {spec_.dim}};
    for (int i = 0; i < spec_.dim; ++i)
      result.components.push_back(graph_.symbol({.kind = kind, .component = i}));
    return result;
  };
  if (name == "pi")
    return make_scalar(graph_.constant(std::numbers::pi));
  if (name == "t")
    return make_scalar(graph_.symbol({.kind = SymbolKind::time}));
  if (name == "identity")
    return make_identity(graph_, spec_.dim);
  if (name == "X")
    return vector_of(SymbolKind::coordinate);
  if (name == "cell_size" && on_edges_or_points())
    fail(node, "cell_size on an edge or at a point, where cells of several sizes meet", "",
         "write a number or a parameter");
  if (name == "cell_size")
    return make_scalar(graph_.symbol({.kind = SymbolKind::cell_size, .side = side_at(node)}));
  if (name == "n") {
    if (scope_.place.domain == Domain::cells || on_edges_or_points())
      fail(node, "the normal n exists on facets only", "", "use it in facets.* or interior.*");
    if (in_parameter_)
      fail(node, "a parameter may not use the normal n", "parameters, place and time",
           "write it in [definitions]");
    return vector_of(SymbolKind::normal);
  }
  const int axis = name[0] - 'x';
  if (axis == 2 && spec_.in_plane)
    return make_scalar(graph_.constant(0));
  if (axis >= spec_.dim)
    fail(node, fmt::format("`{}` in a problem of dimension {}", name, spec_.dim),
         spec_.dim == 2 ? "x, y" : "x");
  return make_scalar(graph_.symbol({.kind = SymbolKind::coordinate, .component = axis}));
}

Tensor Elaborator::unary(const SyntaxNode &node) {
  const Tensor a = value_of(node.children[0]);
  if (node.text == "not") {
    if (!a.truth)
      throw ShapeProblem{fmt::format("not of a {}", describe(a)), "not takes a comparison"};
    return {.components = {graph_.make(Op::logical_not, a(0))}, .truth = true};
  }
  return tensor::scale(graph_, node.text == "-" ? -1 : 1, a);
}

Tensor Elaborator::comparison(const std::string &op, const Tensor &a, const Tensor &b) {
  if (!a.is_scalar() || !b.is_scalar())
    throw ShapeProblem{fmt::format("comparison of a {} with a {}", describe(a), describe(b)),
                       "compare scalars, such as norm() or a component"};
  const auto truth = [](NodeId node) { return Tensor{.components = {node}, .truth = true}; };
  if (op == "<")
    return truth(graph_.make(Op::less, a(0), b(0)));
  if (op == ">")
    return truth(graph_.make(Op::less, b(0), a(0)));
  if (op == "<=")
    return truth(graph_.make(Op::less_equal, a(0), b(0)));
  if (op == ">=")
    return truth(graph_.make(Op::less_equal, b(0), a(0)));
  const NodeId equal = graph_.make(Op::equal, a(0), b(0));
  return truth(op == "==" ? equal : graph_.make(Op::logical_not, equal));
}

Tensor Elaborator::binary(const SyntaxNode &node) {
  const Tensor a = value_of(node.children[0]), b = value_of(node.children[1]);
  const std::string &op = node.text;
  if (op == "+")
    return tensor::add(graph_, a, b);
  if (op == "-")
    return tensor::sub(graph_, a, b);
  if (op == "*")
    return tensor::mul(graph_, a, b);
  if (op == "/")
    return tensor::div(graph_, a, b);
  if (op == "^") {
    if (!a.is_scalar() || !b.is_scalar())
      throw ShapeProblem{fmt::format("power of a {} to a {}", describe(a), describe(b)),
                         "powers are of scalars; dot(a, a) is the square of a matrix"};
    return make_scalar(graph_.make(Op::pow, a(0), b(0)));
  }
  if (op == "and" || op == "or") {
    if (!a.truth || !b.truth)
      throw ShapeProblem{fmt::format("`{}` of a {} and a {}", op, describe(a), describe(b)),
                         "and, or join comparisons"};
    const Op logical = op == "and" ? Op::logical_and : Op::logical_or;
    return {.components = {graph_.make(logical, a(0), b(0))}, .truth = true};
  }
  return comparison(op, a, b);
}

int Elaborator::index_value(const SyntaxNode &node, int size) {
  const Tensor value = value_of(node);
  const std::string allowed = fmt::format("0 to {}", size - 1);
  if (!value.is_scalar() || graph_[value(0)].op != Op::constant)
    fail(node, "an index that is not a constant whole number", allowed);
  const double number = graph_[value(0)].value;
  if (number != std::floor(number) || number < 0 || number >= size)
    fail(node, "an index out of range", allowed);
  return static_cast<int>(number);
}

// a[i] of a vector, a[i, j] of a matrix; a[i] of a matrix is a row.
Tensor Elaborator::component(const SyntaxNode &node) {
  const Tensor a = value_of(node.children[0]);
  const auto num_indices = node.children.size() - 1;
  if (a.truth || a.shape.empty() || num_indices > a.shape.size())
    fail(node,
         fmt::format("{} {} of a {}", num_indices, num_indices == 1 ? "index" : "indices",
                     describe(a)),
         fmt::format("{} at most", a.shape.size()));
  const int i = index_value(node.children[1], a.rows());
  if (a.is_vector())
    return make_scalar(a(i));
  if (num_indices == 2)
    return make_scalar(a(i, index_value(node.children[2], a.columns())));
  Tensor row{.shape = {a.columns()}};
  for (int j = 0; j < a.columns(); ++j)
    row.components.push_back(a(i, j));
  return row;
}

Tensor Elaborator::call(const SyntaxNode &node) {
  const Named known = names_.find(node.text);
  if (known.kind == NameKind::unknown)
    names_.fail_unknown(*source_, node);
  if (known.kind != NameKind::function)
    fail(node, fmt::format("`{}` is not a function", node.text), "", "write the product with *");
  const Function *function = find_function(node.text);
  if (!function)
    return call_operator(node);
  const int given = static_cast<int>(node.children.size());
  if (given < function->min_arguments || given > function->max_arguments)
    fail(node, fmt::format("{}() with {} argument{}", node.text, given, given == 1 ? "" : "s"),
         function->min_arguments == function->max_arguments
             ? fmt::format("{}", function->min_arguments)
             : fmt::format("{} or more", function->min_arguments));
  std::vector<Tensor> arguments;
  for (const SyntaxNode &child : node.children)
    arguments.push_back(value_of(child));
  return function->apply(graph_, arguments);
}

// Looks after every sub-expression, so that the error names the smallest one.
void Elaborator::check_test_degree(const SyntaxNode &node, const Tensor &value) {
  for (const NodeId id : value.components) {
    const TestDegree degree = linearity_.degree(graph_, id);
    if (degree == TestDegree::nonlinear || (value.truth && degree > TestDegree::without))
      fail(node, "the weak form is not linear in test()",
           "each term has one test() as a factor, and none in a divisor, a condition or a "
           "non-linear function");
    if (degree == TestDegree::mixed)
      fail(node, "a sum of terms with and without test()", "each term has one test() as a factor",
           "multiply the other terms by test() too");
  }
}

} // namespace weft
