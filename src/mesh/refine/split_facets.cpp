#include "mesh/refine/split_facets.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.h"
#include "mesh/build/second_order.h"
#include "mesh/refine/child_ranges.h"

namespace weft {

namespace {

// A facet of a child that is part of a facet of its parent.
struct ChildFacet {
  int child = 0, facet = 0; // the child among all of the parent, the facet among those of the child
};

bool lies_on(CellType cell, int facet, int node) {
  const auto on_facet = facet_vertices(cell, facet);
  const auto is_on = [&](int vertex) {
    return std::find(on_facet.begin(), on_facet.end(), vertex) != on_facet.end();
  };
  if (node < num_vertices(cell))
    return is_on(node);
  const std::vector<int> &support = second_order_supports(cell)[node - num_vertices(cell)];
  return std::all_of(support.begin(), support.end(), is_on);
}

std::vector<ChildFacet> parts_of_facet(CellType cell, int diagonal, int facet) {
  std::vector<ChildFacet> parts;
  const std::vector<CellChild> &children = cell_children(cell, diagonal);
  for (std::size_t k = 0; k < children.size(); ++k)
    for (int f = 0; f < num_facets(children[k].type); ++f) {
      const auto vertices = facet_vertices(children[k].type, f);
      if (std::all_of(vertices.begin(), vertices.end(),
                      [&](int v) { return lies_on(cell, facet, children[k].vertices[v]); }))
        parts.push_back({static_cast<int>(k), f});
    }
  return parts;
}

class FacetSplitter {
public:
  FacetSplitter(const Mesh &coarse, const std::vector<std::vector<std::int8_t>> &diagonals,
                Mesh &fine)
      : coarse_(coarse), diagonals_(diagonals), fine_(fine), children_(child_ranges(coarse)) {
    for (const CellSet &set : coarse.sets) {
      auto &of_set = parts_.emplace_back(set.type == CellType::tetrahedron ? 3 : 1);
      for (std::size_t diagonal = 0; diagonal < of_set.size(); ++diagonal)
        for (int facet = 0; facet < num_facets(set.type); ++facet)
          of_set[diagonal].push_back(parts_of_facet(set.type, static_cast<int>(diagonal), facet));
    }
  }

  void split(const Facet &facet) {
    const std::vector<Part> minus = parts_of(facet.minus);
    const std::vector<Part> plus =
        facet.plus.cell >= 0 ? parts_of(facet.plus) : std::vector<Part>{};
    for (const Part &part : minus) {
      Facet fine{part.ref, {}, facet.facet_class};
      if (facet.plus.cell >= 0) {
        const auto other = std::find_if(plus.begin(), plus.end(), [&](const Part &candidate) {
          return candidate.vertices == part.vertices;
        });
        require(other != plus.end(), "both sides of a facet are split alike");
        fine.plus = other->ref;
      }
      fine_.facets.push_back(fine);
    }
  }

private:
  struct Part {
    FacetRef ref;
    std::array<std::int32_t, 4> vertices; // ascending, filled with the greatest number
  };

  std::vector<Part> parts_of(const FacetRef &parent) const {
    const auto &of_cell = diagonals_[parent.set];
    const int diagonal = of_cell.empty() ? 0 : of_cell[parent.cell];
    std::vector<Part> parts;
    for (const ChildFacet &child : parts_[parent.set][diagonal][parent.facet]) {
      Part part;
      part.ref = child_of(parent, diagonal, child.child);
      part.ref.facet = static_cast<std::int8_t>(child.facet);
      part.vertices.fill(std::numeric_limits<std::int32_t>::max());
      const CellSet &of = fine_.sets[part.ref.set];
      const std::int32_t *nodes = &of.nodes[std::int64_t{part.ref.cell} * of.nodes_per_cell];
      const auto on = facet_vertices(of.type, child.facet);
      std::transform(on.begin(), on.end(), part.vertices.begin(), [&](int v) { return nodes[v]; });
      std::sort(part.vertices.begin(), part.vertices.end());
      parts.push_back(part);
    }
    return parts;
  }

  // The k-th child.
  FacetRef child_of(const FacetRef &parent, int diagonal, int k) const {
    const std::vector<CellChild> &children = cell_children(coarse_.sets[parent.set].type, diagonal);
    const auto before =
        std::count_if(children.begin(), children.begin() + k,
                      [&](const CellChild &child) { return child.type == children[k].type; });
    for (const ChildRange &range : children_[parent.set])
      if (fine_.sets[range.set].type == children[k].type)
        return {range.set,
                static_cast<std::int32_t>(range.first + std::int64_t{parent.cell} * range.each +
                                          before),
                -1};
    require(false, "children of a type are in its set");
    return {};
  }

  const Mesh &coarse_;
  const std::vector<std::vector<std::int8_t>> &diagonals_;
  Mesh &fine_;
  std::vector<std::vector<ChildRange>> children_;                        // [set]
  std::vector<std::vector<std::vector<std::vector<ChildFacet>>>> parts_; // [set][diagonal][facet]
};

} // namespace

void split_facets(const Mesh &coarse, const std::vector<std::vector<std::int8_t>> &diagonals,
                  Mesh &fine) {
  if (coarse.facets.empty())
    return;
  FacetSplitter splitter(coarse, diagonals, fine);
  for (std::int64_t f = 0; f < static_cast<std::int64_t>(coarse.facets.size()); ++f) {
    splitter.split(coarse.facets[f]);
    if (f < coarse.num_boundary_facets)
      fine.num_boundary_facets = static_cast<std::int64_t>(fine.facets.size());
  }
}

} // namespace weft
