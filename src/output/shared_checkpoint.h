// The checkpoint of a run that several ranks share: its file is the first rank's, in an order that
// knows no ranks, so that any number of them reads what any number has written.
#pragma once

#include <functional>
#include <string>

#include "output/canonical_order.h"
#include "output/checkpoint.h"

namespace weft {

// All: as write_checkpoint() in one process. `checkpoint`: of a rank, with its own states and first
// times; all else is the first one's. Errors: system, on all ranks.
void write_shared_checkpoint(const std::string &path, Checkpoint checkpoint,
                             const CanonicalOrder &order);

// All: what read_checkpoint() reads, with the states and first times that are of this rank's part;
// those of ghosts are 0. `check`: called on the first rank with what was read, in the order of
// files, before any of it is looked at; it throws unless states are of `order`. Errors: of
// read_checkpoint() and `check`, on all ranks.
Checkpoint read_shared_checkpoint(const std::string &path, std::int64_t longest,
                                  const CanonicalOrder &order,
                                  const std::function<void(const Checkpoint &)> &check);

} // namespace weft
