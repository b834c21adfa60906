#include "linalg/halo/shared_rows_of.h"

namespace weft {

std::shared_ptr<const SharedRows> shared_rows_of(LinearOperator &op) {
  Communicator *ranks = op.layout().among;
  if (!ranks)
    return nullptr;
  const std::vector<std::int32_t> numbers = op.numbers_of_entries();
  return std::make_shared<SharedRows>(
      share_rows(*ranks, op.size(), {numbers.begin() + op.size(), numbers.end()}));
}

} // namespace weft
