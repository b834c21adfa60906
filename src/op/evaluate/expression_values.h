// Expressions of a case outside its weak form, ready to be evaluated on a mesh.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "form/expression/expression.h"
#include "op/evaluate/point_location.h"
#include "op/evaluate/point_values.h"
#include "op/problem/discretisation.h"

namespace weft {

// An expression with the values of its parameters on the mesh.
struct ResolvedExpression {
  Expression expression;
  ClassTable cell_table;
  ClassTable facet_table;

  int components() const { return static_cast<int>(expression.function.outputs.size()); }
  // The same from all cells at a shared node, so that the position is all it depends on.
  bool depends_on_position_only() const;
  // Depends on time and on parameters that all regions have in common, and on nothing else.
  bool same_everywhere() const;
  // Has one value at a node that cells share.
  bool continuous(const Discretisation &d) const;
  PointInputs inputs(const std::vector<double> *state,
                     std::span<const std::int32_t> facet_classes = {}) const;
};

// `cells`, `facets`: the classes where it is evaluated.
ResolvedExpression resolve(Expression expression, const Mesh &mesh, const std::vector<bool> &cells,
                           const std::vector<bool> &facets);
// On edges or at points of these classes.
ResolvedExpression resolve_on_parts(Expression expression, const Mesh &mesh, Domain domain,
                                    const std::vector<GroupClass> &classes);
// Everywhere, on cells.
ResolvedExpression resolve_on_cells(Expression expression, const Mesh &mesh);
// On the cells where all fields are that it reads.
ResolvedExpression resolve_on_cells(Expression expression, const Discretisation &d);

// Some fields lie on nodal elements, whose values jump between cells.
bool has_nodal_elements(const Discretisation &d);
// The element of this order at whose nodes what jumps between cells is sampled: nodal where fields
// are.
Element sampling_element(const Discretisation &d, CellType cell, int order);

// Values at the nodes of a map: [node, component]. Where it is not the same from all cells, the
// first cell that has the node gives the value. On a discontinuous map each cell sees its own side
// of expressions that jump along its facets. `regions`: the region classes whose cells give values,
// 0 at nodes without such a cell; null: all.
std::vector<double> values_at_nodes(const Discretisation &d, const ResolvedExpression &expression,
                                    const NodeMap &map, const std::vector<double> *state,
                                    const std::vector<bool> *regions = nullptr);

// Error (input): what a field of the whole domain takes as a value depends on place. `where`: of
// the expression.
void check_same_everywhere(const ResolvedExpression &expression, const std::string &where);

// All: the same from the cells where all fields are that the expression reads, NaN at nodes of no
// such cell. `map`: one of a discretisation among ranks.
std::vector<double> results_at_nodes(const Discretisation &d, const ResolvedExpression &expression,
                                     const NodeMap &map, const std::vector<double> &state);

// Values at points that were found in cells, [point, component]: means of those cells in which each
// lies and all fields are that the expression reads; NaN where there is none.
std::vector<double> values_at_points(const Discretisation &d, const ResolvedExpression &expression,
                                     std::span<const std::vector<LocatedPoint>> points,
                                     const std::vector<double> *state);

// Calls body(batch, index of its first cell in the list, chunk of the list) for the points of
// `table` in batches of the listed cells of its set, on all threads; a chunk's batches come in
// order.
inline constexpr std::int64_t chunk_cells = 2048;
void for_each_batch(
    const Discretisation &d, const PointTable &table, std::span<const std::int32_t> cells,
    const std::function<void(PointBatch &batch, std::int64_t first, std::int64_t chunk)> &body);

// The sums over all batches, in an order that does not depend on the threads: body adds its batch
// to sums[0..num_sums).
std::vector<double>
sum_batches(const Discretisation &d, const PointTable &table, std::span<const std::int32_t> cells,
            int num_sums,
            const std::function<void(PointBatch &batch, std::int64_t first, double *sums)> &body);

} // namespace weft
