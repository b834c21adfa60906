#include "op/evaluate/loads.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "form/graph/hessian_entries.h"
#include "op/problem/facet_groups.h"

namespace weft {

namespace {

// Adds to load[node * stride] what one component has at the points of a cell of a batch.
// f2: null where second derivatives are not tested; `map`: of the test functions.
void add_cell(const PointBatch &batch, int map, std::size_t cell, const std::vector<double> &f0,
              const std::vector<double> *f1, const std::vector<double> *f2, int dim, double *load,
              int stride) {
  const Tabulation &t = batch.table().maps[map];
  const int num_points = batch.table().num_points;
  const bool weighted = !batch.table().weights.empty();
  for (int q = 0; q < num_points; ++q) {
    const std::size_t at = cell * num_points + q;
    const double weight = weighted ? batch.measure()[at] : 1, value = weight * f0[at];
    double flux[3] = {0, 0, 0}; // what reference gradients are multiplied with
    for (int e = 0; e < dim; ++e)
      for (int x = 0; x < dim; ++x)
        flux[e] += weight * f1[x][at] * batch.inverse(e, x)[at];
    const double *phi = &t.phi[q * t.num_nodes], *dphi = &t.dphi[q * t.num_nodes * dim];
    for (int i = 0; i < t.num_nodes; ++i) {
      double sum = value * phi[i];
      for (int e = 0; e < dim; ++e)
        sum += flux[e] * dphi[i * dim + e];
      load[i * stride] += sum;
    }
    if (!f2)
      continue;
    const std::vector<double> hessians = batch.basis_hessians(map, cell, q);
    const int entries = num_hessian_entries(dim);
    for (int i = 0; i < t.num_nodes; ++i)
      for (int entry = 0; entry < entries; ++entry)
        load[i * stride] += weight * f2[entry][at] * hessians[i * entries + entry];
  }
}

// Calls body(function, part) for all.
template <typename Body>
void for_each_part(const Discretisation &d, const std::vector<IntegralFunction> &functions,
                   Body body) {
  for (const IntegralFunction &integral : functions)
    for (const Part &part : parts_of_form(d, integral.domain))
      body(integral.function, part);
}

} // namespace

void add_load(const Discretisation &d, const Part &part, const PointTable &table,
              const TestSpace &space, const LoadAtPoints &at_points, double *load) {
  const int dim = d.form.dim, n = space.components;
  const Tabulation &t = table.maps[space.map];
  // Of each cell first, so that threads do not add to one node.
  std::vector<double> of_cells(part.cells.size() * t.num_nodes * n, 0.);
  for_each_batch(d, table, part.cells, [&](PointBatch &batch, std::int64_t first, std::int64_t) {
    const std::vector<std::vector<double>> outputs = at_points(batch, first);
    const int second = n * (1 + dim);
    const bool any = static_cast<int>(outputs.size()) > second;
    for (std::size_t c = 0; c < batch.cells().size(); ++c)
      for (int k = 0; k < n; ++k)
        add_cell(batch, space.map, c, outputs[k], &outputs[n + k * dim],
                 any ? &outputs[second + k * num_hessian_entries(dim)] : nullptr, dim,
                 &of_cells[(first + static_cast<std::int64_t>(c)) * t.num_nodes * n + k], n);
  });
  const std::vector<std::int32_t> &nodes = d.maps[space.map].sets[part.set].nodes;
  const double *in = of_cells.data();
  for (const std::int32_t cell : part.cells)
    for (int i = 0; i < t.num_nodes; ++i)
      for (int k = 0; k < n; ++k)
        load[std::int64_t{nodes[std::int64_t{cell} * t.num_nodes + i]} * n + k] += *in++;
}

std::vector<Part> parts_of_form(const Discretisation &d, Domain domain) {
  std::vector<Part> parts;
  if (domain == Domain::facets) {
    for (FacetGroup &group : group_facets(*d.mesh, d.integrated_facets))
      parts.push_back({group.set, group.facet, std::move(group.cells), std::move(group.classes)});
    return parts;
  }
  if (domain == Domain::edges || domain == Domain::points) {
    for (const FacetGroup &group :
         (domain == Domain::edges ? d.integrated_edges : d.integrated_points).groups)
      parts.push_back({group.set, group.facet, group.cells, group.classes, domain});
    return parts;
  }
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s) {
    Part &part = parts.emplace_back(Part{.set = static_cast<int>(s)});
    part.cells.resize(d.mesh->sets[s].num_cells());
    std::iota(part.cells.begin(), part.cells.end(), 0);
  }
  return parts;
}

PointTable form_points(const Discretisation &d, const Part &part) {
  return part.facet < 0 ? make_form_table(d, part.set)
                        : make_form_part_table(d, part.set, part.domain, part.facet);
}

void add_load_of_field(const Discretisation &d, const Part &part, const PointwiseFunction &function,
                       int field, const PointInputs &inputs, double *load) {
  const TestSpace space{d.field_map[field], d.form.fields[field].components()};
  const int width = 1 + d.form.dim, second = num_hessian_entries(d.form.dim);
  int before = 0, components = 0; // of the fields before, of all
  for (std::size_t f = 0; f < d.form.fields.size(); ++f) {
    before += static_cast<int>(f) < field ? d.form.fields[f].components() : 0;
    components += d.form.fields[f].components();
  }
  add_load(
      d, part, form_points(d, part), space,
      [&](PointBatch &batch, std::int64_t first) {
        auto outputs = evaluate_part(function, part, inputs, batch, first);
        std::vector<std::vector<double>> own;
        const auto take = [&](int begin, int count) {
          for (int output = begin; output < begin + count; ++output)
            own.push_back(std::move(outputs[output]));
        };
        take(before * width, space.components * width);
        if (static_cast<int>(outputs.size()) > components * width)
          take(components * width + before * second, space.components * second);
        return own;
      },
      load);
}

std::vector<double> load_of_fields(const Discretisation &d,
                                   const std::vector<IntegralFunction> &functions,
                                   const PointInputs &inputs) {
  std::vector<double> load(d.num_local, 0.);
  for_each_part(d, functions, [&](const PointwiseFunction &function, const Part &part) {
    for (int f = 0; f < static_cast<int>(d.form.fields.size()); ++f)
      add_load_of_field(d, part, function, f, inputs, &load[d.field_offset[f]]);
  });
  return load;
}

std::vector<double> load_on_map(const Discretisation &d, int map,
                                const std::vector<IntegralFunction> &functions,
                                const PointInputs &inputs) {
  std::vector<double> load(d.maps[map].num_local, 0.);
  for_each_part(d, functions, [&](const PointwiseFunction &function, const Part &part) {
    add_load(
        d, part, form_points(d, part), {map, 1},
        [&](PointBatch &batch, std::int64_t first) {
          return evaluate_part(function, part, inputs, batch, first);
        },
        load.data());
  });
  return load;
}

double sum_over_form(const Discretisation &d, const std::vector<IntegralFunction> &functions,
                     const PointInputs &inputs) {
  double total = 0;
  for_each_part(d, functions, [&](const PointwiseFunction &function, const Part &part) {
    total += sum_batches(d, form_points(d, part), part.cells, 1,
                         [&](PointBatch &batch, std::int64_t first, double *sums) {
                           const auto values = evaluate_part(function, part, inputs, batch, first);
                           for (int at = 0; at < batch.num_points(); ++at)
                             sums[0] += batch.measure()[at] * values[0][at];
                         })[0];
  });
  return total;
}

} // namespace weft
