#include "form/expression/tensor.h"

#include <fmt/format.h>

#include "form/expression/shape.h"
#include "form/graph/factored_sum.h"

namespace weft {

std::string describe(const Tensor &value) {
  return value.truth ? "truth value" : to_string(value.shape);
}

Tensor make_scalar(NodeId node) {
  return {.components = {node}};
}

Tensor make_identity(Graph &graph, int size) {
  Tensor result{.shape = {size, size}};
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      result.components.push_back(graph.constant(i == j ? 1 : 0));
  return result;
}

namespace tensor {

namespace {

[[noreturn]] void unfit(const char *operation, const Tensor &a, const Tensor &b,
                        std::string remedy = "") {
  throw ShapeProblem{fmt::format("{} of a {} and a {}", operation, describe(a), describe(b)),
                     std::move(remedy)};
}

void need_number(const char *operation, const Tensor &a) {
  if (a.truth)
    throw ShapeProblem{fmt::format("{} of a truth value", operation),
                       "choose numbers with where(condition, a, b)"};
}

void need_square(const char *operation, const Tensor &a) {
  if (!a.is_matrix() || a.rows() != a.columns())
    throw ShapeProblem{fmt::format("{} of a {}", operation, describe(a)),
                       fmt::format("{} needs a square matrix", operation)};
}

template <class F> Tensor componentwise(const Tensor &a, F f) {
  Tensor result{.shape = a.shape};
  for (std::size_t i = 0; i < a.components.size(); ++i)
    result.components.push_back(f(i));
  return result;
}

Tensor add_or_sub(Graph &g, Op op, const Tensor &a, const Tensor &b) {
  const char *name = op == Op::add ? "sum" : "difference";
  if (a.truth || b.truth || a.shape != b.shape)
    unfit(name, a, b, "both must have the same shape");
  return componentwise(a, [&](std::size_t i) { return g.make(op, a(i), b(i)); });
}

NodeId sum_of_products(Graph &g, int n, auto left, auto right) {
  NodeId sum = g.constant(0);
  for (int k = 0; k < n; ++k)
    sum = g.add(sum, g.mul(left(k), right(k)));
  return sum;
}

} // namespace

Tensor add(Graph &g, const Tensor &a, const Tensor &b) {
  return add_or_sub(g, Op::add, a, b);
}
Tensor sub(Graph &g, const Tensor &a, const Tensor &b) {
  return add_or_sub(g, Op::sub, a, b);
}

Tensor mul(Graph &g, const Tensor &a, const Tensor &b) {
  if (a.truth || b.truth)
    unfit("product", a, b, "choose numbers with where(condition, a, b)");
  if (a.is_scalar())
    return componentwise(b, [&](std::size_t i) { return g.mul(a(0), b(i)); });
  if (b.is_scalar())
    return componentwise(a, [&](std::size_t i) { return g.mul(a(i), b(0)); });
  unfit("product", a, b, "* multiplies by a scalar; use dot(), inner(), cross() or outer()");
}

Tensor div(Graph &g, const Tensor &a, const Tensor &b) {
  if (a.truth || !b.is_scalar())
    unfit("quotient", a, b, "only a scalar divides");
  return componentwise(a, [&](std::size_t i) { return g.div(a(i), b(0)); });
}

Tensor scale(Graph &g, double factor, const Tensor &a) {
  return mul(g, make_scalar(g.constant(factor)), a);
}

Tensor where(Graph &g, const Tensor &condition, const Tensor &a, const Tensor &b) {
  if (!condition.truth)
    throw ShapeProblem{fmt::format("the condition of where() is a {}", describe(condition)),
                       "compare two scalars: where(x < 1, a, b)"};
  if (a.truth || b.truth || a.shape != b.shape)
    unfit("choice", a, b, "both branches must have the same shape");
  return componentwise(a,
                       [&](std::size_t i) { return g.make(Op::where, condition(0), a(i), b(i)); });
}

Tensor dot(Graph &g, const Tensor &a, const Tensor &b) {
  if (a.shape.empty() || b.shape.empty() || a.shape.back() != b.shape.front())
    unfit("dot()", a, b, "dot() sums over the last index of the first and the first of the second");
  const int n = a.shape.back();
  const int rows = a.is_matrix() ? a.rows() : 1;
  const int columns = b.is_matrix() ? b.columns() : 1;
  Tensor result;
  if (a.is_matrix())
    result.shape.push_back(rows);
  if (b.is_matrix())
    result.shape.push_back(columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      std::vector<NodeId> row, column;
      for (int k = 0; k < n; ++k) {
        row.push_back(a(i * n + k));
        column.push_back(b(k * columns + j));
      }
      result.components.push_back(factored_sum(g, row, column));
    }
  return result;
}

Tensor inner(Graph &g, const Tensor &a, const Tensor &b) {
  if (a.truth || b.truth || a.shape != b.shape)
    unfit("inner()", a, b, "inner() needs two of the same shape");
  return make_scalar(sum_of_products(
      g, static_cast<int>(a.components.size()), [&](int k) { return a(k); },
      [&](int k) { return b(k); }));
}

Tensor cross(Graph &g, const Tensor &a, const Tensor &b) {
  if (!a.is_vector() || a.shape != b.shape || a.rows() < 2 || a.rows() > 3)
    unfit("cross()", a, b, "cross() needs two vectors of 3, or two of 2");
  const auto minor = [&](int i, int j) { return g.sub(g.mul(a(i), b(j)), g.mul(a(j), b(i))); };
  if (a.rows() == 2)
    return make_scalar(minor(0, 1));
  return {.shape = {3}, .components = {minor(1, 2), minor(2, 0), minor(0, 1)}};
}

Tensor outer(Graph &g, const Tensor &a, const Tensor &b) {
  if (!a.is_vector() || !b.is_vector())
    unfit("outer()", a, b, "outer() needs two vectors");
  Tensor result{.shape = {a.rows(), b.rows()}};
  for (int i = 0; i < a.rows(); ++i)
    for (int j = 0; j < b.rows(); ++j)
      result.components.push_back(g.mul(a(i), b(j)));
  return result;
}

Tensor transpose(Graph &, const Tensor &a) {
  if (!a.is_matrix())
    throw ShapeProblem{fmt::format("transpose() of a {}", describe(a)),
                       "transpose() needs a matrix"};
  Tensor result{.shape = {a.columns(), a.rows()}};
  for (int j = 0; j < a.columns(); ++j)
    for (int i = 0; i < a.rows(); ++i)
      result.components.push_back(a(i, j));
  return result;
}

Tensor sym(Graph &g, const Tensor &a) {
  need_square("sym()", a);
  return scale(g, 0.5, add(g, a, transpose(g, a)));
}

Tensor skew(Graph &g, const Tensor &a) {
  need_square("skew()", a);
  return scale(g, 0.5, sub(g, a, transpose(g, a)));
}

Tensor tr(Graph &g, const Tensor &a) {
  need_square("tr()", a);
  NodeId sum = g.constant(0);
  for (int i = 0; i < a.rows(); ++i)
    sum = g.add(sum, a(i, i));
  return make_scalar(sum);
}

namespace {

void need_small(const char *operation, const Tensor &a) {
  need_square(operation, a);
  if (a.rows() > 3)
    throw ShapeProblem{fmt::format("{} of a {}", operation, describe(a)),
                       fmt::format("{} is there up to 3 x 3", operation)};
}

// The cofactor of entry (i, j), of a matrix to 3 x 3.
NodeId cofactor(Graph &g, const Tensor &a, int i, int j) {
  const int n = a.rows();
  if (n == 1)
    return g.constant(1);
  if (n == 2) {
    const NodeId other = a(1 - i, 1 - j);
    return (i + j) % 2 == 0 ? other : g.neg(other);
  }
  const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
  return g.sub(g.mul(a(i1, j1), a(i2, j2)), g.mul(a(i1, j2), a(i2, j1)));
}

} // namespace

Tensor det(Graph &g, const Tensor &a) {
  need_small("det()", a);
  return make_scalar(sum_of_products(
      g, a.rows(), [&](int j) { return a(0, j); }, [&](int j) { return cofactor(g, a, 0, j); }));
}

Tensor inv(Graph &g, const Tensor &a) {
  need_small("inv()", a);
  const NodeId reciprocal = g.div(g.constant(1), det(g, a)(0));
  Tensor result{.shape = a.shape};
  for (int i = 0; i < a.rows(); ++i)
    for (int j = 0; j < a.rows(); ++j)
      result.components.push_back(g.mul(cofactor(g, a, j, i), reciprocal));
  return result;
}

Tensor dev(Graph &g, const Tensor &a) {
  need_square("dev()", a);
  const Tensor mean = scale(g, 1.0 / a.rows(), tr(g, a));
  return sub(g, a, mul(g, mean, make_identity(g, a.rows())));
}

Tensor norm(Graph &g, const Tensor &a) {
  need_number("norm()", a);
  return make_scalar(g.make(Op::sqrt, inner(g, a, a)(0)));
}

Tensor div_of_gradient(Graph &g, const Tensor &gradient) {
  const int dim = gradient.shape.back();
  if (gradient.shape.size() < 2 || gradient.shape[gradient.shape.size() - 2] != dim)
    throw ShapeProblem{
        fmt::format("div() of a {}",
                    to_string(Shape(gradient.shape.begin(), gradient.shape.end() - 1))),
        fmt::format("div() needs a vector of {0} or a matrix with {0} columns", dim)};
  const int rows = gradient.shape.size() == 3 ? gradient.shape[0] : 1;
  Tensor result;
  if (gradient.shape.size() == 3)
    result.shape = {rows};
  for (int i = 0; i < rows; ++i) {
    NodeId sum = g.constant(0);
    for (int d = 0; d < dim; ++d)
      sum = g.add(sum, gradient((i * dim + d) * dim + d));
    result.components.push_back(sum);
  }
  return result;
}

Tensor curl_of_gradient(Graph &g, const Tensor &gradient) {
  const int dim = gradient.shape.back();
  if (dim == 2 && gradient.is_vector()) // of a scalar: (ds/dy, -ds/dx)
    return {.shape = {2}, .components = {gradient(1), g.neg(gradient(0))}};
  if (!gradient.is_matrix() || gradient.rows() != dim)
    throw ShapeProblem{
        fmt::format("curl() of a {}",
                    to_string(Shape(gradient.shape.begin(), gradient.shape.end() - 1))),
        dim == 2 ? "curl() needs a vector of 2 or a scalar" : "curl() needs a vector of 3"};
  const auto component = [&](int i, int j) { return g.sub(gradient(j, i), gradient(i, j)); };
  if (dim == 2)
    return make_scalar(component(0, 1));
  return {.shape = {3}, .components = {component(1, 2), component(2, 0), component(0, 1)}};
}

Tensor stack(const std::vector<Tensor> &entries) {
  for (const Tensor &entry : entries)
    if (entry.truth || entry.shape.size() > 1 || entry.shape != entries.front().shape)
      unfit("list", entries.front(), entry,
            "a list holds scalars (a vector) or vectors of one length (the rows of a matrix)");
  Tensor result{.shape = {static_cast<int>(entries.size())}};
  if (entries.front().is_vector())
    result.shape.push_back(entries.front().rows());
  for (const Tensor &entry : entries)
    result.components.insert(result.components.end(), entry.components.begin(),
                             entry.components.end());
  return result;
}

} // namespace tensor

} // namespace weft
