// The next finer mesh in the place of the next order, where elements have none.
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/mesh_levels.h"
#include "op/problem/discretisation.h"

namespace weft {

// The cells of a refined mesh in those that they are parts of. Of all types but pyramids.
class RefinedCells {
public:
  // `parents`: of the vertices of `fine`. Both meshes must outlive it.
  RefinedCells(const Mesh &coarse, const Mesh &fine, const VertexParents &parents);

  // A function's values at the nodes of the space on the finer mesh: [dof] to [dof]; exact, orders
  // being the same. And the finer function's values at the nodes of the coarser space.
  std::vector<double> interpolate(const Discretisation &coarse, const Discretisation &fine,
                                  const std::vector<double> &values) const;
  std::vector<double> inject(const Discretisation &fine, const Discretisation &coarse,
                             const std::vector<double> &values) const;

  // A point of a coarse cell in the part of it that has it.
  struct Point {
    int set = 0;
    std::int32_t cell = 0;
    std::vector<double> reference;
  };
  Point find(int set, std::int32_t cell, const std::vector<double> &reference) const;

  // [(set, cell)] of the finer mesh, summed over the parts of each coarse cell: [(set, cell)].
  std::vector<double> sum_of_parts(const std::vector<double> &of_parts) const;

private:
  // Where the vertices of a part are in its cell: reference coordinates, [vertex, dim].
  struct Pattern {
    CellType cell, part;
    std::vector<double> vertices;
    // Reference coordinates in the part of points in the cell, both [point, dim].
    std::vector<double> into_part(const std::vector<double> &points) const;
    std::vector<double> into_cell(const std::vector<double> &points) const;
  };
  struct Parent {
    std::int32_t set = 0, cell = 0, pattern = 0;
  };

  int pattern_of(CellType cell, CellType part, std::vector<double> vertices);

  const Mesh &coarse_, &fine_;
  std::vector<Pattern> patterns_;
  std::vector<std::vector<Parent>> parents_; // [set][cell]
};

} // namespace weft
