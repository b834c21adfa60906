#include "space/element.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "space/basis.h"
#include "space/nodal_element.h"

namespace weft {

namespace {

// Weights on the vertices of an entity of the nodes inside it: [node][vertex of the entity].
using Weights = std::vector<std::vector<int>>;

// Multilinear weights at lattice point (i, j, k) of {0..p}^dim, vertices as in the hexahedron.
std::vector<int> tensor_weights(int p, int dim, int i, int j, int k) {
  const int x[2] = {p - i, i}, y[2] = {p - j, j}, z[2] = {p - k, k};
  if (dim == 1)
    return {x[0], x[1]};
  const int square[4] = {x[0] * y[0], x[1] * y[0], x[1] * y[1], x[0] * y[1]};
  if (dim == 2)
    return {square[0], square[1], square[2], square[3]};
  std::vector<int> weights;
  for (const int layer : z)
    for (const int w : square)
      weights.push_back(w * layer);
  return weights;
}

// Nodes strictly inside an entity of the given type, in its own orientation.
Weights inner_weights(CellType type, int p) {
  Weights weights;
  switch (type) {
  case CellType::point:
    return {{1}};
  case CellType::interval:
    for (int i = 1; i < p; ++i)
      weights.push_back(tensor_weights(p, 1, i, 0, 0));
    return weights;
  case CellType::quadrilateral:
    for (int j = 1; j < p; ++j)
      for (int i = 1; i < p; ++i)
        weights.push_back(tensor_weights(p, 2, i, j, 0));
    return weights;
  case CellType::hexahedron:
    for (int k = 1; k < p; ++k)
      for (int j = 1; j < p; ++j)
        for (int i = 1; i < p; ++i)
          weights.push_back(tensor_weights(p, 3, i, j, k));
    return weights;
  case CellType::triangle:
    for (int j = 1; j < p; ++j)
      for (int i = 1; i + j < p; ++i)
        weights.push_back({p - i - j, i, j});
    return weights;
  case CellType::tetrahedron:
    for (int k = 1; k < p; ++k)
      for (int j = 1; j + k < p; ++j)
        for (int i = 1; i + j + k < p; ++i)
          weights.push_back({p - i - j - k, i, j, k});
    return weights;
  case CellType::prism:
    for (int k = 1; k < p; ++k)
      for (int j = 1; j < p; ++j)
        for (int i = 1; i + j < p; ++i) {
          weights.emplace_back();
          for (const int layer : {p - k, k})
            for (const int corner : {p - i - j, i, j})
              weights.back().push_back(corner * layer);
        }
    return weights;
  case CellType::pyramid:
    return {}; // none up to order 2
  }
  return {};
}

CellType entity_type(CellType cell, const NodeEntity &entity) {
  if (entity.dim == dimension(cell))
    return cell;
  if (entity.dim == 0)
    return CellType::point;
  return entity.dim == 1 ? CellType::interval : facet_type(cell, entity.index);
}

int num_entities(CellType cell, int dim) {
  if (dim == dimension(cell))
    return 1;
  if (dim == 0)
    return num_vertices(cell);
  return dim == 1 ? num_edges(cell) : num_facets(cell);
}

void add_node(Element &element, const NodeEntity &entity, const std::vector<int> &weights) {
  const int dim = dimension(element.cell), n = num_vertices(element.cell);
  const auto vertices = entity_vertices(element.cell, entity);
  const auto corners = reference_vertices(element.cell);
  std::vector<int> of_cell(n, 0);
  std::vector<double> x(dim, 0.0);
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    of_cell[vertices[v]] = weights[v];
    for (int d = 0; d < dim; ++d)
      x[d] += weights[v] * corners[vertices[v] * dim + d];
  }
  const int total = std::accumulate(weights.begin(), weights.end(), 0);
  for (int d = 0; d < dim; ++d)
    element.nodes.push_back(x[d] / total);
  element.vertex_weights.insert(element.vertex_weights.end(), of_cell.begin(), of_cell.end());
  element.entities.push_back(entity);
}

} // namespace

int highest_order(CellType cell) {
  switch (cell) {
  case CellType::pyramid:
    return 2;
  case CellType::tetrahedron:
    return 4;
  case CellType::triangle:
  case CellType::prism:
    return 6;
  default:
    return 8;
  }
}

namespace {

// Moves the nodes from equal distances to where those of discontinuous elements are.
void move_to_nodal(Element &element) {
  const std::vector<double> nodes =
      make_nodal_element(element.cell, element.order, LineNodes::lobatto).nodes;
  const int dim = dimension(element.cell);
  const std::vector<int> number = nodal_numbers(element);
  for (int i = 0; i < element.num_nodes(); ++i)
    std::copy_n(&nodes[number[i] * dim], dim, &element.nodes[i * dim]);
}

} // namespace

std::vector<int> entity_vertices(CellType cell, const NodeEntity &entity) {
  if (entity.dim == 0)
    return {entity.index};
  std::vector<int> vertices(num_vertices(cell));
  std::iota(vertices.begin(), vertices.end(), 0);
  if (entity.dim == dimension(cell))
    return vertices;
  if (entity.dim == 1) {
    const auto edge = edge_vertices(cell, entity.index);
    return {edge[0], edge[1]};
  }
  const auto facet = facet_vertices(cell, entity.index);
  return {facet.begin(), facet.end()};
}

std::vector<double> equispaced_nodes(const Element &element) {
  const int dim = dimension(element.cell), n = num_vertices(element.cell);
  const auto corners = reference_vertices(element.cell);
  std::vector<double> nodes;
  for (int i = 0; i < element.num_nodes(); ++i) {
    const auto weights = std::span(element.vertex_weights).subspan(i * n, n);
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (int d = 0; d < dim; ++d) {
      double sum = 0;
      for (int v = 0; v < n; ++v)
        sum += weights[v] * corners[v * dim + d];
      nodes.push_back(sum / total);
    }
  }
  return nodes;
}

std::vector<int> Element::facet_nodes(int facet) const {
  if (order == 0)
    return {};
  if (nodal)
    return nodal_facet_nodes(*this, facet);
  const auto corners = facet_vertices(cell, facet);
  const Element on_facet = make_element(facet_type(cell, facet), order);
  const int n = num_vertices(cell), n_facet = static_cast<int>(corners.size());
  std::vector<int> result;
  for (int node = 0; node < on_facet.num_nodes(); ++node) {
    std::vector<int> wanted(n, 0);
    for (int v = 0; v < n_facet; ++v)
      wanted[corners[v]] = on_facet.vertex_weights[node * n_facet + v];
    const auto same = [&](int i) {
      return std::equal(wanted.begin(), wanted.end(), vertex_weights.begin() + i * n);
    };
    for (int i = 0; i < num_nodes(); ++i)
      if (same(i))
        result.push_back(i);
  }
  require(static_cast<int>(result.size()) == on_facet.num_nodes(),
          "a facet's nodes are nodes of the cell");
  return result;
}

std::vector<int> Element::edge_nodes(int edge) const {
  if (order == 0 || nodal)
    return {};
  const auto ends = edge_vertices(cell, edge);
  std::vector<int> result = {ends[0], ends[1]}; // nodes at vertices come first
  for (int i = 0; i < num_nodes(); ++i)
    if (entities[i].dim == 1 && entities[i].index == edge)
      result.push_back(i);
  return result;
}

Element make_element(CellType cell, int order) {
  if (order < 0 || order > highest_order(cell))
    throw Error(ErrorKind::unsupported,
                {.what = "a " + to_string(cell) + " element of this order",
                 .found = "order " + std::to_string(order),
                 .allowed = "0 to " + std::to_string(highest_order(cell)) + " on a " +
                            to_string(cell) +
                            " (1 to 8 on quadrilaterals and hexahedra, 1 to 6 on triangles and "
                            "prisms, 1 to 4 on tetrahedra, 1 and 2 on pyramids)",
                 .remedy = "choose a lower order, or a mesh of other cells"});
  Element element{.cell = cell, .order = order};
  const int dim = dimension(cell);
  if (order == 0) {
    add_node(element, {.dim = dim}, std::vector<int>(num_vertices(cell), 1));
    return element;
  }
  for (int d = 0; d <= dim; ++d)
    for (int index = 0; index < num_entities(cell, d); ++index) {
      NodeEntity entity{.dim = d, .index = index};
      for (const auto &weights : inner_weights(entity_type(cell, entity), order)) {
        add_node(element, entity, weights);
        ++entity.within;
      }
    }
  if (order > highest_equispaced_order && dim > 0)
    move_to_nodal(element);
  if (cell == CellType::pyramid)
    element.basis_coefficients = pyramid_coefficients(element);
  return element;
}

} // namespace weft
