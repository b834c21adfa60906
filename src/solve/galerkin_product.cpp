#include "solve/galerkin_product.h"

#include <algorithm>
#include <memory>

#include "base/parallel.h"
#include "solve/block_size.h"
#include "solve/sparse_row.h"

namespace weft {

namespace {

constexpr std::int64_t coarse_rows_a_chunk = 1 << 8; // coarse rows

// Where the blocks of each column of P are.
struct ColumnsOfBlocks {
  struct Place {
    std::int32_t row, block;
  };
  std::vector<std::int32_t> start; // [column + 1]
  std::vector<Place> places;       // rows ascending
};

ColumnsOfBlocks transpose(const BlockView &p, std::int64_t num_columns) {
  ColumnsOfBlocks t;
  t.start.assign(num_columns + 1, 0);
  const std::int32_t num_blocks = p.num_rows > 0 ? p.start[p.num_rows] : 0;
  for (std::int32_t b = 0; b < num_blocks; ++b)
    ++t.start[p.columns[b] + 1];
  for (std::int64_t c = 0; c < num_columns; ++c)
    t.start[c + 1] += t.start[c];
  t.places.resize(num_blocks);
  std::vector<std::int32_t> next(t.start.begin(), t.start.end() - 1);
  for (std::int64_t row = 0; row < p.num_rows; ++row)
    for (std::int32_t b = p.start[row]; b < p.start[row + 1]; ++b)
      t.places[next[p.columns[b]]++] = {static_cast<std::int32_t>(row), b};
  return t;
}

// Rows of the product; fine blocks are height x height, those of P height x width.
template <typename Height, typename Width> class GalerkinRows {
public:
  GalerkinRows(const BlockView &a, const BlockView &p, const ColumnsOfBlocks &of,
               const std::vector<std::uint8_t> &dropped, Height height, Width width)
      : a_(a), p_(p), of_(of), dropped_(dropped), height_(height), width_(width),
        fine_(a.num_rows, height * width),
        coarse_(static_cast<std::int64_t>(of.start.size()) - 1, width * width) {}

  void append(std::int64_t row, BlockRows::Chunk &to) {
    for (std::int32_t k = of_.start[row]; k < of_.start[row + 1]; ++k)
      add_fine_row(of_.places[k]);
    for (std::int64_t k = 0; k < fine_.count(); ++k)
      add_coarse_row(fine_.column(k), fine_.block(fine_.column(k)));
    fine_.clear();
    write(row, to);
    coarse_.clear();
  }

private:
  // fine += P_iI^T A_i
  void add_fine_row(const ColumnsOfBlocks::Place &at) {
    const std::int32_t length = a_.start[at.row + 1] - a_.start[at.row];
    const std::int32_t in_row = at.block - p_.start[at.row];
    double weights[max_size]; // P_iI
    for (int r = 0; r < height_; ++r)
      for (int v = 0; v < width_; ++v)
        weights[r * width_ + v] = p_.entries(at.row, r)[in_row * width_ + v];
    const double *entries = a_.entries(at.row, 0);
    const std::int32_t *columns = a_.columns + a_.start[at.row];
    fine_.add(
        height_ * width_, length, [=](std::int32_t k) { return columns[k]; },
        [=, this, &weights](double *sum, std::int32_t k) {
          for (int r = 0; r < height_; ++r)
            for (int v = 0; v < width_; ++v)
              for (int c = 0; c < height_; ++c)
                sum[v * height_ + c] +=
                    weights[r * width_ + v] * entries[(r * length + k) * height_ + c];
        });
  }
  // coarse += (P^T A)_Ij P_j
  void add_coarse_row(std::int32_t node, const double *weights) {
    const std::int32_t length = p_.start[node + 1] - p_.start[node];
    const double *entries = p_.entries(node, 0);
    const std::int32_t *columns = p_.columns + p_.start[node];
    coarse_.add(
        width_ * width_, length, [=](std::int32_t k) { return columns[k]; },
        [=, this](double *sum, std::int32_t k) {
          for (int v = 0; v < width_; ++v)
            for (int r = 0; r < height_; ++r)
              for (int w = 0; w < width_; ++w)
                sum[v * width_ + w] +=
                    weights[v * height_ + r] * entries[(r * length + k) * width_ + w];
        });
  }
  void write(std::int64_t row, BlockRows::Chunk &to) {
    const auto count = static_cast<std::int32_t>(coarse_.count());
    double *values = to.append(count, width_ * width_);
    std::int32_t *columns = to.columns.data() + to.columns.size() - count;
    coarse_.sort();
    for (std::int32_t k = 0; k < count; ++k) {
      columns[k] = coarse_.column(k);
      const double *block = coarse_.block(columns[k]);
      for (int v = 0; v < width_; ++v)
        for (int w = 0; w < width_; ++w)
          values[(v * count + k) * width_ + w] = block[v * width_ + w];
      for (int v = 0; v < width_ && columns[k] == row; ++v)
        if (dropped_[row * width_ + v])
          values[(v * count + k) * width_ + v] = 1;
    }
  }

  static constexpr int max_size = 64;
  const BlockView &a_, &p_;
  const ColumnsOfBlocks &of_;
  const std::vector<std::uint8_t> &dropped_;
  Height height_;
  Width width_;
  SparseRow fine_, coarse_;
};

} // namespace

BlockMatrix galerkin_product(const BlockView &matrix, const BlockView &prolongation,
                             std::int64_t num_coarse, const std::vector<std::uint8_t> &dropped) {
  const ColumnsOfBlocks of = transpose(prolongation, num_coarse);
  BlockRows rows(num_coarse, coarse_rows_a_chunk, prolongation.width, prolongation.width);
  with_block_size(prolongation.height, prolongation.width, [&](auto height, auto width) {
    using Rows = GalerkinRows<decltype(height), decltype(width)>;
    std::vector<std::unique_ptr<Rows>> of_thread(host_threads());
    parallel_chunks(
        num_coarse, coarse_rows_a_chunk, [&](std::int64_t begin, std::int64_t end, int thread) {
          if (!of_thread[thread])
            of_thread[thread] =
                std::make_unique<Rows>(matrix, prolongation, of, dropped, height, width);
          BlockRows::Chunk &to = rows.chunk_of(begin);
          for (std::int64_t row = begin; row < end; ++row)
            of_thread[thread]->append(row, to);
        });
  });
  return rows.join();
}

} // namespace weft
