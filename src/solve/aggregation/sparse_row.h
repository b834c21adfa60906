// A row of a sparse product while it is summed.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace weft {

// Sums of blocks, one after another as their columns are met. Whether a column is met for the first
// time can't be foreseen by a processor: there is no branch on it.
class SparseRow {
public:
  SparseRow(std::int64_t num_columns, int block_size)
      : block_size_(block_size), place_(num_columns, none) {
    for (std::int64_t bits = num_columns; bits > 1;) {
      bits = (bits + 63) / 64;
      marks_.emplace_back(bits, 0);
    }
  }

  // A row that is being summed, for registers: no store into the row can change it.
  class Sums {
  public:
    // The sum for a column, zero at first. `block_size` is that of the row, known to the compiler
    // where it can be.
    template <typename BlockSize> double *of(BlockSize block_size, std::int32_t column) {
      const std::int32_t known = place_[column];
      const bool is_new = known == none;
      const std::int32_t at = is_new ? met_ : known;
      columns_[met_] = column; // the next one overwrites it where this one is known
      place_[column] = at;
      met_ += is_new;
      return sums_ + std::int64_t{at} * block_size;
    }

  private:
    friend class SparseRow;
    std::int32_t *place_, *columns_;
    double *sums_;
    std::int32_t met_;
  };

  // For at most `more` columns that are not yet met; until close().
  Sums open(std::int64_t more) {
    if (count_ + more >= std::int64_t(columns_.size())) {
      columns_.resize(2 * (count_ + more) + 64);
      sums_.resize(columns_.size() * block_size_, 0.);
    }
    Sums sums;
    sums.place_ = place_.data(), sums.columns_ = columns_.data(), sums.sums_ = sums_.data();
    sums.met_ = count_;
    return sums;
  }
  void close(const Sums &sums) { count_ = sums.met_; }

  // Columns in the order in which they were met, and their sums.
  std::int32_t count() const { return count_; }
  std::int32_t column(std::int32_t k) const { return columns_[k]; }
  const double *block(std::int32_t k) const { return sums_.data() + std::int64_t{k} * block_size_; }

  // Calls body(k) for all columns(k), ascending: a tree of bits, 64 of which are one above them.
  template <typename Body> void ascending(const Body &body) {
    for (std::int32_t k = 0; k < count_; ++k) {
      std::int64_t bit = columns_[k];
      for (std::vector<std::uint64_t> &marks : marks_) {
        marks[bit / 64] |= std::uint64_t{1} << (bit % 64);
        bit /= 64;
      }
    }
    if (marks_.empty() && count_ > 0)
      body(0);
    else if (count_ > 0)
      walk(marks_.size() - 1, 0, body);
  }

  // Begins the next row.
  void clear() {
    for (std::int32_t k = 0; k < count_; ++k)
      place_[columns_[k]] = none;
    std::fill_n(sums_.begin(), std::int64_t{count_} * block_size_, 0.);
    count_ = 0;
  }

private:
  template <typename Body> void walk(std::size_t level, std::int64_t word, const Body &body) {
    std::uint64_t bits = marks_[level][word];
    marks_[level][word] = 0;
    for (; bits != 0; bits &= bits - 1) {
      const std::int64_t below = word * 64 + std::countr_zero(bits);
      if (level == 0)
        body(place_[below]);
      else
        walk(level - 1, below, body);
    }
  }

  static constexpr std::int32_t none = -1;
  int block_size_;
  std::int32_t count_ = 0;
  std::vector<std::int32_t> place_;   // [column]: of its sum
  std::vector<std::int32_t> columns_; // those met
  std::vector<double> sums_;          // [met, entry], zero behind
  std::vector<std::vector<std::uint64_t>> marks_;
};

} // namespace weft
