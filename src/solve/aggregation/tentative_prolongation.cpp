#include "solve/aggregation/tentative_prolongation.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"

namespace weft {

namespace {

constexpr std::int64_t aggregates_a_chunk = 1 << 10; // aggregates

// The nodes of each aggregate, ascending.
struct NodesOfAggregates {
  std::vector<std::int32_t> start, nodes;
};

NodesOfAggregates nodes_of(const Aggregates &aggregates) {
  NodesOfAggregates of;
  of.start.assign(aggregates.count + 1, 0);
  for (const std::int32_t a : aggregates.of_node)
    if (a != no_aggregate)
      ++of.start[a + 1];
  for (std::int32_t a = 0; a < aggregates.count; ++a)
    of.start[a + 1] += of.start[a];
  of.nodes.resize(of.start.back());
  std::vector<std::int32_t> next(of.start.begin(), of.start.end() - 1);
  for (std::size_t node = 0; node < aggregates.of_node.size(); ++node)
    if (const std::int32_t a = aggregates.of_node[node]; a != no_aggregate)
      of.nodes[next[a]++] = static_cast<std::int32_t>(node);
  return of;
}

// Orthonormalises the columns of B = Q R, `rows` long and one after another, in place by the
// modified method of Gram and Schmidt, each twice. A column that depends on those before becomes
// zero, with a zero on R's diagonal. r is [row, column].
void orthonormalise(double *q, std::int64_t rows, int columns, double *r) {
  constexpr double dependent = 1e-6; // what is left of a column, below which that is rounding
  const auto dot = [&](const double *x, const double *y) {
    double sum = 0;
    for (std::int64_t i = 0; i < rows; ++i)
      sum += x[i] * y[i];
    return sum;
  };
  std::fill_n(r, columns * columns, 0.);
  for (int v = 0; v < columns; ++v) {
    double *column = q + v * rows;
    const double before = std::sqrt(dot(column, column));
    for (int pass = 0; pass < 2; ++pass)
      for (int u = 0; u < v; ++u) {
        const double *other = q + u * rows;
        const double product = dot(other, column);
        for (std::int64_t i = 0; i < rows; ++i)
          column[i] -= product * other[i];
        r[u * columns + v] += product;
      }
    const double norm = std::sqrt(dot(column, column));
    const bool kept = norm > dependent * before;
    r[v * columns + v] = kept ? norm : 0;
    for (std::int64_t i = 0; i < rows; ++i)
      column[i] = kept ? column[i] / norm : 0;
  }
}

TentativeProlongation orthonormal_prolongation(const Aggregates &aggregates,
                                               const std::vector<std::uint8_t> &decoupled,
                                               const NearNullSpace &null_space) {
  const int components = null_space.components, vectors = null_space.num_vectors;
  TentativeProlongation t = {.components = components, .num_vectors = vectors};
  t.blocks.resize(aggregates.of_node.size() * components * vectors);
  t.coarse = {.num_vectors = vectors, .components = vectors};
  t.coarse.values.resize(std::size_t(aggregates.count) * vectors * vectors);
  t.dropped.resize(std::size_t(aggregates.count) * vectors);
  const NodesOfAggregates of = nodes_of(aggregates);
  parallel_chunks(
      aggregates.count, aggregates_a_chunk, [&](std::int64_t begin, std::int64_t end, int) {
        std::vector<double> q;
        for (std::int64_t a = begin; a < end; ++a) {
          const std::int32_t *nodes = &of.nodes[of.start[a]];
          const std::int64_t rows = std::int64_t{of.start[a + 1] - of.start[a]} * components;
          q.resize(rows * vectors);
          const auto dof = [&](std::int64_t i) {
            return std::int64_t{nodes[i / components]} * components + i % components;
          };
          for (std::int64_t i = 0; i < rows; ++i)
            for (int v = 0; v < vectors; ++v)
              q[v * rows + i] = decoupled[dof(i)] ? 0 : null_space.values[dof(i) * vectors + v];
          double *r = &t.coarse.values[a * vectors * vectors];
          orthonormalise(q.data(), rows, vectors, r);
          for (std::int64_t i = 0; i < rows; ++i)
            for (int v = 0; v < vectors; ++v)
              t.blocks[dof(i) * vectors + v] = q[v * rows + i];
          for (int v = 0; v < vectors; ++v)
            t.dropped[a * vectors + v] = r[v * vectors + v] == 0;
        }
      });
  return t;
}

// Ones in the place of constants: nothing to orthonormalise, and nothing to store where all
// unknowns of a node are coupled or none is.
TentativeProlongation constant_prolongation(const Aggregates &aggregates,
                                            const std::vector<std::uint8_t> &decoupled,
                                            const NearNullSpace &null_space) {
  const int components = null_space.components;
  TentativeProlongation t = {.components = components, .num_vectors = components};
  t.coarse = {.num_vectors = 0, .components = components};
  t.dropped.assign(std::size_t(aggregates.count) * components, components > 1);
  if (!null_space.functions.empty()) {
    t.coarse.functions.resize(aggregates.count);
    for (std::size_t node = 0; node < aggregates.of_node.size(); ++node)
      if (const std::int32_t a = aggregates.of_node[node]; a != no_aggregate)
        t.coarse.functions[a] = null_space.functions[node];
  }
  if (components == 1)
    return t;
  bool mixed = false;
  for (std::size_t node = 0; node < aggregates.of_node.size(); ++node)
    if (const std::int32_t a = aggregates.of_node[node]; a != no_aggregate)
      for (int k = 0; k < components; ++k) {
        const bool is_decoupled = decoupled[node * components + k];
        mixed = mixed || is_decoupled;
        if (!is_decoupled)
          t.dropped[std::size_t(a) * components + k] = false;
      }
  if (!mixed)
    return t;
  t.blocks.assign(aggregates.of_node.size() * components * components, 0.);
  for (std::size_t dof = 0; dof < decoupled.size(); ++dof)
    if (!decoupled[dof])
      t.blocks[dof * components + dof % components] = 1;
  return t;
}

} // namespace

TentativeProlongation make_tentative_prolongation(const Aggregates &aggregates,
                                                  const std::vector<std::uint8_t> &decoupled,
                                                  const NearNullSpace &null_space) {
  return null_space.values.empty() ? constant_prolongation(aggregates, decoupled, null_space)
                                   : orthonormal_prolongation(aggregates, decoupled, null_space);
}

} // namespace weft
