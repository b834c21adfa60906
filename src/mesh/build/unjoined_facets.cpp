#include "mesh/build/unjoined_facets.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <tuple>

#include "base/parallel.h"
#include "mesh/build/cube_hash.h"
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

struct FacetInCube {
  std::uint64_t hash = 0; // of the cube
  std::int32_t facet = 0;
};

using FacetPairs = std::vector<std::pair<std::int32_t, std::int32_t>>;

class FacetsInSpace {
public:
  explicit FacetsInSpace(const Mesh &mesh)
      : mesh_(mesh), facets_(mesh.num_boundary_facets), place_(mesh.num_nodes(), -1) {
    parallel_ranges(mesh.num_boundary_facets, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t f = begin; f < end; ++f)
        facets_[f] = facet_of(mesh.facets[f].minus);
    });
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
          places_are_nodes_ = places_are_nodes_ && other < 0;
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
    if (places_are_nodes_) // facets at the same places have the same vertices
      return;
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
  static std::uint64_t hash_of(int level, const Position &x) {
    std::uint64_t hash = hash_with_index(0, level);
    for (int d = 0; d < 3; ++d)
      hash = hash_with_index(hash, cube_index(std::ldexp(x[d], -level)));
    return hash;
  }

  static int level_of(const BoundaryFacet &facet) { return std::ilogb(facet.size) + 1; }

  // Calls body(hash) for the cubes that a facet is in.
  template <typename Body> void for_each_cube(const BoundaryFacet &facet, const Body &body) const {
    if (!(facet.size > 0))
      return;
    const int level = level_of(facet);
    std::array<std::int64_t, 3> first{}, last{};
    for (int d = 0; d < 3; ++d) {
      double low = facet.centre[d], high = low;
      for (int v = 0; v < facet.num_vertices; ++v) {
        const double x = position_of(mesh_, facet.vertices[v])[d];
        low = std::min(low, x - in_plane * facet.size);
        high = std::max(high, x + in_plane * facet.size);
      }
      first[d] = cube_index(std::ldexp(low, -level));
      last[d] = cube_index(std::ldexp(high, -level));
    }
    const std::uint64_t of_level = hash_with_index(0, level);
    for (std::int64_t i = first[0]; i <= last[0]; ++i)
      for (std::int64_t j = first[1]; j <= last[1]; ++j)
        for (std::int64_t k = first[2]; k <= last[2]; ++k)
          body(hash_with_index(hash_with_index(hash_with_index(of_level, i), j), k));
  }

  void put_into_cubes() {
    std::vector<std::int64_t> first(facets_.size() + 1, 0); // [facet]: of its cubes
    parallel_ranges(mesh_.num_boundary_facets, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t f = begin; f < end; ++f)
        for_each_cube(facets_[f], [&](std::uint64_t) { ++first[f + 1]; });
    });
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<FacetInCube> by_facet(first.back());
    parallel_ranges(mesh_.num_boundary_facets, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t f = begin, at = first[begin]; f < end; ++f)
        for_each_cube(facets_[f], [&](std::uint64_t hash) {
          by_facet[at++] = {hash, static_cast<std::int32_t>(f)};
        });
    });
    // Sorted by the last bits of the hash.
    first_in_bucket_.assign(std::bit_ceil(by_facet.size() + 1) + 1, 0);
    for (const FacetInCube &facet : by_facet)
      ++first_in_bucket_[bucket_of(facet.hash) + 1];
    std::partial_sum(first_in_bucket_.begin(), first_in_bucket_.end(), first_in_bucket_.begin());
    std::vector<std::int64_t> next(first_in_bucket_.begin(), first_in_bucket_.end() - 1);
    in_cubes_.resize(by_facet.size());
    for (const FacetInCube &facet : by_facet)
      in_cubes_[next[bucket_of(facet.hash)]++] = facet;
    for (const BoundaryFacet &facet : facets_)
      if (facet.size > 0 &&
          std::find(levels_.begin(), levels_.end(), level_of(facet)) == levels_.end())
        levels_.push_back(level_of(facet));
  }

  std::size_t bucket_of(std::uint64_t hash) const { return hash & (first_in_bucket_.size() - 2); }

  // The facets on which the centre of facet f lies.
  void find_below(std::int64_t f, FacetPairs &found) const {
    for (const int level : levels_) {
      const std::uint64_t hash = hash_of(level, facets_[f].centre);
      const std::size_t bucket = bucket_of(hash);
      for (std::int64_t i = first_in_bucket_[bucket]; i < first_in_bucket_[bucket + 1]; ++i) {
        const std::int32_t other = in_cubes_[i].facet;
        if (in_cubes_[i].hash == hash && other != f && facets_[f].places != facets_[other].places &&
            lies_on(facets_[f], facets_[other]))
          found.emplace_back(static_cast<std::int32_t>(f), other);
      }
    }
  }

  void find_overlapping(UnjoinedFacets &found) {
    put_into_cubes();
    std::vector<FacetPairs> of_thread(host_threads());
    parallel_ranges(mesh_.num_boundary_facets,
                    [&](std::int64_t begin, std::int64_t end, int thread) {
                      for (std::int64_t f = begin; f < end; ++f)
                        find_below(f, of_thread[thread]);
                    });
    for (const FacetPairs &pairs : of_thread)
      found.overlapping.insert(found.overlapping.end(), pairs.begin(), pairs.end());
    sort_unique(found.overlapping); // two cubes of a facet may have the same hash
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

  template <typename T> static void sort_unique(std::vector<T> &list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  const Mesh &mesh_;
  std::vector<BoundaryFacet> facets_;
  std::vector<std::int32_t> place_; // [node] of boundary facets: the lowest at its place
  bool places_are_nodes_ = true;    // no two nodes lie at one place
  std::vector<FacetInCube> in_cubes_;
  std::vector<std::int64_t> first_in_bucket_; // [last bits of a hash]
  std::vector<int> levels_;                   // sizes of cubes, as powers of two
};

} // namespace

UnjoinedFacets find_unjoined_facets(const Mesh &mesh) {
  return FacetsInSpace(mesh).find();
}

} // namespace weft
