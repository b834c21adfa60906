#include "api/callers_matrix.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/error.h"
#include "base/parallel.h"

namespace weft {

namespace {

constexpr std::int64_t most_entries = std::numeric_limits<std::int32_t>::max();

[[noreturn]] void refuse(const std::string &what, const std::string &where,
                         const std::string &found, const std::string &allowed,
                         const std::string &remedy = {}) {
  throw Error(ErrorKind::input,
              {.what = what, .where = where, .found = found, .allowed = allowed, .remedy = remedy});
}

void require_entries(std::size_t found, std::size_t expected, const std::string &what,
                     const std::string &why) {
  if (found != expected)
    refuse("an array of the wrong size", what, fmt::format("{} entries", found),
           fmt::format("{} ({})", expected, why));
}

} // namespace

CallersMatrix::CallersMatrix(const CsrMatrix &matrix, int block_size)
    : given_(matrix), block_size_(block_size) {
  check_arrays();
  if (block_size < 1 || num_rows() % block_size != 0)
    refuse("the block size does not divide the number of rows", "MultigridOptions::block_size",
           fmt::format("{} of {} rows", block_size, num_rows()),
           "the unknowns of a node, from 1 on");
  check_rows();
  const std::int64_t num_nodes = num_rows() / block_size_;
  if (parallel_find(num_nodes, [&](std::int64_t node) { return !needs_no_copy(node); }) ==
      num_nodes)
    make_view();
  else
    make_copy();
}

void CallersMatrix::check_arrays() const {
  if (given_.num_rows == 0 || given_.num_rows > static_cast<std::size_t>(most_entries))
    refuse("a matrix of that size", "CsrMatrix::num_rows", fmt::format("{}", given_.num_rows),
           "1 to 2^31 - 1");
  require_entries(given_.row_start.size(), given_.num_rows + 1, "CsrMatrix::row_start",
                  "num_rows + 1");
  const std::span<const std::int32_t> start = given_.row_start;
  if (start[0] != 0)
    refuse("the first row does not begin with the first entry", "CsrMatrix::row_start[0]",
           fmt::format("{}", start[0]), "0");
  const std::int64_t falls =
      parallel_find(num_rows(), [=](std::int64_t row) { return start[row + 1] < start[row]; });
  if (falls < num_rows())
    refuse("a row that ends before it begins", fmt::format("CsrMatrix::row_start[{}]", falls + 1),
           fmt::format("{} after {}", start[falls + 1], start[falls]),
           "numbers that do not become smaller");
  require_entries(given_.columns.size(), start[num_rows()], "CsrMatrix::columns",
                  "the last of row_start");
  require_entries(given_.values.size(), start[num_rows()], "CsrMatrix::values",
                  "the last of row_start");
}

std::span<const std::int32_t> CallersMatrix::columns_of(std::int64_t row) const {
  const std::int32_t begin = given_.row_start[row];
  return given_.columns.subspan(begin, given_.row_start[row + 1] - begin);
}

// Every column is one, and every row has its diagonal.
void CallersMatrix::check_rows() const {
  const auto is_outside = [&](std::int32_t column) { return column < 0 || column >= num_rows(); };
  const auto has_diagonal = [&](std::int64_t row) {
    const std::span<const std::int32_t> columns = columns_of(row);
    return std::find(columns.begin(), columns.end(), row) != columns.end();
  };
  const std::int64_t bad = parallel_find(num_rows(), [&](std::int64_t row) {
    const std::span<const std::int32_t> columns = columns_of(row);
    return std::any_of(columns.begin(), columns.end(), is_outside) || !has_diagonal(row);
  });
  if (bad == num_rows())
    return;
  const std::span<const std::int32_t> columns = columns_of(bad);
  const auto outside = std::find_if(columns.begin(), columns.end(), is_outside);
  if (outside != columns.end())
    refuse("a column that is none of the matrix",
           fmt::format("CsrMatrix::columns[{}], in row {}",
                       given_.row_start[bad] + (outside - columns.begin()), bad),
           fmt::format("{}", *outside),
           fmt::format("0 to {}: columns are counted from 0", num_rows() - 1));
  refuse("a row without an entry on the diagonal", fmt::format("row {}", bad),
         fmt::format("{} entries, none of column {}", columns.size(), bad), {},
         "store the diagonal of every row; a row that prescribes a value has a 1 there");
}

bool CallersMatrix::needs_no_copy(std::int64_t node) const {
  const std::int64_t first_row = node * block_size_;
  const std::span<const std::int32_t> columns = columns_of(first_row);
  if (columns.size() % block_size_ != 0)
    return false;
  std::int64_t before = -1;
  for (std::size_t e = 0; e < columns.size(); ++e) {
    const bool is_first = e % block_size_ == 0;
    if (is_first ? columns[e] <= before || columns[e] % block_size_ != 0 : columns[e] != before + 1)
      return false;
    before = columns[e];
  }
  for (int r = 1; r < block_size_; ++r) {
    const std::span<const std::int32_t> others = columns_of(first_row + r);
    if (!std::equal(columns.begin(), columns.end(), others.begin(), others.end()))
      return false;
  }
  return true;
}

void CallersMatrix::make_view() {
  pattern_ = std::make_shared<const CsrPattern>(
      CsrPattern{.num_rows = num_rows(),
                 .row_start = {given_.row_start.begin(), given_.row_start.end()},
                 .columns = CsrColumns::view(given_.columns)});
}

// The nodes that a node's rows have columns of, ascending.
void CallersMatrix::find_columns_of_node(std::int64_t node,
                                         std::vector<std::int32_t> &blocks) const {
  blocks.clear();
  for (int r = 0; r < block_size_; ++r)
    for (const std::int32_t column : columns_of(node * block_size_ + r))
      blocks.push_back(column / block_size_);
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
}

void CallersMatrix::make_copy() {
  const std::int64_t num_nodes = num_rows() / block_size_;
  CsrPattern copy{.num_rows = num_rows()};
  copy.row_start.assign(num_rows() + 1, 0);
  const auto for_each_node = [&](const auto &body) {
    parallel_ranges(num_nodes, [&](std::int64_t begin, std::int64_t end, int) {
      std::vector<std::int32_t> blocks;
      for (std::int64_t node = begin; node < end; ++node) {
        find_columns_of_node(node, blocks);
        for (int r = 0; r < block_size_; ++r)
          body(node * block_size_ + r, blocks);
      }
    });
  };
  for_each_node([&](std::int64_t row, const std::vector<std::int32_t> &blocks) {
    copy.row_start[row + 1] = static_cast<std::int64_t>(blocks.size()) * block_size_;
  });
  for (std::int64_t row = 0; row < num_rows(); ++row)
    copy.row_start[row + 1] += copy.row_start[row];
  if (copy.num_entries() > most_entries)
    throw Error(ErrorKind::unsupported, {.what = "blocks of 2^31 entries or more",
                                         .where = "MultigridOptions::block_size",
                                         .found = fmt::format("{} entries, zeros of the blocks "
                                                              "included",
                                                              copy.num_entries()),
                                         .remedy = "choose a smaller block size"});
  std::vector<std::int32_t> columns(copy.num_entries());
  place_of_.resize(given_.columns.size());
  for_each_node([&](std::int64_t row, const std::vector<std::int32_t> &blocks) {
    std::int64_t at = copy.row_start[row];
    for (const std::int32_t block : blocks)
      for (int k = 0; k < block_size_; ++k)
        columns[at++] = block * block_size_ + k;
    const std::span<const std::int32_t> given = columns_of(row);
    for (std::size_t e = 0; e < given.size(); ++e) {
      const auto block =
          std::lower_bound(blocks.begin(), blocks.end(), given[e] / block_size_) - blocks.begin();
      place_of_[given_.row_start[row] + e] = static_cast<std::int32_t>(
          copy.row_start[row] + block * block_size_ + given[e] % block_size_);
    }
  });
  copy.columns = std::move(columns);
  pattern_ = std::make_shared<const CsrPattern>(std::move(copy));
}

std::uint64_t CallersMatrix::bytes_of_copies() const {
  const std::size_t columns = is_copy() ? pattern_->columns.size() : 0;
  return pattern_->row_start.size() * sizeof(std::int64_t) +
         (columns + place_of_.size()) * sizeof(std::int32_t) +
         copied_values_.size() * sizeof(double);
}

std::span<const double> CallersMatrix::take_values(std::span<const double> given) {
  require_entries(given.size(), given_.columns.size(), "CsrMatrix::values",
                  "one for each of the columns");
  const std::int64_t bad = parallel_find(static_cast<std::int64_t>(given.size()),
                                         [=](std::int64_t e) { return !std::isfinite(given[e]); });
  if (bad < static_cast<std::int64_t>(given.size())) {
    const auto row = std::upper_bound(given_.row_start.begin(), given_.row_start.end(), bad) - 1;
    refuse("an entry of the matrix that is not finite",
           fmt::format("CsrMatrix::values[{}], row {}, column {}", bad,
                       row - given_.row_start.begin(), given_.columns[bad]),
           fmt::format("{}", given[bad]), "finite numbers");
  }
  values_ = given;
  if (is_copy()) {
    copied_values_.resize(pattern_->num_entries());
    parallel_ranges(num_rows(), [&](std::int64_t begin, std::int64_t end, int) {
      std::fill(copied_values_.begin() + pattern_->row_start[begin],
                copied_values_.begin() + pattern_->row_start[end], 0.);
      for (std::int64_t e = given_.row_start[begin]; e < given_.row_start[end]; ++e)
        copied_values_[place_of_[e]] += given[e];
    });
    values_ = copied_values_;
  }
  check_diagonal();
  return values_;
}

void CallersMatrix::check_diagonal() const {
  const auto diagonal = [&](std::int64_t row) {
    return values_[pattern_->place(row, static_cast<std::int32_t>(row))];
  };
  const std::int64_t bad =
      parallel_find(num_rows(), [&](std::int64_t row) { return !(diagonal(row) > 0); });
  if (bad < num_rows())
    refuse(
        "a diagonal entry that is not positive", fmt::format("row {}", bad),
        fmt::format("{:g}", diagonal(bad)), "positive numbers",
        "where all are negative give -A and -b; unknowns that others determine, such as those of "
        "constraints, need another method than multigrid by aggregation");
}

// An entry without a partner across the diagonal stands beside a zero.
bool CallersMatrix::is_symmetric() const {
  constexpr double rounding = 1e-10; // of sums that differ in their order, with digits lost in them
  const CsrPattern &p = *pattern_;
  std::vector<double> sizes(num_rows()); // square roots of the diagonal
  parallel_ranges(num_rows(), [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t row = begin; row < end; ++row)
      sizes[row] = std::sqrt(values_[p.place(row, static_cast<std::int32_t>(row))]);
  });
  std::atomic<std::int64_t> num_pairs = 0;
  // An entry of the row, on one side of the diagonal, differs from its partner.
  const auto has_unlike = [&](std::int64_t row, bool above) {
    std::int64_t pairs = 0;
    for (std::int64_t e = p.row_start[row]; e < p.row_start[row + 1]; ++e) {
      const std::int32_t column = p.columns[e];
      if (column == row || (column > row) != above)
        continue;
      const std::int64_t at =
          p.row_start[column] + p.num_below(column, static_cast<std::int32_t>(row));
      const bool has_partner = at < p.row_start[column + 1] && p.columns[at] == row;
      pairs += has_partner ? 1 : 0;
      const double partner = has_partner ? values_[at] : 0;
      if (std::fabs(values_[e] - partner) > rounding * sizes[row] * sizes[column])
        return true;
    }
    num_pairs += pairs;
    return false;
  };
  const auto none_unlike = [&](bool above) {
    return parallel_find(num_rows(), [&](std::int64_t row) { return has_unlike(row, above); }) ==
           num_rows();
  };
  if (!none_unlike(true))
    return false;
  return num_rows() + 2 * num_pairs == p.num_entries() || none_unlike(false);
}

} // namespace weft
