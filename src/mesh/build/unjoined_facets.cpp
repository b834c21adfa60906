#include "mesh/build/unjoined_facets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <unordered_map>

#include "mesh/build/node_grid.h"

namespace weft {

namespace {

constexpr double same_place = 1e-8;  // share of the mesh's extent
constexpr double in_plane = 1e-6;    // share of a facet's size
constexpr double facing = -1 + 1e-6; // product of two normals

struct BoundaryFacet {
  int num_vertices = 0;
  std::array<std::int32_t, 4> vertices{};
  std::array<std::int32_t, 4> places{}; // the lowest vertices at the same places, ascending
  Position centre{}, normal{};          // of length 1, outward
  double size = 0;                      // its longest edge
};

class FacetsInSpace {
public:
  explicit FacetsInSpace(const Mesh &mesh) : mesh_(mesh), place_(mesh.num_nodes(), -1) {
    for (std::int64_t f = 0; f < mesh.num_boundary_facets; ++f)
      facets_.push_back(facet_of(mesh.facets[f].minus));
    find_places();
  }

  UnjoinedFacets find() {
    UnjoinedFacets found;
    find_doubled(found);
    find_overlapping(found);
    return found;
  }

private:
  BoundaryFacet facet_of(const FacetRef &ref) const {
    const CellSet &set = mesh_.sets[ref.set];
    BoundaryFacet facet;
    for (const int v : facet_vertices(set.type, ref.facet))
      facet.vertices[facet.num_vertices++] =
          set.nodes[std::int64_t(ref.cell) * set.nodes_per_cell + v];
    const auto x = [&](int v) { return position_of(mesh_, facet.vertices[v]); };
    const int n = facet.num_vertices;
    for (int v = 0; v < n; ++v)
      for (int d = 0; d < 3; ++d)
        facet.centre[d] += x(v)[d] / n;
    for (int v = 0; v < n; ++v)
      facet.size = std::max(facet.size, norm_of(difference_of(x((v + 1) % n), x(v))));
    const Position along = difference_of(x(1), x(0));
    facet.normal = n == 2   ? Position{along[1], -along[0], 0}
                   : n == 3 ? cross_product(along, difference_of(x(2), x(0)))
                            : cross_product(difference_of(x(2), x(0)), difference_of(x(3), x(1)));
    const double length = norm_of(facet.normal);
    for (double &component : facet.normal)
      component /= length > 0 ? length : 1;
    return facet;
  }

  // A node that periodicity makes one with others stands for all of them.
  std::int32_t joined(std::int32_t node) const {
    const auto master = mesh_.periodic_master.find(node);
    return master == mesh_.periodic_master.end() ? node : master->second;
  }

  // The longest side of the box around the boundary.
  double extent() const {
    double longest = 0;
    for (int d = 0; d < mesh_.dim && !facets_.empty(); ++d) {
      const auto [low, high] = std::minmax_element(
          facets_.begin(), facets_.end(), [d](const BoundaryFacet &a, const BoundaryFacet &b) {
            return a.centre[d] < b.centre[d];
          });
      longest = std::max(longest, high->centre[d] - low->centre[d]);
    }
    return longest;
  }

  void find_places() {
    NodeGrid grid(mesh_, same_place * extent());
    for (BoundaryFacet &facet : facets_) {
      for (int v = 0; v < facet.num_vertices; ++v) {
        std::int32_t &place = place_[facet.vertices[v]];
        if (place < 0) {
          const std::int32_t other = grid.find(position_of(mesh_, facet.vertices[v]));
          place = other < 0 ? facet.vertices[v] : place_[other];
          grid.add(facet.vertices[v]);
        }
        facet.places[v] = place;
      }
      std::sort(facet.places.begin(), facet.places.begin() + facet.num_vertices);
    }
  }

  bool are_joined(const BoundaryFacet &a, const BoundaryFacet &b) const {
    std::array<std::int32_t, 4> of_a{}, of_b{};
    for (int v = 0; v < a.num_vertices; ++v) {
      of_a[v] = joined(a.vertices[v]);
      of_b[v] = joined(b.vertices[v]);
    }
    std::sort(of_a.begin(), of_a.end());
    std::sort(of_b.begin(), of_b.end());
    return of_a == of_b;
  }

  void find_doubled(UnjoinedFacets &found) {
    std::vector<std::int32_t> order(facets_.size());
    for (std::size_t f = 0; f < order.size(); ++f)
      order[f] = static_cast<std::int32_t>(f);
    const auto same = [&](std::int32_t a, std::int32_t b) {
      return facets_[a].num_vertices == facets_[b].num_vertices &&
             facets_[a].places == facets_[b].places;
    };
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      return std::tie(facets_[a].places, a) < std::tie(facets_[b].places, b);
    });
    for (std::size_t i = 1; i < order.size(); ++i)
      if (same(order[i - 1], order[i]) && !are_joined(facets_[order[i - 1]], facets_[order[i]]))
        found.doubled.emplace_back(order[i - 1], order[i]);
    std::sort(found.doubled.begin(), found.doubled.end());
    for (const auto &[a, b] : found.doubled)
      for (const std::int32_t facet : {a, b})
        for (int v = 0; v < facets_[facet].num_vertices; ++v)
          if (const std::int32_t node = facets_[facet].vertices[v];
              place_[node] != node && joined(node) != joined(place_[node]))
            found.double_nodes.push_back(node);
    sort_unique(found.double_nodes);
  }

  // The facet's centre lies in the other, which faces it.
  bool lies_on(const BoundaryFacet &facet, const BoundaryFacet &other) const {
    if (product(facet.normal, other.normal) > facing)
      return false;
    const double tolerance = in_plane * std::min(facet.size, other.size);
    return std::abs(product(difference_of(facet.centre, other.centre), other.normal)) <=
               tolerance &&
           is_inside(facet.centre, other, -tolerance);
  }

  // Whether a point in the plane of a facet is on the inner side of all of its edges by so much.
  bool is_inside(const Position &x, const BoundaryFacet &facet, double by) const {
    if (facet.num_vertices == 2) {
      const Position from = position_of(mesh_, facet.vertices[0]),
                     to = position_of(mesh_, facet.vertices[1]);
      const Position along = difference_of(to, from);
      const double length = norm_of(along), at = product(difference_of(x, from), along) / length;
      return at > by && at < length - by;
    }
    for (int v = 0; v < facet.num_vertices; ++v) {
      const Position from = position_of(mesh_, facet.vertices[v]);
      const std::int32_t next = facet.vertices[(v + 1) % facet.num_vertices];
      const Position along = difference_of(position_of(mesh_, next), from);
      if (product(cross_product(facet.normal, along), difference_of(x, from)) <=
          by * norm_of(along))
        return false;
    }
    return true;
  }

  // Facets in cubes of about their size: so each is in a few cubes, and a point is in one cube of
  // each size that there is.
  struct Cube {
    int level;
    std::array<std::int64_t, 3> index;
    bool operator==(const Cube &) const = default;
  };
  struct CubeHash {
    std::size_t operator()(const Cube &cube) const {
      auto hash = static_cast<std::uint64_t>(cube.level);
      for (const std::int64_t index : cube.index) {
        hash = (hash ^ static_cast<std::uint64_t>(index)) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
      }
      return hash;
    }
  };
  static Cube cube_of(int level, const Position &x) {
    Cube cube{level, {}};
    for (int d = 0; d < 3; ++d)
      cube.index[d] =
          static_cast<std::int64_t>(std::floor(std::clamp(std::ldexp(x[d], -level), -9e18, 9e18)));
    return cube;
  }

  void put_into_cubes() {
    for (std::size_t f = 0; f < facets_.size(); ++f) {
      const BoundaryFacet &facet = facets_[f];
      if (!(facet.size > 0))
        continue;
      const int level = std::ilogb(facet.size) + 1;
      Position low = facet.centre, high = facet.centre;
      for (int v = 0; v < facet.num_vertices; ++v) {
        const Position x = position_of(mesh_, facet.vertices[v]);
        for (int d = 0; d < 3; ++d) {
          low[d] = std::min(low[d], x[d] - in_plane * facet.size);
          high[d] = std::max(high[d], x[d] + in_plane * facet.size);
        }
      }
      const Cube first = cube_of(level, low), last = cube_of(level, high);
      Cube cube = first;
      for (cube.index[0] = first.index[0]; cube.index[0] <= last.index[0]; ++cube.index[0])
        for (cube.index[1] = first.index[1]; cube.index[1] <= last.index[1]; ++cube.index[1])
          for (cube.index[2] = first.index[2]; cube.index[2] <= last.index[2]; ++cube.index[2])
            cubes_[cube].push_back(static_cast<std::int32_t>(f));
      if (std::find(levels_.begin(), levels_.end(), level) == levels_.end())
        levels_.push_back(level);
    }
  }

  void find_overlapping(UnjoinedFacets &found) {
    put_into_cubes();
    for (std::size_t f = 0; f < facets_.size(); ++f)
      for (const int level : levels_) {
        const auto near = cubes_.find(cube_of(level, facets_[f].centre));
        if (near == cubes_.end())
          continue;
        for (const std::int32_t other : near->second)
          if (other != static_cast<std::int32_t>(f) && facets_[f].places != facets_[other].places &&
              lies_on(facets_[f], facets_[other]))
            found.overlapping.emplace_back(static_cast<std::int32_t>(f), other);
      }
    std::sort(found.overlapping.begin(), found.overlapping.end());
    for (const auto &[f, other] : found.overlapping) {
      add_hanging(facets_[f], facets_[other], found.hanging_nodes);
      add_hanging(facets_[other], facets_[f], found.hanging_nodes);
    }
    sort_unique(found.hanging_nodes);
  }

  void add_hanging(const BoundaryFacet &of, const BoundaryFacet &in,
                   std::vector<std::int32_t> &nodes) const {
    for (int v = 0; v < of.num_vertices; ++v)
      if (is_hanging(of.vertices[v], in))
        nodes.push_back(place_[of.vertices[v]]);
  }

  bool is_hanging(std::int32_t node, const BoundaryFacet &facet) const {
    const auto end = facet.places.begin() + facet.num_vertices;
    return std::find(facet.places.begin(), end, place_[node]) == end &&
           is_inside(position_of(mesh_, node), facet, -in_plane * facet.size);
  }

  static void sort_unique(std::vector<std::int32_t> &nodes) {
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  }

  const Mesh &mesh_;
  std::vector<BoundaryFacet> facets_;
  std::vector<std::int32_t> place_; // [node] of boundary facets: the lowest at its place
  std::unordered_map<Cube, std::vector<std::int32_t>, CubeHash> cubes_;
  std::vector<int> levels_; // sizes of cubes, as powers of two
};

} // namespace

UnjoinedFacets find_unjoined_facets(const Mesh &mesh) {
  return FacetsInSpace(mesh).find();
}

} // namespace weft
