// A sparse matrix on a device, in compressed rows or in sliced ELLPACK, as an operator.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/host_array.h"
#include "cost/kernel_cost.h"
#include "linalg/csr_pattern.h"
#include "linalg/device_sell.h"
#include "linalg/matrix_product.h"
#include "linalg/operator.h"

namespace weft {

// A matrix on the host, in compressed rows with ascending columns.
struct HostMatrix {
  HostArray<std::int32_t> row_start; // [row + 1]
  HostArray<std::int32_t> columns;
  HostArray<double> values; // parallel to columns

  std::int32_t num_rows() const {
    return row_start.empty() ? 0 : static_cast<std::int32_t>(row_start.size()) - 1;
  }
  RowsView rows() const { return {num_rows(), row_start.data(), columns.data()}; }
};

// Bytes that a matrix takes on a device while it is in use, at most.
double sparse_matrix_bytes(std::int64_t num_rows, std::int64_t num_entries, Precision precision);

class SparseMatrix : public LinearOperator {
public:
  // All values are 0 at first. `format`: open, the one whose product moves fewer bytes.
  // Throws `unsupported` for 2^31 entries or more.
  SparseMatrix(Device &device, std::shared_ptr<const CsrPattern> pattern, Precision precision,
               bool symmetric, std::optional<MatrixFormat> format = {});
  // In f64, with the values that see_values() sees.
  SparseMatrix(Device &device, std::shared_ptr<const CsrPattern> pattern,
               std::span<const double> values, bool symmetric);

  std::int64_t size() const override { return pattern_->num_rows; }
  Precision precision() const override { return precision_; }
  Device &device() override { return device_; }
  bool symmetric() const override { return symmetric_; }
  const SparseMatrix *matrix() const override { return this; }
  // y = A x.
  void apply(const Vector &x, Vector &y) override;
  void load_kernels() override { product_->load_kernels(); }
  void diagonal(Vector &d) override;

  const CsrPattern &pattern() const { return *pattern_; }
  MatrixFormat format() const { return layout_.format; }
  // [entry], in the pattern's order. Whoever writes them calls values_changed() afterwards.
  const Buffer &values() const { return values_; }
  void values_changed();
  // Rows and columns of these entries of vectors become those of the identity; `free`: 0 where it
  // is held, ghosts included.
  void hold(const Vector &free);
  // Sees other values, [entry], in f64: where they lie if the device sees the host's memory, so
  // that they have to stay there, as they are, as long as they are seen. Waits for what is queued.
  void see_values(std::span<const double> values, bool symmetric);
  // In sliced ELLPACK: the layout, and the values as it has them; null and none in other formats.
  const DeviceSell *sell() const {
    return format() == MatrixFormat::sell ? &layout_.sell : nullptr;
  }
  const Buffer &sell_values() const { return sell_values_; }
  // Where the entries are, and the values as the layout has them.
  const MatrixLayout &entry_places() const { return layout_; }
  const Buffer &stored_values() const { return sell() ? sell_values_ : values_; }
  void copy_diagonal(Vector &d) const;
  // The values, in the pattern's order, in f64, as the host sees them until the pointer is
  // released; waits. A copy only where it has to be.
  std::shared_ptr<const double[]> host_values() const;
  // A copy of the matrix; waits. The same entries in the same order whatever the format.
  HostMatrix host() const;

  // Count one apply(), diagonal(), values_changed(); launch by launch.
  std::vector<NamedCost> apply_costs() const;
  std::vector<NamedCost> diagonal_costs() const;
  std::vector<NamedCost> change_costs() const;

private:
  void make_layout(std::optional<MatrixFormat> format);
  void choose_format(std::optional<MatrixFormat> format);
  void build_program();
  Launch fill_launch() const;
  Launch row_launch() const;

  Device &device_;
  std::shared_ptr<const CsrPattern> pattern_;
  Precision precision_;
  bool symmetric_;
  MatrixLayout layout_;
  std::optional<MatrixProduct> product_;
  Buffer sell_values_;   // where that is the format
  Program program_;      // of what is no product
  Program hold_program_; // from the first hold() on
  Buffer hold_columns_;
  Buffer values_, diagonal_places_;
};

} // namespace weft
