// Cells of finite volumes and the facets between them, all sets in a row.
#pragma once

#include <vector>

#include <Eigen/Dense>

#include "op/problem/discretisation.h"

namespace weft::reference {

using FvVector = Eigen::Vector3d;

struct FvCell {
  int set = 0;
  std::int32_t cell = 0; // in its set
  double volume = 0;
  FvVector centre = FvVector::Zero();
  FvVector position = FvVector::Zero(); // of its node, from which moments are taken
  std::vector<FvVector> areas, middles; // [facet]: area times outward normal; centroid
};

// One facet, from minus to plus; plus is -1 on the boundary.
struct FvFacet {
  int minus = 0, plus = -1;
  int condition = -1;
  std::int32_t facet_class = 0;
  FvVector area = FvVector::Zero(), middle = FvVector::Zero();
  FvVector minus_offset = FvVector::Zero(), plus_offset = FvVector::Zero();
};

std::vector<FvCell> fv_cells(const Discretisation &d);
std::vector<FvFacet> fv_facets(const Discretisation &d, const std::vector<FvCell> &cells);

} // namespace weft::reference
