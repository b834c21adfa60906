#include "kernel/cell/matrix_indices.h"

namespace weft {

MatrixIndices::MatrixIndices(const CellIntegral &integral)
    : in_(integral), components_(integral.num_components()), width_(1 + integral.dim) {
  value_index_.assign(components_ * components_ * width_ * width_, -1);
  computed_.assign(value_index_.size(), false);
  for (int k = 0; k < components_; ++k)
    for (int l = 0; l < components_; ++l)
      number_block(k, l);
  vector_index_.assign(components_ * width_, -1);
  for (int k = 0; k < components_ && in_.with_vector; ++k) {
    if (!is_zero(vector_output(k, 0)))
      vector_index_[k * width_] = num_values_++;
    bool flux = false;
    for (int d = 1; d < width_; ++d)
      flux = flux || !is_zero(vector_output(k, d));
    for (int e = 1; e < width_ && flux; ++e)
      vector_index_[k * width_ + e] = num_values_++;
  }
}

int MatrixIndices::field_of(int component) const {
  int field = 0;
  for (; component >= in_.tests[field].components; ++field)
    component -= in_.tests[field].components;
  return field;
}

int MatrixIndices::component_in_field(int component) const {
  for (int field = 0; component >= in_.tests[field].components; ++field)
    component -= in_.tests[field].components;
  return component;
}

// Behind the blocks: f0[component], then f1[component][direction] of each field.
int MatrixIndices::vector_output(int k, int row) const {
  int first = components_ * components_ * width_ * width_;
  const int field = field_of(k), component = component_in_field(k);
  for (int f = 0; f < field; ++f)
    first += in_.tests[f].components * width_;
  return row == 0 ? first + component
                  : first + in_.tests[field].components + component * in_.dim + row - 1;
}

bool MatrixIndices::has_gradient_pairs(int k, int l) const {
  for (int d = 1; d < width_; ++d)
    for (int d2 = 1; d2 < width_; ++d2)
      if (!is_zero(output(k, l, d, d2)))
        return true;
  return false;
}

bool MatrixIndices::gradient_block_is_symmetric(int k, int l) const {
  const auto node = [&](int d, int d2) { return in_.function.outputs[output(k, l, d, d2)]; };
  for (int d = 1; d < width_; ++d)
    for (int d2 = d + 1; d2 < width_; ++d2)
      if (node(d, d2) != node(d2, d))
        return false;
  return true;
}

bool MatrixIndices::is_isotropic(int k, int l) const {
  for (int d = 1; d < width_; ++d)
    for (int d2 = 1; d2 < width_; ++d2)
      if (d == d2
              ? in_.function.outputs[output(k, l, d, d)] != in_.function.outputs[output(k, l, 1, 1)]
              : !is_zero(output(k, l, d, d2)))
        return false;
  return has_gradient_pairs(k, l);
}

void MatrixIndices::number_block(int k, int l) {
  bool test_gradient = false, trial_gradient = false;
  for (int d = 1; d < width_; ++d) {
    test_gradient = test_gradient || !is_zero(output(k, l, d, 0));
    trial_gradient = trial_gradient || !is_zero(output(k, l, 0, d));
  }
  const bool pairs = has_gradient_pairs(k, l);
  // Derivatives on both sides of a facet are not transformed alike.
  const bool one_side = in_.families[in_.tests[field_of(k)].family].side ==
                        in_.families[in_.tests[field_of(l)].family].side;
  const bool symmetric =
      (one_side && gradient_block_is_symmetric(k, l)) || (in_.symmetric && k == l);
  for (int s = 0; s < width_; ++s)
    for (int t = 0; t < width_; ++t) {
      const bool used = s == 0 ? (t == 0 ? !is_zero(output(k, l, 0, 0)) : trial_gradient)
                               : (t == 0 ? test_gradient : pairs);
      if (!used)
        continue;
      int &number = value_index_[index(k, l, s, t)];
      if (in_.symmetric && (k > l || (k == l && s > t))) {
        number = value_index_[index(l, k, t, s)];
      } else if (symmetric && s > t && t > 0) {
        number = value_index_[index(k, l, t, s)];
      } else {
        number = num_values_++;
        computed_[index(k, l, s, t)] = true;
      }
    }
}

} // namespace weft
