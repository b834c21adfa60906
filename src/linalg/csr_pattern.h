// Which entries of a sparse matrix may differ from zero.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace weft {

// Column numbers that nobody changes any more: a vector that was given up for them, or an array of
// another's, seen where it lies. Copies share what they hold.
class CsrColumns {
public:
  CsrColumns() = default;
  CsrColumns(std::vector<std::int32_t> columns)
      : own_(std::make_shared<const std::vector<std::int32_t>>(std::move(columns))), seen_(*own_) {}
  CsrColumns(std::initializer_list<std::int32_t> columns)
      : CsrColumns(std::vector<std::int32_t>(columns)) {}
  // Of another's, which have to outlive this and its copies.
  static CsrColumns view(std::span<const std::int32_t> columns) {
    CsrColumns view;
    view.seen_ = columns;
    return view;
  }

  const std::int32_t *data() const { return seen_.data(); }
  std::size_t size() const { return seen_.size(); }
  const std::int32_t *begin() const { return seen_.data(); }
  const std::int32_t *end() const { return seen_.data() + seen_.size(); }
  std::int32_t operator[](std::size_t i) const { return seen_[i]; }
  friend bool operator==(const CsrColumns &a, const CsrColumns &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

private:
  std::shared_ptr<const std::vector<std::int32_t>> own_; // null: another's
  std::span<const std::int32_t> seen_;
};

// Compressed rows: the columns of row i are columns[row_start[i]] ... columns[row_start[i + 1] -
// 1], ascending.
struct CsrPattern {
  std::int64_t num_rows = 0;
  std::vector<std::int64_t> row_start; // [row + 1]
  CsrColumns columns;

  std::int64_t num_entries() const { return row_start.empty() ? 0 : row_start.back(); }
  // Columns of the row that are lower than this one.
  std::int64_t num_below(std::int64_t row, std::int32_t column) const;
  // Where entry (row, column) lies; it must be in the pattern.
  std::int64_t place(std::int64_t row, std::int32_t column) const;
};

} // namespace weft
