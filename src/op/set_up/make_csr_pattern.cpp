#include "op/set_up/make_csr_pattern.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "op/problem/dof_layout.h"
#include "ranks/bytes.h"
#include "ranks/first_numbers.h"

namespace weft {

namespace {

// The cells of each node of a map, cells numbered over all sets.
struct CellsOfNodes {
  std::vector<std::int64_t> first; // [node + 1]
  std::vector<std::int32_t> cells;
};

CellsOfNodes find_cells(const NodeMap &map) {
  CellsOfNodes of;
  of.first.assign(map.num_local + 1, 0);
  for (const NodeMapSet &set : map.sets)
    for (const std::int32_t node : set.nodes)
      ++of.first[node + 1];
  for (std::int64_t n = 0; n < map.num_local; ++n)
    of.first[n + 1] += of.first[n];
  of.cells.resize(of.first.back());
  std::vector<std::int64_t> next(of.first.begin(), of.first.end() - 1);
  std::int32_t cell = 0;
  for (const NodeMapSet &set : map.sets) {
    const int num_nodes = set.element.num_nodes();
    for (std::size_t i = 0; i < set.nodes.size(); i += num_nodes, ++cell)
      for (int k = 0; k < num_nodes; ++k)
        of.cells[next[set.nodes[i + k]]++] = cell;
  }
  return of;
}

// Where the nodes of each cell lie, cells numbered over all sets.
class NodesOfCells {
public:
  explicit NodesOfCells(const NodeMap &map) : map_(map) {
    std::int64_t first = 0;
    for (const NodeMapSet &set : map.sets) {
      first_cell_.push_back(first);
      first += static_cast<std::int64_t>(set.nodes.size()) / set.element.num_nodes();
    }
  }
  std::span<const std::int32_t> operator[](std::int64_t cell) const {
    std::size_t s = first_cell_.size() - 1;
    while (cell < first_cell_[s])
      --s;
    const NodeMapSet &set = map_.sets[s];
    const std::int64_t n = set.element.num_nodes();
    return {&set.nodes[(cell - first_cell_[s]) * n], static_cast<std::size_t>(n)};
  }

private:
  const NodeMap &map_;
  std::vector<std::int64_t> first_cell_;
};

// The neighbours of each node of one map among the nodes of another (or the same), ascending.
struct NodeGraph {
  std::vector<std::int64_t> first; // [node + 1]
  std::vector<std::int32_t> neighbours;

  std::span<const std::int32_t> of(std::int64_t node) const {
    return {neighbours.data() + first[node],
            static_cast<std::size_t>(first[node + 1] - first[node])};
  }
};

// The cells that meet each cell on facets over which the form has an integral, cells numbered over
// all sets.
struct NeighboursOfCells {
  std::vector<std::int64_t> first; // [cell + 1]; empty without such facets
  std::vector<std::int32_t> cells;

  std::span<const std::int32_t> of(std::int64_t cell) const {
    if (first.empty())
      return {};
    return {cells.data() + first[cell], static_cast<std::size_t>(first[cell + 1] - first[cell])};
  }
};

NeighboursOfCells find_neighbours(const Discretisation &d) {
  NeighboursOfCells of;
  if (d.interior.empty())
    return of;
  std::vector<std::int32_t> first_cell = {0}; // [set]
  for (const CellSet &set : d.mesh->sets)
    first_cell.push_back(first_cell.back() + static_cast<std::int32_t>(set.num_cells()));
  const auto each = [&](const auto &visit) {
    for (const InteriorGroup &group : d.interior)
      for (std::size_t f = 0; f < group.minus_cells.size(); ++f) {
        const std::int32_t minus = first_cell[group.minus_set] + group.minus_cells[f];
        const std::int32_t plus = first_cell[group.plus_set] + group.plus_cells[f];
        visit(minus, plus);
        visit(plus, minus);
      }
  };
  of.first.assign(first_cell.back() + 1, 0);
  each([&](std::int32_t cell, std::int32_t) { ++of.first[cell + 1]; });
  for (std::size_t c = 1; c < of.first.size(); ++c)
    of.first[c] += of.first[c - 1];
  of.cells.resize(of.first.back());
  std::vector<std::int64_t> next(of.first.begin(), of.first.end() - 1);
  each([&](std::int32_t cell, std::int32_t other) { of.cells[next[cell]++] = other; });
  return of;
}

NodeGraph make_node_graph(const NodeMap &rows, const NodeMap &columns,
                          const NeighboursOfCells &neighbours) {
  const CellsOfNodes cells = find_cells(rows);
  const NodesOfCells nodes(columns);
  struct Part {
    std::int64_t begin = 0;
    std::vector<std::int32_t> neighbours;
  };
  std::vector<Part> parts(host_threads());
  NodeGraph graph;
  graph.first.assign(rows.num_owned + 1, 0);
  parallel_ranges(rows.num_owned, [&](std::int64_t begin, std::int64_t end, int thread) {
    Part &part = parts[thread];
    part.begin = begin;
    std::vector<std::int32_t> seen_by(columns.num_local, -1);
    std::vector<std::int32_t> found;
    for (std::int64_t node = begin; node < end; ++node) {
      found.clear();
      const auto add = [&](std::int32_t cell) {
        for (const std::int32_t neighbour : nodes[cell])
          if (seen_by[neighbour] != node) {
            seen_by[neighbour] = static_cast<std::int32_t>(node);
            found.push_back(neighbour);
          }
      };
      for (std::int64_t c = cells.first[node]; c < cells.first[node + 1]; ++c) {
        add(cells.cells[c]);
        for (const std::int32_t cell : neighbours.of(cells.cells[c]))
          add(cell);
      }
      std::sort(found.begin(), found.end());
      part.neighbours.insert(part.neighbours.end(), found.begin(), found.end());
      graph.first[node + 1] = static_cast<std::int64_t>(found.size());
    }
  });
  for (std::int64_t n = 0; n < rows.num_owned; ++n)
    graph.first[n + 1] += graph.first[n];
  graph.neighbours.reserve(graph.first.back());
  for (const Part &part : parts) // in the order of their nodes
    graph.neighbours.insert(graph.neighbours.end(), part.neighbours.begin(), part.neighbours.end());
  return graph;
}

using FieldGraphs = std::map<std::pair<int, int>, NodeGraph>; // by map of rows and of columns

// The columns of a node's rows, the same for all its components.
void append_columns(const Discretisation &d, const FieldGraphs &graphs, int field,
                    std::int64_t node, std::vector<std::int32_t> &columns) {
  for (const bool own : {true, false}) // own dofs of all fields, then those of other ranks
    for (std::size_t other = 0; other < d.form.fields.size(); ++other) {
      const int on = static_cast<int>(other);
      const NodeGraph &graph = graphs.at({d.field_map[field], d.field_map[other]});
      for (const std::int32_t neighbour : graph.of(node))
        if ((neighbour < d.map_of_field(on).num_owned) == own)
          for (int k = 0; k < d.form.fields[other].components(); ++k)
            columns.push_back(static_cast<std::int32_t>(vector_dof(d, on, neighbour, k)));
    }
}

void count_rows(const Discretisation &d, const FieldGraphs &graphs, CsrPattern &pattern) {
  pattern.row_start.assign(d.num_owned + 1, 0);
  for (std::size_t field = 0; field < d.form.fields.size(); ++field) {
    const int components = d.form.fields[field].components();
    for (std::int64_t node = 0; node < d.map_of_field(static_cast<int>(field)).num_owned; ++node) {
      std::int64_t length = 0;
      for (std::size_t other = 0; other < d.form.fields.size(); ++other)
        length += static_cast<std::int64_t>(
            graphs.at({d.field_map[field], d.field_map[other]}).of(node).size() *
            d.form.fields[other].components());
      for (int k = 0; k < components; ++k)
        pattern.row_start[d.own_offset[field] + node * components + k + 1] = length;
    }
  }
  for (std::int64_t row = 0; row < d.num_owned; ++row)
    pattern.row_start[row + 1] += pattern.row_start[row];
}

FieldGraphs make_field_graphs(const Discretisation &d) {
  FieldGraphs graphs;
  const NeighboursOfCells neighbours = find_neighbours(d);
  for (const int rows : d.field_map)
    for (const int columns : d.field_map)
      if (!graphs.contains({rows, columns}))
        graphs[{rows, columns}] = make_node_graph(d.maps[rows], d.maps[columns], neighbours);
  return graphs;
}

} // namespace

namespace {

// All: [field][node of its map]: numbers of nodes, those of one field after those of another, and
// all of a rank before those of the next.
std::vector<std::vector<double>> node_numbers(const Discretisation &d) {
  std::int64_t own = 0;
  for (const int map : d.field_map)
    own += d.maps[map].num_owned;
  std::int64_t next = d.ranks ? first_numbers(*d.ranks, own)[d.ranks->rank()] : 0;
  std::vector<std::vector<double>> numbers; // exact
  for (const int map : d.field_map) {
    std::vector<double> &of_field = numbers.emplace_back(d.maps[map].num_local);
    for (std::int64_t node = 0; node < d.maps[map].num_owned; ++node)
      of_field[node] = static_cast<double>(next++);
    fetch_ghosts(d, map, 1, of_field);
  }
  return numbers;
}

// All: the rows of all ranks on the first one.
CsrPattern on_first(const CsrPattern &own, Communicator &ranks) {
  ByteWriter write;
  write(own.row_start);
  write(std::vector<std::int32_t>(own.columns.begin(), own.columns.end()));
  std::vector<Parcel> to_first;
  to_first.push_back({0, write.take()});
  CsrPattern whole;
  std::vector<std::int32_t> columns;
  for (const Parcel &parcel : ranks.deliver(std::move(to_first))) {
    std::vector<std::int64_t> row_start;
    std::vector<std::int32_t> part;
    ByteReader read(parcel.bytes);
    read(row_start);
    read(part);
    if (whole.row_start.empty())
      whole.row_start.push_back(0);
    const std::int64_t before = whole.row_start.back();
    for (std::size_t row = 1; row < row_start.size(); ++row)
      whole.row_start.push_back(before + row_start[row]);
    columns.insert(columns.end(), part.begin(), part.end());
  }
  whole.columns = std::move(columns);
  whole.num_rows = std::max<std::int64_t>(0, static_cast<std::int64_t>(whole.row_start.size()) - 1);
  return whole;
}

} // namespace

CsrPattern make_node_pattern(const Discretisation &d) {
  const FieldGraphs graphs = make_field_graphs(d);
  const std::vector<std::vector<double>> numbers = node_numbers(d);
  CsrPattern pattern;
  pattern.row_start = {0};
  std::vector<std::int32_t> columns;
  for (const int rows : d.field_map)
    for (std::int64_t node = 0; node < d.maps[rows].num_owned; ++node) {
      for (std::size_t f = 0; f < d.field_map.size(); ++f)
        for (const std::int32_t neighbour : graphs.at({rows, d.field_map[f]}).of(node))
          columns.push_back(static_cast<std::int32_t>(numbers[f][neighbour]));
      if (d.ranks)
        std::sort(columns.begin() + pattern.row_start.back(), columns.end());
      pattern.row_start.push_back(static_cast<std::int64_t>(columns.size()));
    }
  pattern.columns = std::move(columns);
  pattern.num_rows = static_cast<std::int64_t>(pattern.row_start.size()) - 1;
  return d.ranks ? on_first(pattern, *d.ranks) : pattern;
}

CsrPattern make_csr_pattern(const Discretisation &d) {
  FieldGraphs graphs = make_field_graphs(d);
  CsrPattern pattern;
  pattern.num_rows = d.num_owned;
  if (d.form.fields.size() == 1 && d.form.fields[0].components() == 1) {
    NodeGraph &graph = graphs.begin()->second;
    pattern.row_start = std::move(graph.first);
    pattern.columns = std::move(graph.neighbours);
    return pattern;
  }
  count_rows(d, graphs, pattern);
  std::vector<std::int32_t> columns(pattern.num_entries());
  for (std::size_t field = 0; field < d.form.fields.size(); ++field) {
    const int components = d.form.fields[field].components();
    parallel_ranges(d.map_of_field(static_cast<int>(field)).num_owned, [&](std::int64_t begin,
                                                                           std::int64_t end, int) {
      std::vector<std::int32_t> of_node;
      for (std::int64_t node = begin; node < end; ++node) {
        of_node.clear();
        append_columns(d, graphs, static_cast<int>(field), node, of_node);
        for (int k = 0; k < components; ++k)
          std::copy(of_node.begin(), of_node.end(),
                    columns.begin() +
                        pattern.row_start[d.own_offset[field] + node * components + k]);
      }
    });
  }
  pattern.columns = std::move(columns);
  return pattern;
}

} // namespace weft
