// Which coefficients of element matrices a point hands on, and where they lie.
//
// Blocks in reference coordinates: D(k, l, s, t) for components k of the test and l of the trial
// functions (of all fields), s and t 0 for the value, 1 + e for the derivative along reference
// direction e and more for second derivatives, weights included. A(i k, j l) = sum over points, s,
// t of phi_s,i D(k, l, s, t) phi_t,j.
#pragma once

#include <array>
#include <vector>

#include "kernel/cell/cell_integral.h"

namespace weft {

class MatrixIndices {
public:
  explicit MatrixIndices(const CellIntegral &integral);

  // Index of D(k, l, s, t) among the values of a point; -1: zero everywhere. Equal coefficients
  // have one index: where the form is symmetric, and where the gradient block of one pair is.
  int value_index(int k, int l, int s, int t) const { return value_index_[index(k, l, s, t)]; }
  // The first of those that share an index: the one that is computed.
  bool is_computed(int k, int l, int s, int t) const { return computed_[index(k, l, s, t)]; }
  // Index of the load vector's D(k, s); -1: zero.
  int vector_index(int k, int s) const { return vector_index_[k * width_ + s]; }
  int num_values() const { return num_values_; }

  // Outputs of the function.
  int output(int k, int l, int row, int column) const {
    return ((k * components_ + l) * width_ + row) * width_ + column;
  }
  int vector_output(int k, int row) const;
  // The gradient block is one number times the identity.
  bool is_isotropic(int k, int l) const;
  bool has_gradient_pairs(int k, int l) const;
  int field_of(int component) const;
  int component_in_field(int component) const;

private:
  int index(int k, int l, int s, int t) const { return output(k, l, s, t); }
  bool is_zero(int output) const { return in_.output_is_zero(output); }
  bool gradient_block_is_symmetric(int k, int l) const;
  // Entries that make D(s, .): the value or a second derivative alone, gradients together.
  std::array<int, 2> range_of(int entry) const;
  bool is_used(int k, int l, int s, int t) const;
  void number_block(int k, int l);

  const CellIntegral &in_;
  int components_ = 0, width_ = 0; // width: CellIntegral::num_entries()
  std::vector<int> value_index_, vector_index_;
  std::vector<bool> computed_;
  int num_values_ = 0;
};

} // namespace weft
