#include "solve/aggregation/aggregation.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>

#include "base/error.h"
#include "base/parallel.h"
#include "solve/aggregation/sparse_row.h"

namespace weft {

namespace {

// While aggregates are made, a node's state is the node around which its aggregate grew, or
constexpr std::int32_t unset = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t alone = unset + 1;
// or, for nodes that joined an aggregate later, ~ that node: they attract no others.

// What is read of each neighbour, in one place.
struct NodeState {
  std::int32_t root = unset;
  float scale = 0;
};

class Aggregation {
public:
  Aggregation(const BlockView &matrix, const Couplings &couplings, double strength,
              const std::vector<std::uint8_t> &function);
  Aggregates run();

private:
  double size(std::int32_t block) const { return factor_ * entries_[block]; }
  bool is_strong(std::int64_t node, std::int32_t block, const NodeState &other) const {
    return static_cast<int>(size(block) > strength_ * nodes_[node].scale * other.scale) &
           static_cast<int>(matrix_.columns[block] != node) &
           static_cast<int>(meet(node, matrix_.columns[block]));
  }
  bool meet(std::int64_t node, std::int32_t other) const {
    return function_.empty() || function_[node] == function_[other];
  }
  enum class Neighbourhood { free, taken, beyond, none };
  Neighbourhood look_around(std::int64_t node, std::int64_t begin, std::int64_t end) const;
  void take_neighbourhood(std::int64_t node);
  void grow_in_chunk(std::int64_t begin, std::int64_t end, std::vector<std::int32_t> &later);
  std::int32_t most_connected(std::int64_t node, bool strong_only, SparseRow &sums) const;
  void join(std::int64_t begin, std::int64_t end, SparseRow &sums, std::vector<std::int32_t> &left);
  void place_left(std::int32_t node);
  Aggregates number() const;

  std::int64_t num_nodes_, chunk_;
  const BlockView &matrix_;
  const double *entries_;
  double factor_;
  double strength_;
  const std::vector<std::uint8_t> &function_;
  std::vector<NodeState> nodes_;
};

Aggregation::Aggregation(const BlockView &matrix, const Couplings &couplings, double strength,
                         const std::vector<std::uint8_t> &function)
    : num_nodes_(matrix.num_rows),
      // Few enough chunks that most neighbourhoods lie within one.
      chunk_(std::max<std::int64_t>(1 << 14, (num_nodes_ + 15) / 16)), matrix_(matrix),
      entries_(couplings.entries(matrix)), factor_(couplings.factor), strength_(strength),
      function_(function), nodes_(couplings.scales.size()) {
  parallel_ranges(num_nodes_, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t node = begin; node < end; ++node) {
      bool decoupled = true;
      for (int r = 0; r < matrix_.height; ++r)
        decoupled = decoupled && couplings.decoupled[node * matrix_.height + r];
      nodes_[node] = {.root = decoupled ? alone : unset, .scale = couplings.scales[node]};
    }
  });
  for (std::size_t ghost = num_nodes_; ghost < nodes_.size(); ++ghost)
    nodes_[ghost] = {.root = alone, .scale = couplings.scales[ghost]};
}

Aggregation::Neighbourhood Aggregation::look_around(std::int64_t node, std::int64_t begin,
                                                    std::int64_t end) const {
  Neighbourhood found = Neighbourhood::none;
  for (std::int32_t b = matrix_.start[node]; b < matrix_.start[node + 1]; ++b) {
    const std::int32_t other = matrix_.columns[b];
    const NodeState &state = nodes_[other];
    if (!is_strong(node, b, state))
      continue;
    if (other < begin || other >= end) { // its root may be changing now, unless that is a ghost's
      if (other < num_nodes_)
        found = Neighbourhood::beyond;
    } else if (state.root != alone) {
      if (state.root != unset)
        return Neighbourhood::taken;
      if (found == Neighbourhood::none)
        found = Neighbourhood::free;
    }
  }
  return found;
}

void Aggregation::take_neighbourhood(std::int64_t node) {
  for (std::int32_t b = matrix_.start[node]; b < matrix_.start[node + 1]; ++b) {
    NodeState &state = nodes_[matrix_.columns[b]];
    if (state.root == unset && is_strong(node, b, state))
      state.root = static_cast<std::int32_t>(node);
  }
  nodes_[node].root = static_cast<std::int32_t>(node);
}

void Aggregation::grow_in_chunk(std::int64_t begin, std::int64_t end,
                                std::vector<std::int32_t> &later) {
  for (std::int64_t node = begin; node < end; ++node) {
    if (nodes_[node].root != unset)
      continue;
    const Neighbourhood found = look_around(node, begin, end);
    if (found == Neighbourhood::free)
      take_neighbourhood(node);
    else if (found == Neighbourhood::beyond)
      later.push_back(static_cast<std::int32_t>(node));
  }
}

// The root of the aggregate, of those that grew around a node, to which the sizes of connections
// add up most; `unset` where there is none. `sums` is empty before and after.
std::int32_t Aggregation::most_connected(std::int64_t node, bool strong_only,
                                         SparseRow &sums) const {
  constexpr std::integral_constant<int, 1> one;
  const std::int32_t first = matrix_.start[node], last = matrix_.start[node + 1];
  const auto self = static_cast<std::int32_t>(node);
  SparseRow::Sums open = sums.open(last - first + 1);
  open.of(one, self); // what does not count is added here, as zero: without a branch
  for (std::int32_t b = first; b < last; ++b) {
    const std::int32_t other = matrix_.columns[b];
    const NodeState state = {
        std::atomic_ref<std::int32_t>(const_cast<std::int32_t &>(nodes_[other].root))
            .load(std::memory_order_relaxed),
        nodes_[other].scale};
    const int counts =
        static_cast<int>(state.root >= 0) & static_cast<int>(meet(node, other)) &
        (static_cast<int>(!strong_only) | static_cast<int>(is_strong(node, b, state)));
    *open.of(one, self ^ ((self ^ state.root) & -counts)) += counts * size(b);
  }
  sums.close(open);
  std::int32_t best = 0;
  for (std::int32_t k = 1; k < sums.count(); ++k)
    best = best == 0 || *sums.block(k) > *sums.block(best) ? k : best;
  const std::int32_t root = best == 0 ? unset : sums.column(best);
  sums.clear();
  return root;
}

void Aggregation::join(std::int64_t begin, std::int64_t end, SparseRow &sums,
                       std::vector<std::int32_t> &left) {
  for (std::int64_t node = begin; node < end; ++node) {
    if (nodes_[node].root != unset)
      continue;
    std::int32_t root = most_connected(node, true, sums);
    if (root == unset)
      root = most_connected(node, false, sums);
    if (root == unset)
      left.push_back(static_cast<std::int32_t>(node));
    else
      std::atomic_ref<std::int32_t>(nodes_[node].root).store(~root, std::memory_order_relaxed);
  }
}

// Nodes without a neighbour in an aggregate that grew: with their strong neighbours, of the same
// kind, else alone.
void Aggregation::place_left(std::int32_t node) {
  if (nodes_[node].root == unset)
    take_neighbourhood(node);
}

// Aggregates in the order of the nodes around which they grew.
Aggregates Aggregation::number() const {
  const std::int64_t chunks = (num_nodes_ + chunk_ - 1) / chunk_;
  std::vector<std::int32_t> first(chunks + 1, 0), number(num_nodes_);
  parallel_chunks(num_nodes_, chunk_, [&](std::int64_t begin, std::int64_t end, int) {
    std::int32_t count = 0;
    for (std::int64_t node = begin; node < end; ++node)
      if (nodes_[node].root == node)
        number[node] = count++;
    first[begin / chunk_ + 1] = count;
  });
  for (std::int64_t c = 0; c < chunks; ++c)
    first[c + 1] += first[c];
  Aggregates aggregates = {.count = first[chunks]};
  aggregates.of_node.resize(num_nodes_);
  parallel_ranges(num_nodes_, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t node = begin; node < end; ++node) {
      const std::int32_t state = nodes_[node].root;
      const std::int32_t root = state >= 0 ? state : ~state;
      aggregates.of_node[node] =
          state == alone ? no_aggregate : number[root] + first[root / chunk_];
    }
  });
  return aggregates;
}

Aggregates Aggregation::run() {
  const std::int64_t chunks = (num_nodes_ + chunk_ - 1) / chunk_;
  std::vector<std::vector<std::int32_t>> later(chunks), left(chunks);
  parallel_chunks(num_nodes_, chunk_, [&](std::int64_t begin, std::int64_t end, int) {
    grow_in_chunk(begin, end, later[begin / chunk_]);
  });
  for (const auto &nodes : later)
    for (const std::int32_t node : nodes)
      if (nodes_[node].root == unset && look_around(node, 0, num_nodes_) == Neighbourhood::free)
        take_neighbourhood(node);
  std::vector<std::unique_ptr<SparseRow>> sums(host_threads());
  parallel_chunks(num_nodes_, chunk_, [&](std::int64_t begin, std::int64_t end, int thread) {
    if (!sums[thread])
      sums[thread] = std::make_unique<SparseRow>(num_nodes_, 1);
    join(begin, end, *sums[thread], left[begin / chunk_]);
  });
  for (const auto &nodes : left)
    for (const std::int32_t node : nodes)
      place_left(node);
  return number();
}

} // namespace

Aggregates make_aggregates(const BlockView &matrix, const Couplings &couplings, double strength,
                           const std::vector<std::uint8_t> &function) {
  return Aggregation(matrix, couplings, strength, function).run();
}

} // namespace weft
