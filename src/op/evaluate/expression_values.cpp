#include "op/evaluate/expression_values.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "form/expression/expression.h"
#include "linalg/chunks.h"
#include "op/evaluate/cell_values.h"
#include "op/problem/dof_layout.h"
#include "op/problem/field_regions.h"

namespace weft {

namespace {

// Enough points that evaluating pays, few enough that their values stay in the caches.
std::int64_t batch_cells(const PointTable &table) {
  return std::max(1, 512 / std::max(1, table.num_points));
}

std::vector<double> values_at_positions(const Discretisation &d,
                                        const ResolvedExpression &expression, const NodeMap &map) {
  const int n = expression.components(), dim = d.mesh->dim;
  std::vector<double> result(map.num_local * n);
  for_each_chunk(map.num_local, 512, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    const int count = static_cast<int>(end - begin);
    std::vector<std::vector<double>> inputs, outputs;
    inputs.reserve(expression.expression.function.symbols.size());
    evaluate(
        expression.expression.function, count,
        [&](const Symbol &symbol) -> std::span<const double> {
          auto &values = inputs.emplace_back(count, d.time);
          if (symbol.kind == SymbolKind::coordinate)
            for (int i = 0; i < count; ++i)
              values[i] = map.coordinates[(begin + i) * dim + symbol.component];
          return values;
        },
        outputs);
    for (int i = 0; i < count; ++i)
      for (int k = 0; k < n; ++k)
        result[(begin + i) * n + k] = outputs[k][i];
  });
  return result;
}

// The first cell that has each node, counted over all sets, in the order of the mesh file, which
// neither blocks nor ranks change; and the cells that are some node's first.
struct FirstCells {
  std::vector<std::int32_t> cell;                // [node]
  std::vector<std::vector<std::int32_t>> owners; // [set]: cells, numbered within the set
  std::vector<std::int32_t> first_cell;          // [set]: number of its first cell over all sets
};

FirstCells find_owners(const Mesh &mesh, const NodeMap &map, const std::vector<bool> *regions) {
  FirstCells result{.cell = std::vector<std::int32_t>(map.num_local, -1)};
  std::vector<std::int32_t> lowest(map.num_local, std::numeric_limits<std::int32_t>::max());
  std::int32_t first = 0;
  for (std::size_t s = 0; s < map.sets.size(); ++s) {
    const NodeMapSet &set = map.sets[s];
    const auto n = static_cast<std::size_t>(set.element.num_nodes());
    const std::vector<std::int32_t> numbers =
        mesh.share ? mesh.share->sets[s].whole : canonical_numbers(mesh, static_cast<int>(s));
    for (std::size_t k = 0; k < set.nodes.size(); ++k)
      if (std::int32_t &number = lowest[set.nodes[k]];
          numbers[k / n] < number && (!regions || (*regions)[mesh.sets[s].region[k / n]])) {
        number = numbers[k / n];
        result.cell[set.nodes[k]] = first + static_cast<std::int32_t>(k / n);
      }
    result.first_cell.push_back(first);
    first += static_cast<std::int32_t>(set.nodes.size() / n);
  }
  for (std::size_t s = 0; s < map.sets.size(); ++s) {
    const NodeMapSet &set = map.sets[s];
    const auto n = static_cast<std::size_t>(set.element.num_nodes());
    std::vector<std::int32_t> &owners = result.owners.emplace_back();
    for (std::size_t k = 0; k < set.nodes.size(); ++k)
      if (const auto cell = static_cast<std::int32_t>(k / n);
          result.cell[set.nodes[k]] == result.first_cell[s] + cell &&
          (owners.empty() || owners.back() != cell))
        owners.push_back(cell);
  }
  return result;
}

bool may_jump(const PointwiseFunction &function) {
  return std::any_of(function.nodes.begin(), function.nodes.end(), [](const Node &node) {
    return node.op == Op::less || node.op == Op::less_equal || node.op == Op::equal ||
           node.op == Op::sign || node.op == Op::floor;
  });
}

// The nodes of an element, those on its boundary a hair inside: where an expression jumps along
// facets, each of the two cells sees its own side.
std::vector<double> nodes_inside(const Element &element) {
  constexpr double hair = 1e-10;
  const std::span<const double> vertices = reference_vertices(element.cell);
  const int dim = dimension(element.cell), n = num_vertices(element.cell);
  std::vector<double> points = element.nodes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    double centre = 0;
    for (int v = 0; v < n; ++v)
      centre += vertices[v * dim + i % dim] / n;
    points[i] += hair * (centre - points[i]);
  }
  return points;
}

std::vector<double> values_in_finite_volumes(const Discretisation &d,
                                             const ResolvedExpression &expression,
                                             const NodeMap &map, const std::vector<double> *state) {
  const int num_components = expression.components();
  std::vector<double> result(map.num_local * num_components);
  for (int s = 0; s < static_cast<int>(map.sets.size()); ++s) {
    const CellEvaluator evaluator(d, s);
    const std::vector<std::int32_t> &nodes = map.sets[s].nodes;
    std::vector<std::int32_t> cells(nodes.size());
    std::iota(cells.begin(), cells.end(), 0);
    for_each_chunk(std::int64_t(cells.size()), 512,
                   [&](std::int64_t begin, std::int64_t end, std::int64_t) {
                     std::vector<std::vector<double>> outputs;
                     evaluator.evaluate(expression.expression.function,
                                        std::span(cells).subspan(begin, end - begin),
                                        expression.inputs(state), outputs);
                     for (std::int64_t c = begin; c < end; ++c)
                       for (int k = 0; k < num_components; ++k)
                         result[nodes[c] * num_components + k] = outputs[k][c - begin];
                   });
  }
  return result;
}

} // namespace

bool ResolvedExpression::depends_on_position_only() const {
  const auto &symbols = expression.function.symbols;
  return std::all_of(symbols.begin(), symbols.end(), [](const Symbol &s) {
    return s.kind == SymbolKind::coordinate || s.kind == SymbolKind::time;
  });
}

bool ResolvedExpression::same_everywhere() const {
  const auto is_uniform = [&](int entry) {
    for (std::size_t i = entry; i < cell_table.values.size(); i += cell_table.num_entries)
      if (cell_table.values[i] != cell_table.values[entry])
        return false;
    return true;
  };
  const auto &symbols = expression.function.symbols;
  return std::all_of(symbols.begin(), symbols.end(), [&](const Symbol &s) {
    return s.kind == SymbolKind::time ||
           (s.kind == SymbolKind::cell_parameter && is_uniform(s.component));
  });
}

bool ResolvedExpression::continuous(const Discretisation &d) const {
  const auto &symbols = expression.function.symbols;
  const auto conforms = [](const NodeMap &map) {
    return map.whole_domain || (map.order > 0 && !map.discontinuous);
  };
  return std::all_of(symbols.begin(), symbols.end(), [&](const Symbol &s) {
    switch (s.kind) {
    case SymbolKind::coordinate:
    case SymbolKind::time:
      return true;
    case SymbolKind::field:
    case SymbolKind::field_rate:
      return conforms(d.map_of_field(s.index));
    case SymbolKind::auxiliary:
      return conforms(d.maps[d.auxiliary[s.index].map]);
    default:
      return false;
    }
  });
}

PointInputs ResolvedExpression::inputs(const std::vector<double> *state,
                                       std::span<const std::int32_t> facet_classes) const {
  return {.state = state,
          .cell_table = &cell_table,
          .facet_table = &facet_table,
          .facet_classes = facet_classes,
          .of_results = true};
}

ResolvedExpression resolve(Expression expression, const Mesh &mesh, const std::vector<bool> &cells,
                           const std::vector<bool> &facets) {
  ResolvedExpression result{.expression = std::move(expression)};
  result.cell_table = resolve_table(mesh, Domain::cells, result.expression.cell_table, cells);
  result.facet_table = resolve_table(mesh, Domain::facets, result.expression.facet_table, facets);
  return result;
}

ResolvedExpression resolve_on_parts(Expression expression, const Mesh &mesh, Domain domain,
                                    const std::vector<GroupClass> &classes) {
  ResolvedExpression result{.expression = std::move(expression)};
  result.cell_table =
      resolve_table(mesh, Domain::cells, result.expression.cell_table, classes_of_cells(mesh));
  result.facet_table = resolve_table(mesh, domain, result.expression.facet_table, classes);
  return result;
}

ResolvedExpression resolve_on_cells(Expression expression, const Mesh &mesh) {
  return resolve(std::move(expression), mesh, classes_of_cells(mesh),
                 std::vector<bool>(mesh.facet_classes.size(), false));
}

ResolvedExpression resolve_on_cells(Expression expression, const Discretisation &d) {
  const std::vector<bool> cells = classes_of_function(d, expression.function);
  return resolve(std::move(expression), *d.mesh, cells,
                 std::vector<bool>(d.mesh->facet_classes.size(), false));
}

void for_each_batch(
    const Discretisation &d, const PointTable &table, std::span<const std::int32_t> cells,
    const std::function<void(PointBatch &batch, std::int64_t first, std::int64_t chunk)> &body) {
  const std::int64_t step = batch_cells(table);
  for_each_chunk(static_cast<std::int64_t>(cells.size()), chunk_cells,
                 [&](std::int64_t begin, std::int64_t end, std::int64_t chunk) {
                   for (std::int64_t first = begin; first < end; first += step) {
                     PointBatch batch(d, table, cells.subspan(first, std::min(step, end - first)));
                     body(batch, first, chunk);
                   }
                 });
}

std::vector<double>
sum_batches(const Discretisation &d, const PointTable &table, std::span<const std::int32_t> cells,
            int num_sums,
            const std::function<void(PointBatch &batch, std::int64_t first, double *sums)> &body) {
  const auto num_chunks = (static_cast<std::int64_t>(cells.size()) + chunk_cells - 1) / chunk_cells;
  std::vector<double> partial(num_chunks * num_sums, 0.0);
  for_each_batch(d, table, cells, [&](PointBatch &batch, std::int64_t first, std::int64_t chunk) {
    body(batch, first, &partial[chunk * num_sums]);
  });
  std::vector<double> total(num_sums, 0.0);
  for (std::size_t i = 0; i < partial.size(); ++i)
    total[i % num_sums] += partial[i];
  return total;
}

bool has_nodal_elements(const Discretisation &d) {
  return std::any_of(d.maps.begin(), d.maps.end(),
                     [](const NodeMap &map) { return map.discontinuous; });
}

Element sampling_element(const Discretisation &d, CellType cell, int order) {
  return has_nodal_elements(d) ? make_nodal_element(cell, order) : make_element(cell, order);
}

std::vector<double> values_at_nodes(const Discretisation &d, const ResolvedExpression &expression,
                                    const NodeMap &map, const std::vector<double> *state,
                                    const std::vector<bool> *regions) {
  if (d.law && d.law->finite_volume && map.order == 0)
    return values_in_finite_volumes(d, expression, map, state);
  const bool inside = map.discontinuous && may_jump(expression.expression.function);
  if (map.order > 0 && expression.depends_on_position_only() && !inside && !regions)
    return values_at_positions(d, expression, map);
  const int num_components = expression.components();
  std::vector<double> result(map.num_local * num_components);
  const FirstCells owners = find_owners(*d.mesh, map, regions);
  for (std::size_t s = 0; s < map.sets.size(); ++s) {
    const NodeMapSet &set = map.sets[s];
    const int n = set.element.num_nodes();
    const PointTable table = make_point_table(
        d, static_cast<int>(s), inside ? nodes_inside(set.element) : set.element.nodes);
    for_each_batch(d, table, owners.owners[s], [&](PointBatch &batch, std::int64_t, std::int64_t) {
      std::vector<std::vector<double>> outputs;
      evaluate_at(expression.expression.function, batch, expression.inputs(state), outputs);
      for (std::size_t c = 0; c < batch.cells().size(); ++c)
        for (int i = 0; i < n; ++i) {
          const std::int64_t node = set.nodes[std::int64_t(batch.cells()[c]) * n + i];
          if (owners.cell[node] != owners.first_cell[s] + batch.cells()[c])
            continue;
          for (int k = 0; k < num_components; ++k)
            result[node * num_components + k] = outputs[k][c * n + i];
        }
    });
  }
  return result;
}

void check_same_everywhere(const ResolvedExpression &expression, const std::string &where) {
  if (!expression.same_everywhere())
    throw Error(ErrorKind::input,
                {.what = "a field of the whole domain has one value, and this one depends on place",
                 .where = where,
                 .allowed = "numbers, and expressions of time and of parameters that are the same "
                            "in all regions",
                 .remedy = "leave place out, or give the field an element such as \"P1\""});
}

std::vector<double> results_at_nodes(const Discretisation &d, const ResolvedExpression &expression,
                                     const NodeMap &map, const std::vector<double> &state) {
  const PointwiseFunction &function = expression.expression.function;
  if (!reads_regions(d, function))
    return values_at_nodes(d, expression, map, &state);
  const std::vector<bool> regions = classes_of_function(d, function);
  std::vector<double> values = values_at_nodes(d, expression, map, &state, &regions);
  leave_out(nodes_of_classes(*d.mesh, map, regions), values);
  if (d.ranks && !map.discontinuous)
    fetch_ghosts(d, static_cast<int>(&map - d.maps.data()), expression.components(), values);
  return values;
}

std::vector<double> values_at_points(const Discretisation &d, const ResolvedExpression &expression,
                                     std::span<const std::vector<LocatedPoint>> points,
                                     const std::vector<double> *state) {
  const int n = expression.components();
  const std::vector<bool> regions = classes_of_function(d, expression.expression.function);
  std::vector<double> result(points.size() * n, 0.0);
  parallel_ranges(std::int64_t(points.size()), [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t p = begin; p < end; ++p) {
      int num_cells = 0;
      for (const LocatedPoint &at : points[p]) {
        if (!regions[d.mesh->sets[at.set].region[at.cell]])
          continue;
        ++num_cells;
        const PointTable table = make_point_table(d, at.set, at.reference);
        PointBatch batch(d, table, std::span(&at.cell, 1));
        std::vector<std::vector<double>> values;
        evaluate_at(expression.expression.function, batch, expression.inputs(state), values);
        for (int k = 0; k < n; ++k)
          result[p * n + k] += values[k][0];
      }
      for (int k = 0; k < n; ++k)
        result[p * n + k] /= num_cells; // NaN where there is none
    }
  });
  return result;
}

} // namespace weft
