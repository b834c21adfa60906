#include "op/reference/element_matrix.h"

#include <map>

#include "form/graph/hessian_entries.h"
#include "op/evaluate/point_values.h"
#include "op/problem/facet_groups.h"

namespace weft::reference {

namespace {

using Outputs = std::vector<std::vector<double>>;

// A test function of one cell: field, node, component.
struct Row {
  int field = 0, node = 0, component = 0;
  Side side = Side::none;
  std::vector<double> hessians; // [point, entry], where the integral has second derivatives
};

// Of the batch's only cell.
std::vector<Row> rows_of(const Discretisation &d, const FormIntegral &integral,
                         const PointBatch &batch, Side side = Side::none) {
  const int entries = num_hessian_entries(d.form.dim);
  std::vector<Row> rows;
  for (int f = 0; f < static_cast<int>(d.form.fields.size()); ++f) {
    const int map = d.field_map[f];
    std::vector<std::vector<double>> of_nodes(batch.table().maps[map].num_nodes);
    for (int q = 0; integral.second && q < batch.table().num_points; ++q) {
      const std::vector<double> all = batch.basis_hessians(map, 0, q);
      for (std::size_t i = 0; i < of_nodes.size(); ++i)
        of_nodes[i].insert(of_nodes[i].end(), &all[i * entries], &all[i * entries] + entries);
    }
    for (std::size_t i = 0; i < of_nodes.size(); ++i)
      for (int k = 0; k < d.form.fields[f].components(); ++k)
        rows.push_back({f, static_cast<int>(i), k, side, of_nodes[i]});
  }
  return rows;
}

std::int64_t dof_of(const Discretisation &d, const PointBatch &batch, const Row &row) {
  const NodeMapSet &set = d.map_of_field(row.field).sets[batch.table().set];
  const std::int64_t node =
      set.nodes[std::int64_t(batch.cells()[0]) * set.element.num_nodes() + row.node];
  return d.field_offset[row.field] + node * d.form.fields[row.field].components() + row.component;
}

// Components of the fields before one.
std::size_t components_before(const Discretisation &d, std::size_t field) {
  std::size_t components = 0;
  for (std::size_t f = 0; f < field; ++f)
    components += d.form.fields[f].components();
  return components;
}

// Sum over the points of f0 phi + f1 . grad phi + f2 : grad grad phi for one test function; the
// batch is the cell that has it. `measure`: of the points.
double integrate(const Discretisation &d, const PointBatch &batch,
                 const std::vector<double> &measure, const Outputs &outputs, const Row &row) {
  const int dim = d.form.dim;
  const std::size_t entries = num_hessian_entries(dim);
  const std::size_t all = components_before(d, d.form.fields.size());
  const std::size_t before = components_before(d, row.field) + (row.side == Side::plus ? all : 0);
  const std::size_t output = before * (1 + dim);
  const std::size_t second =
      all * (row.side == Side::none ? 1 : 2) * (1 + dim) + (before + row.component) * entries;
  const int n = d.form.fields[row.field].components();
  const Tabulation &t = batch.table().maps[d.field_map[row.field]];
  double sum = 0;
  for (int q = 0; q < batch.table().num_points; ++q) {
    double value = outputs[output + row.component][q] * t.phi[q * t.num_nodes + row.node];
    for (int e = 0; e < dim; ++e)
      for (int k = 0; k < dim; ++k)
        value += outputs[output + n + row.component * dim + k][q] * batch.inverse(e, k)[q] *
                 t.dphi[(q * t.num_nodes + row.node) * dim + e];
    for (std::size_t entry = 0; entry < entries && !row.hessians.empty(); ++entry)
      value += outputs[second + entry][q] * row.hessians[q * entries + entry];
    sum += measure[q] * value;
  }
  return sum;
}

// `plus`: the other cell's batch on facets between two cells.
ElementMatrix matrix_of(const Discretisation &d, const FormIntegral &integral, PointBatch &batch,
                        PointInputs inputs, PointBatch *plus = nullptr) {
  ElementMatrix matrix;
  matrix.set = batch.table().set;
  matrix.cell = batch.cells()[0];
  std::vector<Row> rows = rows_of(d, integral, batch, plus ? Side::minus : Side::none);
  if (plus)
    for (const Row &row : rows_of(d, integral, *plus, Side::plus))
      rows.push_back(row);
  const auto batch_of = [&](const Row &row) -> const PointBatch & {
    return row.side == Side::plus ? *plus : batch;
  };
  matrix.values.resize(rows.size() * rows.size());
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const UnitDirection direction{rows[j].field, rows[j].node, rows[j].component, rows[j].side};
    inputs.unit_direction = &direction;
    Outputs outputs;
    evaluate_at(integral.linearised, batch, inputs, outputs, plus);
    for (std::size_t i = 0; i < rows.size(); ++i)
      matrix.values[i * rows.size() + j] =
          integrate(d, batch_of(rows[i]), batch.measure(), outputs, rows[i]);
    matrix.dofs.push_back(dof_of(d, batch_of(rows[j]), rows[j]));
  }
  return matrix;
}

void visit_interior(const Discretisation &d, const FormIntegral &integral, PointInputs inputs,
                    const std::function<void(const ElementMatrix &)> &visit) {
  for (const InteriorGroup &group : d.interior) {
    const PointTable minus = make_form_facet_table(d, group.minus_set, group.minus_facet);
    const PointTable plus = make_opposite_table(d, group);
    for (std::size_t f = 0; f < group.minus_cells.size(); ++f) {
      PointBatch minus_batch(d, minus, std::span(group.minus_cells).subspan(f, 1));
      PointBatch plus_batch(d, plus, std::span(group.plus_cells).subspan(f, 1));
      inputs.facet_classes = std::span(group.classes).subspan(f, 1);
      ElementMatrix matrix = matrix_of(d, integral, minus_batch, inputs, &plus_batch);
      matrix.local_facet = group.minus_facet;
      visit(matrix);
    }
  }
}

} // namespace

void for_each_element_matrix(const Discretisation &d, const std::vector<double> &u,
                             const std::function<void(const ElementMatrix &)> &visit,
                             const Rate &rate) {
  PointInputs inputs{.state = &u, .cell_table = &d.cell_table, .facet_table = &d.facet_table};
  inputs.rate = rate;
  for (const FormIntegral &integral : d.form.integrals) {
    if (integral.domain == Domain::interior)
      visit_interior(d, integral, inputs, visit);
    if (integral.domain == Domain::cells)
      for (int s = 0; s < static_cast<int>(d.mesh->sets.size()); ++s) {
        const PointTable table = make_form_table(d, s);
        for (std::int32_t c = 0; c < d.mesh->sets[s].num_cells(); ++c) {
          PointBatch batch(d, table, std::span(&c, 1));
          visit(matrix_of(d, integral, batch, inputs));
        }
      }
    const auto groups = integral.domain == Domain::facets
                            ? group_facets(*d.mesh, d.integrated_facets)
                        : integral.domain == Domain::edges  ? d.integrated_edges.groups
                        : integral.domain == Domain::points ? d.integrated_points.groups
                                                            : std::vector<FacetGroup>{};
    for (const auto &group : groups) {
      const PointTable table = make_form_part_table(d, group.set, integral.domain, group.facet);
      for (std::size_t c = 0; c < group.cells.size(); ++c) {
        PointBatch batch(d, table, std::span(group.cells).subspan(c, 1));
        inputs.facet_classes = std::span(group.classes).subspan(c, 1);
        ElementMatrix matrix = matrix_of(d, integral, batch, inputs);
        matrix.local_facet = group.facet;
        visit(matrix);
      }
    }
  }
}

std::vector<std::vector<double>> cell_load_vectors(const Discretisation &d, int set) {
  const std::vector<double> zero(d.num_local, 0.0);
  const PointInputs inputs{
      .state = &zero, .cell_table = &d.cell_table, .facet_table = &d.facet_table};
  const PointTable table = make_form_table(d, set);
  std::vector<std::vector<double>> vectors(d.mesh->sets[set].num_cells());
  for (const FormIntegral &integral : d.form.integrals)
    for (std::int32_t c = 0;
         integral.domain == Domain::cells && c < static_cast<int>(vectors.size()); ++c) {
      PointBatch batch(d, table, std::span(&c, 1));
      Outputs outputs;
      evaluate_at(integral.residual, batch, inputs, outputs);
      for (const Row &row : rows_of(d, integral, batch))
        vectors[c].push_back(-integrate(d, batch, batch.measure(), outputs, row));
    }
  return vectors;
}

} // namespace weft::reference
