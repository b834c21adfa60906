#include "solve/approximate/alternating_directions.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

#include "base/embedded.h"
#include "base/error.h"
#include "device/dialect.h"
#include "linalg/launch_sizes.h"

namespace weft {

namespace {

// Pivots below that, over the sum of the moduli of their row's entries, are none.
constexpr double smallest_line_pivot = 1e-10;

[[noreturn]] void refuse_grid(const std::string &found) {
  throw Error(ErrorKind::input,
              {.what = "alternating directions need the matrix of a tensor-product grid, whose "
                       "points have entries with their neighbours alone",
               .where = "[solver] preconditioner",
               .found = found,
               .allowed = "one field of order 1, or finite volumes, on a box",
               .remedy = "choose preconditioner = \"ilu\""});
}

// Where unknowns lie in the grid.
class GridPlaces {
public:
  explicit GridPlaces(const TensorGrid &grid)
      : grid_(grid), place_(static_cast<std::size_t>(grid.num_unknowns()), -1) {
    for (std::size_t p = 0; p < grid.unknowns.size(); ++p)
      place_.at(grid.unknowns[p]) = static_cast<std::int64_t>(p);
    if (std::find(place_.begin(), place_.end(), -1) != place_.end())
      refuse_grid("unknowns that are no points of the grid");
  }
  std::array<std::int64_t, 3> point(std::int64_t unknown) const {
    std::int64_t p = place_[unknown] / grid_.components;
    const std::int64_t x = p % grid_.size[0];
    p /= grid_.size[0];
    return {x, p % grid_.size[1], p / grid_.size[1]};
  }
  int component(std::int64_t unknown) const {
    return static_cast<int>(place_[unknown] % grid_.components);
  }

private:
  const TensorGrid &grid_;
  std::vector<std::int64_t> place_;
};

// What a matrix has within lines, [unknown].
struct LineEntries {
  std::array<std::vector<double>, 3> before, behind; // by direction
  std::vector<double> diagonal;
};

LineEntries line_entries_of(const HostMatrix &matrix, const TensorGrid &grid) {
  const GridPlaces places(grid);
  LineEntries entries;
  entries.diagonal.assign(matrix.num_rows(), 0.);
  for (auto *of_directions : {&entries.before, &entries.behind})
    for (std::vector<double> &of_direction : *of_directions)
      of_direction.assign(matrix.num_rows(), 0.);
  for (std::int32_t row = 0; row < matrix.num_rows(); ++row) {
    const std::array<std::int64_t, 3> at = places.point(row);
    for (std::int32_t e = matrix.row_start[row]; e < matrix.row_start[row + 1]; ++e) {
      const std::int32_t column = matrix.columns[e];
      const double value = matrix.values[e];
      if (value == 0)
        continue;
      const std::array<std::int64_t, 3> other = places.point(column);
      int num_steps = 0, direction = 0;
      for (int d = 0; d < 3; ++d) {
        const std::int64_t distance = std::abs(other[d] - at[d]);
        if (distance > 1)
          refuse_grid(fmt::format("an entry in row {} and column {}, which are {} points apart",
                                  row, column, distance));
        if (distance == 1) {
          ++num_steps;
          direction = d;
        }
      }
      if (places.component(row) != places.component(column) || num_steps > 1)
        continue;
      if (num_steps == 0)
        entries.diagonal[row] = value;
      else if (other[direction] < at[direction])
        entries.before[direction][row] = value;
      else
        entries.behind[direction][row] = value;
    }
  }
  return entries;
}

// A direction on the host, [place][line], as kernels/matrix/tridiagonal.kernel reads it.
struct HostLines {
  std::vector<std::int32_t> unknowns;
  std::vector<double> lower, inverse, upper, scale;
};

HostLines eliminated(const LineEntries &entries, const TensorGrid &grid, int direction,
                     const std::function<std::string(std::int64_t)> &name_of_unknown) {
  const std::int64_t num_unknowns = grid.num_unknowns(), length = grid.size[direction];
  const std::int64_t num_lines = num_unknowns / length;
  std::int64_t stride = grid.components; // of neighbours in the grid's order
  for (int d = 0; d < direction; ++d)
    stride *= grid.size[d];
  HostLines lines;
  lines.unknowns.resize(num_unknowns);
  for (std::vector<double> *numbers : {&lines.lower, &lines.inverse, &lines.upper, &lines.scale})
    numbers->resize(num_unknowns);
  for (std::int64_t line = 0; line < num_lines; ++line) {
    const std::int64_t first = line / stride * stride * length + line % stride;
    double upper_before = 0;
    for (std::int64_t p = 0; p < length; ++p) {
      const std::int32_t unknown = grid.unknowns[first + p * stride];
      const double lower = entries.before[direction][unknown];
      const double diagonal = entries.diagonal[unknown];
      const double behind = entries.behind[direction][unknown];
      const double pivot = diagonal - lower * upper_before;
      if (!(std::abs(pivot) >
            smallest_line_pivot * (std::abs(lower) + std::abs(diagonal) + std::abs(behind))))
        throw Error(
            ErrorKind::numerical,
            {.what = "a line of the grid has a pivot of zero",
             .where = name_of_unknown ? name_of_unknown(unknown) : fmt::format("row {}", unknown),
             .found = fmt::format("{:.3g} along {}", pivot, "xyz"[direction]),
             .remedy = "choose preconditioner = \"ilu\""});
      const std::int64_t e = p * num_lines + line;
      lines.unknowns[e] = unknown;
      lines.lower[e] = lower;
      lines.inverse[e] = 1 / pivot;
      lines.upper[e] = upper_before = behind / pivot;
      lines.scale[e] = diagonal;
    }
  }
  return lines;
}

} // namespace

AlternatingDirections::AlternatingDirections(
    Device &device, const HostMatrix &matrix, const TensorGrid &grid, Precision precision,
    const std::function<std::string(std::int64_t)> &name_of_unknown)
    : device_(device), size_(matrix.num_rows()), precision_(precision) {
  if (grid.num_unknowns() != size_ || static_cast<std::int64_t>(grid.unknowns.size()) != size_)
    refuse_grid(fmt::format("{} unknowns, and a grid of {}", size_, grid.num_unknowns()));
  const LineEntries entries = line_entries_of(matrix, grid);
  for (int d = 0; d < 3; ++d) {
    if (grid.size[d] == 1 && !(d == 2 && directions_.empty()))
      continue;
    const HostLines lines = eliminated(entries, grid, d, name_of_unknown);
    const auto on_device = [&](const std::vector<double> &numbers) {
      return upload_reals(device, numbers, precision, "lines of a grid");
    };
    directions_.push_back({.num_lines = size_ / grid.size[d],
                           .length = grid.size[d],
                           .unknowns = upload(device, lines.unknowns, "unknowns of lines"),
                           .lower = on_device(lines.lower),
                           .inverse = on_device(lines.inverse),
                           .upper = on_device(lines.upper),
                           .scale = on_device(lines.scale)});
  }
  program_ = device.build({.name = "tridiagonal_" + to_string(precision),
                           .text = program_head(device.info().backend, precision, 1) +
                                   embedded_text("kernels/matrix/tridiagonal.kernel"),
                           .kernels = {"tridiagonal_lines"}});
}

void AlternatingDirections::apply(const Vector &r, Vector &z) {
  require(r.precision == precision_ && z.precision == precision_ && r.size == size_ &&
              z.size == size_,
          "vectors of this grid");
  constexpr std::int64_t group = 64;
  for (std::size_t d = 0; d < directions_.size(); ++d) {
    const Direction &of = directions_[d];
    device_.launch(program_, "tridiagonal_lines",
                   {.groups = rounded_up(of.num_lines, group), .group_size = group},
                   {static_cast<std::int32_t>(of.num_lines), static_cast<std::int32_t>(of.length),
                    of.unknowns, of.lower, of.inverse, of.upper, of.scale, std::int32_t{d > 0},
                    d == 0 ? r.buffer : z.buffer, z.buffer});
  }
}

} // namespace weft
