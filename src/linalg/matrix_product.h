// y = A x on a device for matrices in compressed rows or sliced ELLPACK: values, vectors and
// arithmetic in precisions of their own, one to four vectors at once.
#pragma once

#include <cstdint>
#include <string>

#include "cost/kernel_cost.h"
#include "linalg/device_sell.h"
#include "linalg/vector.h"

namespace weft {

// How the product with a vector reads the matrix:
//   csr   compressed rows, 32-bit column numbers
//   sell  sliced ELLPACK (Kreutzer et al. 2014, DOI 10.1137/130930352): rows sorted by their length
//         within windows and cut into slices of one lane group each; column numbers of 16 bits,
//         relative to the slice's lowest column, where a slice's columns allow it, else of 32
enum class MatrixFormat { csr, sell };
std::string to_string(MatrixFormat format);
// Throws an input error that lists the names.
MatrixFormat matrix_format_from_name(const std::string &name);

// Where the entries of a matrix are, on a device.
struct MatrixLayout {
  MatrixFormat format = MatrixFormat::csr;
  std::int64_t num_rows = 0;
  std::int64_t num_entries = 0;
  std::int64_t num_columns = -1; // of a matrix that is not square; csr alone
  Buffer row_start, columns;     // csr: i32[row + 1], i32[entry]
  DeviceSell sell;

  // Counts values as the format has them.
  std::int64_t num_values() const {
    return format == MatrixFormat::csr ? num_entries : sell.num_values;
  }
};

struct ProductSettings {
  Precision storage = Precision::f64; // of values
  Precision vectors = Precision::f64;
  int systems = 1; // vectors at once, interleaved: [row][system]; 1 or 4

  // f64 where one of them is, else f32.
  Precision arithmetic() const;
};

// Rows of a slice of sliced ELLPACK, in layouts made for such a product alone: of several systems
// few enough on CPUs that the sums of all stay in registers.
int product_slice(const DeviceInfo &device, const ProductSettings &settings);
// Hints to fetch x ahead: entries of one vector in a line of a CPU's caches; 0 on GPUs.
int product_line_entries(const DeviceInfo &device, const ProductSettings &settings);

class MatrixProduct {
public:
  MatrixProduct(Device &device, MatrixLayout layout, const ProductSettings &settings);

  const MatrixLayout &layout() const { return layout_; }
  const ProductSettings &settings() const { return settings_; }
  // Entries of y, and of x where the matrix is square.
  std::int64_t vector_size() const { return layout_.num_rows * settings_.systems; }
  // y = A x with `values` as the layout has them. x and y differ.
  void apply(const Buffer &values, const Vector &x, Vector &y);
  void load_kernels() { device_.load(program_, kernel(), launch()); }
  // Counts one apply().
  NamedCost cost() const;

private:
  std::string kernel() const { return "spmv_" + to_string(layout_.format); }
  Launch launch() const;

  Device &device_;
  MatrixLayout layout_;
  ProductSettings settings_;
  int lanes_ = 1;
  Program program_;
};

} // namespace weft
