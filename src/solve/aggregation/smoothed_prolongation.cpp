#include "solve/aggregation/smoothed_prolongation.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/parallel.h"
#include "linalg/block_size.h"
#include "solve/aggregation/sparse_row.h"

namespace weft {

namespace {

constexpr std::int64_t nodes_a_chunk = 1 << 12; // what a thread makes of them stays in its cache
// Blocks of a large prolongation for each of the matrix: a quarter, or fewer.
constexpr double expected_prolongation = 0.25;
// Over the largest eigenvalue, of D^-1 A_F in P. 4/3 is the best for one step that is to damp all
// of the upper three quarters of the spectrum; here a little more saves about one iteration in ten.
constexpr double damping = 1.6;

// What is read of each neighbour, in one place.
struct NodeData {
  std::int32_t aggregate;
  float scale;
};

// The rows of P, one node at a time.
template <typename Height, typename Width> class ProlongationRows {
public:
  ProlongationRows(const BlockView &matrix, const Couplings &couplings,
                   const HostArray<NodeData> &nodes, std::int32_t num_aggregates,
                   const TentativeProlongation &tentative, const ProlongationSettings &settings,
                   Height height, Width width)
      : matrix_(matrix), nodes_(nodes), tentative_(tentative), settings_(settings), height_(height),
        width_(width), couplings_(couplings.entries(matrix)), coupling_factor_(couplings.factor),
        row_(std::make_unique<SparseRow>(num_aggregates, height * width)),
        diagonal_(height * height), row_sums_(height), whole_(height),
        identity_(height * width, 0.) {
    for (int k = 0; k < std::min<int>(height, width); ++k)
      identity_[k * width + k] = 1;
  }

  void operator()(std::int64_t node, BlockRows::Chunk &to);

private:
  const double *tentative_block(std::int64_t node) const {
    return tentative_.blocks.empty() ? identity_.data()
                                     : &tentative_.blocks[node * height_ * width_];
  }
  void sum_row(std::int64_t node);
  void order_columns();
  double smoothed(std::int64_t node, int r, int v, double sum, bool home, double factor) const;
  double factor_of(int r) const;

  const BlockView &matrix_;
  const HostArray<NodeData> &nodes_;
  const TentativeProlongation &tentative_;
  const ProlongationSettings &settings_;
  Height height_;
  Width width_;
  const double *couplings_; // [block]
  double coupling_factor_;
  // Rows of the current node: A_F T beside the diagonal block of A_F, [r, vector] for each
  // aggregate met, its own first; that block; sums of moduli of the rows beside it; the diagonal of
  // A.
  std::unique_ptr<SparseRow> row_;
  std::vector<int> order_; // places in row_ by ascending columns
  std::vector<double> diagonal_, row_sums_, whole_, identity_;
};

// Couplings that don't count, of which weak ones go to the diagonal, are added to the node's own
// aggregate as zeros: a processor can't foresee which do, and there is no branch on it.
template <typename Height, typename Width>
void ProlongationRows<Height, Width>::sum_row(std::int64_t node) {
  const Height height = height_;
  const Width width = width_;
  const std::int32_t first = matrix_.start[node], length = matrix_.start[node + 1] - first;
  const std::int32_t *columns = matrix_.columns + first;
  const double *entries = matrix_.entries(node, 0), *couplings = couplings_ + first;
  const NodeData *nodes = nodes_.data(), self = nodes[node];
  const double limit = settings_.strength * self.scale, factor = coupling_factor_;
  const std::uint8_t *function = settings_.function.empty() ? nullptr : settings_.function.data();
  const bool identities = tentative_.blocks.empty();
  const double *blocks = identities ? identity_.data() : tentative_.blocks.data();
  const std::int64_t block_size = identities ? 0 : height * width;
  double *diagonal = diagonal_.data(), *row_sums = row_sums_.data(), *whole = whole_.data();
  std::fill(diagonal_.begin(), diagonal_.end(), 0.);
  std::fill(row_sums_.begin(), row_sums_.end(), 0.);
  std::fill(whole_.begin(), whole_.end(), 0.);
  SparseRow::Sums sums = row_->open(length + 1);
  sums.of(height * width, self.aggregate);
  for (std::int32_t k = 0; k < length; ++k, entries += height) {
    const std::int32_t other = columns[k];
    const NodeData data = nodes[other];
    const int meet = function ? function[node] == function[other] : 1;
    const int strong = static_cast<int>(factor * couplings[k] > limit * data.scale) &
                       static_cast<int>(other != node);
    const int counts = meet & strong & static_cast<int>(data.aggregate != no_aggregate);
    const double taken = counts, weak = meet & ~strong, itself = other == node;
    const double *t = blocks + other * block_size;
    double *sum =
        sums.of(height * width, self.aggregate ^ ((self.aggregate ^ data.aggregate) & -counts));
    for (int r = 0; r < height; ++r) {
      const double *a = entries + r * length * height;
      whole[r] += itself * a[r];
      for (int c = 0; c < height; ++c) {
        row_sums[r] += taken * std::fabs(a[c]);
        diagonal[r * height + c] += weak * a[c];
        for (int v = 0; v < width; ++v)
          sum[r * width + v] += taken * a[c] * t[c * width + v];
      }
    }
  }
  row_->close(sums);
}

// omega over the row's diagonal entry.
template <typename Height, typename Width>
double ProlongationRows<Height, Width>::factor_of(int r) const {
  double moduli = row_sums_[r];
  for (int c = 0; c < height_; ++c)
    moduli += std::fabs(diagonal_[r * height_ + c]);
  // Where nearly all couplings are weak, little is left of the diagonal entry.
  moduli = std::max(moduli, std::fabs(whole_[r]));
  return std::copysign(damping / (settings_.of_row_sums * moduli), whole_[r]);
}

template <typename Height, typename Width>
double ProlongationRows<Height, Width>::smoothed(std::int64_t node, int r, int v, double sum,
                                                 bool home, double factor) const {
  if (!home)
    return -factor * sum;
  const double *t = tentative_block(node);
  for (int c = 0; c < height_; ++c)
    sum += diagonal_[r * height_ + c] * t[c * width_ + v];
  return t[r * width_ + v] - factor * sum;
}

// Few: each is counted past the others, without branches.
template <typename Height, typename Width> void ProlongationRows<Height, Width>::order_columns() {
  const std::int32_t count = row_->count();
  order_.resize(count);
  for (std::int32_t k = 0; k < count; ++k) {
    const std::int32_t column = row_->column(k);
    std::int32_t place = 0;
    for (std::int32_t other = 0; other < count; ++other)
      place += row_->column(other) < column;
    order_[place] = k;
  }
}

template <typename Height, typename Width>
void ProlongationRows<Height, Width>::operator()(std::int64_t node, BlockRows::Chunk &to) {
  const int size = height_ * width_;
  if (nodes_[node].aggregate == no_aggregate) {
    to.append(0, size);
    return;
  }
  sum_row(node);
  order_columns();
  auto [columns, values] = to.append(row_->count(), size);
  for (const int k : order_)
    *columns++ = row_->column(k);
  for (int r = 0; r < height_; ++r) {
    const double factor = factor_of(r);
    for (const int k : order_)
      for (int v = 0; v < width_; ++v)
        *values++ = smoothed(node, r, v, row_->block(k)[r * width_ + v], k == 0, factor);
  }
  row_->clear();
}

} // namespace

BlockMatrix smooth_prolongation(const BlockView &matrix, const Couplings &couplings,
                                const Aggregates &aggregates,
                                const TentativeProlongation &tentative,
                                const ProlongationSettings &settings) {
  const auto num_nodes = static_cast<std::int64_t>(aggregates.of_node.size());
  HostArray<NodeData> nodes(num_nodes);
  parallel_ranges(num_nodes, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t node = begin; node < end; ++node)
      nodes[node] = {aggregates.of_node[node], couplings.scales[node]};
  });
  BlockRows rows(matrix.num_rows, nodes_a_chunk, tentative.components, tentative.num_vectors,
                 static_cast<std::int64_t>(expected_prolongation * matrix.start[matrix.num_rows]));
  BlockMatrix made;
  with_block_size(tentative.components, tentative.num_vectors, [&](auto height, auto width) {
    made = rows.fill([&] {
      return ProlongationRows(matrix, couplings, nodes, aggregates.count, tentative, settings,
                              height, width);
    });
  });
  return made;
}

BlockMatrix plain_prolongation(const Aggregates &aggregates,
                               const TentativeProlongation &tentative) {
  const int height = tentative.components, width = tentative.num_vectors, size = height * width;
  const auto num_nodes = static_cast<std::int64_t>(aggregates.of_node.size());
  BlockRows rows(num_nodes, nodes_a_chunk, height, width, num_nodes);
  return rows.fill([&] {
    return [&, size, width](std::int64_t node, BlockRows::Chunk &to) {
      const bool free = aggregates.of_node[node] != no_aggregate;
      const auto [columns, values] = to.append(free, size);
      if (!free)
        return;
      *columns = aggregates.of_node[node];
      if (tentative.blocks.empty())
        for (int k = 0; k < size; ++k)
          values[k] = k / width == k % width;
      else
        std::copy_n(&tentative.blocks[node * size], size, values);
    };
  });
}

} // namespace weft
