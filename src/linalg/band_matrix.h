// Matrices of nine bands on a device: Q1 elements on tensor-product patches.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cost/kernel_cost.h"
#include "linalg/matrix_product.h"
#include "linalg/vector.h"

namespace weft {

inline constexpr int num_bands = 9;

// A matrix on a patch of width x height nodes, numbered row after row. bands[b][node] is the entry
// between `node` and the node (b % 3 - 1, b / 3 - 1) places from it; 0 where there is none.
struct HostBands {
  std::int64_t width = 0, height = 0;
  std::array<std::vector<double>, num_bands> bands;

  std::int64_t size() const { return width * height; }
};

// The same in compressed rows: entries that differ from 0.
struct HostMatrix;
HostMatrix compressed_rows(const HostBands &matrix);

// The product "MV_V" of Goeddeke's "The GPU as a co-processor in FEM-based simulations" (2004), at
// 18 operations a row, its bands read as one stream.
class BandMatrix {
public:
  // Throws an invariant error where a band does not have width*height numbers.
  BandMatrix(Device &device, const HostBands &matrix, const ProductSettings &settings);

  // Entries of x and y.
  std::int64_t vector_size() const { return num_rows_ * settings_.systems; }
  // y = A x, or y + A x. x and y differ.
  void apply(const Vector &x, Vector &y) { launch(x, y, false); }
  void apply_add(const Vector &x, Vector &y) { launch(x, y, true); }
  // Counts one of these.
  NamedCost cost(bool adds = false) const;

private:
  void launch(const Vector &x, Vector &y, bool adds);
  Launch size_of_launch() const;

  Device &device_;
  ProductSettings settings_;
  std::int64_t num_rows_;
  std::int32_t width_;
  int slice_, lanes_;
  Buffer values_; // [slice][band][row of the slice]
  Program program_;
};

} // namespace weft
