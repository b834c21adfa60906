// A matrix of a caller's as the solvers take it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "linalg/csr_pattern.h"
#include "weft/multigrid.h"

namespace weft {

// Sees the columns and values where they lie if in each row the columns ascend, and, with blocks,
// the rows of a node have the same columns, those of whole nodes; else has copies that are like
// that, with entries of one column added and zeros where there was none.
class CallersMatrix {
public:
  // Throws an input error for what is no matrix with an entry on each row's diagonal, and for a
  // block size that does not divide the number of rows; `unsupported` where a copy would have 2^31
  // entries or more.
  CallersMatrix(const CsrMatrix &matrix, int block_size);

  const std::shared_ptr<const CsrPattern> &pattern() const { return pattern_; }
  bool is_copy() const { return pattern_->columns.data() != given_.columns.data(); }
  std::uint64_t bytes_of_copies() const;

  // Values in the pattern's order, [entry] as the caller has them: as they lie, or a copy that is
  // this object's until the next call. Throws an input error where they are not as many as the
  // columns, not finite, or not positive on the diagonal.
  std::span<const double> take_values(std::span<const double> given);

  // Whether the values that were taken last are those of a symmetric matrix but for rounding.
  bool is_symmetric() const;

private:
  std::int64_t num_rows() const { return static_cast<std::int64_t>(given_.num_rows); }
  std::span<const std::int32_t> columns_of(std::int64_t row) const;
  void check_arrays() const;
  void check_rows() const;
  bool needs_no_copy(std::int64_t node) const;
  void find_columns_of_node(std::int64_t node, std::vector<std::int32_t> &blocks) const;
  void make_view();
  void make_copy();
  void check_diagonal() const;

  CsrMatrix given_;
  int block_size_;
  std::shared_ptr<const CsrPattern> pattern_;
  std::vector<std::int32_t> place_of_; // [entry of the caller's] in a copy
  std::vector<double> copied_values_;
  std::span<const double> values_; // that were taken last
};

} // namespace weft
