// Scalars, vectors and matrices whose components are nodes of a graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "case/form_spec.h"
#include "form/graph/graph.h"

namespace weft {

struct Tensor {
  Shape shape;
  std::vector<NodeId> components; // row by row
  bool truth = false;             // of a comparison: usable in where(), and, or, not only

  bool is_scalar() const { return shape.empty() && !truth; }
  bool is_vector() const { return shape.size() == 1; }
  bool is_matrix() const { return shape.size() == 2; }
  int rows() const { return shape[0]; }
  int columns() const { return shape[1]; }
  NodeId operator()(int i) const { return components[i]; }
  NodeId operator()(int i, int j) const { return components[i * shape[1] + j]; }
};

// "scalar", "vector of 3", "3 x 3 matrix", "truth value"
std::string describe(const Tensor &value);

Tensor make_scalar(NodeId node);
Tensor make_identity(Graph &graph, int size);

// Why an operation on these shapes does not exist, and what the user may have meant.
struct ShapeProblem {
  std::string what;
  std::string remedy;
};

// The operations throw ShapeProblem where the shapes do not fit; the caller knows the place.
namespace tensor {

Tensor add(Graph &graph, const Tensor &a, const Tensor &b);
Tensor sub(Graph &graph, const Tensor &a, const Tensor &b);
Tensor mul(Graph &graph, const Tensor &a, const Tensor &b); // one of them a scalar
Tensor div(Graph &graph, const Tensor &a, const Tensor &b); // b a scalar
Tensor scale(Graph &graph, double factor, const Tensor &a);
Tensor where(Graph &graph, const Tensor &condition, const Tensor &a, const Tensor &b);

Tensor dot(Graph &graph, const Tensor &a, const Tensor &b);   // last index of a with first of b
Tensor inner(Graph &graph, const Tensor &a, const Tensor &b); // all indices
Tensor cross(Graph &graph, const Tensor &a, const Tensor &b); // of 2-vectors: a scalar
Tensor outer(Graph &graph, const Tensor &a, const Tensor &b); // a_i b_j
Tensor transpose(Graph &graph, const Tensor &a);
Tensor sym(Graph &graph, const Tensor &a);  // (a + a^T)/2
Tensor skew(Graph &graph, const Tensor &a); // (a - a^T)/2
Tensor tr(Graph &graph, const Tensor &a);
Tensor det(Graph &graph, const Tensor &a);  // to 3 x 3
Tensor inv(Graph &graph, const Tensor &a);  // to 3 x 3
Tensor dev(Graph &graph, const Tensor &a);  // a - tr(a)/size * identity
Tensor norm(Graph &graph, const Tensor &a); // sqrt(inner(a, a))

// div and curl of something whose gradient (one more index: the direction) is given.
Tensor div_of_gradient(Graph &graph, const Tensor &gradient);
Tensor curl_of_gradient(Graph &graph, const Tensor &gradient);

// [a, b, c]: scalars make a vector, vectors of one length the rows of a matrix.
Tensor stack(const std::vector<Tensor> &entries);

} // namespace tensor

} // namespace weft
