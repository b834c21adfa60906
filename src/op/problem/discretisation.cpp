#include "op/problem/discretisation.h"

#include <algorithm>
#include <cmath>

#include "form/weak_form/rates.h"

namespace weft {

namespace {

int highest_time_order(const Form &form) {
  const std::vector<int> orders = time_orders(form);
  return orders.empty() ? 0 : *std::max_element(orders.begin(), orders.end());
}

} // namespace

bool has_rates(const Form &form) {
  return highest_time_order(form) > 0;
}

bool has_second_rates(const Form &form) {
  return highest_time_order(form) > 1;
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
