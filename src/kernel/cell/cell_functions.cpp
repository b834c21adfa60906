#include "kernel/cell/cell_functions.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "form/weak_form/rates.h"
#include "kernel/cell/cell_printer.h"
#include "kernel/text/pointwise_text.h"

namespace weft {

namespace {

// Of the fields that stand for what time derivatives are beside shift * u.
const char *offset_letters(const Symbol &s) {
  return s.order == 2 ? "oo" : "o";
}

const char *const meaning_of_shift[num_shifts] = {"dt(u) = shift * u + offset",
                                                  "the same of fields that have dt(dt(u))",
                                                  "dt(dt(u)) = acceleration_shift * u + offset"};

} // namespace

CellPrinter::CellPrinter(const CellIntegral &integral, bool with_rows)
    : in_(integral), with_rows_(with_rows) {
  prepare_numbers();
}

CellPrinter::CellPrinter(const CellIntegral &integral, const MatrixPoint &point)
    : in_(integral), with_rows_(false), matrix_point_(point) {
  prepare_numbers();
}

void CellPrinter::prepare_numbers() {
  directions_ = make_direction_sums(in_);
  for (std::size_t family = 0; family < in_.families.size() && !directions_; ++family) {
    tables_.emplace_back(in_, static_cast<int>(family));
    if (matrix_point_.local_tables)
      tables_.back().read_copies("cell->local_");
  }
  find_field_uses();
  number_values();
}

int CellPrinter::field_of(int component) const {
  int field = 0;
  for (; component >= in_.tests[field].components; ++field)
    component -= in_.tests[field].components;
  return field;
}

bool CellPrinter::has_summed_fluxes(int component) const {
  for (int d = 0; d < in_.dim; ++d)
    if (flux_index(component, d) >= 0)
      return true;
  return false;
}

int CellPrinter::output_of(int component, int entry) const {
  const int dim = in_.dim;
  if (entry > dim)
    return in_.num_components() * (1 + dim) + component * num_hessian_entries(dim) + entry - 1 -
           dim;
  int first_component = 0, first_output = 0;
  for (const TestField &test : in_.tests) {
    if (component < first_component + test.components) {
      const int k = component - first_component;
      return entry == 0 ? first_output + k
                        : first_output + test.components + k * in_.dim + entry - 1;
    }
    first_component += test.components;
    first_output += test.components * (1 + in_.dim);
  }
  require(false, "a component belongs to a field");
  return -1;
}

void CellPrinter::number_values() {
  if (in_.kind == IntegralKind::matrix) {
    matrix_indices_.emplace(in_);
    num_values_ = matrix_indices_->num_values();
    flux_index_.assign(in_.num_components() * in_.dim, -1);
    value_index_.assign(in_.num_components() * entries_a_component(), -1);
    number_sums();
    return;
  }
  for (int k = 0; k < in_.num_components(); ++k) {
    std::vector<bool> used(entries_a_component(), false);
    if (in_.kind == IntegralKind::diagonal) {
      // value*value; value*gradient and gradient*value; gradient*gradient.
      bool mixed = false, both = false;
      for (int d = 1; d <= in_.dim; ++d) {
        mixed = mixed || !is_zero(block_output(k, 0, d)) || !is_zero(block_output(k, d, 0));
        for (int d2 = 1; d2 <= in_.dim; ++d2)
          both = both || !is_zero(block_output(k, d, d2));
      }
      const int width = in_.num_entries();
      used[0] = !is_zero(block_output(k, 0, 0));
      for (int e = 1; e <= in_.dim; ++e) {
        used[e] = mixed;
        for (int e2 = e; e2 <= in_.dim; ++e2)
          used[hessian_entry(width, e, e2)] = both;
      }
      for (int t = 1 + in_.dim; t < width; ++t) {
        const auto any = [&](int s) {
          return !is_zero(block_output(k, s, t)) || !is_zero(block_output(k, t, s));
        };
        bool with_gradient = false;
        for (int e = 1; e <= in_.dim; ++e)
          with_gradient = with_gradient || any(e);
        for (int s = 0; s <= t; ++s)
          used[hessian_entry(width, s, t)] = s == 0 || s > in_.dim ? any(s) : with_gradient;
      }
    } else {
      used[0] = !is_zero(output_of(k, 0));
      bool flux = false;
      for (int d = 0; d < in_.dim; ++d)
        flux = flux || !is_zero(output_of(k, 1 + d));
      for (int e = 0; e < in_.dim; ++e)
        used[1 + e] = sums_fluxes(k) ? !is_zero(output_of(k, 1 + e)) : flux;
      for (int entry = 1 + in_.dim; entry < in_.num_entries(); ++entry)
        used[entry] = !is_zero(output_of(k, entry));
    }
    for (int d = 0; d < in_.dim; ++d)
      flux_index_.push_back(sums_fluxes(k) && used[1 + d] ? num_fluxes_++ : -1);
    for (const bool u : used)
      value_index_.push_back(u ? num_values_++ : -1);
  }
}

std::string CellPrinter::cell_entry(int input, int node, int component) const {
  const NodalInput &in = in_.inputs[input];
  return cell_entry(std::to_string(in_.first_cell_input(input) + node * in.components + component));
}

std::string CellPrinter::cell_entry(const std::string &entry) const {
  return matrix_point_.local_inputs ? fmt::format("cell->in[({}) * WEFT_WORK_ITEMS]", entry)
                                    : fmt::format("cell->in[{}]", entry);
}

std::vector<std::pair<std::string, int>> CellPrinter::used_tables() const {
  std::vector<std::pair<std::string, int>> all;
  for (const BasisTables &tables : tables_)
    for (const auto &table : tables.used_tables())
      all.push_back(table);
  return all;
}

std::string CellPrinter::symbol_name(const Symbol &s) const {
  const std::string p = side_prefix(s.side);
  switch (s.kind) {
  case SymbolKind::field:
    return fmt::format("{}u{}_{}", p, s.index, s.component);
  case SymbolKind::field_gradient:
    return fmt::format("{}u{}_{}_d{}", p, s.index, s.component, s.direction);
  case SymbolKind::field_hessian:
    return fmt::format("{}u{}_{}_h{}", p, s.index, s.component, s.direction);
  case SymbolKind::direction:
    return fmt::format("{}w{}_{}", p, s.index, s.component);
  case SymbolKind::direction_gradient:
    return fmt::format("{}w{}_{}_d{}", p, s.index, s.component, s.direction);
  case SymbolKind::direction_hessian:
    return fmt::format("{}w{}_{}_h{}", p, s.index, s.component, s.direction);
  case SymbolKind::auxiliary:
    return fmt::format("{}a{}_{}", p, s.index, s.component);
  case SymbolKind::auxiliary_gradient:
    return fmt::format("{}a{}_{}_d{}", p, s.index, s.component, s.direction);
  case SymbolKind::auxiliary_hessian:
    return fmt::format("{}a{}_{}_h{}", p, s.index, s.component, s.direction);
  case SymbolKind::inverse_jacobian:
    return fmt::format("{}xi{}_d{}", p, s.component, s.direction);
  case SymbolKind::map_hessian:
    return fmt::format("{}x_{}_h{}", p, s.component, s.direction);
  case SymbolKind::coordinate:
    return fmt::format("x_{}", s.component);
  case SymbolKind::normal:
    return fmt::format("n_{}", s.component);
  case SymbolKind::time:
    return "lane_splat(cell->time)";
  case SymbolKind::rate_offset:
    return fmt::format("{}{}{}_{}", p, offset_letters(s), s.index, s.component);
  case SymbolKind::rate_offset_gradient:
    return fmt::format("{}{}{}_{}_d{}", p, offset_letters(s), s.index, s.component, s.direction);
  case SymbolKind::rate_offset_hessian:
    return fmt::format("{}{}{}_{}_h{}", p, offset_letters(s), s.index, s.component, s.direction);
  case SymbolKind::shift:
    return fmt::format("lane_splat(cell->{})", shift_name(s.component));
  case SymbolKind::cell_size:
    return p + "h";
  case SymbolKind::cell_parameter:
    return in_.cell_table[s.component] ? new_text().constant(*in_.cell_table[s.component])
                                       : fmt::format("cell->{}cell_parameter[{}]", p, s.component);
  case SymbolKind::facet_parameter:
    return in_.facet_table[s.component] ? new_text().constant(*in_.facet_table[s.component])
                                        : fmt::format("cell->facet_parameter[{}]", s.component);
  case SymbolKind::field_rate:
  case SymbolKind::field_rate_gradient:
  case SymbolKind::field_rate_hessian:
  case SymbolKind::direction_rate:
  case SymbolKind::direction_rate_gradient:
  case SymbolKind::direction_rate_hessian:
  case SymbolKind::test:
  case SymbolKind::test_gradient:
  case SymbolKind::test_hessian:
  case SymbolKind::penalty:
  case SymbolKind::facet_offset:
  case SymbolKind::limiter:
    break;
  }
  require(false, "a weak form's functions have neither test functions nor time derivatives, nor "
                 "what only laws have");
  return {};
}

std::string CellPrinter::sum_of_constants() const {
  std::string sum;
  for (const CellConstant &constant : cell_constants())
    sum += fmt::format("{}(cell)->{}", sum.empty() ? "" : " + ", constant.entry);
  return sum;
}

std::string CellPrinter::struct_text() const {
  LaneText text = new_text();
  text.line(
      "// Data of one lane group: nodal values [input][node][component], then what is constant.");
  text.line("typedef struct {");
  if (matrix_point_.local_inputs)
    text.line("  WEFT_LOCAL lane *in;");
  else
    text.line(fmt::format("  lane in[{}];", std::max(1, in_.num_cell_inputs())));
  if (matrix_point_.local_tables)
    for (const auto &[name, entries] : used_tables())
      text.line(fmt::format("  WEFT_LOCAL const real *local_{};", name));
  for (const Side side : in_.sides())
    if (in_.uses_cell_table(side))
      text.line(
          fmt::format("  lane {}cell_parameter[{}];", side_prefix(side), in_.cell_table.size()));
  if (in_.uses_facet_table())
    text.line(fmt::format("  lane facet_parameter[{}];", in_.facet_table.size()));
  if (in_.affine()) {
    if (in_.uses_transform())
      text.line(fmt::format("  lane k[{}];", in_.dim * in_.dim));
    if (in_.uses_determinant())
      text.line("  lane det;");
    if (in_.uses_inverse_determinant())
      text.line("  lane inverse_det;");
    if (uses_metric())
      text.line(fmt::format("  lane metric[{}];", in_.dim * (in_.dim + 1) / 2));
  }
  if (num_gradients_ > 0)
    text.line(fmt::format("  lane gradient[{}];", num_gradients_));
  if (num_fluxes_ > 0)
    text.line(fmt::format("  lane flux[{}]; // sums over the points", num_fluxes_));
  if (num_sums_ > 0)
    text.line(fmt::format("  lane sum[{}]; // of coefficients over the points", num_sums_));
  if (!in_.reads_coordinates())
    text.line("  WEFT_GLOBAL const real *stored; // [entry, lane]");
  if (in_.function.uses(SymbolKind::time))
    text.line("  real time;");
  for (const int shift : in_.shifts())
    text.line(fmt::format("  real {}; // {}", shift_name(shift), meaning_of_shift[shift]));
  if (in_.on_facets)
    text.line("  i32 slot; // local facet");
  if (in_.is_two_sided())
    text.line("  i32 p_slot; // how the plus side's cell lies to it");
  return text.text() + (directions_ ? directions_->members() : "") + "} weft_cell;\n";
}

bool CellPrinter::uses_weight() const {
  bool values = false;
  for (int k = 0; matrix_indices_ && k < in_.num_components(); ++k) {
    values = values || matrix_indices_->vector_index(k, 0) >= 0;
    for (int l = 0; l < in_.num_components(); ++l)
      values = values || matrix_indices_->value_index(k, l, 0, 0) >= 0;
  }
  for (int k = 0; k < in_.num_components(); ++k)
    values = values || value_index(k, 0) >= 0;
  return values || in_.second || !in_.reads_coordinates() || in_.uses_weight_over_determinant();
}

void CellPrinter::print_point(LaneText &text) {
  text.open(fmt::format("WEFT_FUNCTION void weft_point({}, const i32 q, {} lane *f) {{",
                        cell_argument(), matrix_point_.value_space));
  if (in_.on_facets)
    text.line(fmt::format("const i32 slot = {};",
                          in_.is_two_sided() && in_.local_facets.size() == 1 ? "0" : "cell->slot"));
  print_point_numbers(text, "q");
  if (directions_)
    directions_->print_point_head(text);
  print_geometry_at_point(text);
  const std::vector<double> &weights =
      in_.on_facets ? in_.facet_quadrature.front().points.weights : in_.quadrature.weights;
  const bool same = std::all_of(weights.begin(), weights.end(),
                                [&](double w) { return std::abs(w - weights[0]) < 1e-15; });
  if (matrix_point_.weighted)
    text.line(fmt::format("const lane point_weight = {};",
                          same ? text.constant(weights[0]) : "lane_splat(weft_weights[q])"));
  if (!same && matrix_point_.weighted)
    extra_tables_ += table_definition("weft_weights", weights, in_.precision);
  if (uses_weight() && !matrix_point_.weighted) {
    text.line("const lane weight = det;"); // no facets
  } else if (uses_weight()) {
    text.line(
        fmt::format("const lane weight = point_weight * {};", in_.on_facets ? "area" : "det"));
    text.count().multiplications += 1;
  }
  for (const Side side : in_.sides()) {
    if (!in_.uses_weight_over_determinant())
      break;
    text.line(
        fmt::format("const lane {0}weight_over_det = weight * {0}inverse_det;", side_prefix(side)));
    text.count().multiplications += 1;
  }
  print_fields(text);
  std::vector<std::string> outputs = print_pointwise(
      text, in_.function, [this](const Symbol &s) { return symbol_name(s); }, "t");
  if (in_.c_text)
    outputs = print_c_text_calls(text, in_, outputs);
  if (in_.kind == IntegralKind::matrix)
    print_matrix_results(text, outputs);
  else if (in_.kind == IntegralKind::diagonal)
    print_diagonal_results(text, outputs);
  else
    print_results(text, outputs);
  text.close();
}

CellFunctions CellPrinter::print() {
  CellFunctions result = print_functions();
  for (const BasisTables &tables : tables_)
    result.tables += tables.definitions(in_.precision);
  result.tables += extra_tables_;
  if (directions_)
    result.tables += directions_->tables();
  return result;
}

CellFunctions CellPrinter::print_functions() {
  CellFunctions result;
  if (in_.on_facets && in_.part_dim == 1 && !in_.has_normals()) {
    std::vector<double> tangents;
    for (const FacetQuadrature &edge : in_.facet_quadrature)
      tangents.insert(tangents.end(), edge.tangents.begin(), edge.tangents.end());
    extra_tables_ += "// Tangents of the reference edges: [slot, direction]\n" +
                     table_definition("weft_edge_tangent", tangents, in_.precision);
  }
  if (in_.has_normals() && !directions_) {
    std::vector<double> normals;
    for (const FacetQuadrature &facet : in_.facet_quadrature) {
      const std::vector<double> &t = facet.tangents;
      if (in_.dim == 2)
        normals.insert(normals.end(), {t[1], -t[0]});
      else
        normals.insert(normals.end(), {t[1] * t[5] - t[2] * t[4], t[2] * t[3] - t[0] * t[5],
                                       t[0] * t[4] - t[1] * t[3]});
    }
    extra_tables_ += "// Area vectors of the reference facets: [slot, direction]\n" +
                     table_definition("weft_facet_normal", normals, in_.precision);
  }
  LaneText prepare = new_text(), point = new_text(), test = new_text(), finish = new_text(),
           row = new_text();
  print_prepare(prepare);
  print_point(point);
  if (directions_) {
    directions_->print(test, [this](int k, int entry) { return value_index(k, entry); });
  } else if (in_.kind != IntegralKind::matrix) {
    print_test_add(test);
    print_test_finish(finish);
  }
  if (with_rows_)
    print_test_row(row);
  for (LaneText *text : {&prepare, &point, &finish, &row})
    text->drop_unread_names();
  if (!directions_)
    test.drop_unread_names();
  if (directions_) {
    directions_->define(result.constants);
    result.planes = directions_->plane_sizes();
  }
  result.functions = struct_text() + prepare.text();
  if (in_.c_text) {
    result.functions += c_text_declarations(in_);
    result.last = c_text_definitions(in_);
  }
  result.functions += point.text();
  (directions_ ? result.line_sums : result.functions) += test.text();
  result.functions += finish.text() + row.text();
  if (prepare.operations().flops() > 0)
    result.prepared = sum_of_constants();
  result.num_values = num_values_;
  result.num_gradients = num_gradients_;
  result.num_fluxes = num_fluxes_;
  result.prepare = prepare.operations();
  result.point = point.operations();
  (directions_ ? result.lines : result.test) = test.operations();
  result.finish = finish.operations();
  result.rows = row.operations();
  result.row_reads = row_reads_;
  if (const std::string &access = matrix_point_.local_access; !access.empty()) {
    result.prepare_local_reals = prepare.occurrences(access);
    result.point_local_reals = point.occurrences(access);
  }
  return result;
}

CellFunctions print_cell_functions(const CellIntegral &integral, bool with_rows) {
  return CellPrinter(integral, with_rows).print();
}

CellFunctions count_cell_functions(const CellIntegral &integral, bool with_rows) {
  return CellPrinter(integral, with_rows).print_functions();
}

} // namespace weft
