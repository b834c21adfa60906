// Expressions in cells that have one node.
#pragma once

#include <span>
#include <vector>

#include "op/evaluate/point_values.h"

namespace weft {

// Values in the cells of a set, of a law of order 0. In finite volumes x is a cell's centroid,
// and known fields have their means over it, so that what is linear in x has its mean; else
// values are those at the reference centre.
class CellEvaluator {
public:
  CellEvaluator(const Discretisation &d, int set);

  // outputs[output][cell]
  void evaluate(const PointwiseFunction &function, std::span<const std::int32_t> cells,
                const PointInputs &inputs, std::vector<std::vector<double>> &outputs) const;

private:
  std::vector<double> position(int axis, std::span<const std::int32_t> cells) const;
  std::vector<double> mean(const Symbol &known, std::span<const std::int32_t> cells,
                           const PointInputs &inputs) const;

  const Discretisation &d_;
  int set_;
  PointTable centres_, inside_;
};

} // namespace weft
