#include "linalg/sub_matrix.h"

#include <algorithm>
#include <vector>

#include "base/parallel.h"

namespace weft {

HostMatrix sub_matrix(const CsrPattern &pattern, const double *values, const DofRange &rows,
                      const DofRange &columns) {
  const auto first_column = static_cast<std::int32_t>(columns.first);
  const auto end_column = static_cast<std::int32_t>(columns.first + columns.size);
  // Columns ascend, so that those of the block follow one another.
  const auto range_of = [&](std::int64_t row) {
    const std::int32_t *begin = pattern.columns.data() + pattern.row_start[rows.first + row];
    const std::int32_t *end = pattern.columns.data() + pattern.row_start[rows.first + row + 1];
    const std::int32_t *from = std::lower_bound(begin, end, first_column);
    return std::pair(from, std::lower_bound(from, end, end_column));
  };
  HostMatrix block;
  block.row_start.resize(rows.size + 1);
  block.row_start[0] = 0;
  parallel_ranges(rows.size, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t row = begin; row < end; ++row) {
      const auto [from, to] = range_of(row);
      block.row_start[row + 1] = static_cast<std::int32_t>(to - from);
    }
  });
  for (std::int64_t row = 0; row < rows.size; ++row)
    block.row_start[row + 1] += block.row_start[row];
  block.columns.resize(block.row_start[rows.size]);
  block.values.resize(block.row_start[rows.size]);
  parallel_ranges(rows.size, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t row = begin; row < end; ++row) {
      const auto [from, to] = range_of(row);
      const std::int32_t start = block.row_start[row];
      std::transform(from, to, block.columns.begin() + start,
                     [&](std::int32_t column) { return column - first_column; });
      std::copy_n(values + (from - pattern.columns.data()), to - from,
                  block.values.begin() + start);
    }
  });
  return block;
}

std::unique_ptr<SparseMatrix> upload_matrix(Device &device, const HostMatrix &matrix,
                                            Precision precision, bool symmetric) {
  auto pattern = std::make_shared<CsrPattern>();
  pattern->num_rows = matrix.num_rows();
  pattern->row_start.assign(matrix.row_start.begin(), matrix.row_start.end());
  pattern->columns = std::vector<std::int32_t>(matrix.columns);
  auto uploaded = std::make_unique<SparseMatrix>(device, pattern, precision, symmetric);
  Vector values{uploaded->values(), pattern->num_entries(), precision};
  if (precision == Precision::f64)
    device.write(values.buffer, matrix.values.data(), matrix.values.size() * sizeof(double));
  else
    set_vector(device, values, matrix.values);
  uploaded->values_changed();
  return uploaded;
}

Coupling::Coupling(Device &device, const HostMatrix &matrix, std::int64_t num_columns,
                   Precision vectors)
    : num_entries_(std::count_if(matrix.values.begin(), matrix.values.end(),
                                 [](double value) { return value != 0; })) {
  if (num_entries_ == 0)
    return;
  MatrixLayout layout{.num_rows = matrix.num_rows(),
                      .num_entries = static_cast<std::int64_t>(matrix.columns.size()),
                      .num_columns = num_columns};
  layout.row_start =
      upload(device, std::vector<std::int32_t>(matrix.row_start.begin(), matrix.row_start.end()),
             "row starts of a coupling");
  layout.columns =
      upload(device, std::vector<std::int32_t>(matrix.columns.begin(), matrix.columns.end()),
             "columns of a coupling");
  values_ = upload(device, std::vector<float>(matrix.values.begin(), matrix.values.end()),
                   "values of a coupling");
  product_ = std::make_unique<MatrixProduct>(
      device, layout, ProductSettings{.storage = Precision::f32, .vectors = vectors});
}

void Coupling::apply(const Vector &x, Vector &y) {
  product_->apply(values_, x, y);
}

} // namespace weft
