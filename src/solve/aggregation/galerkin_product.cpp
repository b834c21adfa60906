#include "solve/aggregation/galerkin_product.h"

#include <memory>

#include "linalg/block_size.h"
#include "solve/aggregation/sparse_row.h"

namespace weft {

namespace {

constexpr std::int64_t rows_a_chunk = 1 << 8;
// Blocks of a large coarse matrix for each of the fine one: three tenths, or fewer.
constexpr double expected_coarse_blocks = 0.3;
constexpr std::int32_t rows_of_a_ahead = 4, rows_of_p_ahead = 8; // by which rows are fetched

// What a list of rows leads to is fetched before it is needed: a processor does not foresee it.
void fetch(const BlockView &matrix, std::int32_t row, int lines) {
  constexpr int doubles_a_line = 8;
  __builtin_prefetch(matrix.columns + matrix.start[row]);
  for (int line = 0; line < lines; ++line)
    __builtin_prefetch(matrix.entries(row, 0) + line * doubles_a_line);
}

// Rows of P^T A P one by one: one of P^T A, then what P makes of it. Both stay in a core's caches.
// Blocks of A are height x height, those of P height x width.
template <typename Height, typename Width> class CoarseRows {
public:
  CoarseRows(const BlockView &a, const BlockView &p, const BlockView &restriction,
             const std::vector<std::uint8_t> &dropped, Height height, Width width)
      : a_(a), p_(p), restriction_(restriction), dropped_(dropped), height_(height), width_(width),
        fine_(std::make_unique<SparseRow>(p.num_rows, height * width)),
        coarse_(std::make_unique<SparseRow>(restriction.num_rows, width * width)) {}

  void operator()(std::int64_t row, BlockRows::Chunk &to) {
    add_rows_of_a(row);
    add_rows_of_p();
    fine_->clear();
    write(row, to);
    coarse_->clear();
  }

private:
  // Not inlined: together they have more to keep than a processor has registers.
  [[gnu::noinline]] void add_rows_of_a(std::int64_t row);
  [[gnu::noinline]] void add_rows_of_p();
  void write(std::int64_t row, BlockRows::Chunk &to);

  const BlockView &a_, &p_, &restriction_;
  const std::vector<std::uint8_t> &dropped_;
  Height height_;
  Width width_;
  std::unique_ptr<SparseRow> fine_, coarse_;
};

// The row of P^T A: sums of P_iI^T A_ij, [vector, component].
template <typename Height, typename Width>
void CoarseRows<Height, Width>::add_rows_of_a(std::int64_t row) {
  const Height height = height_;
  const Width width = width_;
  const std::int32_t begin = restriction_.start[row], end = restriction_.start[row + 1];
  const std::int32_t *nodes = restriction_.columns;
  std::int64_t most = 0;
  for (std::int32_t k = begin; k < end; ++k)
    most += a_.start[nodes[k] + 1] - a_.start[nodes[k]];
  SparseRow::Sums sums = fine_->open(most);
  const std::int32_t stride = (end - begin) * height; // of rows of weights
  const double *weights = restriction_.entries(row, 0);
  for (std::int32_t k = begin; k < end; ++k, weights += height) {
    if (k + rows_of_a_ahead < end)
      fetch(a_, nodes[k + rows_of_a_ahead], 3);
    const std::int32_t first = a_.start[nodes[k]], length = a_.start[nodes[k] + 1] - first;
    const double *entries = a_.entries(nodes[k], 0);
    for (std::int32_t e = 0; e < length; ++e, entries += height) {
      double *sum = sums.of(height * width, a_.columns[first + e]);
      for (int v = 0; v < width; ++v)
        for (int r = 0; r < height; ++r)
          for (int c = 0; c < height; ++c)
            sum[v * height + c] += weights[v * stride + r] * entries[r * length * height + c];
    }
  }
  fine_->close(sums);
}

// Times P.
template <typename Height, typename Width> void CoarseRows<Height, Width>::add_rows_of_p() {
  const Height height = height_;
  const Width width = width_;
  const std::int32_t count = fine_->count();
  std::int64_t most = 0;
  for (std::int32_t k = 0; k < count; ++k)
    most += p_.start[fine_->column(k) + 1] - p_.start[fine_->column(k)];
  SparseRow::Sums sums = coarse_->open(most);
  const double *weights = fine_->block(0);
  for (std::int32_t k = 0; k < count; ++k, weights += height * width) {
    const std::int32_t node = fine_->column(k);
    if (k + rows_of_p_ahead < count)
      fetch(p_, fine_->column(k + rows_of_p_ahead), 1);
    const std::int32_t first = p_.start[node], length = p_.start[node + 1] - first;
    const double *entries = p_.entries(node, 0);
    for (std::int32_t e = 0; e < length; ++e, entries += width) {
      double *sum = sums.of(width * width, p_.columns[first + e]);
      for (int v = 0; v < width; ++v)
        for (int r = 0; r < height; ++r)
          for (int w = 0; w < width; ++w)
            sum[v * width + w] += weights[v * height + r] * entries[r * length * width + w];
    }
  }
  coarse_->close(sums);
}

template <typename Height, typename Width>
void CoarseRows<Height, Width>::write(std::int64_t row, BlockRows::Chunk &to) {
  const std::int32_t count = coarse_->count();
  const auto [columns, values] = to.append(count, width_ * width_);
  std::int32_t place = 0;
  coarse_->ascending([&, columns = columns, values = values](std::int32_t k) {
    const double *block = coarse_->block(k);
    columns[place] = coarse_->column(k);
    for (int v = 0; v < width_; ++v)
      for (int w = 0; w < width_; ++w)
        values[(v * count + place) * width_ + w] = block[v * width_ + w];
    for (int v = 0; v < width_ && columns[place] == row; ++v)
      if (dropped_[row * width_ + v])
        values[(v * count + place) * width_ + v] = 1;
    ++place;
  });
}

} // namespace

BlockMatrix galerkin_product(const BlockView &matrix, const BlockView &prolongation,
                             const BlockView &restriction,
                             const std::vector<std::uint8_t> &dropped) {
  const int height = prolongation.height, width = prolongation.width;
  BlockRows rows(restriction.num_rows, rows_a_chunk, width, width,
                 static_cast<std::int64_t>(expected_coarse_blocks * matrix.start[matrix.num_rows]));
  BlockMatrix made;
  with_block_size(height, width, [&](auto h, auto w) {
    made = rows.fill([&] { return CoarseRows(matrix, prolongation, restriction, dropped, h, w); });
  });
  return made;
}

} // namespace weft
