// Which facets of which cells are the same.
#pragma once

#include <cstdint>
#include <vector>

#include "base/host_array.h"
#include "mesh/mesh.h"
#include "mesh/raw_mesh.h"

namespace weft {

// All facets of all cells in one numbering: set after set, cell after cell, facet after facet.
class FacetNumbering {
public:
  explicit FacetNumbering(const Mesh &mesh);
  std::int64_t count() const { return first_.back(); }
  std::int64_t first(std::int32_t set) const { return first_[set]; }
  FacetRef ref(std::int64_t id) const;

private:
  std::vector<std::int64_t> first_;  // [set]
  std::vector<int> facets_per_cell_; // [set]
};

// The other side of every facet of every cell.
struct FacetMatches {
  static constexpr std::uint32_t none = 0xffffffffu;
  HostArray<std::uint32_t> neighbour; // [facet]: the facet it coincides with; none on the boundary
  // [element]: a facet that is that element of lower dimension (the lower of two); none if there
  // isn't any. Elements count through all RawElements in order; others than of dimension dim-1:
  // none.
  std::vector<std::uint32_t> of_element;
};

// Matches facets by their vertices: those with the same lowest vertex meet in one short list.
// Input error when more than two cells share a facet.
FacetMatches match_facets(const Mesh &mesh, const FacetNumbering &numbering,
                          const std::vector<RawElements> &elements, const std::string &file);

// Fills facets, num_boundary_facets, facet_classes (class 0 has no group), point_groups and
// edge_groups of a mesh whose cells are in their final order; takes the elements of lower dimension
// out of `raw`. Input errors: elements that are no facets (3D: faces; edges in 2D) or lie in no
// cell.
void find_facets(Mesh &mesh, RawMesh &raw);

} // namespace weft
