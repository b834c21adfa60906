#include "solve/aggregation/eigenvalue_sample.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include <Eigen/Eigenvalues>

#include "base/parallel.h"
#include "linalg/start_vector.h"

namespace weft {

namespace {

constexpr std::int64_t patch_size = 512; // nodes
constexpr std::int64_t most_patches = 16;
constexpr int most_steps = 10;

// D^-1 A of the rows of a patch of nodes, without what leads out of it.
struct SampledRows {
  std::vector<std::int64_t> start = {0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  double sum_of_moduli = 0; // over the diagonal entry, of the whole rows

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
        if (matrix.columns[b] < matrix.num_rows) // else another rank's
          patch.meet(matrix.columns[b]);
    }
  }
  return patch;
}

SampledRows rows_of_patch(const BlockView &matrix, const Patch &patch) {
  SampledRows rows;
  for (const std::int32_t node : patch.nodes())
    rows.sum_of_moduli += append_node(
        matrix, node, [&](std::int32_t other) { return patch.place_of(other); }, rows);
  return rows;
}

SampledRows all_rows(const BlockView &matrix) {
  SampledRows rows;
  for (std::int64_t node = 0; node < matrix.num_rows; ++node)
    rows.sum_of_moduli += append_node(
        matrix, node,
        [&](std::int32_t other) { return other < matrix.num_rows ? other : std::int32_t{-1}; },
        rows);
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

// In modulus, by Arnoldi's method; open where entries are not finite.
std::optional<double> largest_eigenvalue(const SampledRows &rows) {
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
  const Eigen::MatrixXd square = h.topLeftCorner(made, made);
  if (made == 0 || !square.allFinite())
    return {};
  return square.eigenvalues().cwiseAbs().maxCoeff();
}

// Sample of each patch, or of the whole of a matrix that is hardly larger.
struct PatchSample {
  std::optional<double> largest;
  double sum_of_moduli = 0;
  std::int64_t num_rows = 0;
};

PatchSample sample_of(const SampledRows &rows) {
  return {largest_eigenvalue(rows), rows.sum_of_moduli, rows.num_rows()};
}

std::vector<PatchSample> sample_patches(const BlockView &matrix) {
  if (matrix.num_rows <= most_patches * patch_size)
    return {sample_of(all_rows(matrix))};
  std::vector<PatchSample> samples(most_patches);
  parallel_chunks(most_patches, 1, [&](std::int64_t number, std::int64_t, int) {
    const std::int64_t first = number * (matrix.num_rows - patch_size) / (most_patches - 1);
    samples[number] = sample_of(rows_of_patch(matrix, patch_around(matrix, first)));
  });
  return samples;
}

} // namespace

EigenvalueSample sample_largest_eigenvalue(const BlockView &matrix, Communicator *ranks) {
  double largest = 0, sum_of_moduli = 0;
  std::int64_t num_rows = 0;
  for (const PatchSample &patch : sample_patches(matrix)) {
    largest = std::max(largest, patch.largest.value_or(0));
    sum_of_moduli += patch.sum_of_moduli;
    num_rows += patch.num_rows;
  }
  if (ranks) {
    largest = weft::largest(ranks, largest);
    sum_of_moduli = sum(ranks, sum_of_moduli);
    num_rows = sum(ranks, num_rows);
  }
  EigenvalueSample sample;
  if (largest > 0)
    sample.largest = largest;
  const double mean = num_rows > 0 ? sum_of_moduli / static_cast<double>(num_rows) : 1;
  sample.of_row_sums = std::min(1., sample.largest / mean);
  return sample;
}

} // namespace weft
