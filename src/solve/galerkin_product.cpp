#include "solve/galerkin_product.h"

#include <algorithm>
#include <memory>

#include "solve/block_size.h"
#include "solve/sparse_row.h"

namespace weft {

namespace {

constexpr std::int64_t fine_rows_a_chunk = 1 << 12, coarse_rows_a_chunk = 1 << 8;

// Rows of A P, in no order of columns and block after block; blocks of A are height x height, those
// of P height x width.
template <typename Height, typename Width> class FineRows {
public:
  FineRows(const BlockView &a, const BlockView &p, std::int64_t num_coarse, Height height,
           Width width)
      : a_(a), p_(p), height_(height), width_(width),
        row_(std::make_unique<SparseRow>(num_coarse, height * width)) {}

  void operator()(std::int64_t row, BlockRows::Chunk &to) {
    const std::int32_t first = a_.start[row], length = a_.start[row + 1] - first;
    const double *entries = a_.entries(row, 0);
    for (std::int32_t k = 0; k < length; ++k)
      add_row_of_p(a_.columns[first + k], entries + k * height_, length * height_);
    const int size = height_ * width_;
    const std::int32_t count = row_->count();
    const auto [columns, values] = to.append(count, size);
    for (std::int32_t k = 0; k < count; ++k)
      columns[k] = row_->column(k);
    std::copy_n(row_->block(0), count * size, values);
    row_->clear();
  }

private:
  // += A_ij P_j, with rows of A_ij `stride` apart.
  void add_row_of_p(std::int32_t node, const double *a, std::int32_t stride) {
    const std::int32_t length = p_.start[node + 1] - p_.start[node];
    const double *entries = p_.entries(node, 0);
    const std::int32_t *columns = p_.columns + p_.start[node];
    row_->add(
        height_ * width_, length, [=](std::int32_t k) { return columns[k]; },
        [=, this](double *sum, std::int32_t k) {
          for (int r = 0; r < height_; ++r)
            for (int c = 0; c < height_; ++c)
              for (int v = 0; v < width_; ++v)
                sum[r * width_ + v] += a[r * stride + c] * entries[(c * length + k) * width_ + v];
        });
  }

  const BlockView &a_, &p_;
  Height height_;
  Width width_;
  std::unique_ptr<SparseRow> row_;
};

// Rows of P^T (A P).
template <typename Height, typename Width> class CoarseRows {
public:
  CoarseRows(const BlockRows &ap, const BlockView &restriction,
             const std::vector<std::uint8_t> &dropped, Height height, Width width)
      : ap_(ap), restriction_(restriction), dropped_(dropped), height_(height), width_(width),
        row_(std::make_unique<SparseRow>(restriction.num_rows, width * width)) {}

  void operator()(std::int64_t row, BlockRows::Chunk &to) {
    const std::int32_t first = restriction_.start[row];
    const std::int32_t length = restriction_.start[row + 1] - first;
    const double *weights = restriction_.entries(row, 0);
    for (std::int32_t k = 0; k < length; ++k)
      add_fine_row(restriction_.columns[first + k], weights + k * height_, length * height_);
    write(row, to);
    row_->clear();
  }

private:
  // += P_iI^T (A P)_i, with rows of P_iI^T `stride` apart.
  void add_fine_row(std::int32_t node, const double *weights, std::int32_t stride) {
    const BlockRows::Row ap = ap_.row(node);
    row_->add(
        width_ * width_, ap.length, [=](std::int32_t k) { return ap.columns[k]; },
        [=, this](double *sum, std::int32_t k) {
          const double *block = ap.values + std::int64_t{k} * height_ * width_;
          for (int v = 0; v < width_; ++v)
            for (int r = 0; r < height_; ++r)
              for (int w = 0; w < width_; ++w)
                sum[v * width_ + w] += weights[v * stride + r] * block[r * width_ + w];
        });
  }
  void write(std::int64_t row, BlockRows::Chunk &to) {
    const std::int32_t count = row_->count();
    const auto [columns, values] = to.append(count, width_ * width_);
    std::int32_t place = 0;
    row_->ascending([&, columns = columns, values = values](std::int32_t k) {
      const double *block = row_->block(k);
      columns[place] = row_->column(k);
      for (int v = 0; v < width_; ++v)
        for (int w = 0; w < width_; ++w)
          values[(v * count + place) * width_ + w] = block[v * width_ + w];
      for (int v = 0; v < width_ && columns[place] == row; ++v)
        if (dropped_[row * width_ + v])
          values[(v * count + place) * width_ + v] = 1;
      ++place;
    });
  }

  const BlockRows &ap_;
  const BlockView &restriction_;
  const std::vector<std::uint8_t> &dropped_;
  Height height_;
  Width width_;
  std::unique_ptr<SparseRow> row_;
};

} // namespace

BlockMatrix galerkin_product(const BlockView &matrix, const BlockView &prolongation,
                             const BlockView &restriction,
                             const std::vector<std::uint8_t> &dropped) {
  const int height = prolongation.height, width = prolongation.width;
  const std::int64_t num_coarse = restriction.num_rows;
  BlockRows ap(matrix.num_rows, fine_rows_a_chunk, height, width);
  BlockRows rows(num_coarse, coarse_rows_a_chunk, width, width);
  with_block_size(height, width, [&](auto h, auto w) {
    ap.fill([&] { return FineRows(matrix, prolongation, num_coarse, h, w); });
    rows.fill([&] { return CoarseRows(ap, restriction, dropped, h, w); });
  });
  return rows.join();
}

} // namespace weft
