#include "output/mesh_identity.h"

#include <atomic>
#include <cstdint>
#include <fmt/format.h>
#include <numeric>
#include <type_traits>
#include <vector>

#include "base/hash.h"
#include "base/parallel.h"

namespace weft {

namespace {

// What is hashed as one: numbers and texts after one another.
class Record {
public:
  template <typename Number> void add(Number number) {
    static_assert(std::is_arithmetic_v<Number>);
    bytes_.append(reinterpret_cast<const char *>(&number), sizeof number);
  }
  void add(const std::string &text) {
    add(text.size());
    bytes_ += text;
  }
  std::uint64_t hash() const { return hash_64(bytes_); }
  void clear() { bytes_.clear(); }

private:
  std::string bytes_;
};

std::vector<std::uint64_t> hashes_of(const std::vector<GroupClass> &classes) {
  std::vector<std::uint64_t> hashes;
  for (const GroupClass &one : classes) {
    Record record;
    for (const std::string &group : one.groups)
      record.add(group);
    hashes.push_back(record.hash());
  }
  return hashes;
}

// Modulo 2^64, so in any order.
std::uint64_t sum_of_all(Communicator *ranks, std::uint64_t mine) {
  if (!ranks)
    return mine;
  std::vector<std::uint64_t> all(ranks->size());
  ranks->gather(&mine, sizeof mine, all.data());
  return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
}

// The sum of the hashes of own cells; add(record, set, cell) adds what is hashed of a cell after
// its number and type.
template <typename Add> std::uint64_t sum_over_cells(const Mesh &mesh, const Add &add) {
  std::atomic<std::uint64_t> sum = 0;
  for (std::size_t s = 0; s < mesh.sets.size(); ++s) {
    const CellSet &set = mesh.sets[s];
    const std::vector<std::int32_t> numbers = canonical_numbers(mesh, static_cast<int>(s));
    parallel_ranges(static_cast<std::int64_t>(numbers.size()),
                    [&](std::int64_t begin, std::int64_t end, int) {
                      std::uint64_t of_range = 0;
                      Record record;
                      for (std::int64_t c = begin; c < end; ++c) {
                        record.clear();
                        record.add(numbers[c]);
                        record.add(static_cast<int>(set.type));
                        add(record, set, c);
                        of_range += record.hash();
                      }
                      sum += of_range;
                    });
  }
  return sum;
}

std::int32_t whole_node(const Mesh &mesh, std::int32_t node) {
  return mesh.share ? mesh.share->whole_nodes[node] : node;
}

std::uint64_t sum_over_facets(const Mesh &mesh) {
  std::vector<std::vector<std::int32_t>> numbers; // [set]
  for (std::size_t s = 0; s < mesh.sets.size(); ++s)
    numbers.push_back(canonical_numbers(mesh, static_cast<int>(s)));
  const std::vector<std::uint64_t> classes = hashes_of(mesh.facet_classes);
  std::uint64_t sum = 0;
  for (std::size_t f = 0; f < mesh.facets.size(); ++f)
    // Each side of a facet between cells by itself: the other may be of another part.
    for (const FacetRef *side : {&mesh.facets[f].minus, &mesh.facets[f].plus}) {
      if (side->cell < 0 || !is_own_cell(mesh, *side))
        continue;
      Record record;
      record.add(numbers[side->set][side->cell]);
      record.add(side->facet);
      record.add(static_cast<std::int64_t>(f) < mesh.num_boundary_facets);
      record.add(classes[mesh.facets[f].facet_class]);
      sum += record.hash();
    }
  return sum;
}

} // namespace

std::string mesh_hash(const Mesh &mesh, Communicator *ranks) {
  const std::vector<std::uint64_t> regions = hashes_of(mesh.region_classes);
  const std::uint64_t cells =
      sum_over_cells(mesh, [&](Record &record, const CellSet &set, std::int64_t c) {
        record.add(regions[set.region[c]]);
        for (int i = 0; i < set.nodes_per_cell; ++i) {
          const std::int64_t node = set.nodes[c * set.nodes_per_cell + i];
          record.add(whole_node(mesh, static_cast<std::int32_t>(node)));
          for (int d = 0; d < mesh.dim; ++d)
            record.add(mesh.coordinates[node * mesh.dim + d]);
        }
      });
  const std::uint64_t sum = cells + sum_over_facets(mesh);
  return hash_hex(fmt::format("{} {}", mesh.dim, sum_of_all(ranks, sum)));
}

std::string connectivity_hash(const Mesh &mesh, Communicator *ranks) {
  std::string text;
  for (std::size_t s = 0; s < mesh.sets.size(); ++s) {
    const std::int64_t own = num_own_cells(mesh, s);
    text += fmt::format("{} {}, ", sum(ranks, own), to_string(mesh.sets[s].type));
  }
  const std::uint64_t cells =
      sum_over_cells(mesh, [&](Record &record, const CellSet &set, std::int64_t c) {
        for (int v = 0; v < num_vertices(set.type); ++v)
          record.add(whole_node(mesh, set.nodes[c * set.nodes_per_cell + v]));
      });
  return hash_hex(fmt::format("{}{}", text, sum_of_all(ranks, cells)));
}

} // namespace weft
