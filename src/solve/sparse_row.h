// A row of a sparse product while it is summed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace weft {

// Sums of blocks, dense over the columns, and a list of the columns met. Whether a column is met
// for the first time can't be foreseen by a processor: there is no branch on it.
class SparseRow {
public:
  SparseRow(std::int64_t num_columns, int block_size)
      : block_size_(block_size), values_(num_columns * block_size, 0.), row_of_(num_columns, 0) {}

  // Calls add(sum, k) for k in [0, count) with the sum for column(k), zero at first. `block_size`
  // is that of the constructor, known to the compiler where it can be.
  template <typename BlockSize, typename Column, typename Add>
  void add(BlockSize block_size, std::int32_t count, const Column &column, const Add &add) {
    if (count_ + count >= std::int64_t(columns_.size()))
      columns_.resize(2 * (count_ + count) + 64);
    std::int32_t *row_of = row_of_.data(), *columns = columns_.data();
    double *values = values_.data();
    const std::int32_t row = row_;
    std::int64_t met = count_;
    for (std::int32_t k = 0; k < count; ++k) {
      const std::int32_t c = column(k);
      columns[met] = c; // the next column overwrites it where this one is known
      met += row_of[c] != row;
      row_of[c] = row;
      add(values + std::int64_t{c} * block_size, k);
    }
    count_ = met;
  }

  std::int64_t count() const { return count_; }
  std::int32_t column(std::int64_t k) const { return columns_[k]; }
  const double *block(std::int32_t column) const {
    return values_.data() + std::int64_t{column} * block_size_;
  }
  void sort() { std::sort(columns_.begin(), columns_.begin() + count_); }

  // Begins the next row.
  void clear() {
    if (block_size_ == 1)
      for (std::int64_t k = 0; k < count_; ++k)
        values_[columns_[k]] = 0;
    else
      for (std::int64_t k = 0; k < count_; ++k)
        std::fill_n(values_.begin() + std::int64_t{columns_[k]} * block_size_, block_size_, 0.);
    count_ = 0;
    ++row_;
  }

private:
  int block_size_;
  std::int32_t row_ = 1;
  std::int64_t count_ = 0;
  std::vector<double> values_;        // [column, entry]
  std::vector<std::int32_t> row_of_;  // [column]: the last row in which it was met
  std::vector<std::int32_t> columns_; // those met
};

} // namespace weft
