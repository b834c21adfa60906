#include "kernel/cell_functions.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "kernel/basis_tables.h"
#include "kernel/c_text.h"
#include "kernel/pointwise_text.h"

namespace weft {

namespace {

// Prints the functions of one integral; a member a function.
class Printer {
public:
  explicit Printer(const CellIntegral &integral) : in_(integral) {
    for (std::size_t family = 0; family < in_.families.size(); ++family)
      tables_.emplace_back(in_, static_cast<int>(family));
    number_values();
  }

  CellFunctions print(bool with_rows);

private:
  LaneText new_text() const { return LaneText(in_.precision); }
  const char *cell_argument() const { return "WEFT_PRIVATE weft_cell *cell"; }

  // Which entries of f are not identically zero, and their places in f; -1 for zero ones.
  void number_values();
  int entries_a_component() const {
    return in_.kind == IntegralKind::diagonal ? num_diagonal_entries(in_.dim) : 1 + in_.dim;
  }
  int value_place(int component, int entry) const {
    return place_[component * entries_a_component() + entry];
  }
  // The output of the function for component k of all, entry 0 = f0, 1 + d = f1.
  int output_of(int component, int entry) const;
  // Output (row, column) of a diagonal block.
  int block_output(int component, int row, int column) const {
    return (component * (1 + in_.dim) + row) * (1 + in_.dim) + column;
  }
  bool is_zero(int output) const {
    return in_.c_text ? c_text_output_is_zero(in_, output) : in_.function.output_is_zero(output);
  }

  std::string cell_entry(int input, int node, int component) const;
  std::string symbol_name(const Symbol &symbol) const;

  std::string struct_text() const;
  void print_jacobian(LaneText &text);
  void print_cofactors(LaneText &text, const std::string &store) const;
  void print_geometry_at_point(LaneText &text);
  void print_stored_geometry(LaneText &text) const;
  void print_facet_geometry(LaneText &text) const;
  void print_fields(LaneText &text);
  void print_gradient(LaneText &text, int input, int component, const std::string &name);
  void print_node_loop(LaneText &text, int input, int component, const std::string &value,
                       const std::string &gradient);
  void print_test_loop(LaneText &text, int field, int first_component);
  std::string test_coefficient_at(int field, const std::string &node, int entry);
  void print_results(LaneText &text, const std::vector<std::string> &outputs);
  void print_diagonal_results(LaneText &text, const std::vector<std::string> &outputs);
  Coefficient test_coefficient(int field, int node, int entry);

  void print_prepare(LaneText &text);
  void print_point(LaneText &text);
  void print_test_add(LaneText &text);
  void print_test_row(LaneText &text);

  const CellIntegral &in_;
  std::vector<BasisTables> tables_;
  std::vector<int> place_;
  int num_values_ = 0;
  std::string extra_tables_;
};

int Printer::output_of(int component, int entry) const {
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

void Printer::number_values() {
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
      used[0] = !is_zero(block_output(k, 0, 0));
      for (int e = 0; e < in_.dim; ++e)
        used[1 + e] = mixed;
      for (int entry = 1 + in_.dim; entry < entries_a_component(); ++entry)
        used[entry] = both;
    } else {
      used[0] = !is_zero(output_of(k, 0));
      bool flux = false;
      for (int d = 0; d < in_.dim; ++d)
        flux = flux || !is_zero(output_of(k, 1 + d));
      for (int e = 0; e < in_.dim; ++e)
        used[1 + e] = flux;
    }
    for (const bool u : used)
      place_.push_back(u ? num_values_++ : -1);
  }
}

std::string Printer::cell_entry(int input, int node, int component) const {
  const NodalInput &in = in_.inputs[input];
  return fmt::format("cell->in[{}]",
                     in_.first_cell_input(input) + node * in.components + component);
}

std::string Printer::symbol_name(const Symbol &s) const {
  switch (s.kind) {
  case SymbolKind::field:
    return fmt::format("u{}_{}", s.index, s.component);
  case SymbolKind::field_gradient:
    return fmt::format("u{}_{}_d{}", s.index, s.component, s.direction);
  case SymbolKind::direction:
    return fmt::format("w{}_{}", s.index, s.component);
  case SymbolKind::direction_gradient:
    return fmt::format("w{}_{}_d{}", s.index, s.component, s.direction);
  case SymbolKind::auxiliary:
    return fmt::format("a{}_{}", s.index, s.component);
  case SymbolKind::auxiliary_gradient:
    return fmt::format("a{}_{}_d{}", s.index, s.component, s.direction);
  case SymbolKind::coordinate:
    return fmt::format("x_{}", s.component);
  case SymbolKind::normal:
    return fmt::format("n_{}", s.component);
  case SymbolKind::time:
    return "lane_splat(cell->time)";
  case SymbolKind::cell_size:
    return "h";
  case SymbolKind::cell_parameter:
    return in_.cell_table[s.component] ? new_text().constant(*in_.cell_table[s.component])
                                       : fmt::format("cell->cell_parameter[{}]", s.component);
  case SymbolKind::facet_parameter:
    return in_.facet_table[s.component] ? new_text().constant(*in_.facet_table[s.component])
                                        : fmt::format("cell->facet_parameter[{}]", s.component);
  case SymbolKind::field_rate:
  case SymbolKind::direction_rate:
  case SymbolKind::test:
  case SymbolKind::test_gradient:
    break;
  }
  throw Error(ErrorKind::unsupported,
              {.what = "a time derivative in a kernel",
               .remedy = "remove dt() from the weak form: transient problems come later"});
}

std::string Printer::struct_text() const {
  const int d2 = in_.dim * in_.dim;
  LaneText text = new_text();
  text.line(
      "// Data of one lane group: nodal values [input][node][component], then what is constant.");
  text.line("typedef struct {");
  text.line(fmt::format("  lane in[{}];", std::max(1, in_.num_cell_inputs())));
  if (in_.uses_cell_table())
    text.line(fmt::format("  lane cell_parameter[{}];", in_.cell_table.size()));
  if (in_.uses_facet_table())
    text.line(fmt::format("  lane facet_parameter[{}];", in_.facet_table.size()));
  if (in_.affine())
    text.line(fmt::format("  lane k[{}], det, inverse_det;", d2));
  if (!in_.reads_coordinates())
    text.line("  WEFT_GLOBAL const real *stored; // [entry, lane]");
  text.line("  real time;");
  text.line("  i32 slot; // local facet");
  text.line("} weft_cell;");
  return text.text();
}

// J[d][e] = sum_i dphi_i/dxi_e x_i[d] as jDE.
void Printer::print_jacobian(LaneText &text) {
  const Element &element = in_.geometry_element();
  BasisTables &tables = tables_[in_.inputs[0].family];
  if (in_.loops_over(in_.inputs[0].family)) {
    for (int d = 0; d < in_.dim; ++d) {
      print_node_loop(text, 0, d, "", fmt::format("x_{}", d));
      for (int e = 0; e < in_.dim; ++e)
        text.line(fmt::format("const lane j{0}{1} = x_{0}_r{1};", d, e));
    }
    return;
  }
  for (int d = 0; d < in_.dim; ++d)
    for (int e = 0; e < in_.dim; ++e) {
      std::vector<Term> terms;
      for (int i = 0; i < element.num_nodes(); ++i)
        terms.push_back({tables.gradient(i, e), cell_entry(0, i, d)});
      // Differences such as x1 - x0 read better and stay exact with the positive term first.
      if (terms.front().coefficient.literal && terms.front().coefficient.value < 0)
        std::swap(terms.front(), terms[1 + e]);
      text.sum("const lane ", fmt::format("j{}{}", d, e), terms, false);
    }
}

void Printer::print_cofactors(LaneText &text, const std::string &store) const {
  const int dim = in_.dim;
  const auto k_name = [&](int e, int d) {
    return store.empty() ? fmt::format("const lane k{}{}", e, d)
                         : fmt::format("{}k[{}]", store, e * dim + d);
  };
  for (int e = 0; e < dim; ++e)
    for (int d = 0; d < dim; ++d) {
      if (dim == 2) {
        text.line(fmt::format("{} = {}j{}{};", k_name(e, d), e == d ? "" : "-", 1 - d, 1 - e));
      } else {
        const int d1 = (d + 1) % 3, d2 = (d + 2) % 3, e1 = (e + 1) % 3, e2 = (e + 2) % 3;
        text.line(fmt::format("{} = j{}{} * j{}{} - j{}{} * j{}{};", k_name(e, d), d1, e1, d2, e2,
                              d1, e2, d2, e1));
        text.count(3);
      }
    }
  std::string det;
  for (int e = 0; e < dim; ++e) {
    const std::string k =
        store.empty() ? fmt::format("k{}0", e) : fmt::format("{}k[{}]", store, e * dim);
    det = e == 0 ? fmt::format("j00 * {}", k) : fmt::format("lane_fma(j0{}, {}, {})", e, k, det);
  }
  text.line(fmt::format("{} = {};", store.empty() ? "const lane det" : store + "det", det));
  text.count(2 * dim - 1);
  text.line(fmt::format("{} = lane_splat({}) / {}det;",
                        store.empty() ? "const lane inverse_det" : store + "inverse_det",
                        text.literal(1), store));
  text.count(1);
}

void Printer::print_prepare(LaneText &text) {
  text.open(fmt::format("WEFT_FUNCTION void weft_prepare_cell({}) {{", cell_argument()));
  if (in_.affine() && in_.reads_coordinates()) {
    // All gradients of straight simplices are the same at every point: `point` is not used.
    print_jacobian(text);
    print_cofactors(text, "cell->");
  } else if (in_.affine()) {
    const int d2 = in_.dim * in_.dim;
    for (int entry = 0; entry < d2; ++entry)
      text.line(fmt::format("cell->k[{0}] = lane_load(cell->stored + {0} * WEFT_LANES);", entry));
    text.line(fmt::format("cell->det = lane_load(cell->stored + {} * WEFT_LANES);", d2));
  }
  text.close();
}

// Names k.., det, inverse_det (on the fly) in scope at a point, and x_d if the physics asks.
void Printer::print_geometry_at_point(LaneText &text) {
  const int dim = in_.dim;
  if (in_.affine()) {
    for (int entry = 0; entry < dim * dim; ++entry)
      text.line(fmt::format("const lane k{}{} = cell->k[{}];", entry / dim, entry % dim, entry));
    text.line("const lane det = cell->det;");
    if (in_.reads_coordinates())
      text.line("const lane inverse_det = cell->inverse_det;");
  } else if (in_.reads_coordinates()) {
    print_jacobian(text);
    print_cofactors(text, "");
  }
  if (!in_.reads_coordinates())
    print_stored_geometry(text);
  if (in_.reads_coordinates() && in_.function.uses(SymbolKind::coordinate))
    for (const Symbol &s : in_.function.symbols)
      if (s.kind == SymbolKind::coordinate) {
        std::vector<Term> terms;
        for (int i = 0; i < in_.geometry_element().num_nodes(); ++i)
          terms.push_back({tables_[in_.inputs[0].family].value(i), cell_entry(0, i, s.component)});
        text.sum("const lane ", symbol_name(s), terms, false);
      }
  if (in_.on_facets)
    print_facet_geometry(text);
}

// Layout of stored geometry: affine: Jinv[e][d], det, then x at each point; else all of that a
// point.
void Printer::print_stored_geometry(LaneText &text) const {
  const int dim = in_.dim, transform = dim * dim + 1;
  const int position = in_.function.uses(SymbolKind::coordinate) ? dim : 0;
  const auto load = [&](const std::string &name, const std::string &entry) {
    text.line(
        fmt::format("const lane {} = lane_load(cell->stored + ({}) * WEFT_LANES);", name, entry));
  };
  if (!in_.affine()) {
    const std::string base = fmt::format("point * {}", transform + position);
    for (int entry = 0; entry < dim * dim; ++entry)
      load(fmt::format("k{}{}", entry / dim, entry % dim), fmt::format("{} + {}", base, entry));
    load("det", fmt::format("{} + {}", base, dim * dim));
    for (int d = 0; d < position; ++d)
      load(fmt::format("x_{}", d), fmt::format("{} + {}", base, transform + d));
  } else {
    for (int d = 0; d < position; ++d)
      load(fmt::format("x_{}", d), fmt::format("{} + point * {} + {}", transform, dim, d));
  }
}

void Printer::print_facet_geometry(LaneText &text) const {
  const int dim = in_.dim;
  for (int d = 0; d < dim; ++d) {
    std::string sum;
    for (int e = 0; e < dim; ++e) {
      const std::string reference =
          fmt::format("lane_splat(weft_facet_normal[slot * {} + {}])", dim, e);
      sum = e == 0 ? fmt::format("k{}{} * {}", e, d, reference)
                   : fmt::format("lane_fma(k{}{}, {}, {})", e, d, reference, sum);
    }
    text.line(fmt::format("const lane area_{} = {};", d, sum));
    text.count(2 * dim - 1);
  }
  std::string square = "area_0 * area_0";
  for (int d = 1; d < dim; ++d)
    square = fmt::format("lane_fma(area_{0}, area_{0}, {1})", d, square);
  text.line(fmt::format("const lane area = lane_sqrt({});", square));
  text.count(2 * dim);
  for (const Symbol &s : in_.function.symbols)
    if (s.kind == SymbolKind::normal) {
      text.line(fmt::format("const lane {} = area_{} / area;", symbol_name(s), s.component));
      text.count(1);
    }
}

// Sums over the nodes of an input as a loop: `value`, and `gradient`_r0, ... in reference
// coordinates; empty names are left out.
void Printer::print_node_loop(LaneText &text, int input, int component, const std::string &value,
                              const std::string &gradient) {
  const NodalInput &in = in_.inputs[input];
  BasisTables &tables = tables_[in.family];
  std::vector<std::pair<std::string, std::string>> sums; // variable, coefficient
  if (!value.empty())
    sums.emplace_back(value, tables.value_at("i"));
  for (int e = 0; e < in_.dim && !gradient.empty(); ++e)
    sums.emplace_back(fmt::format("{}_r{}", gradient, e), tables.gradient_at("i", e));
  for (const auto &[variable, coefficient] : sums)
    text.line(fmt::format("lane {} = {};", variable, text.constant(0)));
  text.open(fmt::format("WEFT_NO_UNROLL for (i32 i = 0; i < {}; ++i) {{", in_.nodes_of(in)));
  text.line(fmt::format("const lane at_node = cell->in[{} + i * {}];",
                        in_.first_cell_input(input) + component, in.components));
  for (const auto &[variable, coefficient] : sums)
    text.line(fmt::format("{0} = lane_fma(lane_splat({1}), at_node, {0});", variable, coefficient));
  text.close();
  text.count(2 * static_cast<std::int64_t>(sums.size()) * in_.nodes_of(in));
}

void Printer::print_gradient(LaneText &text, int input, int component, const std::string &name) {
  const NodalInput &in = in_.inputs[input];
  const int dim = in_.dim;
  for (int e = 0; e < dim && !in_.loops_over(in.family); ++e) {
    std::vector<Term> terms;
    for (int i = 0; i < in_.nodes_of(in); ++i)
      terms.push_back({tables_[in.family].gradient(i, e), cell_entry(input, i, component)});
    if (terms.front().coefficient.literal && terms.front().coefficient.value < 0 &&
        static_cast<int>(terms.size()) > 1 + e)
      std::swap(terms.front(), terms[1 + e]);
    text.sum("const lane ", fmt::format("{}_r{}", name, e), terms, false);
  }
  for (int d = 0; d < dim; ++d) {
    std::string sum;
    for (int e = 0; e < dim; ++e)
      sum = e == 0 ? fmt::format("k{}{} * {}_r{}", e, d, name, e)
                   : fmt::format("lane_fma(k{}{}, {}_r{}, {})", e, d, name, e, sum);
    text.count(2 * dim - 1);
    if (in_.reads_coordinates()) {
      sum = fmt::format("({}) * inverse_det", sum);
      text.count(1);
    }
    text.line(fmt::format("const lane {}_d{} = {};", name, d, sum));
  }
}

void Printer::print_fields(LaneText &text) {
  const auto kinds = [](NodalInput::Kind kind) -> std::pair<SymbolKind, SymbolKind> {
    switch (kind) {
    case NodalInput::Kind::direction:
      return {SymbolKind::direction, SymbolKind::direction_gradient};
    case NodalInput::Kind::auxiliary:
      return {SymbolKind::auxiliary, SymbolKind::auxiliary_gradient};
    default:
      return {SymbolKind::field, SymbolKind::field_gradient};
    }
  };
  for (std::size_t input = 0; input < in_.inputs.size(); ++input) {
    const NodalInput &in = in_.inputs[input];
    if (in.kind == NodalInput::Kind::coordinates)
      continue;
    if (in.kind == NodalInput::Kind::cell_size) {
      text.line(fmt::format("const lane h = {};", cell_entry(static_cast<int>(input), 0, 0)));
      continue;
    }
    const auto [value_kind, gradient_kind] = kinds(in.kind);
    for (int k = 0; k < in.components; ++k) {
      bool value = false, gradient = false;
      for (const Symbol &s : in_.function.symbols)
        if (s.index == in.index && s.component == k) {
          value = value || s.kind == value_kind;
          gradient = gradient || s.kind == gradient_kind;
        }
      const std::string name = symbol_name({.kind = value_kind, .index = in.index, .component = k});
      if (in.family < 0) {
        if (value)
          text.line(
              fmt::format("const lane {} = {};", name, cell_entry(static_cast<int>(input), 0, k)));
        if (gradient)
          for (int d = 0; d < in_.dim; ++d)
            text.line(fmt::format("const lane {}_d{} = {};", name, d, text.constant(0)));
        continue;
      }
      if (in_.loops_over(in.family)) {
        if (value || gradient)
          print_node_loop(text, static_cast<int>(input), k, value ? name : "",
                          gradient ? name : "");
      } else if (value) {
        std::vector<Term> terms;
        for (int i = 0; i < in_.nodes_of(in); ++i)
          terms.push_back({tables_[in.family].value(i), cell_entry(static_cast<int>(input), i, k)});
        text.sum("const lane ", name, terms, false);
      }
      if (gradient)
        print_gradient(text, static_cast<int>(input), k, name);
    }
  }
}

// f[..] = weight * f0 and weight * (reference components of f1).
void Printer::print_results(LaneText &text, const std::vector<std::string> &outputs) {
  const int dim = in_.dim;
  // On the fly in cells det cancels in the flux: w K f1 = (w det) Jinv f1.
  const bool scaled_by_weight = in_.on_facets || !in_.reads_coordinates();
  for (int k = 0; k < in_.num_components(); ++k) {
    if (value_place(k, 0) >= 0) {
      text.line(fmt::format("f[{}] = weight * {};", value_place(k, 0), outputs[output_of(k, 0)]));
      text.count(1);
    }
    if (value_place(k, 1) < 0)
      continue;
    for (int d = 0; d < dim; ++d) {
      if (is_zero(output_of(k, 1 + d)))
        continue;
      text.line(fmt::format("const lane flux{}_{} = {} * {};", k, d,
                            scaled_by_weight ? (in_.on_facets ? "weight_over_det" : "weight")
                                             : "point_weight",
                            outputs[output_of(k, 1 + d)]));
      text.count(1);
    }
    for (int e = 0; e < dim; ++e) {
      std::string sum;
      for (int d = 0; d < dim; ++d) {
        if (is_zero(output_of(k, 1 + d)))
          continue;
        sum = sum.empty() ? fmt::format("k{}{} * flux{}_{}", e, d, k, d)
                          : fmt::format("lane_fma(k{}{}, flux{}_{}, {})", e, d, k, d, sum);
        text.count(sum.find("fma") == std::string::npos ? 1 : 2);
      }
      text.line(fmt::format("f[{}] = {};", value_place(k, 1 + e), sum));
    }
  }
}

void Printer::print_diagonal_results(LaneText &text, const std::vector<std::string> &outputs) {
  const int dim = in_.dim;
  // One factor Jinv a gradient index: K / det on the fly, Jinv itself when stored.
  const std::string scale1 = in_.reads_coordinates() ? "weight_over_det" : "weight";
  const std::string scale2 = in_.reads_coordinates() ? "weight_over_det * inverse_det" : "weight";
  for (int k = 0; k < in_.num_components(); ++k) {
    const auto block = [&](int row, int column) { return outputs[block_output(k, row, column)]; };
    if (value_place(k, 0) >= 0) {
      text.line(fmt::format("f[{}] = weight * {};", value_place(k, 0), block(0, 0)));
      text.count(1);
    }
    if (value_place(k, 1) >= 0)
      for (int e = 0; e < dim; ++e) {
        std::string sum;
        for (int d = 0; d < dim; ++d)
          sum += fmt::format("{}k{}{} * ({} + {})", d == 0 ? "" : " + ", e, d, block(0, 1 + d),
                             block(1 + d, 0));
        text.line(fmt::format("f[{}] = {} * ({});", value_place(k, 1 + e), scale1, sum));
        text.count(3 * dim);
      }
    if (value_place(k, 1 + dim) < 0)
      continue;
    int entry = 1 + dim;
    for (int e = 0; e < dim; ++e)
      for (int e2 = e; e2 < dim; ++e2, ++entry) {
        std::string sum;
        for (int d = 0; d < dim; ++d)
          for (int d2 = 0; d2 < dim; ++d2) {
            const std::string g = block(1 + d, 1 + d2);
            if (is_zero(block_output(k, 1 + d, 1 + d2)))
              continue;
            const std::string forward = fmt::format("k{}{} * k{}{}", e, d, e2, d2);
            const std::string factor =
                e == e2 ? forward : fmt::format("({} + k{}{} * k{}{})", forward, e2, d, e, d2);
            text.count((e == e2 ? 2 : 4) + (sum.empty() ? 0 : 1));
            sum += fmt::format("{}{} * {}", sum.empty() ? "" : " + ", factor, g);
          }
        text.line(fmt::format("f[{}] = {} * ({});", value_place(k, entry), scale2, sum));
        text.count(in_.reads_coordinates() ? 2 : 1);
      }
  }
}

void Printer::print_point(LaneText &text) {
  text.open(fmt::format("WEFT_FUNCTION void weft_point({}, const i32 q, WEFT_PRIVATE lane *f) {{",
                        cell_argument()));
  if (in_.on_facets) {
    text.line("const i32 slot = cell->slot;");
    text.line("const i32 point = slot * WEFT_NUM_POINTS + q;");
  } else {
    text.line("const i32 point = q;");
  }
  print_geometry_at_point(text);
  const std::vector<double> &weights =
      in_.on_facets ? in_.facet_quadrature.front().points.weights : in_.quadrature.weights;
  const bool same = std::all_of(weights.begin(), weights.end(),
                                [&](double w) { return std::abs(w - weights[0]) < 1e-15; });
  text.line(fmt::format("const lane point_weight = {};",
                        same ? text.constant(weights[0]) : "lane_splat(weft_weights[q])"));
  if (!same)
    extra_tables_ += table_definition("weft_weights", weights, in_.precision);
  text.line(fmt::format("const lane weight = point_weight * {};", in_.on_facets ? "area" : "det"));
  text.count(1);
  if (in_.reads_coordinates() && (in_.on_facets || in_.kind == IntegralKind::diagonal)) {
    text.line("const lane weight_over_det = weight * inverse_det;");
    text.count(1);
  }
  print_fields(text);
  std::vector<std::string> outputs = print_pointwise(
      text, in_.function, [this](const Symbol &s) { return symbol_name(s); }, "t");
  if (in_.c_text)
    outputs = print_c_text_calls(text, in_, outputs);
  if (in_.kind == IntegralKind::diagonal)
    print_diagonal_results(text, outputs);
  else
    print_results(text, outputs);
  text.close();
}

Coefficient Printer::test_coefficient(int field, int node, int entry) {
  BasisTables &tables = tables_[in_.tests[field].family];
  if (in_.kind == IntegralKind::diagonal)
    return tables.diagonal(node, entry);
  return entry == 0 ? tables.value(node) : tables.gradient(node, entry - 1);
}

std::string Printer::test_coefficient_at(int field, const std::string &node, int entry) {
  BasisTables &tables = tables_[in_.tests[field].family];
  if (in_.kind == IntegralKind::diagonal)
    return tables.diagonal_at(node, entry);
  return entry == 0 ? tables.value_at(node) : tables.gradient_at(node, entry - 1);
}

void Printer::print_test_loop(LaneText &text, int field, int first_component) {
  const TestField &test = in_.tests[field];
  const int num_nodes = in_.families[test.family].element.num_nodes();
  text.open(fmt::format("WEFT_NO_UNROLL for (i32 i = 0; i < {}; ++i) {{", num_nodes));
  for (int k = 0; k < test.components; ++k)
    for (int entry = 0; entry < entries_a_component(); ++entry)
      if (const int place = value_place(first_component + k, entry); place >= 0) {
        text.line(fmt::format("r[{0} + i * {1}] = lane_fma(lane_splat({2}), f[{3}], r[{0} + i * "
                              "{1}]);",
                              in_.first_row(field) + k, test.components,
                              test_coefficient_at(field, "i", entry), place));
        text.count(2 * num_nodes);
      }
  text.close();
}

void Printer::print_test_add(LaneText &text) {
  text.open(fmt::format("WEFT_FUNCTION void weft_test_add({}, const i32 q, "
                        "const WEFT_PRIVATE lane *f, WEFT_PRIVATE lane *r) {{",
                        cell_argument()));
  text.line(in_.on_facets ? "const i32 point = cell->slot * WEFT_NUM_POINTS + q;"
                          : "const i32 point = q;");
  int first_component = 0;
  for (std::size_t field = 0; field < in_.tests.size(); ++field) {
    const TestField &test = in_.tests[field];
    const int num_nodes = in_.families[test.family].element.num_nodes();
    if (in_.loops_over(test.family))
      print_test_loop(text, static_cast<int>(field), first_component);
    for (int i = 0; i < num_nodes && !in_.loops_over(test.family); ++i)
      for (int k = 0; k < test.components; ++k) {
        std::vector<Term> terms;
        for (int entry = 0; entry < entries_a_component(); ++entry)
          if (const int place = value_place(first_component + k, entry); place >= 0)
            terms.push_back(
                {test_coefficient(static_cast<int>(field), i, entry), fmt::format("f[{}]", place)});
        text.sum(
            "",
            fmt::format("r[{}]", in_.first_row(static_cast<int>(field)) + i * test.components + k),
            terms, true);
      }
    first_component += test.components;
  }
  text.close();
}

void Printer::print_test_row(LaneText &text) {
  text.line("// One row, for threads that each own a row; f: the point's values in local memory.");
  text.open(
      "WEFT_FUNCTION lane weft_test_row(const i32 q, const i32 row, const WEFT_LOCAL real *f) "
      "{");
  text.line("const i32 point = q;");
  text.line("lane r = lane_splat(0);");
  text.open("switch (row) {");
  int first_component = 0;
  for (std::size_t field = 0; field < in_.tests.size(); ++field) {
    const TestField &test = in_.tests[field];
    const int num_nodes = in_.families[test.family].element.num_nodes();
    for (int i = 0; i < num_nodes; ++i)
      for (int k = 0; k < test.components; ++k) {
        std::vector<Term> terms;
        for (int entry = 0; entry < entries_a_component(); ++entry)
          if (const int place = value_place(first_component + k, entry); place >= 0)
            terms.push_back({test_coefficient(static_cast<int>(field), i, entry),
                             fmt::format("lane_load_local(f + {} * WEFT_LANES)", place)});
        text.open(fmt::format("case {}:",
                              in_.first_row(static_cast<int>(field)) + i * test.components + k));
        text.sum("", "r", terms, false);
        text.line("break;");
        text.dedent();
      }
    first_component += test.components;
  }
  text.close();
  text.line("return r;");
  text.close();
  text.line("// Keeps a component's values of a point, for threads that each own a component.");
  text.open("WEFT_FUNCTION void weft_store_component(const i32 component, const WEFT_PRIVATE lane "
            "*f, WEFT_LOCAL real *values) {");
  text.open("switch (component) {");
  for (int k = 0; k < in_.num_components(); ++k) {
    text.open(fmt::format("case {}:", k));
    for (int entry = 0; entry < entries_a_component(); ++entry)
      if (const int place = value_place(k, entry); place >= 0)
        text.line(fmt::format("lane_store_local(f[{0}], values + {0} * WEFT_LANES);", place));
    text.line("break;");
    text.dedent();
  }
  text.close();
  text.close();
}

CellFunctions Printer::print(bool with_rows) {
  CellFunctions result;
  if (in_.on_facets) {
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
  LaneText prepare = new_text(), point = new_text(), test = new_text(), row = new_text();
  print_prepare(prepare);
  print_point(point);
  print_test_add(test);
  if (with_rows)
    print_test_row(row);
  for (const BasisTables &tables : tables_)
    result.tables += tables.definitions(in_.precision);
  result.tables += extra_tables_;
  result.functions = struct_text() + prepare.text();
  if (in_.c_text) {
    result.functions += c_text_declarations(in_);
    result.last = c_text_definitions(in_);
  }
  result.functions += point.text() + test.text() + row.text();
  result.num_values = num_values_;
  result.flops_prepare = prepare.flops();
  result.flops_point = point.flops();
  result.flops_test = test.flops();
  return result;
}

} // namespace

CellFunctions print_cell_functions(const CellIntegral &integral, bool with_rows) {
  return Printer(integral).print(with_rows);
}

} // namespace weft
