#include "kernel/cell/matrix_indices.h"

namespace weft {

MatrixIndices::MatrixIndices(const CellIntegral &integral)
    : in_(integral), components_(integral.num_components()), width_(integral.num_entries()) {
  value_index_.assign(components_ * components_ * width_ * width_, -1);
  computed_.assign(value_index_.size(), false);
  for (int k = 0; k < components_; ++k)
    for (int l = 0; l < components_; ++l)
      number_block(k, l);
  vector_index_.assign(components_ * width_, -1);
  for (int k = 0; k < components_ && in_.with_vector; ++k) {
    for (int entry = 0; entry < width_; ++entry) {
      const auto [first, last] = range_of(entry);
      bool used = false;
      for (int d = first; d <= last; ++d)
        used = used || !is_zero(vector_output(k, d));
      if (used)
        vector_index_[k * width_ + entry] = num_values_++;
    }
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

// Behind the blocks: f0[component], then f1[component][direction] of each field; then f2 of all.
int MatrixIndices::vector_output(int k, int row) const {
  int first = components_ * components_ * width_ * width_;
  if (row > in_.dim)
    return first + components_ * (1 + in_.dim) + k * num_hessian_entries(in_.dim) + row - 1 -
           in_.dim;
  const int field = field_of(k), component = component_in_field(k);
  for (int f = 0; f < field; ++f)
    first += in_.tests[f].components * (1 + in_.dim);
  return row == 0 ? first + component
                  : first + in_.tests[field].components + component * in_.dim + row - 1;
}

bool MatrixIndices::has_gradient_pairs(int k, int l) const {
  return is_used(k, l, 1, 1);
}

bool MatrixIndices::gradient_block_is_symmetric(int k, int l) const {
  const auto node = [&](int d, int d2) { return in_.function.outputs[output(k, l, d, d2)]; };
  for (int d = 1; d <= in_.dim; ++d)
    for (int d2 = d + 1; d2 <= in_.dim; ++d2)
      if (node(d, d2) != node(d2, d))
        return false;
  return true;
}

bool MatrixIndices::is_isotropic(int k, int l) const {
  for (int d = 1; d <= in_.dim; ++d)
    for (int d2 = 1; d2 <= in_.dim; ++d2)
      if (d == d2
              ? in_.function.outputs[output(k, l, d, d)] != in_.function.outputs[output(k, l, 1, 1)]
              : !is_zero(output(k, l, d, d2)))
        return false;
  return has_gradient_pairs(k, l);
}

std::array<int, 2> MatrixIndices::range_of(int entry) const {
  return entry > 0 && entry <= in_.dim ? std::array{1, in_.dim} : std::array{entry, entry};
}

bool MatrixIndices::is_used(int k, int l, int s, int t) const {
  const auto [first, last] = range_of(s);
  const auto [first2, last2] = range_of(t);
  for (int d = first; d <= last; ++d)
    for (int d2 = first2; d2 <= last2; ++d2)
      if (!is_zero(output(k, l, d, d2)))
        return true;
  return false;
}

void MatrixIndices::number_block(int k, int l) {
  // Derivatives on both sides of a facet are not transformed alike.
  const bool one_side = in_.families[in_.tests[field_of(k)].family].side ==
                        in_.families[in_.tests[field_of(l)].family].side;
  const bool symmetric =
      (one_side && gradient_block_is_symmetric(k, l)) || (in_.symmetric && k == l);
  for (int s = 0; s < width_; ++s)
    for (int t = 0; t < width_; ++t) {
      if (!is_used(k, l, s, t))
        continue;
      int &number = value_index_[index(k, l, s, t)];
      if (in_.symmetric && (k > l || (k == l && s > t))) {
        number = value_index_[index(l, k, t, s)];
      } else if (symmetric && s > t && t > 0 && s <= in_.dim) {
        number = value_index_[index(k, l, t, s)];
      } else {
        number = num_values_++;
        computed_[index(k, l, s, t)] = true;
      }
    }
}

} // namespace weft
