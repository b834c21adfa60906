#include "linalg/stored_matrix.h"

#include "base/stored_numbers.h"

namespace weft {

StoredMatrix::OnDevice StoredMatrix::upload_matrix(Device &device, const HostMatrix &matrix,
                                                   MatrixFormat format,
                                                   const ProductSettings &settings,
                                                   bool wide_columns) {
  OnDevice result;
  MatrixLayout &layout = result.layout;
  layout.format = format;
  layout.num_rows = matrix.num_rows();
  layout.num_entries = static_cast<std::int64_t>(matrix.values.size());
  if (format == MatrixFormat::csr) {
    layout.row_start = upload(device, matrix.row_start, "row starts of the matrix");
    layout.columns = upload(device, matrix.columns, "columns of the matrix");
    result.values =
        upload(device, stored_numbers(matrix.values, settings.storage), "values of the matrix");
    return result;
  }
  SellLayout sell = make_sell_layout(matrix.rows(), product_slice(device.info(), settings),
                                     sell_window(device.info()),
                                     product_line_entries(device.info(), settings), wide_columns);
  HostArray<double> sliced(sell.num_values);
  sell_values(sell, matrix.rows(), matrix.values.data(), sliced.data());
  result.values = upload(device, stored_numbers(sliced, settings.storage), "values of slices");
  layout.sell = upload_sell(device, std::move(sell));
  return result;
}

StoredMatrix::StoredMatrix(Device &device, const OnDevice &matrix, const ProductSettings &settings)
    : values_(matrix.values), product_(device, matrix.layout, settings) {}

StoredMatrix::StoredMatrix(Device &device, const HostMatrix &matrix, MatrixFormat format,
                           const ProductSettings &settings, bool wide_columns)
    : StoredMatrix(device, upload_matrix(device, matrix, format, settings, wide_columns),
                   settings) {}

} // namespace weft
