#include "op/set_up/rigid_body_values.h"

#include <utility>

namespace weft {

std::vector<double> rigid_body_values(const NodeMap &map, int dim, Communicator *ranks) {
  const int num_vectors = dim * (dim + 1) / 2;
  std::vector<double> mean(3, 0);
  for (std::int64_t node = 0; node < map.num_owned; ++node)
    for (int k = 0; k < dim; ++k)
      mean[k] += map.coordinates[node * dim + k] / static_cast<double>(map.num_global);
  mean = sum(ranks, std::move(mean)); // of the shares of all
  std::vector<double> values(map.num_owned * dim * num_vectors, 0.);
  for (std::int64_t node = 0; node < map.num_owned; ++node) {
    double *of_node = &values[node * dim * num_vectors]; // [component, vector]
    const auto from_mean = [&](int k) { return map.coordinates[node * dim + k] - mean[k]; };
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
