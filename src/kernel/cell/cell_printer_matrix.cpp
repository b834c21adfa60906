#include "kernel/cell/cell_printer.h"

#include <fmt/format.h>

namespace weft {

namespace {

// "a * b" of the factors that are not empty; counts what is multiplied.
std::string product(LaneText &text, const std::string &a, const std::string &b) {
  if (a.empty() || b.empty())
    return a + b;
  text.count().multiplications += 1;
  return fmt::format("{} * {}", a, b);
}

// sum += a * b
void append_product(LaneText &text, std::string &sum, const std::string &a, const std::string &b) {
  (sum.empty() ? text.count().multiplications : text.count().multiply_adds) += 1;
  sum = sum.empty() ? fmt::format("{} * {}", a, b) : fmt::format("lane_fma({}, {}, {})", a, b, sum);
}

} // namespace

std::string CellPrinter::matrix_value(int value) const {
  return fmt::format("f[{}]", fmt::format(fmt::runtime(matrix_point_.value_index), value));
}

int CellPrinter::sum_index(int k, int l, int s, int t) const {
  const int value = matrix_indices_->value_index(k, l, s, t);
  return value < 0 || s == 0 || t == 0 ? -1 : sum_index_[value];
}

void CellPrinter::number_sums() {
  sum_index_.assign(num_values_, -1);
  if (!matrix_point_.sums_gradients)
    return;
  const MatrixIndices &indices = *matrix_indices_;
  const auto constant = [&](int k) {
    return constant_gradients(in_.tests[indices.field_of(k)].family);
  };
  for (int k = 0; k < in_.num_components(); ++k)
    for (int l = 0; l < in_.num_components(); ++l)
      for (int s = 1; s <= in_.dim; ++s)
        for (int t = 1; t <= in_.dim; ++t)
          if (indices.is_computed(k, l, s, t) && constant(k) && constant(l))
            sum_index_[indices.value_index(k, l, s, t)] = num_sums_++;
}

// Affine cells compute det * Jinv Jinv^T once where some block is a number times the identity.
bool CellPrinter::uses_metric() const {
  if (!matrix_indices_ || !in_.affine() || in_.on_facets)
    return false;
  for (int k = 0; k < in_.num_components(); ++k)
    for (int l = in_.symmetric ? k : 0; l < in_.num_components(); ++l)
      if (matrix_indices_->is_isotropic(k, l))
        return true;
  return false;
}

// sum_d K[e][d] K[e2][d], of components k and l.
std::string CellPrinter::metric_sum(LaneText &text, int k, int l, int e, int e2) const {
  std::string sum;
  for (int d = 0; d < in_.dim; ++d)
    append_product(text, sum, cofactor(k, e, d), cofactor(l, e2, d));
  return sum;
}

void CellPrinter::print_metric(LaneText &text) {
  for (int e = 0; e < in_.dim; ++e)
    for (int e2 = e; e2 < in_.dim; ++e2) {
      const std::string sum = metric_sum(text, 0, 0, e, e2);
      text.line(fmt::format("const lane metric_{} = ({}) * {};", hessian_entry(in_.dim, e, e2), sum,
                            in_.reads_coordinates() ? "inverse_det" : "det"));
      text.count().multiplications += 1;
    }
}

// What pairs of gradients are scaled with on facets, and in cells but for affine ones.
std::string CellPrinter::scale_of_pairs(LaneText &text, int k, int l) const {
  if (in_.on_facets) {
    text.count().multiplications += 1;
    return of_side(k, "weight_over_det") + " * " + of_side(l, "inverse_det");
  }
  return in_.reads_coordinates()
             ? product(text, matrix_point_.weighted ? "point_weight" : "", "inverse_det")
             : "weight";
}

// Coefficients of pairs of gradients: scale * K g K^T.
void CellPrinter::print_gradient_pairs(LaneText &text, const std::vector<std::string> &outputs,
                                       int k, int l) {
  const MatrixIndices &indices = *matrix_indices_;
  const int dim = in_.dim;
  const auto g = [&](int d, int d2) { return indices.output(k, l, 1 + d, 1 + d2); };
  const auto is_one = [&](int output) {
    const Node &node = in_.function.nodes[in_.function.outputs[output]];
    return node.op == Op::constant && node.value == 1;
  };
  const auto for_computed = [&](auto action) {
    for (int e = 0; e < dim; ++e)
      for (int e2 = 0; e2 < dim; ++e2)
        if (indices.is_computed(k, l, 1 + e, 1 + e2))
          action(e, e2, matrix_value(indices.value_index(k, l, 1 + e, 1 + e2)));
  };
  if (indices.is_isotropic(k, l)) {
    const std::string factor = is_one(g(0, 0)) ? "" : outputs[g(0, 0)];
    const std::string scale = product(text,
                                      uses_metric() ? (matrix_point_.weighted ? "point_weight" : "")
                                                    : scale_of_pairs(text, k, l),
                                      factor);
    const std::string name = fmt::format("scale{}_{}", k, l);
    if (!scale.empty())
      text.line(fmt::format("const lane {} = {};", name, scale));
    for_computed([&](int e, int e2, const std::string &value) {
      const std::string sum = uses_metric() ? fmt::format("metric_{}", hessian_entry(dim, e, e2))
                                            : "(" + metric_sum(text, k, l, e, e2) + ")";
      text.line(fmt::format("{} = {};", value, product(text, scale.empty() ? "" : name, sum)));
    });
    return;
  }
  const std::string scale = scale_of_pairs(text, k, l);
  text.line(fmt::format("const lane scale{}_{} = {};", k, l, scale));
  int num_given = 0, num_computed = 0;
  for_computed([&](int, int, const std::string &) { ++num_computed; });
  for (int d = 0; d < dim; ++d)
    for (int d2 = 0; d2 < dim; ++d2)
      num_given += is_zero(g(d, d2)) ? 0 : 1;
  // Results are scaled where they are no more than what is given: the scale has a division, which
  // then is not waited for before the products.
  const bool late = num_computed <= num_given;
  for (int d = 0; d < dim; ++d)
    for (int d2 = 0; d2 < dim; ++d2)
      if (!is_zero(g(d, d2)))
        text.line(fmt::format(
            "const lane g{}_{}_{}{} = {};", k, l, d, d2,
            product(text, late ? "" : fmt::format("scale{}_{}", k, l), outputs[g(d, d2)])));
  // Rows first: h[e][d2] = sum_d K[e][d] g[d][d2].
  std::vector<bool> column(dim, false);
  for (int e = 0; e < dim; ++e)
    for (int d2 = 0; d2 < dim; ++d2) {
      std::string sum;
      for (int d = 0; d < dim; ++d)
        if (!is_zero(g(d, d2))) {
          append_product(text, sum, cofactor(k, e, d), fmt::format("g{}_{}_{}{}", k, l, d, d2));
        }
      column[d2] = column[d2] || !sum.empty();
      if (!sum.empty())
        text.line(fmt::format("const lane h{}_{}_{}{} = {};", k, l, e, d2, sum));
    }
  for_computed([&](int e, int e2, const std::string &value) {
    std::string sum;
    for (int d2 = 0; d2 < dim; ++d2)
      if (column[d2]) {
        append_product(text, sum, fmt::format("h{}_{}_{}{}", k, l, e, d2), cofactor(l, e2, d2));
      }
    text.line(
        fmt::format("{} = {};", value,
                    late ? product(text, fmt::format("scale{}_{}", k, l), "(" + sum + ")") : sum));
  });
}

// sum_d K[e][d] g_d times a scale, of a component; g: names by direction, empty where zero.
std::string CellPrinter::transformed(LaneText &text, const std::vector<std::string> &g,
                                     int component, int e, const std::string &scale) const {
  std::string sum;
  for (std::size_t d = 0; d < g.size(); ++d)
    if (!g[d].empty())
      append_product(text, sum, cofactor(component, e, static_cast<int>(d)), g[d]);
  return product(text, scale, scale.empty() ? sum : "(" + sum + ")");
}

void CellPrinter::print_matrix_block(LaneText &text, const std::vector<std::string> &outputs, int k,
                                     int l) {
  const MatrixIndices &indices = *matrix_indices_;
  // Values and second derivatives, which are those of reference coordinates.
  std::vector<int> not_transformed = {0};
  for (int entry = 1 + in_.dim; entry < in_.num_entries(); ++entry)
    not_transformed.push_back(entry);
  for (const int s : not_transformed)
    for (const int t : not_transformed)
      if (indices.is_computed(k, l, s, t)) {
        text.line(fmt::format("{} = weight * {};", matrix_value(indices.value_index(k, l, s, t)),
                              outputs[indices.output(k, l, s, t)]));
        text.count().multiplications += 1;
      }
  // One gradient: the determinant cancels on the fly in cells.
  const auto print_one_gradient = [&](bool of_test, int other) {
    const int component = of_test ? k : l; // whose gradient it is
    const std::string scale = in_.on_facets ? of_side(component, "weight_over_det")
                              : in_.reads_coordinates()
                                  ? (matrix_point_.weighted ? "point_weight" : "")
                                  : "weight";
    std::vector<std::string> g;
    for (int d = 0; d < in_.dim; ++d) {
      const int output =
          of_test ? indices.output(k, l, 1 + d, other) : indices.output(k, l, other, 1 + d);
      g.push_back(is_zero(output) ? "" : outputs[output]);
    }
    for (int e = 0; e < in_.dim; ++e) {
      const int s = of_test ? 1 + e : other, t = of_test ? other : 1 + e;
      if (indices.is_computed(k, l, s, t))
        text.line(fmt::format("{} = {};", matrix_value(indices.value_index(k, l, s, t)),
                              transformed(text, g, component, e, scale)));
    }
  };
  for (const bool of_test : {false, true})
    for (const int other : not_transformed)
      print_one_gradient(of_test, other);
  bool pairs = false;
  for (int s = 1; s <= in_.dim; ++s)
    for (int t = 1; t <= in_.dim; ++t)
      pairs = pairs || indices.is_computed(k, l, s, t);
  if (pairs)
    print_gradient_pairs(text, outputs, k, l);
}

void CellPrinter::print_load_vector(LaneText &text, const std::vector<std::string> &outputs) {
  const MatrixIndices &indices = *matrix_indices_;
  for (int k = 0; k < in_.num_components(); ++k) {
    for (int entry = 0; entry < in_.num_entries(); ++entry)
      if (const int value = indices.vector_index(k, entry);
          value >= 0 && (entry == 0 || entry > in_.dim)) {
        text.line(fmt::format("{} = weight * {};", matrix_value(value),
                              outputs[indices.vector_output(k, entry)]));
        text.count().multiplications += 1;
      }
    std::vector<std::string> g;
    for (int d = 0; d < in_.dim; ++d)
      g.push_back(
          is_zero(indices.vector_output(k, 1 + d)) ? "" : outputs[indices.vector_output(k, 1 + d)]);
    for (int e = 0; e < in_.dim; ++e)
      if (const int value = indices.vector_index(k, 1 + e); value >= 0)
        text.line(fmt::format("{} = {};", matrix_value(value),
                              transformed(text, g, k, e,
                                          in_.on_facets             ? of_side(k, "weight_over_det")
                                          : in_.reads_coordinates() ? "point_weight"
                                                                    : "weight")));
  }
}

// f[..] = coefficients D(k, l, s, t) of kernel/cell/matrix_indices.h at a point.
void CellPrinter::print_matrix_results(LaneText &text, const std::vector<std::string> &outputs) {
  for (int k = 0; k < in_.num_components(); ++k)
    for (int l = 0; l < in_.num_components(); ++l)
      print_matrix_block(text, outputs, k, l);
  if (in_.with_vector)
    print_load_vector(text, outputs);
}

} // namespace weft
