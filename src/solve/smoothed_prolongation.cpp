#include "solve/smoothed_prolongation.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/parallel.h"
#include "solve/block_size.h"

namespace weft {

namespace {

constexpr std::int64_t nodes_a_chunk =
    1 << 12; // nodes; what a thread makes of them stays in its cache
// Over the largest eigenvalue, of D^-1 A_F in P. 4/3 is the best for one step that is to damp all
// of the upper three quarters of the spectrum; here a little more saves about one iteration in ten.
constexpr double damping = 1.6;

// The rows of P of some nodes, one node at a time.
template <typename Height, typename Width> class ProlongationRows {
public:
  ProlongationRows(const BlockView &matrix, const Couplings &couplings,
                   const Aggregates &aggregates, const TentativeProlongation &tentative,
                   const ProlongationSettings &settings, Height height, Width width)
      : matrix_(matrix), couplings_(couplings), aggregates_(aggregates), tentative_(tentative),
        settings_(settings), height_(height), width_(width), entries_(couplings.entries(matrix)),
        diagonal_(height * height), row_sums_(height), whole_(height),
        identity_(height * width, 0.) {
    for (int k = 0; k < std::min<int>(height, width); ++k)
      identity_[k * width + k] = 1;
  }

  void append(std::int64_t node, BlockRows::Chunk &to);

private:
  const double *tentative_block(std::int64_t node) const {
    return tentative_.blocks.empty() ? identity_.data()
                                     : &tentative_.blocks[node * height_ * width_];
  }
  void sort_blocks(std::int64_t node, std::int32_t home);
  double *sum_of(std::int32_t aggregate);
  void add_product(std::int64_t node, std::int32_t block, double *sum);
  void add_to_diagonal(std::int64_t node, std::int32_t block);
  void smooth(std::int64_t node, int r, double *sum, bool home) const;

  const BlockView &matrix_;
  const Couplings &couplings_;
  const Aggregates &aggregates_;
  const TentativeProlongation &tentative_;
  const ProlongationSettings &settings_;
  Height height_;
  Width width_;
  const double *entries_;
  // Of the current node: strong blocks to nodes of its aggregate and of others; weak ones and that
  // on the diagonal.
  std::vector<std::int32_t> inside_, outside_, weak_;
  // Aggregates met, its own first; A_F T beside the diagonal block of A_F, [aggregate met][r,
  // vector]; that block; sums of moduli of the rows beside it; the diagonal of A.
  int num_met_ = 0;
  std::vector<std::int32_t> met_;
  std::vector<int> order_;
  std::vector<double> sums_, diagonal_, row_sums_, whole_, identity_;
};

// sum += A_ij T_j
template <typename Height, typename Width>
void ProlongationRows<Height, Width>::add_product(std::int64_t node, std::int32_t block,
                                                  double *sum) {
  const std::int32_t k = block - matrix_.start[node];
  const double *t = tentative_block(matrix_.columns[block]);
  for (int r = 0; r < height_; ++r) {
    const double *a = matrix_.entries(node, r) + k * height_;
    for (int c = 0; c < height_; ++c) {
      row_sums_[r] += std::fabs(a[c]);
      for (int v = 0; v < width_; ++v)
        sum[r * width_ + v] += a[c] * t[c * width_ + v];
    }
  }
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

template <typename Height, typename Width>
void ProlongationRows<Height, Width>::smooth(std::int64_t node, int r, double *sum,
                                             bool home) const {
  const double *t = tentative_block(node);
  double moduli = row_sums_[r];
  for (int c = 0; c < height_; ++c)
    moduli += std::fabs(diagonal_[r * height_ + c]);
  // Where nearly all couplings are weak, little is left of the diagonal entry.
  moduli = std::max(moduli, std::fabs(whole_[r]));
  const double factor = std::copysign(damping / (settings_.of_row_sums * moduli), whole_[r]);
  for (int v = 0; v < width_; ++v) {
    double value = sum[v];
    if (home)
      for (int c = 0; c < height_; ++c)
        value += diagonal_[r * height_ + c] * t[c * width_ + v];
    sum[v] = (home ? t[r * width_ + v] : 0) - factor * value;
  }
}

// Sorts the blocks of a row of A, without branches that a processor can't foresee.
template <typename Height, typename Width>
void ProlongationRows<Height, Width>::sort_blocks(std::int64_t node, std::int32_t home) {
  const std::int32_t first = matrix_.start[node], last = matrix_.start[node + 1];
  const double limit = settings_.strength * couplings_.scales[node];
  inside_.resize(last - first), outside_.resize(last - first), weak_.resize(last - first);
  std::int32_t *inside = inside_.data(), *outside = outside_.data(), *weak = weak_.data();
  const bool one_function = settings_.function.empty();
  for (std::int32_t b = first; b < last; ++b) {
    const std::int32_t other = matrix_.columns[b];
    const std::int32_t aggregate = aggregates_.of_node[other];
    const bool is_strong =
        (couplings_.factor * entries_[b] > limit * couplings_.scales[other]) & (other != node);
    const bool meet = one_function || settings_.function[node] == settings_.function[other];
    *inside = *outside = *weak = b;
    inside += meet & is_strong & (aggregate == home);
    outside += meet & is_strong & (aggregate != home) & (aggregate != no_aggregate);
    weak += meet & !is_strong;
  }
  inside_.resize(inside - inside_.data());
  outside_.resize(outside - outside_.data());
  weak_.resize(weak - weak_.data());
}

template <typename Height, typename Width>
double *ProlongationRows<Height, Width>::sum_of(std::int32_t aggregate) {
  const int size = height_ * width_;
  int k = 0;
  while (k < num_met_ && met_[k] != aggregate)
    ++k;
  if (k == num_met_) {
    ++num_met_;
    met_.resize(std::max<std::size_t>(met_.size(), num_met_));
    sums_.resize(met_.size() * size);
    met_[k] = aggregate;
    std::fill_n(&sums_[k * size], size, 0.);
  }
  return &sums_[k * size];
}

template <typename Height, typename Width>
void ProlongationRows<Height, Width>::append(std::int64_t node, BlockRows::Chunk &to) {
  const std::int32_t home = aggregates_.of_node[node];
  if (home == no_aggregate) {
    to.lengths.push_back(0);
    return;
  }
  sort_blocks(node, home);
  std::fill(diagonal_.begin(), diagonal_.end(), 0.);
  std::fill(row_sums_.begin(), row_sums_.end(), 0.);
  for (const std::int32_t b : weak_)
    add_to_diagonal(node, b);
  num_met_ = 0;
  sum_of(home);
  for (const std::int32_t b : inside_)
    add_product(node, b, sums_.data());
  for (const std::int32_t b : outside_)
    add_product(node, b, sum_of(aggregates_.of_node[matrix_.columns[b]]));
  const int size = height_ * width_;
  order_.resize(num_met_);
  for (int k = 0; k < num_met_; ++k) { // few: sorted as they come
    int at = k;
    for (; at > 0 && met_[order_[at - 1]] > met_[k]; --at)
      order_[at] = order_[at - 1];
    order_[at] = k;
  }
  double *values = to.append(num_met_, size);
  std::int32_t *columns = to.columns.data() + to.columns.size() - num_met_;
  for (const int k : order_)
    *columns++ = met_[k];
  for (int r = 0; r < height_; ++r)
    for (const int k : order_) {
      double *sum = &sums_[k * size + r * width_];
      smooth(node, r, sum, k == 0);
      values = std::copy_n(sum, int(width_), values);
    }
}

} // namespace

BlockMatrix smooth_prolongation(const BlockView &matrix, const Couplings &couplings,
                                const Aggregates &aggregates,
                                const TentativeProlongation &tentative,
                                const ProlongationSettings &settings) {
  BlockRows rows(matrix.num_rows, nodes_a_chunk, tentative.components, tentative.num_vectors);
  with_block_size(tentative.components, tentative.num_vectors, [&](auto height, auto width) {
    using Rows = ProlongationRows<decltype(height), decltype(width)>;
    std::vector<std::unique_ptr<Rows>> of_thread(host_threads());
    parallel_chunks(matrix.num_rows, nodes_a_chunk,
                    [&](std::int64_t begin, std::int64_t end, int thread) {
                      if (!of_thread[thread])
                        of_thread[thread] = std::make_unique<Rows>(
                            matrix, couplings, aggregates, tentative, settings, height, width);
                      BlockRows::Chunk &to = rows.chunk_of(begin);
                      for (std::int64_t node = begin; node < end; ++node)
                        of_thread[thread]->append(node, to);
                    });
  });
  return rows.join();
}

BlockMatrix plain_prolongation(const Aggregates &aggregates,
                               const TentativeProlongation &tentative) {
  const int components = tentative.components, num_vectors = tentative.num_vectors;
  const auto num_nodes = static_cast<std::int64_t>(aggregates.of_node.size());
  BlockRows rows(num_nodes, nodes_a_chunk, components, num_vectors);
  parallel_chunks(num_nodes, nodes_a_chunk, [&](std::int64_t begin, std::int64_t end, int) {
    BlockRows::Chunk &to = rows.chunk_of(begin);
    for (std::int64_t node = begin; node < end; ++node) {
      const bool free = aggregates.of_node[node] != no_aggregate;
      to.lengths.push_back(free);
      if (!free)
        continue;
      to.columns.push_back(aggregates.of_node[node]);
      if (tentative.blocks.empty())
        for (int r = 0; r < components; ++r)
          for (int v = 0; v < num_vectors; ++v)
            to.values.push_back(r == v);
      else
        to.values.insert(to.values.end(), &tentative.blocks[node * components * num_vectors],
                         &tentative.blocks[(node + 1) * components * num_vectors]);
    }
  });
  return rows.join();
}

} // namespace weft
