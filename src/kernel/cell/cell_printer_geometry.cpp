#include "kernel/cell/cell_printer.h"

#include <fmt/format.h>

#include "kernel/text/sections.h"

namespace weft {

std::string CellPrinter::cofactor(int component, int e, int d) const {
  return of_side(component, fmt::format("k{}{}", e, d));
}

// J[d][e] = sum_i dphi_i/dxi_e x_i[d] as jDE.
void CellPrinter::print_jacobian(LaneText &text, Side side) {
  if (directions_) {
    for (int d = 0; d < in_.dim; ++d)
      for (int e = 0; e < in_.dim - (only_area() ? 1 : 0); ++e)
        text.sum("const lane ", fmt::format("j{}{}", d, e),
                 directions_->coordinate_derivative(d, e), false);
    return;
  }
  const int input = in_.coordinates_of(side), family = in_.inputs[input].family;
  const std::string prefix = side_prefix(side);
  const int num_nodes = in_.families[family].element.num_nodes();
  BasisTables &tables = tables_[family];
  if (in_.loops_over(family)) {
    for (int d = 0; d < in_.dim; ++d) {
      std::vector<NodeSum> sums;
      for (int e = 0; e < in_.dim; ++e)
        sums.push_back({fmt::format("{}x_{}_r{}", prefix, d, e), 1 + e});
      print_node_loop(text, input, d, sums);
      for (int e = 0; e < in_.dim; ++e)
        text.line(fmt::format("const lane {2}j{0}{1} = {2}x_{0}_r{1};", d, e, prefix));
    }
    return;
  }
  for (int d = 0; d < in_.dim; ++d)
    for (int e = 0; e < in_.dim; ++e) {
      std::vector<Term> terms;
      for (int i = 0; i < num_nodes; ++i)
        terms.push_back({tables.gradient(i, e), cell_entry(input, i, d)});
      // Differences such as x1 - x0 read better and stay exact with the positive term first.
      if (terms.front().coefficient.literal && terms.front().coefficient.value < 0)
        std::swap(terms.front(), terms[1 + e]);
      text.sum("const lane ", fmt::format("{}j{}{}", prefix, d, e), terms, false);
    }
}

void CellPrinter::print_cofactors(LaneText &text, Side side) const {
  const int dim = in_.dim;
  const std::string p = side_prefix(side);
  for (int e = only_area() ? dim - 1 : 0; e < dim; ++e)
    for (int d = 0; d < (in_.uses_transform() ? dim : 1); ++d) { // det takes the first column
      if (dim == 2) {
        text.line(fmt::format("const lane {5}k{0}{1} = {2}{5}j{3}{4};", e, d, e == d ? "" : "-",
                              1 - d, 1 - e, p));
      } else {
        const int d1 = (d + 1) % 3, d2 = (d + 2) % 3, e1 = (e + 1) % 3, e2 = (e + 2) % 3;
        text.line(fmt::format("const lane {10}k{0}{1} = lane_fma({10}j{2}{3}, {10}j{4}{5}, "
                              "-({10}j{6}{7} * {10}j{8}{9}));",
                              e, d, d1, e1, d2, e2, d1, e2, d2, e1, p));
        text.count().multiplications += 1;
        text.count().multiply_adds += 1;
      }
    }
  if (in_.uses_determinant()) {
    std::string det = fmt::format("{0}j00 * {0}k00", p);
    for (int e = 1; e < dim; ++e)
      det = fmt::format("lane_fma({2}j0{0}, {2}k{0}0, {1})", e, det, p);
    text.line(fmt::format("const lane {}det = {};", p, det));
    text.count().multiplications += 1;
    text.count().multiply_adds += dim - 1;
  }
  if (in_.uses_inverse_determinant()) {
    text.line(
        fmt::format("const lane {0}inverse_det = lane_splat({1}) / {0}det;", p, text.literal(1)));
    text.count().divisions += 1;
  }
}

std::vector<CellPrinter::CellConstant> CellPrinter::cell_constants() const {
  std::vector<CellConstant> constants;
  if (!in_.affine())
    return constants;
  const int dim = in_.dim;
  // At the points; coefficients of matrices are transformed there.
  bool gradients = in_.function.uses(SymbolKind::inverse_jacobian);
  bool fluxes = in_.kind == IntegralKind::matrix;
  for (const FieldUse &use : field_uses_)
    gradients = gradients || (use.gradient && use.gradient_index < 0);
  for (int k = 0; k < in_.num_components(); ++k)
    for (int entry = 1; entry < entries_a_component() && !has_summed_fluxes(k); ++entry)
      fluxes = fluxes || value_index(k, entry) >= 0;
  for (int entry = 0; entry < dim * dim && in_.uses_transform(); ++entry)
    constants.push_back({fmt::format("k[{}]", entry),
                         fmt::format("k{}{}", entry / dim, entry % dim),
                         in_.on_facets || gradients || fluxes});
  if (in_.uses_determinant())
    constants.push_back({"det", "det", !in_.on_facets && uses_weight()});
  if (in_.uses_inverse_determinant())
    constants.push_back(
        {"inverse_det", "inverse_det",
         gradients || in_.uses_weight_over_determinant() || in_.uses_gradient_pairs()});
  if (uses_metric())
    for (int entry = 0; entry < dim * (dim + 1) / 2; ++entry)
      constants.push_back({fmt::format("metric[{}]", entry), fmt::format("metric_{}", entry)});
  for (const FieldUse &use : field_uses_)
    for (int d = 0; d < dim && use.gradient_index >= 0; ++d)
      constants.push_back({fmt::format("gradient[{}]", use.gradient_index + d),
                           fmt::format("{}_d{}", use.name, d)});
  return constants;
}

void CellPrinter::print_prepare(LaneText &text) {
  text.open(fmt::format("WEFT_FUNCTION void weft_prepare_cell({}) {{", cell_argument()));
  if (in_.affine()) {
    if (in_.reads_coordinates()) {
      // All gradients of straight simplices are the same at every point: `point` is not used.
      print_jacobian(text, Side::none);
      print_cofactors(text, Side::none);
    } else {
      print_stored_transform(text, "0");
    }
    for (const FieldUse &use : field_uses_)
      if (use.gradient_index >= 0)
        print_gradient(text, use);
    if (uses_metric())
      print_metric(text);
    for (const CellConstant &constant : cell_constants())
      text.line(fmt::format("cell->{} = {};", constant.entry, constant.name));
  }
  if (num_fluxes_ > 0)
    text.line(fmt::format("WEFT_UNROLL for (i32 i = 0; i < {}; ++i) cell->flux[i] = {};",
                          num_fluxes_, text.constant(0)));
  if (num_sums_ > 0)
    text.line(fmt::format("WEFT_UNROLL for (i32 i = 0; i < {}; ++i) cell->sum[i] = {};", num_sums_,
                          text.constant(0)));
  text.close();
}

void CellPrinter::print_point_numbers(LaneText &text, const std::string &q) const {
  for (const Side side : in_.sides()) {
    const std::string p = side_prefix(side);
    const std::size_t slots =
        side == Side::plus ? in_.plus->points.size() : in_.facet_quadrature.size();
    const bool one = !in_.on_facets || (in_.is_two_sided() && slots == 1);
    text.line(fmt::format("const i32 {}point = {};", p,
                          q.empty() ? "0"
                          : one     ? q
                                    : fmt::format("cell->{}slot * WEFT_NUM_POINTS + {}", p, q)));
  }
}

// Names k.., det, inverse_det, constant gradients in scope at a point, as far as they are used, and
// x_d if the physics asks.
void CellPrinter::print_geometry_at_point(LaneText &text) {
  if (in_.affine()) {
    for (const CellConstant &constant : cell_constants())
      if (constant.at_points)
        text.line(fmt::format("const lane {} = cell->{};", constant.name, constant.entry));
  } else if (in_.on_facets && !in_.has_normals()) {
    if (in_.part_dim > 0)
      print_jacobian(text, Side::none);
  } else if (in_.reads_coordinates()) {
    for (const Side side : in_.sides()) {
      print_jacobian(text, side);
      print_cofactors(text, side);
    }
  } else {
    const StoredGeometryLayout layout = in_.stored_geometry_layout();
    print_stored_transform(
        text, text_times("point", layout.transform_entries() + layout.position_entries()));
  }
  print_map_derivatives(text);
  if (!in_.reads_coordinates())
    print_stored_positions(text);
  if (in_.reads_coordinates() && in_.function.uses(SymbolKind::coordinate))
    for (const Symbol &s : in_.function.symbols)
      if (s.kind == SymbolKind::coordinate) {
        std::vector<Term> terms;
        if (directions_)
          terms = directions_->coordinate(s.component);
        for (int i = 0; i < in_.geometry_element().num_nodes() && !directions_; ++i)
          terms.push_back({tables_[in_.inputs[0].family].value(i), cell_entry(0, i, s.component)});
        text.sum("const lane ", symbol_name(s), terms, false);
      }
  if (in_.has_normals())
    print_facet_geometry(text);
  else if (in_.on_facets)
    print_part_measure(text);
}

// What second derivatives are transformed with.
void CellPrinter::print_map_derivatives(LaneText &text) {
  for (const Symbol &s : in_.function.symbols) {
    if (s.kind == SymbolKind::inverse_jacobian) {
      const std::string p = side_prefix(s.side);
      const std::string k = fmt::format("{}k{}{}", p, s.component, s.direction);
      text.count().multiplications += in_.reads_coordinates() ? 1 : 0;
      text.line(fmt::format("const lane {} = {};", symbol_name(s),
                            in_.reads_coordinates() ? fmt::format("{} * {}inverse_det", k, p) : k));
    }
  }
  for (const Side side : in_.sides())
    for (int m = 0; m < in_.dim; ++m) {
      const int input = in_.coordinates_of(side), family = in_.inputs[input].family;
      std::vector<NodeSum> sums;
      for (const Symbol &s : in_.function.symbols)
        if (s.kind == SymbolKind::map_hessian && s.side == side && s.component == m)
          sums.push_back({symbol_name(s), 1 + in_.dim + s.direction});
      if (!sums.empty() && in_.loops_over(family)) {
        print_node_loop(text, input, m, sums);
        continue;
      }
      for (const NodeSum &sum : sums) {
        std::vector<Term> terms;
        for (int i = 0; i < in_.nodes_of(in_.inputs[input]); ++i)
          terms.push_back({tables_[family].entry(i, sum.entry), cell_entry(input, i, m)});
        text.sum("const lane ", sum.name, terms, false);
      }
    }
}

namespace {

std::string stored_load(const std::string &name, const std::string &entry) {
  return fmt::format("const lane {} = lane_load(cell->stored{});", name,
                     entry == "0" ? "" : " + (" + entry + ") * WEFT_LANES");
}

// "base + entry" without zeros.
std::string entry_past(const std::string &base, int entry) {
  return base == "0" ? std::to_string(entry) : text_plus(base, entry);
}

} // namespace

// The transform that begins at entry `base`.
void CellPrinter::print_stored_transform(LaneText &text, const std::string &base) const {
  const StoredGeometryLayout layout = in_.stored_geometry_layout();
  for (int entry = 0; entry < layout.det_entry(); ++entry)
    text.line(stored_load(fmt::format("k{}{}", entry / layout.dim, entry % layout.dim),
                          entry_past(base, entry)));
  text.line(stored_load("det", entry_past(base, layout.det_entry())));
}

void CellPrinter::print_stored_positions(LaneText &text) const {
  const StoredGeometryLayout layout = in_.stored_geometry_layout();
  const int transform = layout.transform_entries(), positions = layout.position_entries();
  for (int d = 0; d < positions; ++d)
    text.line(stored_load(
        fmt::format("x_{}", d),
        affine_text("point", positions + (layout.affine ? 0 : transform), transform + d)));
}

// `area`, by which a point's weight is multiplied: the length of J t on an edge, 1 at a vertex.
void CellPrinter::print_part_measure(LaneText &text) const {
  if (in_.part_dim == 0) {
    text.line(fmt::format("const lane area = {};", text.constant(1)));
    return;
  }
  print_image(text, "along", "j{0}{1}", "weft_edge_tangent");
  print_length(text, "along");
}

// The image of the slot's vector in `table`: component d, `vector`_d, sums the matrix's entries
// over the vector's, whose names `entry` prints of d and e.
void CellPrinter::print_image(LaneText &text, const std::string &vector, const std::string &entry,
                              const std::string &table) const {
  const int dim = in_.dim;
  for (int d = 0; d < dim; ++d) {
    std::string sum;
    for (int e = 0; e < dim; ++e) {
      const std::string factor = fmt::format(fmt::runtime(entry), d, e);
      const std::string component =
          fmt::format("lane_splat({}[{}])", table, affine_text("slot", dim, e));
      sum = e == 0 ? fmt::format("{} * {}", factor, component)
                   : fmt::format("lane_fma({}, {}, {})", factor, component, sum);
    }
    text.line(fmt::format("const lane {}_{} = {};", vector, d, sum));
    text.count().multiplications += 1;
    text.count().multiply_adds += dim - 1;
  }
}

// The length of the vector whose components have names that begin with `vector`, as `area`.
void CellPrinter::print_length(LaneText &text, const std::string &vector) const {
  std::string square = fmt::format("{0}_0 * {0}_0", vector);
  for (int d = 1; d < in_.dim; ++d)
    square = fmt::format("lane_fma({0}_{1}, {0}_{1}, {2})", vector, d, square);
  text.line(fmt::format("const lane area = lane_sqrt({});", square));
  text.count().multiplications += 1;
  text.count().multiply_adds += in_.dim - 1;
  text.count().roots += 1;
}

void CellPrinter::print_facet_geometry(LaneText &text) const {
  const int dim = in_.dim;
  // By lines the last coordinate grows from the facet into the cell.
  for (int d = 0; d < dim && directions_; ++d)
    text.line(fmt::format("const lane area_{0} = -k{1}{0};", d, dim - 1));
  if (!directions_)
    print_image(text, "area", "k{1}{0}", "weft_facet_normal");
  print_length(text, "area");
  for (const Symbol &s : in_.function.symbols)
    if (s.kind == SymbolKind::normal) {
      text.line(fmt::format("const lane {} = area_{} / area;", symbol_name(s), s.component));
      text.count().divisions += 1;
    }
}

} // namespace weft
