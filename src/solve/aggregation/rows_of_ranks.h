// Matrices of blocks whose rows ranks share: each has its own, and columns that are its places.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "linalg/block_matrix.h"
#include "ranks/shared_rows.h"

namespace weft {

// Places of a rank for things that ranks number one rank after another: its own first, then those
// of others as they are met.
class MetNumbers {
public:
  // All. `own`: how many things are this rank's.
  MetNumbers(Communicator &ranks, std::int64_t own);

  std::int32_t place(std::int64_t number); // behind all others where it is met first
  std::int64_t number(std::int64_t place) const;
  std::int64_t first() const { return first_[ranks_->rank()]; }
  std::int64_t num_own() const { return own_; }
  std::int64_t num_met() const { return own_ + static_cast<std::int64_t>(others_.size()); }
  std::int64_t num_all() const { return first_.back(); }
  int owner(std::int64_t number) const;
  Communicator &ranks() const { return *ranks_; }

private:
  Communicator *ranks_;
  std::vector<std::int64_t> first_; // [rank + 1]
  std::int64_t own_;
  std::vector<std::int64_t> others_;
  std::unordered_map<std::int64_t, std::int32_t> places_; // of others
};

// All: `own`, a row for each of this rank's rows, and behind it the rows of its ghosts, whose
// columns are met.
BlockMatrix with_rows_of_ghosts(const SharedRows &rows, const BlockMatrix &own,
                                MetNumbers &columns);

// Rows that other ranks have computed a part of.
struct ReturnedRows {
  int height = 1, width = 1;
  std::vector<std::int32_t> rows, start; // [returned row]; start: of its blocks, [returned row + 1]
  std::vector<std::int32_t> columns;
  std::vector<double> values; // in the order of a BlockMatrix
};

// All: sends the rows of places beyond this rank's own ones, of a square matrix of what `numbers`
// are of, to their owners, and meets the columns of what comes. In the order of ranks.
ReturnedRows return_rows(const BlockView &matrix, MetNumbers &numbers);

// The first `num_rows` rows of a matrix, the rest left out, and column c moved to column_of[c];
// columns ascending.
void move_columns(BlockMatrix &matrix, std::int64_t num_rows,
                  const std::vector<std::int32_t> &column_of);
// The same of another matrix, with what is returned of its rows added.
BlockMatrix moved_rows(const BlockView &matrix, std::int64_t num_rows, const ReturnedRows &returned,
                       const std::vector<std::int32_t> &column_of);

// Numbers of things that are looked at, from lowest to highest, and the places of those met among
// [own, those]; -1: nobody looks at it.
struct LookedAt {
  std::vector<std::int64_t> ghosts;
  std::vector<std::int32_t> place_of; // [met place]
};
LookedAt find_looked_at(const MetNumbers &met, const std::vector<std::uint8_t> &is_looked_at);

// All: the rows of all ranks, one rank after another; columns are numbers.
BlockMatrix joined_rows(Communicator &ranks, const BlockMatrix &own);

} // namespace weft
