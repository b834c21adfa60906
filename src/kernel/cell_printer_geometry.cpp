#include "kernel/cell_printer.h"

#include <fmt/format.h>

namespace weft {

// J[d][e] = sum_i dphi_i/dxi_e x_i[d] as jDE.
void CellPrinter::print_jacobian(LaneText &text) {
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

void CellPrinter::print_cofactors(LaneText &text, const std::string &store) const {
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
        text.count().multiplications += 2;
        text.count().additions += 1;
      }
    }
  std::string det;
  for (int e = 0; e < dim; ++e) {
    const std::string k =
        store.empty() ? fmt::format("k{}0", e) : fmt::format("{}k[{}]", store, e * dim);
    det = e == 0 ? fmt::format("j00 * {}", k) : fmt::format("lane_fma(j0{}, {}, {})", e, k, det);
  }
  text.line(fmt::format("{} = {};", store.empty() ? "const lane det" : store + "det", det));
  text.count().multiplications += 1;
  text.count().multiply_adds += dim - 1;
  text.line(fmt::format("{} = lane_splat({}) / {}det;",
                        store.empty() ? "const lane inverse_det" : store + "inverse_det",
                        text.literal(1), store));
  text.count().divisions += 1;
}

void CellPrinter::print_prepare(LaneText &text) {
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
void CellPrinter::print_geometry_at_point(LaneText &text) {
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
void CellPrinter::print_stored_geometry(LaneText &text) const {
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

void CellPrinter::print_facet_geometry(LaneText &text) const {
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
    text.count().multiplications += 1;
    text.count().multiply_adds += dim - 1;
  }
  std::string square = "area_0 * area_0";
  for (int d = 1; d < dim; ++d)
    square = fmt::format("lane_fma(area_{0}, area_{0}, {1})", d, square);
  text.line(fmt::format("const lane area = lane_sqrt({});", square));
  text.count().multiplications += 1;
  text.count().multiply_adds += dim - 1;
  text.count().roots += 1;
  for (const Symbol &s : in_.function.symbols)
    if (s.kind == SymbolKind::normal) {
      text.line(fmt::format("const lane {} = area_{} / area;", symbol_name(s), s.component));
      text.count().divisions += 1;
    }
}

} // namespace weft
