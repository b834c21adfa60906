#include "kernel/matrix/matrix_tensor.h"

#include <cmath>
#include <fmt/format.h>

#include "kernel/cell/basis_tables.h"
#include "kernel/text/sections.h"

namespace weft {

ReferenceTensor::ReferenceTensor(const CellIntegral &in, int test_family, int trial_family)
    : name_(fmt::format("weft_tensor_{}_{}", test_family, trial_family)), width_(1 + in.dim) {
  // [point][node][entry]
  const auto basis = [&](const Element &element) {
    std::vector<double> phi, dphi, values;
    element.tabulate(in.quadrature.points, phi, dphi);
    for (std::size_t pn = 0; pn < phi.size(); ++pn) {
      values.push_back(phi[pn]);
      values.insert(values.end(), &dphi[pn * in.dim], &dphi[pn * in.dim] + in.dim);
    }
    return values;
  };
  const Element &test = in.families[test_family].element,
                &trial = in.families[trial_family].element;
  const std::vector<double> test_basis = basis(test), trial_basis = basis(trial);
  trial_nodes_ = trial.num_nodes();
  for (int i = 0; i < test.num_nodes(); ++i)
    for (int j = 0; j < trial_nodes_; ++j)
      for (int s = 0; s < width_; ++s)
        for (int t = 0; t < width_; ++t) {
          double sum = 0;
          for (int q = 0; q < in.num_points(); ++q)
            sum += in.quadrature.weights[q] * test_basis[(q * test.num_nodes() + i) * width_ + s] *
                   trial_basis[(q * trial_nodes_ + j) * width_ + t];
          values_.push_back(std::abs(sum) < 1e-15 ? 0 : sum);
        }
}

std::string ReferenceTensor::name_at(const std::string &i, const std::string &j, int s,
                                     int t) const {
  return fmt::format("{}[{}]", name_,
                     affine_text(fmt::format("({} * {} + {})", i, trial_nodes_, j), width_ * width_,
                                 s * width_ + t));
}

std::string ReferenceTensor::definition(Precision precision) const {
  return "// Summed over the points: [test node][trial node][value or direction, twice]\n" +
         table_definition(name_, values_, precision);
}

} // namespace weft
