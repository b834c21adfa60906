#include "kernel/cell/basis_tables.h"

#include <cmath>
#include <fmt/format.h>

#include "base/number.h"
#include "kernel/text/sections.h"

namespace weft {

namespace {

// Numbers that differ only by rounding of the tabulation are one number; 0, 1 and -1 are exact.
double rounded(double value) {
  for (const double exact : {0.0, 1.0, -1.0, 0.5, -0.5, 0.25, -0.25, 2.0, -2.0, 4.0, -4.0})
    if (std::abs(value - exact) < 1e-14)
      return exact;
  return value;
}

std::vector<double> all_points(const CellIntegral &integral) {
  if (!integral.on_facets)
    return integral.quadrature.points;
  std::vector<double> points;
  for (const FacetQuadrature &facet : integral.facet_quadrature)
    points.insert(points.end(), facet.points.points.begin(), facet.points.points.end());
  return points;
}

} // namespace

int num_diagonal_entries(int dim) {
  return 1 + dim + dim * (dim + 1) / 2;
}

BasisTables::BasisTables(const CellIntegral &integral, int family)
    : name_(std::to_string(family)), dim_(integral.dim) {
  const Element &element = integral.families[family].element;
  const std::vector<double> points = all_points(integral);
  element.tabulate(points, phi_, dphi_);
  num_nodes_ = element.num_nodes();
  num_points_ = static_cast<int>(points.size()) / dim_;
  for (double &value : phi_)
    value = rounded(value);
  for (double &value : dphi_)
    value = rounded(value);
  for (int pn = 0; pn < num_points_ * num_nodes_; ++pn) {
    const double phi = phi_[pn];
    const double *dphi = &dphi_[pn * dim_];
    diagonal_.push_back(phi * phi);
    for (int e = 0; e < dim_; ++e)
      diagonal_.push_back(phi * dphi[e]);
    for (int e = 0; e < dim_; ++e)
      for (int e2 = e; e2 < dim_; ++e2)
        diagonal_.push_back(dphi[e] * dphi[e2]);
  }
}

bool BasisTables::same_at_all_points(const std::vector<double> &table, int width, int node,
                                     int entry) const {
  const auto at = [&](int point) {
    return table[(static_cast<std::size_t>(point) * num_nodes_ + node) * width + entry];
  };
  for (int point = 1; point < num_points_; ++point)
    if (std::abs(at(point) - at(0)) >= 1e-14)
      return false;
  return true;
}

bool BasisTables::constant_gradients() const {
  for (int node = 0; node < num_nodes_; ++node)
    for (int e = 0; e < dim_; ++e)
      if (!same_at_all_points(dphi_, dim_, node, e))
        return false;
  return true;
}

Coefficient BasisTables::lookup(const std::vector<double> &table, bool &used,
                                const std::string &name, int width, int node, int entry) {
  if (same_at_all_points(table, width, node, entry))
    return {.literal = true, .value = table[node * width + entry]};
  used = true;
  return {.literal = false,
          .table = fmt::format("{}[{}]", prefix_ + name,
                               affine_text("point", num_nodes_ * width, node * width + entry))};
}

Coefficient BasisTables::value(int node) {
  return lookup(phi_, phi_used_, "weft_phi_" + name_, 1, node, 0);
}

Coefficient BasisTables::gradient(int node, int direction) {
  return lookup(dphi_, dphi_used_, "weft_dphi_" + name_, dim_, node, direction);
}

Coefficient BasisTables::diagonal(int node, int entry) {
  return lookup(diagonal_, diagonal_used_, "weft_diagonal_" + name_, num_diagonal_entries(dim_),
                node, entry);
}

std::string BasisTables::lookup_at(bool &used, const std::string &name, int width,
                                   const std::string &node, int entry) const {
  used = true;
  const std::string row = fmt::format("point * {} + {}", num_nodes_, node);
  return fmt::format("{}[{}]", prefix_ + name,
                     width == 1 ? row : affine_text("(" + row + ")", width, entry));
}

std::string BasisTables::value_at(const std::string &node) {
  return lookup_at(phi_used_, "weft_phi_" + name_, 1, node, 0);
}

std::string BasisTables::gradient_at(const std::string &node, int direction) {
  return lookup_at(dphi_used_, "weft_dphi_" + name_, dim_, node, direction);
}

std::string BasisTables::diagonal_at(const std::string &node, int entry) {
  return lookup_at(diagonal_used_, "weft_diagonal_" + name_, num_diagonal_entries(dim_), node,
                   entry);
}

std::vector<std::pair<std::string, int>> BasisTables::used_tables() const {
  std::vector<std::pair<std::string, int>> tables;
  const auto add = [&](bool used, const char *name, const std::vector<double> &values) {
    if (used)
      tables.emplace_back(name + name_, static_cast<int>(values.size()));
  };
  add(phi_used_, "weft_phi_", phi_);
  add(dphi_used_, "weft_dphi_", dphi_);
  add(diagonal_used_, "weft_diagonal_", diagonal_);
  return tables;
}

std::string BasisTables::definitions(Precision precision) const {
  std::string text;
  if (phi_used_)
    text += "// phi_i at points: [point, node]\n" +
            table_definition("weft_phi_" + name_, phi_, precision);
  if (dphi_used_)
    text += "// d phi_i / d xi_e at points: [point, node, direction]\n" +
            table_definition("weft_dphi_" + name_, dphi_, precision);
  if (diagonal_used_)
    text += "// phi^2, phi dphi_e, dphi_e dphi_e' at points: [point, node, entry]\n" +
            table_definition("weft_diagonal_" + name_, diagonal_, precision);
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
