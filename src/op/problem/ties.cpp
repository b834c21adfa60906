#include "op/problem/ties.h"

namespace weft {

void set_tied(const Ties &ties, std::vector<double> &entries) {
  for (std::size_t i = 0; i < ties.dofs.size(); ++i) {
    double value = ties.jumps[i];
    for (std::int32_t k = ties.first[i]; k < ties.first[i + 1]; ++k)
      value += ties.weights[k] * entries[ties.others[k]];
    entries[ties.dofs[i]] = value;
  }
}

} // namespace weft
