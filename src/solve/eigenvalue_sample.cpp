#include "solve/eigenvalue_sample.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <Eigen/Eigenvalues>

#include "base/parallel.h"
#include "solve/start_vector.h"

namespace weft {

namespace {

constexpr std::int64_t patch_size = 512; // nodes
constexpr std::int64_t most_patches = 16;
constexpr int most_steps = 10;

// D^-1 A of the rows of some patches of nodes, without what leads out of a patch.
struct SampledRows {
  std::vector<std::int64_t> start = {0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  double mean_row_sum = 1; // of moduli, of the whole rows

  std::int64_t num_rows() const { return static_cast<std::int64_t>(start.size()) - 1; }
};

// Appends the rows of a node; place_of(other) is where a node is in the sample, or negative.
// Returns the sum of the rows' sums of moduli.
template <typename PlaceOf>
double append_node(const BlockView &matrix, std::int64_t node, const PlaceOf &place_of,
                   SampledRows &rows) {
  double sums = 0;
  const std::int32_t first = matrix.start[node], last = matrix.start[node + 1];
  for (int r = 0; r < matrix.height; ++r) {
    double diagonal = 1, sum = 0;
    const auto before = static_cast<std::int64_t>(rows.values.size());
    const double *entries = matrix.entries(node, r);
    for (std::int32_t b = first; b < last; ++b) {
      const std::int32_t other = matrix.columns[b];
      const std::int64_t place = place_of(other);
      for (int c = 0; c < matrix.width; ++c, ++entries) {
        sum += std::fabs(*entries);
        if (other == node && c == r)
          diagonal = *entries;
        if (place < 0 || *entries == 0)
          continue;
        rows.columns.push_back(static_cast<std::int32_t>(place * matrix.height + c));
        rows.values.push_back(*entries);
      }
    }
    for (std::size_t k = before; k < rows.values.size(); ++k)
      rows.values[k] /= diagonal;
    rows.start.push_back(static_cast<std::int64_t>(rows.values.size()));
    sums += sum / std::fabs(diagonal);
  }
  return sums;
}

// The nodes of a patch, in the order in which they were met, and where each of them is in it.
class Patch {
public:
  Patch() : places_(slots, -1) {}

  bool full() const { return static_cast<std::int64_t>(nodes_.size()) == patch_size; }
  const std::vector<std::int32_t> &nodes() const { return nodes_; }
  void meet(std::int32_t node) {
    std::int32_t &place = places_[slot_of(node)];
    if (place >= 0 || full())
      return;
    place = static_cast<std::int32_t>(nodes_.size());
    nodes_.push_back(node);
  }
  // Negative: not in it.
  std::int32_t place_of(std::int32_t node) const { return places_[slot_of(node)]; }

private:
  static constexpr std::uint32_t slots = 8 * patch_size;
  // That of the node, or the free one where it would be.
  std::uint32_t slot_of(std::int32_t node) const {
    std::uint32_t slot = static_cast<std::uint32_t>(node) * 2654435769u >> 20; // 12 bits
    static_assert(slots == 1u << 12);
    while (places_[slot] >= 0 && nodes_[places_[slot]] != node)
      slot = (slot + 1) % slots;
    return slot;
  }

  std::vector<std::int32_t> nodes_, places_;
};

// The nodes nearest to `first` in the graph, however they are numbered; from the next one on where
// it has no more neighbours.
Patch patch_around(const BlockView &matrix, std::int64_t first) {
  Patch patch;
  std::size_t walked = 0;
  for (std::int64_t seed = first; seed < matrix.num_rows && !patch.full(); ++seed) {
    patch.meet(static_cast<std::int32_t>(seed));
    for (; walked < patch.nodes().size() && !patch.full(); ++walked) {
      const std::int32_t node = patch.nodes()[walked];
      for (std::int32_t b = matrix.start[node]; b < matrix.start[node + 1]; ++b)
        patch.meet(matrix.columns[b]);
    }
  }
  return patch;
}

// Appends the rows of a patch, whose first row is to be `at`; returns as append_node() does.
double append_patch(const BlockView &matrix, std::int64_t number, std::int64_t at,
                    SampledRows &rows) {
  const Patch patch =
      patch_around(matrix, number * (matrix.num_rows - patch_size) / (most_patches - 1));
  const auto place_of = [&](std::int32_t other) {
    const std::int32_t place = patch.place_of(other);
    return place < 0 ? -1 : at + place;
  };
  double sums = 0;
  for (const std::int32_t node : patch.nodes())
    sums += append_node(matrix, node, place_of, rows);
  return sums;
}

SampledRows sample_rows(const BlockView &matrix) {
  SampledRows rows;
  double sums = 0;
  if (matrix.num_rows <= most_patches * patch_size) {
    for (std::int64_t node = 0; node < matrix.num_rows; ++node)
      sums += append_node(
          matrix, node, [](std::int64_t other) { return other; }, rows);
  } else {
    std::vector<SampledRows> patches(most_patches);
    std::vector<double> sums_of(most_patches);
    parallel_chunks(most_patches, 1, [&](std::int64_t patch, std::int64_t, int) {
      sums_of[patch] = append_patch(matrix, patch, patch * patch_size, patches[patch]);
    });
    for (std::int64_t patch = 0; patch < most_patches; ++patch) {
      const SampledRows &of = patches[patch];
      const std::int64_t before = rows.start.back();
      rows.columns.insert(rows.columns.end(), of.columns.begin(), of.columns.end());
      rows.values.insert(rows.values.end(), of.values.begin(), of.values.end());
      for (std::int64_t row = 0; row < of.num_rows(); ++row)
        rows.start.push_back(before + of.start[row + 1]);
      sums += sums_of[patch];
    }
  }
  rows.mean_row_sum = sums / static_cast<double>(std::max<std::int64_t>(rows.num_rows(), 1));
  return rows;
}

Eigen::VectorXd product(const SampledRows &rows, const Eigen::VectorXd &x) {
  Eigen::VectorXd y(rows.num_rows());
  for (std::int64_t i = 0; i < rows.num_rows(); ++i) {
    double sum = 0;
    for (std::int64_t k = rows.start[i]; k < rows.start[i + 1]; ++k)
      sum += rows.values[k] * x[rows.columns[k]];
    y[i] = sum;
  }
  return y;
}

} // namespace

EigenvalueSample sample_largest_eigenvalue(const BlockView &matrix) {
  const SampledRows rows = sample_rows(matrix);
  const std::int64_t n = rows.num_rows();
  const int steps = static_cast<int>(std::min<std::int64_t>(most_steps, n));
  Eigen::MatrixXd basis(n, steps + 1);
  Eigen::MatrixXd h = Eigen::MatrixXd::Zero(steps + 1, steps);
  const std::vector<double> start = start_vector(n, 1);
  basis.col(0) = Eigen::Map<const Eigen::VectorXd>(start.data(), n);
  basis.col(0).normalize();
  int made = 0;
  while (made < steps) {
    Eigen::VectorXd next = product(rows, basis.col(made));
    for (int k = 0; k <= made; ++k) {
      h(k, made) = basis.col(k).dot(next);
      next -= h(k, made) * basis.col(k);
    }
    h(made + 1, made) = next.norm();
    ++made;
    if (!(h(made, made - 1) > 1e-10)) // an invariant space
      break;
    basis.col(made) = next / h(made, made - 1);
  }
  EigenvalueSample sample;
  const Eigen::MatrixXd square = h.topLeftCorner(made, made);
  if (made > 0 && square.allFinite())
    sample.largest = square.eigenvalues().cwiseAbs().maxCoeff();
  sample.of_row_sums = std::min(1., sample.largest / rows.mean_row_sum);
  return sample;
}

} // namespace weft
