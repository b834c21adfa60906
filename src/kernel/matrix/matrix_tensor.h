// Products of basis functions summed over the points of an affine cell.
#pragma once

#include <string>
#include <vector>

#include "kernel/cell/cell_integral.h"

namespace weft {

// T(i, j, s, t) = sum over points of weight * phi_s,i * phi_t,j; s and t: 0 the value, 1 + e the
// derivative along reference direction e.
class ReferenceTensor {
public:
  ReferenceTensor(const CellIntegral &integral, int test_family, int trial_family);
  double at(int i, int j, int s, int t) const {
    return values_[((i * trial_nodes_ + j) * width_ + s) * width_ + t];
  }
  // The entry of the table for nodes chosen at run time.
  std::string name_at(const std::string &i, const std::string &j, int s, int t) const;
  std::string definition(Precision precision) const;

private:
  std::string name_;
  int trial_nodes_ = 0, width_ = 0;
  std::vector<double> values_; // [i][j][s][t]
};

} // namespace weft
