#include "op/law/law_jacobian.h"

#include <algorithm>

#include "op/layout/colours_of_ranks.h"

namespace weft {

LawJacobian::LawJacobian(const Discretisation &d, const CellDofs &dofs)
    : d_(d), graph_(make_cell_graph(*d.mesh, d.ranks ? Partners::some : Partners::all)),
      reach_(d.law->cell_gradients ? 2 : 1) {
  first_dof_ = {0};
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s)
    for (std::int64_t cell = 0; cell < d.mesh->sets[s].num_cells(); ++cell) {
      std::int32_t first = 0;
      for (std::size_t f = 0; f < d.form.fields.size(); ++f) {
        const NodeMapSet &set = d.map_of_field(static_cast<int>(f)).sets[s];
        const int nodes = set.element.num_nodes(), components = d.form.fields[f].components();
        for (int i = 0; i < nodes; ++i)
          for (int k = 0; k < components; ++k) {
            const std::int64_t node = set.nodes[cell * nodes + i];
            dofs_.push_back(dofs.entry(d.field_offset[f] + node * components + k));
            component_.push_back(first + k);
          }
        first += components;
      }
      first_dof_.push_back(static_cast<std::int64_t>(dofs_.size()));
    }
}

template <typename Visit>
void LawJacobian::for_each_colour(const Colouring &colouring, const Product &product,
                                  const Visit &visit) {
  std::int64_t most = 0;
  for (std::int64_t cell = 0; cell < graph_.num_cells; ++cell)
    most = std::max(most, num_local(cell));
  most = std::int64_t(largest(d_.ranks, double(most)));
  std::vector<double> x(d_.num_owned, 0);
  for (std::int32_t colour = 0; colour < colouring.num_colours; ++colour)
    for (std::int64_t local = 0; local < most; ++local) {
      const auto in_cells = [&](const auto &body) {
        for (std::int64_t cell = 0; cell < graph_.num_cells; ++cell)
          if (colouring.colours[cell] == colour && local < num_local(cell))
            body(cell, dofs_[first_dof_[cell] + local]);
      };
      // Other ranks see to their cells.
      const auto set_own = [&](double value) {
        in_cells([&](std::int64_t, std::int32_t dof) {
          if (is_own(dof))
            x[dof] = value;
        });
      };
      set_own(1);
      const std::vector<double> y = product(x);
      set_own(0);
      in_cells([&](std::int64_t cell, std::int32_t dof) { visit(cell, dof, y); });
    }
}

template <typename Visit>
void LawJacobian::for_each_neighbour(std::int64_t cell, const Visit &visit) const {
  visit(cell);
  for (int slot = 0; slot < graph_.width; ++slot)
    if (const std::int32_t next = graph_.neighbour[cell * graph_.width + slot]; next >= 0)
      visit(next);
}

Colouring LawJacobian::colour(int distance) const {
  return d_.ranks ? colour_cells_of_ranks(*d_.mesh, graph_, distance, *d_.ranks)
                  : colour_cells(graph_, distance);
}

std::vector<double> LawJacobian::diagonal(const Product &product) {
  if (of_diagonal_.colours.empty())
    of_diagonal_ = colour(reach_);
  std::vector<double> d(d_.num_owned);
  for_each_colour(of_diagonal_, product,
                  [&](std::int64_t, std::int32_t dof, const std::vector<double> &y) {
                    if (is_own(dof))
                      d[dof] = y[dof];
                  });
  return d;
}

std::shared_ptr<const CsrPattern> LawJacobian::pattern() {
  if (pattern_)
    return pattern_;
  auto pattern = std::make_shared<CsrPattern>();
  std::vector<std::vector<std::int32_t>> columns(d_.num_owned);
  for (std::int64_t cell = 0; cell < graph_.num_cells; ++cell) {
    std::vector<std::int32_t> near;
    for_each_neighbour(cell, [&](std::int64_t next) {
      near.insert(near.end(), dofs_.begin() + first_dof_[next],
                  dofs_.begin() + first_dof_[next + 1]);
    });
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    for (std::int64_t i = first_dof_[cell]; i < first_dof_[cell + 1]; ++i)
      if (is_own(dofs_[i]))
        columns[dofs_[i]] = near;
  }
  pattern->num_rows = d_.num_owned;
  pattern->row_start = {0};
  std::vector<std::int32_t> all;
  for (const auto &row : columns) {
    all.insert(all.end(), row.begin(), row.end());
    pattern->row_start.push_back(static_cast<std::int64_t>(all.size()));
  }
  pattern->columns = std::move(all);
  pattern_ = std::move(pattern);
  return pattern_;
}

std::vector<double> LawJacobian::entries(const Product &product) {
  const CsrPattern &p = *pattern();
  // A row that a column's cell has for a neighbour sees no other cell of its colour.
  if (of_entries_.colours.empty())
    of_entries_ = colour(reach_ + 1);
  std::vector<double> entries(p.num_entries());
  for_each_colour(of_entries_, product,
                  [&](std::int64_t cell, std::int32_t column, const std::vector<double> &y) {
                    for_each_neighbour(cell, [&](std::int64_t next) {
                      for (std::int64_t i = first_dof_[next]; i < first_dof_[next + 1]; ++i)
                        if (is_own(dofs_[i]))
                          entries[p.place(dofs_[i], column)] = y[dofs_[i]];
                    });
                  });
  if (reach_ > 1)
    add_rest_to_diagonal(product, entries);
  return entries;
}

void LawJacobian::add_rest_to_diagonal(const Product &product, std::vector<double> &entries) {
  const CsrPattern &p = *pattern_;
  std::vector<std::int32_t> component_of(d_.num_local);
  for (std::size_t i = 0; i < dofs_.size(); ++i)
    component_of[dofs_[i]] = component_[i];
  for (int k = 0; k < d_.law->num_components; ++k) {
    std::vector<double> ones(d_.num_owned);
    for (std::int64_t dof = 0; dof < d_.num_owned; ++dof)
      ones[dof] = component_of[dof] == k ? 1 : 0;
    const std::vector<double> sums = product(ones);
    for (std::int64_t row = 0; row < d_.num_owned; ++row) {
      if (component_of[row] != k)
        continue;
      double kept = 0;
      for (std::int64_t e = p.row_start[row]; e < p.row_start[row + 1]; ++e)
        if (component_of[p.columns[e]] == k)
          kept += entries[e];
      entries[p.place(row, static_cast<std::int32_t>(row))] += sums[row] - kept;
    }
  }
}

} // namespace weft
