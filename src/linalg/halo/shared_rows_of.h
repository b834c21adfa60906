// Rows of an operator that ranks share.
#pragma once

#include <memory>

#include "linalg/operator.h"
#include "ranks/shared_rows.h"

namespace weft {

// All; null where the operator is this rank's alone.
std::shared_ptr<const SharedRows> shared_rows_of(LinearOperator &op);

} // namespace weft
