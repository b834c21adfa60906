#include "op/reference/reference.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/error.h"
#include "form/graph/hessian_entries.h"
#include "op/evaluate/point_values.h"
#include "op/problem/facet_groups.h"

namespace weft::reference {

namespace {

using Outputs = std::vector<std::vector<double>>;

// Called for each batch of an integral: the points on one side, or on both of inner facets.
struct BatchVisit {
  const FormIntegral &integral;
  PointBatch &minus;
  PointBatch *plus;
  PointInputs inputs; // tables and facet classes
};
using Visitor = std::function<void(const BatchVisit &)>;

constexpr std::size_t batch_cells = 64;

void visit_cells(const Discretisation &d, const FormIntegral &integral, const PointInputs &inputs,
                 const Visitor &visit) {
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s) {
    const PointTable table = make_form_table(d, static_cast<int>(s));
    std::vector<std::int32_t> cells(d.mesh->sets[s].num_cells());
    std::iota(cells.begin(), cells.end(), 0);
    for (std::size_t first = 0; first < cells.size(); first += batch_cells) {
      const std::size_t count = std::min(batch_cells, cells.size() - first);
      PointBatch batch(d, table, std::span(cells).subspan(first, count));
      visit({integral, batch, nullptr, inputs});
    }
  }
}

void visit_facets(const Discretisation &d, const FormIntegral &integral, PointInputs inputs,
                  const Visitor &visit) {
  for (const auto &group : group_facets(*d.mesh, d.integrated_facets)) {
    const PointTable table = make_form_facet_table(d, group.set, group.facet);
    for (std::size_t first = 0; first < group.cells.size(); first += batch_cells) {
      const std::size_t count = std::min(batch_cells, group.cells.size() - first);
      PointBatch batch(d, table, std::span(group.cells).subspan(first, count));
      inputs.facet_classes = std::span(group.classes).subspan(first, count);
      visit({integral, batch, nullptr, inputs});
    }
  }
}

void visit_named_parts(const Discretisation &d, const FormIntegral &integral,
                       const NamedParts &parts, PointInputs inputs, const Visitor &visit) {
  for (const FacetGroup &group : parts.groups) {
    const PointTable table = make_form_part_table(d, group.set, integral.domain, group.facet);
    PointBatch batch(d, table, group.cells);
    inputs.facet_classes = group.classes;
    visit({integral, batch, nullptr, inputs});
  }
}

void visit_interior(const Discretisation &d, const FormIntegral &integral, PointInputs inputs,
                    const Visitor &visit) {
  for (const InteriorGroup &group : d.interior) {
    const PointTable minus = make_form_facet_table(d, group.minus_set, group.minus_facet);
    const PointTable plus = make_opposite_table(d, group);
    PointBatch minus_batch(d, minus, group.minus_cells);
    PointBatch plus_batch(d, plus, group.plus_cells);
    inputs.facet_classes = group.classes;
    visit({integral, minus_batch, &plus_batch, inputs});
  }
}

void visit_all(const Discretisation &d, PointInputs inputs, const Visitor &visit) {
  if (!d.form.c_text.empty())
    throw Error(ErrorKind::unsupported,
                {.what = "pointwise functions in C text without a device",
                 .where = "[pointwise]",
                 .remedy = "write f0 and f1 as expressions, or run them on a device"});
  inputs.cell_table = &d.cell_table;
  inputs.facet_table = &d.facet_table;
  for (const auto &integral : d.form.integrals)
    switch (integral.domain) {
    case Domain::cells:
      visit_cells(d, integral, inputs, visit);
      break;
    case Domain::facets:
      visit_facets(d, integral, inputs, visit);
      break;
    case Domain::interior:
      visit_interior(d, integral, inputs, visit);
      break;
    case Domain::edges:
      visit_named_parts(d, integral, d.integrated_edges, inputs, visit);
      break;
    case Domain::points:
      visit_named_parts(d, integral, d.integrated_points, inputs, visit);
      break;
    }
}

std::int64_t dof_of(const Discretisation &d, const PointBatch &batch, std::size_t c, int field,
                    int node, int component) {
  const NodeMapSet &set = d.map_of_field(field).sets[batch.table().set];
  const std::int64_t global =
      set.nodes[std::int64_t(batch.cells()[c]) * set.element.num_nodes() + node];
  return d.field_offset[field] + global * d.form.fields[field].components() + component;
}

// What a test function and its derivatives are multiplied with: f1 and f2 are the arrays of all
// directions and of all second derivatives, f2 null where there are none.
struct Tested {
  const std::vector<double> &f0;
  const std::vector<double> *f1, *f2;
};

// One entry of a cell's vector: the sum over its points of f0 phi_i + f1 . grad phi_i + f2 : grad
// grad phi_i. `hessians`: basis_hessians() at each point.
double integrate_row(const PointBatch &batch, const std::vector<double> &measure,
                     const Tabulation &t, std::size_t c, int i, const Tested &tested,
                     const std::vector<std::vector<double>> &hessians, int dim) {
  const int entries = num_hessian_entries(dim);
  const int num_q = batch.table().num_points;
  double sum = 0;
  for (int q = 0; q < num_q; ++q) {
    const std::size_t at = c * num_q + q;
    double value = tested.f0[at] * t.phi[q * t.num_nodes + i];
    for (int d = 0; d < dim; ++d)
      for (int e = 0; e < dim; ++e)
        value +=
            tested.f1[d][at] * batch.inverse(e, d)[at] * t.dphi[(q * t.num_nodes + i) * dim + e];
    for (int entry = 0; tested.f2 && entry < entries; ++entry)
      value += tested.f2[entry][at] * hessians[q][i * entries + entry];
    sum += measure[at] * value;
  }
  return sum;
}

// Calls add(dof, value) for all rows of both sides that wanted(cell of the batch, dof) says.
template <typename Wanted, typename Add>
void for_each_row(const Discretisation &d, const BatchVisit &visit, const Outputs &outputs,
                  Wanted wanted, Add add) {
  const int dim = d.form.dim, entries = num_hessian_entries(dim);
  std::size_t output = 0, second = 0;
  for (const auto &field : d.form.fields)
    second += field.components() * (1 + dim) * (visit.plus ? 2 : 1);
  for (const PointBatch *batch : {&visit.minus, visit.plus}) {
    for (std::size_t field = 0; batch && field < d.form.fields.size(); ++field) {
      const int n = d.form.fields[field].components();
      const Tabulation &t = batch->table().maps[d.field_map[field]];
      for (std::size_t c = 0; c < batch->cells().size(); ++c) {
        std::vector<std::vector<double>> hessians;
        for (int q = 0; visit.integral.second && q < batch->table().num_points; ++q)
          hessians.push_back(batch->basis_hessians(d.field_map[field], c, q));
        for (int i = 0; i < t.num_nodes; ++i)
          for (int k = 0; k < n; ++k) {
            const std::int64_t dof = dof_of(d, *batch, c, static_cast<int>(field), i, k);
            if (!wanted(c, dof))
              continue;
            const Tested tested{outputs[output + k], &outputs[output + n + k * dim],
                                visit.integral.second ? &outputs[second + k * entries] : nullptr};
            add(dof, integrate_row(*batch, visit.minus.measure(), t, c, i, tested, hessians, dim));
          }
      }
      output += n * (1 + dim);
      second += n * entries;
    }
  }
}

bool every_row(std::size_t, std::int64_t) {
  return true;
}

// Adds the diagonal entries that one basis function of each cell contributes. Rows of the same dof
// may be several: on both sides of a facet, or in one cell between periodic sides.
void add_diagonal(const Discretisation &d, const BatchVisit &visit, const PointBatch &batch,
                  const UnitDirection &direction, std::vector<double> &diagonal) {
  PointInputs inputs = visit.inputs;
  inputs.unit_direction = &direction;
  Outputs outputs;
  evaluate_at(visit.integral.linearised, visit.minus, inputs, outputs, visit.plus);
  for_each_row(
      d, visit, outputs,
      [&](std::size_t c, std::int64_t dof) {
        return dof == dof_of(d, batch, c, direction.field, direction.node, direction.component);
      },
      [&](std::int64_t dof, double value) { diagonal[dof] += value; });
}

} // namespace

std::vector<double> residual(const Discretisation &d, const std::vector<double> &u,
                             const Rate &rate) {
  std::vector<double> result(d.num_local, 0.0);
  visit_all(d, {.state = &u, .rate = rate}, [&](const BatchVisit &visit) {
    Outputs outputs;
    evaluate_at(visit.integral.residual, visit.minus, visit.inputs, outputs, visit.plus);
    for_each_row(d, visit, outputs, every_row,
                 [&](std::int64_t dof, double value) { result[dof] += value; });
  });
  for (std::size_t i = 0; i < d.constraints.dofs.size(); ++i)
    result[d.constraints.dofs[i]] = u[d.constraints.dofs[i]] - d.constraints.values[i];
  return result;
}

std::vector<double> apply(const Discretisation &d, const std::vector<double> &u,
                          const std::vector<double> &x, const Rate &rate) {
  std::vector<double> free = x;
  for (const auto dof : d.constraints.dofs)
    free[dof] = 0;
  std::vector<double> result(d.num_local, 0.0);
  visit_all(d, {.state = &u, .direction = &free, .rate = rate}, [&](const BatchVisit &visit) {
    Outputs outputs;
    evaluate_at(visit.integral.linearised, visit.minus, visit.inputs, outputs, visit.plus);
    for_each_row(d, visit, outputs, every_row,
                 [&](std::int64_t dof, double value) { result[dof] += value; });
  });
  for (const auto dof : d.constraints.dofs)
    result[dof] = x[dof];
  return result;
}

std::vector<double> diagonal(const Discretisation &d, const std::vector<double> &u,
                             const Rate &rate) {
  std::vector<double> result(d.num_local, 0.0);
  visit_all(d, {.state = &u, .rate = rate}, [&](const BatchVisit &visit) {
    const bool two_sided = visit.plus != nullptr;
    for (const PointBatch *batch : {&visit.minus, visit.plus})
      for (int field = 0; batch && field < static_cast<int>(d.form.fields.size()); ++field)
        for (int i = 0; i < batch->table().maps[d.field_map[field]].num_nodes; ++i)
          for (int k = 0; k < d.form.fields[field].components(); ++k)
            add_diagonal(
                d, visit, *batch,
                {field, i, k,
                 two_sided ? (batch == visit.plus ? Side::plus : Side::minus) : Side::none},
                result);
  });
  for (const auto dof : d.constraints.dofs)
    result[dof] = 1;
  return result;
}

} // namespace weft::reference
