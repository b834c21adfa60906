#include "op/problem/discretisation.h"

#include <algorithm>
#include <cmath>

namespace weft {

bool has_rates(const Form &form) {
  return std::any_of(form.integrals.begin(), form.integrals.end(),
                     [](const FormIntegral &i) { return i.residual.uses(SymbolKind::field_rate); });
}

double cell_size(const Discretisation &d, int set, std::int64_t cell) {
  const NodeMapSet &geometry = d.geometry.sets[set];
  const std::int32_t *nodes = &geometry.nodes[cell * geometry.element.num_nodes()];
  const int dim = d.mesh->dim;
  double largest = 0;
  for (int v = 0; v < num_vertices(geometry.element.cell); ++v)
    for (int w = 0; w < v; ++w) {
      double square = 0;
      for (int k = 0; k < dim; ++k) {
        const double apart = d.geometry.coordinates[std::int64_t(nodes[v]) * dim + k] -
                             d.geometry.coordinates[std::int64_t(nodes[w]) * dim + k];
        square += apart * apart;
      }
      largest = std::max(largest, square);
    }
  return std::sqrt(largest);
}

} // namespace weft
