#include "solve/smoothed_prolongation.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/parallel.h"
#include "solve/block_size.h"
#include "solve/sparse_row.h"

namespace weft {

namespace {

constexpr std::int64_t nodes_a_chunk = 1 << 12; // what a thread makes of them stays in its cache
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
      : matrix_(matrix), couplings_(couplings), nodes_(nodes), tentative_(tentative),
        settings_(settings), height_(height), width_(width), entries_(couplings.entries(matrix)),
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
  void sort_blocks(std::int64_t node);
  void add_products(std::int64_t node);
  void add_to_diagonal(std::int64_t node, std::int32_t block);
  double smoothed(std::int64_t node, int r, int v, double sum, bool home, double factor) const;
  double factor_of(int r) const;

  const BlockView &matrix_;
  const Couplings &couplings_;
  const HostArray<NodeData> &nodes_;
  const TentativeProlongation &tentative_;
  const ProlongationSettings &settings_;
  Height height_;
  Width width_;
  const double *entries_;
  // Of the current node: strong blocks, and the aggregates of their nodes; weak ones and that on
  // the diagonal.
  std::vector<std::int32_t> strong_, aggregates_, weak_;
  // A_F T beside the diagonal block of A_F, [r, vector] for each aggregate met, its own first; that
  // block; sums of moduli of the rows beside it; the diagonal of A.
  std::unique_ptr<SparseRow> row_;
  std::vector<int> order_;
  std::vector<double> diagonal_, row_sums_, whole_, identity_;
};

// sums += A_ij T_j
template <typename Height, typename Width>
void ProlongationRows<Height, Width>::add_products(std::int64_t node) {
  const std::int32_t *strong = strong_.data(), *aggregates = aggregates_.data();
  const double *entries = matrix_.entries(node, 0);
  const std::int32_t first = matrix_.start[node], length = matrix_.start[node + 1] - first;
  row_->add(
      height_ * width_, static_cast<std::int32_t>(strong_.size()),
      [=](std::int32_t k) { return aggregates[k]; },
      [=, this](double *sum, std::int32_t k) {
        const double *t = tentative_block(matrix_.columns[strong[k]]);
        for (int r = 0; r < height_; ++r) {
          const double *a = entries + (r * length + strong[k] - first) * height_;
          for (int c = 0; c < height_; ++c) {
            row_sums_[r] += std::fabs(a[c]);
            for (int v = 0; v < width_; ++v)
              sum[r * width_ + v] += a[c] * t[c * width_ + v];
          }
        }
      });
}

template <typename Height, typename Width>
void ProlongationRows<Height, Width>::add_to_diagonal(std::int64_t node, std::int32_t block) {
  const std::int32_t k = block - matrix_.start[node];
  for (int r = 0; r < height_; ++r) {
    const double *a = matrix_.entries(node, r) + k * height_;
    for (int c = 0; c < height_; ++c)
      diagonal_[r * height_ + c] += a[c];
    if (matrix_.columns[block] == node)
      whole_[r] = a[r];
  }
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

// Sorts the blocks of a row of A, without branches that a processor can't foresee.
template <typename Height, typename Width>
void ProlongationRows<Height, Width>::sort_blocks(std::int64_t node) {
  const std::int32_t first = matrix_.start[node], last = matrix_.start[node + 1];
  const double limit = settings_.strength * nodes_[node].scale, factor = couplings_.factor;
  strong_.resize(last - first + 1), aggregates_.resize(last - first + 1);
  weak_.resize(last - first + 1);
  std::int32_t *strong = strong_.data(), *aggregates = aggregates_.data(), *weak = weak_.data();
  const bool one_function = settings_.function.empty();
  std::int32_t num_strong = 0, num_weak = 0;
  for (std::int32_t b = first; b < last; ++b) {
    const std::int32_t other = matrix_.columns[b];
    const NodeData &data = nodes_[other];
    const bool is_strong = (factor * entries_[b] > limit * data.scale) & (other != node);
    const bool meet = one_function || settings_.function[node] == settings_.function[other];
    strong[num_strong] = weak[num_weak] = b;
    aggregates[num_strong] = data.aggregate;
    num_strong += meet & is_strong & (data.aggregate != no_aggregate);
    num_weak += meet & !is_strong;
  }
  strong_.resize(num_strong), aggregates_.resize(num_strong), weak_.resize(num_weak);
}

template <typename Height, typename Width>
void ProlongationRows<Height, Width>::operator()(std::int64_t node, BlockRows::Chunk &to) {
  const int size = height_ * width_;
  const std::int32_t home = nodes_[node].aggregate;
  if (home == no_aggregate) {
    to.append(0, size);
    return;
  }
  sort_blocks(node);
  std::fill(diagonal_.begin(), diagonal_.end(), 0.);
  std::fill(row_sums_.begin(), row_sums_.end(), 0.);
  for (const std::int32_t b : weak_)
    add_to_diagonal(node, b);
  row_->add(
      size, 1, [=](std::int32_t) { return home; }, [](double *, std::int32_t) {});
  add_products(node);
  const std::int32_t count = row_->count();
  order_.resize(count);
  for (int k = 0; k < count; ++k) { // few: sorted as they come
    int at = k;
    for (; at > 0 && row_->column(order_[at - 1]) > row_->column(k); --at)
      order_[at] = order_[at - 1];
    order_[at] = k;
  }
  auto [columns, values] = to.append(count, size);
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
  HostArray<NodeData> nodes(matrix.num_rows);
  parallel_ranges(matrix.num_rows, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t node = begin; node < end; ++node)
      nodes[node] = {aggregates.of_node[node], couplings.scales[node]};
  });
  BlockRows rows(matrix.num_rows, nodes_a_chunk, tentative.components, tentative.num_vectors);
  with_block_size(tentative.components, tentative.num_vectors, [&](auto height, auto width) {
    rows.fill([&] {
      return ProlongationRows(matrix, couplings, nodes, aggregates.count, tentative, settings,
                              height, width);
    });
  });
  return rows.join();
}

BlockMatrix plain_prolongation(const Aggregates &aggregates,
                               const TentativeProlongation &tentative) {
  const int height = tentative.components, width = tentative.num_vectors, size = height * width;
  BlockRows rows(static_cast<std::int64_t>(aggregates.of_node.size()), nodes_a_chunk, height,
                 width);
  rows.fill([&] {
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
  return rows.join();
}

} // namespace weft
