#include "space/nodal_symmetry.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>

#include "base/error.h"

namespace weft {

namespace {

using Barycentric = std::array<double, 4>;
using VertexMap = std::array<int, 4>;

// Bit b of the index: reflection b.
VertexMap vertices_after(int element) {
  VertexMap map = {0, 1, 2, 3};
  if (element & 1)
    std::swap(map[0], map[1]);
  if (element & 2)
    std::swap(map[2], map[3]);
  return map;
}

Barycentric barycentric(const double *x, int dim) {
  Barycentric result{};
  result[0] = 1;
  for (int d = 0; d < dim; ++d) {
    result[d + 1] = x[d];
    result[0] -= x[d];
  }
  return result;
}

Barycentric mapped(const Barycentric &point, const VertexMap &map) {
  Barycentric result{};
  for (int v = 0; v < 4; ++v)
    result[map[v]] = point[v];
  return result;
}

bool same(const Barycentric &a, const Barycentric &b) {
  for (int v = 0; v < 4; ++v)
    if (std::abs(a[v] - b[v]) > 1e-9)
      return false;
  return true;
}

// A point and the set of vertices of the facet it belongs to, which nodes have none of: points of
// facets that share an edge are in one place.
struct Point {
  Barycentric at;
  std::set<int> facet;
};

std::vector<Point> points_of_facets(const NodalOperators &operators) {
  const CellType cell = operators.element.cell;
  const int dim = dimension(cell);
  std::vector<Point> points;
  for (std::size_t f = 0; f < operators.facets.size(); ++f) {
    const auto vertices = facet_vertices(cell, static_cast<int>(f));
    for (int k = 0; k < operators.facets[f].num_points(); ++k)
      points.push_back({barycentric(operators.facets[f].points.data() + k * dim, dim),
                        {vertices.begin(), vertices.end()}});
  }
  return points;
}

int image_of(const std::vector<Point> &points, const Point &point, const VertexMap &map) {
  std::set<int> facet;
  for (const int v : point.facet)
    facet.insert(map[v]);
  const Barycentric at = mapped(point.at, map);
  const auto image = std::find_if(points.begin(), points.end(), [&](const Point &p) {
    return p.facet == facet && same(p.at, at);
  });
  require(image != points.end(), "nodes of a simplex have its symmetry");
  return static_cast<int>(image - points.begin());
}

SymmetricPoints sort_points(const std::vector<Point> &points, int num_elements) {
  std::vector<std::array<int, 4>> fours;
  std::vector<std::array<int, 3>> twos; // two points, the class of their difference
  std::vector<int> ones;
  std::vector<bool> is_seen(points.size());
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (is_seen[p])
      continue;
    std::array<int, 4> images{};
    for (int g = 0; g < num_elements; ++g) {
      images[g] = image_of(points, points[p], vertices_after(g));
      is_seen[images[g]] = true;
    }
    const std::set<int> orbit(images.begin(), images.begin() + num_elements);
    const int self = static_cast<int>(p);
    if (orbit.size() == 4)
      fours.push_back(images);
    else if (orbit.size() == 1)
      ones.push_back(self);
    else
      for (int c = 1; c < num_elements; ++c) { // the sign is -1 just where the point moves
        bool is_class = true;
        for (int g = 0; g < num_elements; ++g)
          is_class &= (std::popcount(unsigned(c & g)) % 2 == 1) == (images[g] != self);
        if (is_class)
          twos.push_back({self, *orbit.begin() == self ? *orbit.rbegin() : *orbit.begin(), c});
      }
  }
  SymmetricPoints result{.points = {},
                         .classes = {},
                         .fours = static_cast<int>(fours.size()),
                         .twos = static_cast<int>(twos.size())};
  for (const auto &four : fours)
    for (int c = 0; c < 4; ++c) {
      result.points.push_back(four[c]);
      result.classes.push_back(c);
    }
  for (const auto &[first, second, difference] : twos) {
    result.points.insert(result.points.end(), {first, second});
    result.classes.insert(result.classes.end(), {0, difference});
  }
  result.points.insert(result.points.end(), ones.begin(), ones.end());
  result.classes.resize(result.points.size(), 0);
  require(result.points.size() == points.size(), "each point is in one orbit");
  return result;
}

} // namespace

int SymmetricPoints::orbit_first(int place) const {
  const int size = orbit_size(place), begin = size == 4 ? 0 : size == 2 ? 4 * fours : place;
  return place - (place - begin) % size;
}

int SymmetricPoints::sign(int place, int other) const {
  const int first = orbit_first(place);
  return std::popcount(unsigned((place - first) & (other - first))) % 2 == 1 ? -1 : 1;
}

bool has_nodal_symmetry(CellType cell) {
  return cell == CellType::triangle || cell == CellType::tetrahedron;
}

NodalSymmetry make_nodal_symmetry(const NodalOperators &operators) {
  const CellType cell = operators.element.cell;
  require(has_nodal_symmetry(cell) && operators.element.order > 0,
          "symmetry is known of triangles and tetrahedra above order 0");
  const int dim = dimension(cell), n = operators.element.num_nodes();
  NodalSymmetry result;
  result.classes = dim == 2 ? 2 : 4;
  // In barycentric coordinates b, b0 = 1 - r - s - t: b1 - b0, b2 of a triangle; b1 - b0, b3 - b2
  // and b2 + b3 - b0 - b1 of a tetrahedron.
  result.axes =
      dim == 2 ? std::vector<double>{2, 1, 0, 1} : std::vector<double>{2, 1, 1, 0, -1, 1, 0, 2, 2};
  result.axis_class = dim == 2 ? std::vector<int>{1, 0} : std::vector<int>{1, 2, 0};
  std::vector<Point> nodes;
  for (int i = 0; i < n; ++i)
    nodes.push_back({barycentric(operators.element.nodes.data() + i * dim, dim), {}});
  result.nodes = sort_points(nodes, result.classes);
  result.facet_points = sort_points(points_of_facets(operators), result.classes);
  return result;
}

// With T the combinations and N the diagonal of orbit sizes, T T^t = N: w = W v is
// T^t B T v where B = N^-1 T W T^t N^-1.
double between_combinations(const std::vector<double> &matrix, const SymmetricPoints &to,
                            int to_place, const SymmetricPoints &from, int from_place) {
  const int to_first = to.orbit_first(to_place), from_first = from.orbit_first(from_place);
  const int to_size = to.orbit_size(to_place), from_size = from.orbit_size(from_place);
  double sum = 0;
  for (int i = to_first; i < to_first + to_size; ++i)
    for (int j = from_first; j < from_first + from_size; ++j)
      sum += to.sign(to_place, i) * from.sign(from_place, j) *
             matrix[std::size_t(to.points[i]) * from.size() + from.points[j]];
  return sum / (to_size * from_size);
}

} // namespace weft
