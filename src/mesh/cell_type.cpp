#include "mesh/cell_type.h"

#include <vector>

#include "base/error.h"
#include "base/names.h"

namespace weft {

namespace {

// All that is known of a cell type; the functions of the header read it.
struct Topology {
  const char *name;
  int dimension;
  double volume;
  std::vector<double> vertices;          // [vertex, dimension]
  std::vector<std::array<int, 2>> edges; // lower vertex first
  std::vector<std::vector<int>> facets;  // vertices, seen from outside
  std::vector<CellType> facet_types;     // [facet]
  int num_vertices;
};

CellType type_of_facet(int cell_dimension, std::size_t vertices) {
  if (cell_dimension == 1)
    return CellType::point;
  if (cell_dimension == 2)
    return CellType::interval;
  return vertices == 3 ? CellType::triangle : CellType::quadrilateral;
}

Topology make_topology(const char *name, int dimension, int num_vertices, double volume,
                       std::vector<double> vertices, std::vector<std::array<int, 2>> edges,
                       std::vector<std::vector<int>> facets) {
  std::vector<CellType> facet_types;
  for (const auto &facet : facets)
    facet_types.push_back(type_of_facet(dimension, facet.size()));
  return {name,
          dimension,
          volume,
          std::move(vertices),
          std::move(edges),
          std::move(facets),
          std::move(facet_types),
          num_vertices};
}

std::array<Topology, 8> make_topologies() {
  return {
      make_topology("point", 0, 1, 1.0, {}, {}, {}),
      make_topology("interval", 1, 2, 1.0, {0, 1}, {{0, 1}}, {{0}, {1}}),
      make_topology("triangle", 2, 3, 0.5, {0, 0, 1, 0, 0, 1}, {{0, 1}, {1, 2}, {0, 2}},
                    {{0, 1}, {1, 2}, {2, 0}}),
      make_topology("quadrilateral", 2, 4, 1.0, {0, 0, 1, 0, 1, 1, 0, 1},
                    {{0, 1}, {1, 2}, {2, 3}, {0, 3}}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}),
      make_topology("tetrahedron", 3, 4, 1.0 / 6, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1},
                    {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}},
                    {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}),
      make_topology("pyramid", 3, 5, 1.0 / 3, {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0.5, 0.5, 1},
                    {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 4}, {1, 4}, {2, 4}, {3, 4}},
                    {{0, 3, 2, 1}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}),
      make_topology("prism", 3, 6, 0.5, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1},
                    {{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}, {0, 3}, {1, 4}, {2, 5}},
                    {{0, 2, 1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}, {3, 4, 5}}),
      make_topology(
          "hexahedron", 3, 8, 1.0,
          {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1},
          {{0, 1},
           {1, 2},
           {2, 3},
           {0, 3},
           {4, 5},
           {5, 6},
           {6, 7},
           {4, 7},
           {0, 4},
           {1, 5},
           {2, 6},
           {3, 7}},
          {{0, 3, 2, 1}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}, {4, 5, 6, 7}}),
  };
}

const std::array<Topology, 8> &topologies() {
  static const auto table = make_topologies();
  return table;
}

const Topology &topology(CellType cell) {
  return topologies()[static_cast<int>(cell)];
}

} // namespace

int dimension(CellType cell) {
  return topology(cell).dimension;
}

int num_vertices(CellType cell) {
  return topology(cell).num_vertices;
}

int num_facets(CellType cell) {
  return static_cast<int>(topology(cell).facets.size());
}

int num_edges(CellType cell) {
  return static_cast<int>(topology(cell).edges.size());
}

CellType facet_type(CellType cell, int facet) {
  return topology(cell).facet_types[facet];
}

std::span<const int> facet_vertices(CellType cell, int facet) {
  return topology(cell).facets[facet];
}

std::array<int, 2> edge_vertices(CellType cell, int edge) {
  return topology(cell).edges[edge];
}

double reference_volume(CellType cell) {
  return topology(cell).volume;
}

std::string to_string(CellType cell) {
  return topology(cell).name;
}

CellType cell_type_from_name(const std::string &name) {
  std::vector<std::string> known;
  for (const auto &entry : topologies()) {
    if (name == entry.name)
      return static_cast<CellType>(known.size());
    known.push_back(entry.name);
  }
  const std::string nearest = nearest_name(name, known);
  throw Error(ErrorKind::input, {"Unknown cell type.", "", name, join_names(known),
                                 nearest.empty() ? "" : "did you mean " + nearest + "?"});
}

std::span<const double> reference_vertices(CellType cell) {
  return topology(cell).vertices;
}

} // namespace weft
