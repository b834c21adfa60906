#include "solve/time/fields_of_order.h"

#include <algorithm>
#include <utility>

namespace weft {

FieldsOfOrder::FieldsOfOrder(NonlinearOperator &op, const std::vector<std::int64_t> &field_offset,
                             const std::vector<int> &time_orders)
    : kernels_(op.device(), op.precision(), op.layout(), 1, {"jacobi"}),
      kept_(kernels_.vector("fields of an order in time")) {
  for (int order = 0; order <= 2; ++order) {
    std::vector<double> entries(kernels_.size(), 0);
    for (std::size_t f = 0; f < field_offset.size(); ++f)
      if (time_orders[f] == order)
        std::fill(entries.begin() + field_offset[f],
                  f + 1 < field_offset.size() ? entries.begin() + field_offset[f + 1]
                                              : entries.end(),
                  1.0);
    of_order_.push_back(kernels_.vector("fields of an order in time"));
    set_vector(kernels_.device(), of_order_.back(), entries);
  }
}

void FieldsOfOrder::take(int order, const Vector &from, Vector &to) {
  kernels_.scale(to, of_order_[order], from);
}

void FieldsOfOrder::keep(int order, Vector &v) {
  take(order, v, kept_);
  std::swap(kept_, v);
}

} // namespace weft
