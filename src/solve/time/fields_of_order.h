// The fields of each order in time as masks of vectors.
#pragma once

#include <vector>

#include "linalg/operator.h"
#include "linalg/vector_kernels.h"

namespace weft {

class FieldsOfOrder {
public:
  // field_offset: first entry of each field in vectors; time_orders: [field], 0 to 2.
  FieldsOfOrder(NonlinearOperator &op, const std::vector<std::int64_t> &field_offset,
                const std::vector<int> &time_orders);

  // to: `from` in fields of that order in time, 0 in others.
  void take(int order, const Vector &from, Vector &to);
  // Entries of fields of that order in time stay, others become 0.
  void keep(int order, Vector &v);

private:
  VectorKernels kernels_;
  std::vector<Vector> of_order_; // [order in time]: 1 in its fields, 0 elsewhere
  Vector kept_;
};

} // namespace weft
