#include "kernel/cell/basis_tables.h"

#include <cmath>
#include <fmt/format.h>

#include "base/number.h"
#include "form/graph/hessian_entries.h"
#include "kernel/text/sections.h"

namespace weft {

namespace {

// Numbers that differ only by rounding of the tabulation are one number; 0, 1 and -1 are exact.
double rounded(double value) {
  for (const double exact : {0.0, 1.0, -1.0, 0.5, -0.5, 0.25, -0.25, 2.0, -2.0, 4.0, -4.0})
    if (std::abs(value - exact) < smallest_in_tables)
      return exact;
  return value;
}

std::vector<double> all_points(const CellIntegral &integral, Side side) {
  if (!integral.on_facets)
    return integral.quadrature.points;
  std::vector<double> points;
  if (side == Side::plus) {
    for (const std::vector<double> &of_position : integral.plus->points)
      points.insert(points.end(), of_position.begin(), of_position.end());
    return points;
  }
  for (const FacetQuadrature &facet : integral.facet_quadrature)
    points.insert(points.end(), facet.points.points.begin(), facet.points.points.end());
  return points;
}

} // namespace

int num_diagonal_entries(int entries) {
  return entries * (entries + 1) / 2;
}

BasisTables::BasisTables(const CellIntegral &integral, int family)
    : integral_(integral), family_(family),
      point_(side_prefix(integral.families[family].side) + "point"),
      num_nodes_(integral.families[family].element.num_nodes()),
      dim_(integral.dim), phi_{.name = fmt::format("weft_phi_{}", family)},
      dphi_{.name = fmt::format("weft_dphi_{}", family), .width = dim_},
      hessian_{.name = fmt::format("weft_hessian_{}", family), .width = num_hessian_entries(dim_)},
      diagonal_{.name = fmt::format("weft_diagonal_{}", family),
                .width = num_diagonal_entries(integral.num_entries())} {
  num_points_ =
      static_cast<int>(all_points(integral, integral.families[family].side).size()) / dim_;
}

void BasisTables::tabulate() const {
  if (!phi_.values.empty())
    return;
  const NodeFamily &family = integral_.families[family_];
  family.element.tabulate(all_points(integral_, family.side), phi_.values, dphi_.values);
  for (const Table *table : {&phi_, &dphi_})
    for (double &value : table->values)
      value = rounded(value);
}

void BasisTables::tabulate_hessians() const {
  if (!hessian_.values.empty())
    return;
  const NodeFamily &family = integral_.families[family_];
  const std::vector<double> all =
      family.element.tabulate_hessians(all_points(integral_, family.side));
  for (std::size_t pn = 0; pn < all.size(); pn += dim_ * dim_)
    for (int e = 0; e < dim_; ++e)
      for (int e2 = e; e2 < dim_; ++e2)
        hessian_.values.push_back(rounded(all[pn + e * dim_ + e2]));
}

void BasisTables::tabulate_products() const {
  if (!diagonal_.values.empty())
    return;
  const bool second = integral_.num_entries() > 1 + dim_;
  if (second)
    tabulate_hessians();
  diagonal_.values.reserve(phi_.values.size() * diagonal_.width);
  for (std::size_t pn = 0; pn < phi_.values.size(); ++pn) {
    std::vector<double> entries = {phi_.values[pn]};
    entries.insert(entries.end(), &dphi_.values[pn * dim_], &dphi_.values[pn * dim_] + dim_);
    if (second)
      entries.insert(entries.end(), &hessian_.values[pn * hessian_.width],
                     &hessian_.values[pn * hessian_.width] + hessian_.width);
    for (std::size_t s = 0; s < entries.size(); ++s)
      for (std::size_t t = s; t < entries.size(); ++t)
        diagonal_.values.push_back(entries[s] * entries[t]);
  }
}

const std::vector<double> &BasisTables::values(const Table &table) const {
  tabulate();
  if (&table == &hessian_)
    tabulate_hessians();
  if (&table == &diagonal_)
    tabulate_products();
  return table.values;
}

bool BasisTables::same_at_all_points(const Table &table, int node, int entry) const {
  const std::vector<double> &all = values(table);
  const auto at = [&](int point) {
    return all[(static_cast<std::size_t>(point) * num_nodes_ + node) * table.width + entry];
  };
  for (int point = 1; point < num_points_; ++point)
    if (std::abs(at(point) - at(0)) >= 1e-14)
      return false;
  return true;
}

bool BasisTables::constant_gradients() const {
  for (int node = 0; node < num_nodes_; ++node)
    for (int e = 0; e < dim_; ++e)
      if (!same_at_all_points(dphi_, node, e))
        return false;
  return true;
}

Coefficient BasisTables::lookup(Table &table, int node, int entry) {
  const int width = table.width;
  if (same_at_all_points(table, node, entry))
    return {.literal = true, .value = table.values[node * width + entry]};
  table.used = true;
  return {.literal = false,
          .table = fmt::format("{}[{}]", prefix_ + table.name,
                               affine_text(point_, num_nodes_ * width, node * width + entry))};
}

Coefficient BasisTables::value(int node) {
  return lookup(phi_, node, 0);
}

Coefficient BasisTables::gradient(int node, int direction) {
  return lookup(dphi_, node, direction);
}

Coefficient BasisTables::entry(int node, int entry) {
  return entry == 0      ? value(node)
         : entry <= dim_ ? gradient(node, entry - 1)
                         : lookup(hessian_, node, entry - 1 - dim_);
}

Coefficient BasisTables::diagonal(int node, int entry) {
  return lookup(diagonal_, node, entry);
}

std::string BasisTables::lookup_at(Table &table, const std::string &node, int entry) const {
  table.used = true;
  const std::string row = fmt::format("{} * {} + {}", point_, num_nodes_, node);
  return fmt::format("{}[{}]", prefix_ + table.name,
                     table.width == 1 ? row : affine_text("(" + row + ")", table.width, entry));
}

std::string BasisTables::value_at(const std::string &node) {
  return lookup_at(phi_, node, 0);
}

std::string BasisTables::entry_at(const std::string &node, int entry) {
  return entry == 0      ? value_at(node)
         : entry <= dim_ ? lookup_at(dphi_, node, entry - 1)
                         : lookup_at(hessian_, node, entry - 1 - dim_);
}

std::string BasisTables::diagonal_at(const std::string &node, int entry) {
  return lookup_at(diagonal_, node, entry);
}

std::vector<std::pair<std::string, int>> BasisTables::used_tables() const {
  std::vector<std::pair<std::string, int>> tables;
  for (const Table *table : {&phi_, &dphi_, &hessian_, &diagonal_})
    if (table->used)
      tables.emplace_back(table->name, num_points_ * num_nodes_ * table->width);
  return tables;
}

std::string BasisTables::definitions(Precision precision) const {
  std::string text;
  const auto add = [&](const Table &table, const char *banner) {
    if (table.used)
      text += banner + table_definition(table.name, values(table), precision);
  };
  add(phi_, "// phi_i at points: [point, node]\n");
  add(dphi_, "// d phi_i / d xi_e at points: [point, node, direction]\n");
  add(hessian_, "// d^2 phi_i / (d xi_e d xi_e') at points: [point, node, e <= e']\n");
  add(diagonal_, "// phi^2, phi dphi_e, dphi_e dphi_e' at points: [point, node, entry]\n");
  return text;
}

std::string table_definition(const std::string &name, const std::vector<double> &values,
                             Precision precision) {
  std::string text = fmt::format("WEFT_CONSTANT real {}[{}] = {{", name, values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    text += (i % 8 == 0 ? "\n  " : " ") + format_literal(values[i], precision) + ",";
  return text + "\n};\n";
}

} // namespace weft
