#include "output/picture/cell_pieces.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "output/vtk/vtk_cells.h"

namespace weft {

namespace {

constexpr double near = 1e-9; // of reference coordinates

using PicturePoint = std::array<double, 3>;

// The nodes of a cell by their places.
class Nodes {
public:
  Nodes(CellType cell, int order) : dim_(dimension(cell)), coordinates_(vtk_nodes(cell, order)) {}

  int count() const { return static_cast<int>(coordinates_.size()) / dim_; }
  PicturePoint place(int node) const {
    PicturePoint x{};
    for (int d = 0; d < dim_; ++d)
      x[d] = coordinates_[node * dim_ + d];
    return x;
  }
  // -1: none.
  int at(const PicturePoint &x) const {
    for (int node = 0; node < count(); ++node) {
      const PicturePoint y = place(node);
      if (std::abs(x[0] - y[0]) + std::abs(x[1] - y[1]) + std::abs(x[2] - y[2]) < near)
        return node;
    }
    return -1;
  }

private:
  int dim_;
  std::vector<double> coordinates_;
};

// A simplex of order p cut by its lattice: corners as lattice coordinates p >= x >= y >= z >= 0.
// The unit cubes of the lattice are cut along the paths from their first to their last corner, one
// for each order of the axes; the pieces inside the simplex are whole ones (Freudenthal's cut).
template <int dim> std::vector<std::array<std::array<int, dim>, dim + 1>> lattice_pieces(int p) {
  std::vector<std::array<std::array<int, dim>, dim + 1>> pieces;
  std::array<int, dim> axes{};
  for (int d = 0; d < dim; ++d)
    axes[d] = d;
  const auto is_inside = [&](const std::array<int, dim> &x) {
    for (int d = 0; d < dim; ++d)
      if (x[d] > (d == 0 ? p : x[d - 1]))
        return false;
    return true;
  };
  do {
    for (int cube = 0; cube < std::pow(p, dim); ++cube) {
      std::array<std::array<int, dim>, dim + 1> corners{};
      for (int d = 0, rest = cube; d < dim; ++d, rest /= p)
        corners[0][d] = rest % p;
      for (int step = 0; step < dim; ++step) {
        corners[step + 1] = corners[step];
        ++corners[step + 1][axes[step]];
      }
      if (std::all_of(corners.begin(), corners.end(), is_inside))
        pieces.push_back(corners);
    }
  } while (std::next_permutation(axes.begin(), axes.end()));
  return pieces;
}

// The pieces of a simplex with these vertices: nodes of the cell.
template <int dim>
std::vector<std::array<int, dim + 1>> cut(const Nodes &nodes,
                                          const std::array<int, dim + 1> &vertices, int p) {
  const auto node_at = [&](const std::array<int, dim> &lattice) {
    PicturePoint x{};
    for (int v = 0; v <= dim; ++v) {
      const int before = v == 0 ? p : lattice[v - 1], behind = v == dim ? 0 : lattice[v];
      for (int d = 0; d < 3; ++d)
        x[d] += nodes.place(vertices[v])[d] * (before - behind) / p;
    }
    return nodes.at(x);
  };
  std::vector<std::array<int, dim + 1>> pieces;
  for (const auto &lattice : lattice_pieces<dim>(p)) {
    std::array<int, dim + 1> piece{};
    std::transform(lattice.begin(), lattice.end(), piece.begin(), node_at);
    if (std::count(piece.begin(), piece.end(), -1) > 0)
      return {vertices};
    pieces.push_back(piece);
  }
  return pieces;
}

bool is_between(const PicturePoint &x, const PicturePoint &a, const PicturePoint &b) {
  double along = 0, length = 0, across = 0;
  for (int d = 0; d < 3; ++d) {
    along += (x[d] - a[d]) * (b[d] - a[d]);
    length += (b[d] - a[d]) * (b[d] - a[d]);
  }
  for (int d = 0; d < 3; ++d)
    across += std::abs(x[d] - a[d] - (b[d] - a[d]) * along / length);
  return across < near;
}

FacePieces make_face(const Nodes &nodes, const std::vector<int> &corners, int order) {
  FacePieces face{.corners = corners, .triangles = {}};
  const auto lie_on_one_edge = [&](int a, int b) {
    for (std::size_t e = 0; e < corners.size(); ++e) {
      const PicturePoint from = nodes.place(corners[e]),
                         to = nodes.place(corners[(e + 1) % corners.size()]);
      if (is_between(nodes.place(a), from, to) && is_between(nodes.place(b), from, to))
        return true;
    }
    return false;
  };
  // A fan from the first corner.
  for (std::size_t v = 1; v + 1 < corners.size(); ++v)
    for (const auto &piece : cut<2>(nodes, {corners[0], corners[v], corners[v + 1]}, order)) {
      TrianglePiece triangle{.nodes = piece};
      for (int e = 0; e < 3; ++e)
        if (lie_on_one_edge(piece[e], piece[(e + 1) % 3]))
          triangle.outline |= 1 << e;
      face.triangles.push_back(triangle);
    }
  return face;
}

// Whole cells as tetrahedra, by vertices.
std::vector<std::array<int, 4>> vertex_tetrahedra(CellType cell) {
  switch (cell) {
  case CellType::tetrahedron:
    return {{0, 1, 2, 3}};
  case CellType::pyramid:
    return {{0, 1, 2, 4}, {0, 2, 3, 4}};
  case CellType::prism:
    return {{0, 1, 2, 5}, {0, 1, 5, 4}, {0, 4, 5, 3}};
  case CellType::hexahedron: // around the diagonal from 0 to 6
    return {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
  default:
    return {};
  }
}

// The volume of a tetrahedron is nothing: four places on one face.
bool is_flat(const PicturePoint &a, const PicturePoint &b, const PicturePoint &c,
             const PicturePoint &x) {
  PicturePoint u{}, v{}, w{};
  for (int d = 0; d < 3; ++d) {
    u[d] = b[d] - a[d];
    v[d] = c[d] - a[d];
    w[d] = x[d] - a[d];
  }
  return std::abs(u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) +
                  u[2] * (v[0] * w[1] - v[1] * w[0])) < near;
}

} // namespace

CellPieces make_cell_pieces(CellType cell, int order) {
  const Nodes nodes(cell, order);
  const int dim = dimension(cell);
  std::vector<int> vertices; // the nodes at the cell's vertices
  const std::span<const double> reference = reference_vertices(cell);
  for (int v = 0; v < num_vertices(cell); ++v) {
    PicturePoint x{};
    std::copy_n(&reference[v * dim], dim, x.begin());
    vertices.push_back(nodes.at(x));
  }
  CellPieces pieces;
  if (dim == 2) {
    pieces.faces = {make_face(nodes, vertices, order)};
    return pieces;
  }
  for (int f = 0; f < num_facets(cell); ++f) {
    std::vector<int> corners;
    for (const int v : facet_vertices(cell, f))
      corners.push_back(vertices[v]);
    pieces.faces.push_back(make_face(nodes, corners, order));
  }
  const auto lie_on_one_face = [&](const std::array<int, 3> &points) {
    return std::any_of(pieces.faces.begin(), pieces.faces.end(), [&](const FacePieces &face) {
      return std::all_of(points.begin(), points.end(), [&](int node) {
        return is_flat(nodes.place(face.corners[0]), nodes.place(face.corners[1]),
                       nodes.place(face.corners[2]), nodes.place(node));
      });
    });
  };
  for (const auto &whole : vertex_tetrahedra(cell))
    for (const auto &piece :
         cut<3>(nodes,
                {vertices[whole[0]], vertices[whole[1]], vertices[whole[2]], vertices[whole[3]]},
                order)) {
      TetrahedronPiece tetrahedron{.nodes = piece};
      for (int v = 0; v < 4; ++v)
        if (lie_on_one_face({piece[(v + 1) % 4], piece[(v + 2) % 4], piece[(v + 3) % 4]}))
          tetrahedron.boundary |= 1 << v;
      pieces.tetrahedra.push_back(tetrahedron);
    }
  return pieces;
}

} // namespace weft
