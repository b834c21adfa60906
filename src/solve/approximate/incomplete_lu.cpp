#include "solve/approximate/incomplete_lu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "base/error.h"

namespace weft {

namespace {

// Pivots below that, over the sum of the moduli of their row, are none.
constexpr double smallest_pivot = 1e-8;
// Largest entry of (L U)^-1 s, s the sums of the rows' moduli, whose growth is no instability: as
// large as the condition number of what double precision can solve.
constexpr double most_growth_of_solution = 1e12;
// Shifts in turn. With the last one every row is dominated by its diagonal entry, so that there are
// factors, and stable ones (Meijerink, van der Vorst 1977, theorem 2.3; Manteuffel 1980).
constexpr std::array shifts = {0., 1e-3, 1e-2, 1e-1, 1.};

// Where the factors have entries: compressed rows, columns ascending, the diagonal among them.
struct FillPattern {
  std::vector<std::int64_t> row_start = {0};
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> diagonal; // [row], where it lies

  std::int32_t num_rows() const { return static_cast<std::int32_t>(row_start.size()) - 1; }
};

// The symbolic elimination, row by row: a row's entries with their levels, left of the diagonal in
// ascending order, each of which brings those of its own row.
class SymbolicElimination {
public:
  SymbolicElimination(const HostMatrix &matrix, int most_level)
      : matrix_(matrix), num_rows_(matrix.num_rows()), most_level_(most_level), next_(num_rows_),
        level_of_(num_rows_) {}

  FillPattern run() {
    for (std::int32_t row = 0; row < num_rows_; ++row) {
      eliminate(row);
      if (columns_().size() >= std::size_t{1} << 31)
        throw Error(ErrorKind::unsupported,
                    {.what = "incomplete factors of 2^31 entries or more",
                     .where = "[solver] preconditioner",
                     .found = fmt::format("{} rows, level = {}", num_rows_, most_level_),
                     .remedy = "choose a lower level"});
    }
    return std::move(pattern_);
  }

private:
  std::vector<std::int32_t> &columns_() { return pattern_.columns; }

  void end_row(std::int32_t row) {
    const auto begin = columns_().begin() + pattern_.row_start.back();
    const auto at = std::lower_bound(begin, columns_().end(), row);
    pattern_.diagonal.push_back(at - columns_().begin());
    pattern_.row_start.push_back(static_cast<std::int64_t>(columns_().size()));
  }
  void eliminate(std::int32_t row) {
    const std::int32_t first = link_entries(row);
    for (std::int32_t k = first; k < row; k = next_[k])
      bring_fill(k);
    for (std::int32_t column = first; column < num_rows_; column = next_[column]) {
      columns_().push_back(column);
      level_.push_back(level_of_[column]);
    }
    end_row(row);
  }
  // Links the row's entries, all of level 0; returns the first column.
  std::int32_t link_entries(std::int32_t row) {
    std::int32_t first = num_rows_, last = num_rows_;
    const auto link = [&](std::int32_t column) {
      (first == num_rows_ ? first : next_[last]) = column;
      next_[column] = num_rows_;
      level_of_[column] = 0;
      last = column;
    };
    bool has_diagonal = false;
    for (std::int32_t e = matrix_.row_start[row]; e < matrix_.row_start[row + 1]; ++e) {
      if (!has_diagonal && matrix_.columns[e] >= row) {
        link(row);
        has_diagonal = true;
      }
      if (matrix_.columns[e] != row && matrix_.values[e] != 0)
        link(matrix_.columns[e]);
    }
    if (!has_diagonal)
      link(row);
    return first;
  }
  // Links what row k, which is done, adds to the row whose columns are linked.
  void bring_fill(std::int32_t k) {
    std::int32_t before = k;
    for (std::int64_t e = pattern_.diagonal[k] + 1; e < pattern_.row_start[k + 1]; ++e) {
      const std::int32_t column = columns_()[e];
      const int level = level_of_[k] + level_[e] + 1;
      while (next_[before] < column)
        before = next_[before];
      if (next_[before] == column) {
        level_of_[column] = std::min(level_of_[column], level);
      } else if (level <= most_level_) {
        next_[column] = std::exchange(next_[before], column);
        level_of_[column] = level;
      }
    }
  }

  const HostMatrix &matrix_;
  std::int32_t num_rows_;
  int most_level_;
  FillPattern pattern_;
  std::vector<int> level_; // [entry of the pattern]
  // Of the row at work, by column: its next column, or num_rows_; its level.
  std::vector<std::int32_t> next_;
  std::vector<int> level_of_;
};

// [row]: the sum of the moduli of its entries.
std::vector<double> sums_of_moduli(const HostMatrix &matrix) {
  std::vector<double> sums(matrix.num_rows(), 0.);
  for (std::int32_t row = 0; row < matrix.num_rows(); ++row)
    for (std::int32_t e = matrix.row_start[row]; e < matrix.row_start[row + 1]; ++e)
      sums[row] += std::abs(matrix.values[e]);
  return sums;
}

// Values of both factors on the pattern (Saad 2003, algorithm 10.4); false where a pivot is none.
bool factorise_on(const FillPattern &pattern, const HostMatrix &matrix,
                  const std::vector<double> &sums, double shift, bool positive,
                  std::vector<double> &values) {
  const std::int32_t num_rows = pattern.num_rows();
  values.assign(pattern.columns.size(), 0.);
  std::vector<std::int64_t> place(num_rows, -1); // of the row's entry in a column
  for (std::int32_t row = 0; row < num_rows; ++row) {
    const std::int64_t begin = pattern.row_start[row], end = pattern.row_start[row + 1];
    const std::int64_t diagonal = pattern.diagonal[row];
    for (std::int64_t e = begin; e < end; ++e)
      place[pattern.columns[e]] = e;
    for (std::int32_t e = matrix.row_start[row]; e < matrix.row_start[row + 1]; ++e)
      if (const std::int64_t at = place[matrix.columns[e]]; at >= 0)
        values[at] = matrix.values[e];
    values[diagonal] += std::copysign(shift * sums[row], values[diagonal]);
    for (std::int64_t e = begin; e < diagonal; ++e) {
      const std::int32_t k = pattern.columns[e];
      const double factor = values[e] /= values[pattern.diagonal[k]];
      for (std::int64_t u = pattern.diagonal[k] + 1; u < pattern.row_start[k + 1]; ++u)
        if (const std::int64_t at = place[pattern.columns[u]]; at >= 0)
          values[at] -= factor * values[u];
    }
    const double pivot = positive ? values[diagonal] : std::abs(values[diagonal]);
    if (!(pivot > smallest_pivot * sums[row]) || !std::isfinite(pivot))
      return false;
    for (std::int64_t e = begin; e < end; ++e)
      place[pattern.columns[e]] = -1;
  }
  return true;
}

bool is_stable(const FillPattern &pattern, const std::vector<double> &values,
               const std::vector<double> &sums) {
  std::vector<double> x = sums;
  const std::int32_t num_rows = pattern.num_rows();
  for (std::int32_t row = 0; row < num_rows; ++row)
    for (std::int64_t e = pattern.row_start[row]; e < pattern.diagonal[row]; ++e)
      x[row] -= values[e] * x[pattern.columns[e]];
  double largest = 0;
  for (std::int32_t row = num_rows - 1; row >= 0; --row) {
    for (std::int64_t e = pattern.diagonal[row] + 1; e < pattern.row_start[row + 1]; ++e)
      x[row] -= values[e] * x[pattern.columns[e]];
    x[row] /= values[pattern.diagonal[row]];
    if (!std::isfinite(x[row]))
      return false;
    largest = std::max(largest, std::abs(x[row]));
  }
  return largest <= most_growth_of_solution;
}

HostFactors factors_on(const FillPattern &pattern, const std::vector<double> &values) {
  HostFactors factors;
  for (HostMatrix *triangle : {&factors.lower, &factors.upper})
    triangle->row_start.push_back(0);
  const auto append = [&](HostMatrix &triangle, std::int64_t begin, std::int64_t end) {
    triangle.columns.insert(triangle.columns.end(), pattern.columns.begin() + begin,
                            pattern.columns.begin() + end);
    triangle.values.insert(triangle.values.end(), values.begin() + begin, values.begin() + end);
    triangle.row_start.push_back(static_cast<std::int32_t>(triangle.columns.size()));
  };
  for (std::int32_t row = 0; row < pattern.num_rows(); ++row) {
    append(factors.lower, pattern.row_start[row], pattern.diagonal[row]);
    append(factors.upper, pattern.diagonal[row] + 1, pattern.row_start[row + 1]);
    factors.diagonal.push_back(values[pattern.diagonal[row]]);
  }
  return factors;
}

void refuse_row_of_zeros(const std::vector<double> &sums, const IncompleteLuSettings &settings) {
  const auto zero = std::find_if(sums.begin(), sums.end(), [](double sum) { return !(sum > 0); });
  if (zero == sums.end())
    return;
  const std::int64_t row = zero - sums.begin();
  throw Error(
      ErrorKind::numerical,
      {.what = "the matrix has a row of zeros, and so no incomplete factors",
       .where = settings.name_of_row ? settings.name_of_row(row) : fmt::format("row {}", row),
       .remedy = "give each unknown a term of its own, prescribe it, or choose "
                 "preconditioner = \"none\""});
}

} // namespace

IncompleteLu incomplete_lu(const HostMatrix &matrix, const IncompleteLuSettings &settings) {
  const std::vector<double> sums = sums_of_moduli(matrix);
  refuse_row_of_zeros(sums, settings);
  const FillPattern pattern = SymbolicElimination(matrix, settings.level).run();
  std::vector<double> values;
  for (const double shift : shifts)
    if (factorise_on(pattern, matrix, sums, shift, settings.positive, values) &&
        is_stable(pattern, values, sums))
      return {.factors = factors_on(pattern, values), .shift = shift};
  throw Error(ErrorKind::numerical,
              {.what = "the matrix has no incomplete factors, whatever is added to its diagonal",
               .found = settings.positive ? "a diagonal with negative entries"
                                          : "entries of too different sizes",
               .remedy = "choose another preconditioner"});
}

bool has_positive_diagonal(const HostMatrix &matrix) {
  for (std::int32_t row = 0; row < matrix.num_rows(); ++row) {
    const auto begin = matrix.columns.begin() + matrix.row_start[row];
    const auto end = matrix.columns.begin() + matrix.row_start[row + 1];
    const auto at = std::lower_bound(begin, end, row);
    if (at == end || *at != row || !(matrix.values[at - matrix.columns.begin()] > 0))
      return false;
  }
  return true;
}

HostMatrix reordered(const HostMatrix &matrix, std::span<const std::int32_t> order) {
  std::vector<std::int32_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    place[order[i]] = static_cast<std::int32_t>(i);
  HostMatrix result;
  result.row_start.push_back(0);
  result.columns.reserve(matrix.columns.size());
  result.values.reserve(matrix.values.size());
  std::vector<std::pair<std::int32_t, double>> entries;
  for (const std::int32_t row : order) {
    entries.clear();
    for (std::int32_t e = matrix.row_start[row]; e < matrix.row_start[row + 1]; ++e)
      entries.emplace_back(place[matrix.columns[e]], matrix.values[e]);
    std::sort(entries.begin(), entries.end(),
              [](const auto &a, const auto &b) { return a.first < b.first; });
    for (const auto &[column, value] : entries) {
      result.columns.push_back(column);
      result.values.push_back(value);
    }
    result.row_start.push_back(static_cast<std::int32_t>(result.columns.size()));
  }
  return result;
}

} // namespace weft
