#include <algorithm>
#include <array>
#include <atomic>
#include <fmt/format.h>
#include <limits>

#include "base/error.h"
#include "base/parallel.h"
#include "mesh/build/topology.h"

namespace weft {

namespace {

// A facet in a list of those with the same lowest vertex: its further vertices ascending (filled
// with -1), and its number.
struct Candidate {
  std::array<std::int32_t, 3> others;
  std::uint32_t id;
  bool operator<(const Candidate &o) const {
    return std::tie(others, id) < std::tie(o.others, o.id);
  }
};

// Vertices of a facet in ascending order, filled with the greatest number.
using Key = std::array<std::int32_t, 4>;

Key sorted_key(const std::int32_t *nodes, std::span<const int> vertices) {
  Key key;
  key.fill(std::numeric_limits<std::int32_t>::max());
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    std::int32_t node = nodes[vertices[k]];
    for (std::size_t i = 0; i < k; ++i)
      if (key[i] > node)
        std::swap(key[i], node);
    key[k] = node;
  }
  return key;
}

// The facets to be matched: those of the cells, then elements of dimension dim - 1, which have the
// numbers after them.
class FacetList {
public:
  FacetList(const Mesh &mesh, const FacetNumbering &numbering,
            const std::vector<RawElements> &elements)
      : mesh_(mesh), numbering_(numbering), elements_(elements) {
    std::int64_t id = numbering.count();
    for (const auto &each : elements) {
      first_element_.push_back(id);
      id += each.size();
    }
    count_ = id;
    for (const auto &set : mesh.sets) {
      facet_vertices_.emplace_back();
      for (int f = 0; f < num_facets(set.type); ++f)
        facet_vertices_.back().push_back(facet_vertices(set.type, f));
    }
  }

  std::int64_t count() const { return count_; }

  // Calls body(id, lowest vertex) for all facets, in parallel.
  template <typename Body> void for_each(const Body &body) const {
    for (std::size_t s = 0; s < mesh_.sets.size(); ++s) {
      const CellSet &set = mesh_.sets[s];
      const auto &facets = facet_vertices_[s];
      const std::int64_t first = numbering_.first(static_cast<std::int32_t>(s));
      parallel_ranges(set.num_cells(), [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t c = begin; c < end; ++c) {
          const std::int32_t *nodes = &set.nodes[c * set.nodes_per_cell];
          for (std::size_t f = 0; f < facets.size(); ++f) {
            std::int32_t lowest = nodes[facets[f][0]];
            for (std::size_t k = 1; k < facets[f].size(); ++k)
              lowest = std::min(lowest, nodes[facets[f][k]]);
            body(static_cast<std::uint32_t>(first + c * facets.size() + f), lowest);
          }
        }
      });
    }
    for (std::size_t s = 0; s < elements_.size(); ++s) {
      const RawElements &each = elements_[s];
      if (dimension(each.type) != mesh_.dim - 1)
        continue;
      const int n = each.nodes_per_element;
      for (std::int64_t e = 0; e < each.size(); ++e) {
        const std::int32_t *nodes = &each.nodes[e * n];
        const std::int32_t lowest = *std::min_element(nodes, nodes + n);
        if (lowest >= 0) // its nodes are in cells
          body(static_cast<std::uint32_t>(first_element_[s] + e), lowest);
      }
    }
  }

  Key key(std::uint32_t id) const {
    if (id < numbering_.count()) {
      const FacetRef ref = numbering_.ref(id);
      const CellSet &set = mesh_.sets[ref.set];
      return sorted_key(&set.nodes[static_cast<std::int64_t>(ref.cell) * set.nodes_per_cell],
                        facet_vertices_[ref.set][ref.facet]);
    }
    static constexpr int identity[] = {0, 1, 2, 3};
    const auto after = std::upper_bound(first_element_.begin(), first_element_.end(), id);
    const std::size_t s = after - first_element_.begin() - 1;
    const int n = elements_[s].nodes_per_element;
    return sorted_key(&elements_[s].nodes[(id - first_element_[s]) * n], std::span(identity, n));
  }

private:
  const Mesh &mesh_;
  const FacetNumbering &numbering_;
  const std::vector<RawElements> &elements_;
  std::vector<std::int64_t> first_element_;                       // [RawElements]
  std::vector<std::vector<std::span<const int>>> facet_vertices_; // [set][facet]
  std::int64_t count_ = 0;
};

// ids[offsets[v] .. offsets[v+1]-1]: the facets whose lowest vertex is v.
struct FacetsByVertex {
  std::vector<std::int64_t> offsets;
  HostArray<std::uint32_t> ids;
};

FacetsByVertex sort_by_lowest_vertex(const FacetList &facets, std::int64_t num_nodes) {
  FacetsByVertex lists;
  lists.offsets.assign(num_nodes + 1, 0);
  facets.for_each([&](std::uint32_t, std::int32_t lowest) {
    std::atomic_ref(lists.offsets[lowest]).fetch_add(1, std::memory_order_relaxed);
  });
  std::int64_t sum = 0;
  for (auto &offset : lists.offsets)
    sum += std::exchange(offset, sum);
  lists.ids.resize(sum);
  // Filling moves every offset to the next list's begin; the order within a list does not matter.
  facets.for_each([&](std::uint32_t id, std::int32_t lowest) {
    lists.ids[std::atomic_ref(lists.offsets[lowest]).fetch_add(1, std::memory_order_relaxed)] = id;
  });
  std::rotate(lists.offsets.begin(), lists.offsets.end() - 1, lists.offsets.end());
  lists.offsets[0] = 0;
  return lists;
}

// The vertices in the order in which the cells come to them. Cells lie block after block, so that
// the facets of neighbouring entries are near each other in memory; the nodes' own order says
// nothing of the kind.
std::vector<std::int32_t> vertices_by_cells(const Mesh &mesh) {
  std::vector<std::int32_t> order;
  std::vector<bool> seen(mesh.num_nodes(), false);
  for (const auto &set : mesh.sets) {
    const int vertices = num_vertices(set.type);
    for (std::int64_t c = 0; c < set.num_cells(); ++c)
      for (int v = 0; v < vertices; ++v) {
        const std::int32_t vertex = set.nodes[c * set.nodes_per_cell + v];
        if (!seen[vertex])
          order.push_back(vertex);
        seen[vertex] = true;
      }
  }
  return order;
}

[[noreturn]] void fail_shared(const Mesh &mesh, const Key &key, std::int64_t cells,
                              const std::string &file) {
  std::string place;
  for (int d = 0; d < mesh.dim; ++d)
    place += fmt::format("{}{}", d > 0 ? ", " : "",
                         mesh.coordinates[key[0] * std::int64_t(mesh.dim) + d]);
  throw Error(ErrorKind::input,
              {"More than two cells share a facet.", file,
               fmt::format("{} cells at a facet with a vertex at ({})", cells, place), "one or two",
               "remove repeated or overlapping cells"});
}

} // namespace

FacetMatches match_facets(const Mesh &mesh, const FacetNumbering &numbering,
                          const std::vector<RawElements> &elements, const std::string &file) {
  const FacetList facets(mesh, numbering, elements);
  if (facets.count() >= FacetMatches::none)
    throw Error(ErrorKind::unsupported, {"The mesh has too many facets.", file,
                                         std::to_string(facets.count()), "4294967294", ""});
  const FacetsByVertex lists = sort_by_lowest_vertex(facets, mesh.num_nodes());
  const std::int64_t of_cells = numbering.count();
  FacetMatches matches;
  matches.neighbour.resize(of_cells);
  parallel_ranges(of_cells, [&](std::int64_t begin, std::int64_t end, int) {
    std::fill(matches.neighbour.begin() + begin, matches.neighbour.begin() + end,
              FacetMatches::none);
  });
  matches.of_element.assign(facets.count() - of_cells, FacetMatches::none);
  const std::vector<std::int32_t> order = vertices_by_cells(mesh);
  const auto num_vertices = static_cast<std::int64_t>(order.size());
  parallel_ranges(num_vertices, [&](std::int64_t begin, std::int64_t end, int) {
    std::vector<Candidate> list;
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int32_t v = order[at];
      list.clear();
      for (std::int64_t i = lists.offsets[v]; i < lists.offsets[v + 1]; ++i) {
        const Key key = facets.key(lists.ids[i]);
        list.push_back({{key[1], key[2], key[3]}, lists.ids[i]});
      }
      std::sort(list.begin(), list.end());
      for (std::size_t first = 0, next; first < list.size(); first = next) {
        std::size_t cells_end = first;
        for (next = first; next < list.size() && list[next].others == list[first].others; ++next)
          cells_end += list[next].id < of_cells;
        if (cells_end - first > 2)
          fail_shared(mesh, facets.key(list[first].id), cells_end - first, file);
        if (cells_end - first == 2) {
          matches.neighbour[list[first].id] = list[first + 1].id;
          matches.neighbour[list[first + 1].id] = list[first].id;
        }
        for (std::size_t e = cells_end; e < next && cells_end > first; ++e)
          matches.of_element[list[e].id - of_cells] = list[first].id;
      }
    }
  });
  return matches;
}

} // namespace weft
