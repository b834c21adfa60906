#include "solve/approximate/triangular_factors.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/embedded.h"
#include "base/error.h"
#include "device/dialect.h"
#include "linalg/launch_sizes.h"

namespace weft {

namespace {

// Work-items of a group on GPUs, which is also how many rows a level may have to be done by one
// group with others: a launch takes as long as several of its steps.
constexpr int levels_group = 512;
// Entries of a level on CPUs for which its own launch pays: one takes as long as some thousands.
constexpr std::int64_t entries_worth_a_launch = 100'000;

} // namespace

RowLevels find_row_levels(const RowsView &triangle, bool backward) {
  const std::int64_t num_rows = triangle.num_rows;
  std::vector<std::int32_t> level(num_rows, 0);
  std::int32_t num_levels = 0;
  for (std::int64_t i = 0; i < num_rows; ++i) {
    const std::int64_t row = backward ? num_rows - 1 - i : i;
    for (std::int64_t e = triangle.start(row); e < triangle.start(row + 1); ++e)
      level[row] = std::max(level[row], level[triangle.columns[e]] + 1);
    num_levels = std::max(num_levels, level[row] + 1);
  }
  RowLevels found;
  found.level_start.assign(num_levels + 1, 0);
  for (const std::int32_t l : level)
    ++found.level_start[l + 1];
  for (std::int32_t l = 0; l < num_levels; ++l)
    found.level_start[l + 1] += found.level_start[l];
  std::vector<std::int32_t> next(found.level_start.begin(), found.level_start.end());
  found.rows.resize(num_rows);
  for (std::int64_t row = 0; row < num_rows; ++row)
    found.rows[next[level[row]]++] = static_cast<std::int32_t>(row);
  return found;
}

TriangularFactors::TriangularFactors(Device &device, const HostFactors &factors,
                                     std::span<const std::int32_t> order, Precision precision)
    : device_(device), size_(static_cast<std::int64_t>(factors.diagonal.size())),
      precision_(precision), group_size_(device.info().is_cpu ? 1 : levels_group) {
  require(factors.lower.num_rows() == size_ && factors.upper.num_rows() == size_ &&
              (order.empty() || static_cast<std::int64_t>(order.size()) == size_),
          "factors of one size");
  lower_ = upload_triangle(factors.lower, {}, order, false);
  upper_ = upload_triangle(factors.upper, factors.diagonal, order, true);
  program_ = device.build({.name = "triangular_" + to_string(precision),
                           .text = program_head(device.info().backend, precision, 1) +
                                   fmt::format("#define WEFT_GROUP {}\n", group_size_) +
                                   embedded_text("kernels/matrix/triangular.kernel"),
                           .kernels = {"triangular_levels"}});
}

TriangularFactors::Triangle TriangularFactors::upload_triangle(const HostMatrix &triangle,
                                                               const std::vector<double> &diagonal,
                                                               std::span<const std::int32_t> order,
                                                               bool backward) {
  const RowLevels levels = find_row_levels(triangle.rows(), backward);
  const auto unknown = [&](std::int32_t row) { return order.empty() ? row : order[row]; };
  std::vector<std::int32_t> rows, row_start = {0}, columns;
  std::vector<double> values, inverse;
  rows.reserve(size_);
  row_start.reserve(size_ + 1);
  columns.reserve(triangle.columns.size());
  values.reserve(triangle.values.size());
  for (const std::int32_t row : levels.rows) {
    rows.push_back(unknown(row));
    for (std::int32_t e = triangle.row_start[row]; e < triangle.row_start[row + 1]; ++e) {
      columns.push_back(unknown(triangle.columns[e]));
      values.push_back(triangle.values[e]);
    }
    row_start.push_back(static_cast<std::int32_t>(columns.size()));
    if (!diagonal.empty())
      inverse.push_back(1 / diagonal[row]);
  }
  return {.level_start = upload(device_, levels.level_start, "levels of factors"),
          .rows = upload(device_, rows, "rows of factors"),
          .row_start = upload(device_, row_start, "row starts of factors"),
          .columns = upload(device_, columns, "columns of factors"),
          .values = upload_reals(device_, values, precision_, "values of factors"),
          .inverse = upload_reals(device_, inverse, precision_, "inverse diagonal of factors"),
          .runs = runs_of(levels.level_start, row_start),
          .num_levels = static_cast<std::int64_t>(levels.level_start.size()) - 1,
          .has_diagonal = !diagonal.empty()};
}

// Levels worth a launch of their own get one, of as many groups as have work; the others go with
// their neighbours.
std::vector<TriangularFactors::Run>
TriangularFactors::runs_of(const std::vector<std::int32_t> &level_start,
                           const std::vector<std::int32_t> &row_start) const {
  const DeviceInfo &info = device_.info();
  const std::int64_t most_groups = fewest_items_a_core * std::max(1, info.compute_units);
  std::vector<Run> runs;
  bool goes_on = false; // the last run takes further levels
  for (std::size_t l = 0; l + 1 < level_start.size(); ++l) {
    const std::int64_t num_rows = level_start[l + 1] - level_start[l];
    const std::int64_t entries = row_start[level_start[l + 1]] - row_start[level_start[l]];
    const bool alone = info.is_cpu ? info.compute_units > 1 && entries >= entries_worth_a_launch
                                   : num_rows > group_size_;
    if (!alone && goes_on)
      ++runs.back().end_level;
    else
      runs.push_back({.first_level = static_cast<std::int32_t>(l),
                      .end_level = static_cast<std::int32_t>(l + 1),
                      .groups = !alone        ? 1
                                : info.is_cpu ? std::min(num_rows, most_groups)
                                              : rounded_up(num_rows, group_size_)});
    goes_on = !alone;
  }
  return runs;
}

void TriangularFactors::solve_with(const Triangle &triangle, const Vector &b, Vector &x) {
  for (const Run &run : triangle.runs)
    device_.launch(program_, "triangular_levels", {.groups = run.groups, .group_size = group_size_},
                   {run.first_level, run.end_level, triangle.level_start, triangle.rows,
                    triangle.row_start, triangle.columns, triangle.values, triangle.inverse,
                    std::int32_t{triangle.has_diagonal}, b.buffer, x.buffer});
}

void TriangularFactors::solve(const Vector &b, Vector &x) {
  for (const Vector *v : {&b, static_cast<const Vector *>(&x)})
    require(v->precision == precision_ && v->size == size_, "vectors of these factors");
  solve_with(lower_, b, x);
  solve_with(upper_, x, x);
}

std::uint64_t TriangularFactors::bytes() const {
  std::uint64_t sum = 0;
  for (const Triangle *t : {&lower_, &upper_})
    for (const Buffer *buffer :
         {&t->level_start, &t->rows, &t->row_start, &t->columns, &t->values, &t->inverse})
      sum += (*buffer)->bytes;
  return sum;
}

} // namespace weft
