// A table from edges and faces, known by their vertices in any order, to numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace weft {

// Tuples of 2 to 4 vertices; those with the same lowest vertex form a chain.
class VertexTuples {
public:
  explicit VertexTuples(std::int64_t num_vertices) : first_(num_vertices, -1) {}

  // The value stored with these vertices, after storing `value` if there was none.
  std::int32_t find_or_add(std::span<const std::int32_t> vertices, std::int32_t value) {
    const Key key = make_key(vertices);
    const std::int32_t found = find(key);
    if (found >= 0)
      return entries_[found].value;
    entries_.push_back({key, value, first_[key[0]]});
    first_[key[0]] = static_cast<std::int32_t>(entries_.size()) - 1;
    return value;
  }
  // The value stored with these vertices, -1 if there is none.
  std::int32_t find(std::span<const std::int32_t> vertices) const {
    const std::int32_t found = find(make_key(vertices));
    return found >= 0 ? entries_[found].value : -1;
  }

private:
  using Key = std::array<std::int32_t, 4>; // ascending, filled with the greatest number
  struct Entry {
    Key key;
    std::int32_t value;
    std::int32_t next;
  };
  static Key make_key(std::span<const std::int32_t> vertices) {
    Key key;
    key.fill(INT32_MAX);
    std::copy(vertices.begin(), vertices.end(), key.begin());
    std::sort(key.begin(), key.end());
    return key;
  }
  std::int32_t find(const Key &key) const {
    std::int32_t entry = first_[key[0]];
    while (entry >= 0 && entries_[entry].key != key)
      entry = entries_[entry].next;
    return entry;
  }

  std::vector<std::int32_t> first_;
  std::vector<Entry> entries_;
};

} // namespace weft
