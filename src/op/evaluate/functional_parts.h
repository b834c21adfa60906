// A functional of a case on a mesh: its expression, and where that is evaluated.
#pragma once

#include <cstdint>
#include <vector>

#include "case/case.h"
#include "op/evaluate/expression_values.h"
#include "op/evaluate/point_location.h"
#include "op/evaluate/point_values.h"
#include "op/problem/discretisation.h"

namespace weft {

// Cells of this rank, or one local facet (edge, vertex) of them, over which something is taken.
struct Part {
  int set = 0;
  int facet = -1; // local facet, edge or vertex; -1: the cells themselves
  std::vector<std::int32_t> cells;
  std::vector<std::int32_t> classes; // of the facets (edges, points)
  Domain domain = Domain::facets;    // that these are of
};

// Refers to the spec that it is made from. Not of kind `reaction`, which has no expression.
struct Functional {
  const FunctionalSpec &spec;
  ResolvedExpression expression;
  int degree = 0;          // that integrating the expression needs
  std::vector<Part> parts; // none of a point
  bool in_part = false; // points where it is NaN, because a first time is not reached, do not count
  std::vector<bool> regions = {}; // of a point: region classes from whose cells its value is
};

// All. Errors (input): see functional().
Functional make_functional(const Case &c, const Discretisation &d, const FunctionalSpec &spec);

// All: the coordinates of a functional at a point, given as they are or by the point's name. Errors
// (input): no such name, a name of several points.
std::vector<double> point_of(const Discretisation &d, const FunctionalSpec &spec);

// All: the cells from which the value of a functional at a point is taken. Errors (input): of
// locate_named_point(); a point that no cell of the functional's regions touches.
CellsAtPoint cells_at_point(const Discretisation &d, const Functional &f);

// Points in the reference cell that a part is looked at.
struct PartPoints {
  PointTable table;
  std::vector<double> points; // [point, dim]
};
// Those by which a functional is integrated over a part of it.
PartPoints quadrature_points(const Discretisation &d, const Functional &f, const Part &part);
// Nodes of the highest order of the fields, those on facets and at vertices among them.
PartPoints node_points(const Discretisation &d, const Part &part);
// Those of both kinds over which an extreme is looked for.
std::vector<PartPoints> extreme_points(const Discretisation &d, const Functional &f,
                                       const Part &part);
// The same points of each of its cells, [point, dim].
PartPoints points_in_cells(const Discretisation &d, const Part &part, std::vector<double> points);

// [output][cell, point]: a function at the points of a batch whose first cell is so far in the
// part. `inputs`: without facet classes.
std::vector<std::vector<double>> evaluate_part(const PointwiseFunction &function, const Part &part,
                                               PointInputs inputs, PointBatch &batch,
                                               std::int64_t first);

} // namespace weft
