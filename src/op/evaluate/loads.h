// Integrals of what test functions are multiplied with, by node.
#pragma once

#include <functional>
#include <vector>

#include "op/evaluate/functional_parts.h"

namespace weft {

// The basis functions that something is tested with: those of a map, for each component.
struct TestSpace {
  int map = 0; // index into Discretisation::maps
  int components = 1;
};

// What multiplies them at the points of a batch: f0[component], then f1[component][direction], and
// f2[component][entry of form/graph/hessian_entries.h] or nothing, each [cell, point]; `first`
// counts the cells of the part before the batch.
using LoadAtPoints =
    std::function<std::vector<std::vector<double>>(PointBatch &batch, std::int64_t first)>;

// Adds to load[node, component] the sum over a part's points of
//   weight (f0 phi + f1 . grad phi + f2 : grad grad phi),
// the weight being that of the quadrature, or 1 where the points have none. On all threads, in an
// order that does not depend on them.
void add_load(const Discretisation &d, const Part &part, const PointTable &table,
              const TestSpace &space, const LoadAtPoints &at_points, double *load);

// The parts over which the form's integrals over a domain (cells or facets) are taken.
std::vector<Part> parts_of_form(const Discretisation &d, Domain domain);
// Where they are taken there.
PointTable form_points(const Discretisation &d, const Part &part);

// The same of a field, the function's outputs being those of an integral of the form. `inputs`:
// with tables, without facet classes. No conditions are seen.
void add_load_of_field(const Discretisation &d, const Part &part, const PointwiseFunction &function,
                       int field, const PointInputs &inputs, double *load);

// One function for each of the form's integrals. Its outputs are as those of the integral; or f0
// and f1 of one component, for `load_on_map`; or one value, for `sum_over_form`.
struct IntegralFunction {
  Domain domain = Domain::cells;
  PointwiseFunction function;
};

// [dof]: loads of all fields.
std::vector<double> load_of_fields(const Discretisation &d,
                                   const std::vector<IntegralFunction> &functions,
                                   const PointInputs &inputs);
// [node]: of one component, tested with the functions of a map.
std::vector<double> load_on_map(const Discretisation &d, int map,
                                const std::vector<IntegralFunction> &functions,
                                const PointInputs &inputs);
// The integral of the one output.
double sum_over_form(const Discretisation &d, const std::vector<IntegralFunction> &functions,
                     const PointInputs &inputs);

} // namespace weft
