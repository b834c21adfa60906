// A mesh as a file or a generator gives it, before it is checked, oriented, renumbered and blocked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mesh/cell_type.h"

namespace weft {

// What elements carry: the entity of the geometry they came from and its named groups.
struct RawLabel {
  int dim = 0;
  std::int64_t entity = 0;         // its number in the geometry
  std::vector<std::string> groups; // sorted; empty when the entity is in no group
  bool operator<(const RawLabel &o) const {
    return std::tie(dim, entity, groups) < std::tie(o.dim, o.entity, o.groups);
  }
};

// All elements of one type and order.
struct RawElements {
  CellType type = CellType::point;
  int order = 1;
  int nodes_per_element = 1;
  std::vector<std::int32_t> nodes;  // [element, node], indices of nodes in our own local order
  std::vector<std::int32_t> labels; // [element], indices of RawMesh::labels
  std::vector<std::int64_t> tags;   // [element], numbers in the file; empty: counted from 1
  std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
  void reserve_more(std::int64_t count) {
    // At least doubled, so that many small blocks do not each move everything.
    if (nodes.capacity() < nodes.size() + count * nodes_per_element)
      nodes.reserve(std::max(2 * nodes.size(), nodes.size() + count * nodes_per_element));
    if (labels.capacity() < labels.size() + count) {
      labels.reserve(std::max(2 * labels.size(), labels.size() + count));
      tags.reserve(std::max(2 * tags.size(), tags.size() + count));
    }
  }
  std::int64_t tag(std::int64_t element) const {
    return tags.empty() ? element + 1 : tags[element];
  }
};

// Nodes of one periodic side and their masters on the other: (node, master).
using PeriodicLink = std::vector<std::pair<std::int32_t, std::int32_t>>;

struct RawMesh {
  std::string file;                  // for error messages; "box" for a generated one
  bool generated = false;            // by Weft, not read from a file
  std::vector<double> coordinates;   // [node, 3]
  std::vector<RawElements> elements; // one a type and order, none empty
  std::vector<RawLabel> labels;
  std::vector<PeriodicLink> periodic;
  std::vector<std::string> groups_without_elements; // that the file names: "wall (surface)"

  std::int64_t num_nodes() const { return static_cast<std::int64_t>(coordinates.size() / 3); }
};

} // namespace weft
