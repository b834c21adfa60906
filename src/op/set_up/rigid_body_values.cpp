#include "op/set_up/rigid_body_values.h"

#include <cstdint>
#include <utility>

namespace weft {

std::vector<double> rigid_body_values(std::span<const double> coordinates, int dim,
                                      Communicator *ranks) {
  const int num_vectors = dim * (dim + 1) / 2;
  const auto num_nodes = static_cast<std::int64_t>(coordinates.size()) / dim;
  const auto num_global = static_cast<double>(sum(ranks, num_nodes));
  std::vector<double> mean(3, 0);
  for (std::int64_t node = 0; node < num_nodes; ++node)
    for (int k = 0; k < dim; ++k)
      mean[k] += coordinates[node * dim + k] / num_global;
  mean = sum(ranks, std::move(mean)); // of the shares of all
  std::vector<double> values(num_nodes * dim * num_vectors, 0.);
  for (std::int64_t node = 0; node < num_nodes; ++node) {
    double *of_node = &values[node * dim * num_vectors]; // [component, vector]
    const auto from_mean = [&](int k) { return coordinates[node * dim + k] - mean[k]; };
    int v = 0;
    for (; v < dim; ++v)
      of_node[v * num_vectors + v] = 1;
    for (int i = 0; i < dim; ++i)
      for (int j = i + 1; j < dim; ++j, ++v) {
        of_node[i * num_vectors + v] = -from_mean(j);
        of_node[j * num_vectors + v] = from_mean(i);
      }
  }
  return values;
}

} // namespace weft
