#include "op/adjoint/error_density.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "form/adjoint/transposed_form.h"
#include "op/evaluate/loads.h"

namespace weft {

namespace {

int map_of_vertices(Discretisation &d) {
  const auto found = std::find_if(d.maps.begin(), d.maps.end(), [](const NodeMap &map) {
    return map.order == 1 && !map.discontinuous;
  });
  if (found != d.maps.end())
    return static_cast<int>(found - d.maps.begin());
  d.maps.push_back(make_node_map(*d.mesh, 1));
  return static_cast<int>(d.maps.size()) - 1;
}

// [set][cell]
std::vector<std::vector<double>> volumes(const Discretisation &d) {
  std::vector<std::vector<double>> result;
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s) {
    std::vector<std::int32_t> cells(d.mesh->sets[s].num_cells());
    std::iota(cells.begin(), cells.end(), 0);
    const PointTable table = make_form_table(d, static_cast<int>(s));
    std::vector<double> &of_cells = result.emplace_back(cells.size());
    for_each_batch(d, table, cells, [&](PointBatch &batch, std::int64_t first, std::int64_t) {
      for (int at = 0; at < batch.num_points(); ++at)
        of_cells[first + at / table.num_points] += batch.measure()[at];
    });
  }
  return result;
}

// [(set, cell)]: what vertices have, spread evenly over the volume of their cells.
std::vector<double> spread(const NodeMap &vertices, const std::vector<double> &of_vertices,
                           const std::vector<std::vector<double>> &volume) {
  const auto for_each_vertex = [&](const auto &body) {
    std::int64_t number = 0;
    for (std::size_t s = 0; s < vertices.sets.size(); ++s) {
      const int n = vertices.sets[s].element.num_nodes();
      for (std::size_t c = 0; c < volume[s].size(); ++c, ++number)
        for (int i = 0; i < n; ++i)
          body(number, volume[s][c], vertices.sets[s].nodes[c * n + i]);
    }
    return number;
  };
  std::vector<double> around(vertices.num_local, 0.);
  const std::int64_t num_cells = for_each_vertex(
      [&](std::int64_t, double of_cell, std::int32_t vertex) { around[vertex] += of_cell; });
  std::vector<double> density(num_cells, 0.);
  for_each_vertex([&](std::int64_t cell, double, std::int32_t vertex) {
    density[cell] += std::abs(of_vertices[vertex]) / around[vertex];
  });
  return density;
}

} // namespace

ErrorDensity error_density(Discretisation &d, const WeightedResidual &weighted) {
  const int vertices = map_of_vertices(d);
  std::vector<IntegralFunction> functions;
  for (const FormIntegral &integral : d.form.integrals)
    functions.push_back({integral.domain, weighted_integrand(d.form, integral)});
  const auto load = [&](const std::vector<double> &state, const std::vector<double> &weight) {
    return load_on_map(d, vertices, functions,
                       {.state = &state,
                        .direction = &weight,
                        .cell_table = &d.cell_table,
                        .facet_table = &d.facet_table});
  };
  const std::vector<double> whole = load(weighted.prescribed, weighted.dual);
  std::vector<double> of_vertices = load(weighted.state, weighted.remainder);
  if (weighted.prescribed != weighted.state) {
    const std::vector<double> before = load(weighted.state, weighted.dual);
    for (std::size_t i = 0; i < of_vertices.size(); ++i)
      of_vertices[i] += whole[i] - before[i];
  }
  ErrorDensity result{.residual = -std::accumulate(whole.begin(), whole.end(), 0.)};
  const std::vector<std::vector<double>> volume = volumes(d);
  result.density = spread(d.maps[vertices], of_vertices, volume);
  for (const std::vector<double> &of_set : volume)
    result.volume.insert(result.volume.end(), of_set.begin(), of_set.end());
  return result;
}

} // namespace weft
