#include "kernel/cell/cell_printer.h"

#include <fmt/format.h>

#include "kernel/text/sections.h"

namespace weft {

// Reference component e of a component's flux, sum_d K[e][d] flux_d: at a point, or of the sums in
// the cell.
std::string CellPrinter::reference_flux(LaneText &text, int component, int e, bool of_sums) const {
  std::string sum;
  for (int d = 0; d < in_.dim; ++d) {
    if (is_zero(output_of(component, 1 + d)))
      continue;
    const std::string k =
        of_sums ? fmt::format("cell->k[{}]", e * in_.dim + d) : cofactor(component, e, d);
    const std::string flux = of_sums ? fmt::format("cell->flux[{}]", flux_index(component, d))
                                     : fmt::format("flux{}_{}", component, d);
    (sum.empty() ? text.count().multiplications : text.count().multiply_adds) += 1;
    sum = sum.empty() ? fmt::format("{} * {}", k, flux)
                      : fmt::format("lane_fma({}, {}, {})", k, flux, sum);
  }
  return sum;
}

// f[..] = weight * f0 and weight * (reference components of f1; those of x where fluxes are
// summed).
void CellPrinter::print_results(LaneText &text, const std::vector<std::string> &outputs) {
  const int dim = in_.dim;
  // On the fly in cells det cancels in the flux: w K f1 = (w det) Jinv f1.
  const bool scaled_by_weight = in_.on_facets || !in_.reads_coordinates();
  for (int k = 0; k < in_.num_components(); ++k) {
    if (value_index(k, 0) >= 0) {
      text.line(fmt::format("f[{}] = weight * {};", value_index(k, 0), outputs[output_of(k, 0)]));
      text.count().multiplications += 1;
    }
    const bool summed = has_summed_fluxes(k);
    if (!summed && value_index(k, 1) < 0)
      continue;
    for (int d = 0; d < dim; ++d) {
      if (is_zero(output_of(k, 1 + d)))
        continue;
      text.line(fmt::format("{} = {} * {};",
                            summed ? fmt::format("f[{}]", value_index(k, 1 + d))
                                   : fmt::format("const lane flux{}_{}", k, d),
                            scaled_by_weight
                                ? (in_.on_facets ? of_side(k, "weight_over_det") : "weight")
                                : "point_weight",
                            outputs[output_of(k, 1 + d)]));
      text.count().multiplications += 1;
    }
    for (int e = 0; e < dim && !summed; ++e)
      text.line(
          fmt::format("f[{}] = {};", value_index(k, 1 + e), reference_flux(text, k, e, false)));
  }
  for (int k = 0; k < in_.num_components(); ++k)
    for (int entry = 1 + dim; entry < in_.num_entries(); ++entry)
      if (value_index(k, entry) >= 0) {
        text.line(fmt::format("f[{}] = weight * {};", value_index(k, entry),
                              outputs[output_of(k, entry)]));
        text.count().multiplications += 1;
      }
}

// Products with second derivatives, which are those of reference coordinates already.
void CellPrinter::print_diagonal_second(LaneText &text, const std::vector<std::string> &outputs,
                                        int k, const std::string &scale_of_gradient) {
  const int dim = in_.dim;
  const auto both = [&](int s, int t) { // of the products in either order
    const std::string &first = outputs[block_output(k, s, t)];
    if (s == t)
      return first;
    text.count().additions += 1;
    return fmt::format("({} + {})", first, outputs[block_output(k, t, s)]);
  };
  for (int t = 1 + dim; t < in_.num_entries(); ++t)
    for (int s = 0; s <= t; ++s) {
      const int value = value_index(k, hessian_entry(in_.num_entries(), s, t));
      if (value < 0)
        continue;
      if (s == 0 || s > dim) {
        text.line(fmt::format("f[{}] = weight * {};", value, both(s, t)));
        text.count().multiplications += 1;
        continue;
      }
      std::string sum;
      for (int d = 0; d < dim; ++d)
        sum += fmt::format("{}k{}{} * {}", d == 0 ? "" : " + ", s - 1, d, both(1 + d, t));
      text.line(fmt::format("f[{}] = {} * ({});", value, scale_of_gradient, sum));
      text.count().additions += dim - 1;
      text.count().multiplications += dim + 1;
    }
}

void CellPrinter::print_diagonal_results(LaneText &text, const std::vector<std::string> &outputs) {
  const int dim = in_.dim;
  // One factor Jinv a gradient index: K / det on the fly, Jinv itself when stored.
  const std::string scale1 = in_.reads_coordinates() ? "weight_over_det" : "weight";
  const std::string scale2 = in_.reads_coordinates() ? "weight_over_det * inverse_det" : "weight";
  for (int k = 0; k < in_.num_components(); ++k) {
    const auto block = [&](int row, int column) { return outputs[block_output(k, row, column)]; };
    if (value_index(k, 0) >= 0) {
      text.line(fmt::format("f[{}] = weight * {};", value_index(k, 0), block(0, 0)));
      text.count().multiplications += 1;
    }
    if (value_index(k, 1) >= 0)
      for (int e = 0; e < dim; ++e) {
        std::string sum;
        for (int d = 0; d < dim; ++d)
          sum += fmt::format("{}k{}{} * ({} + {})", d == 0 ? "" : " + ", e, d, block(0, 1 + d),
                             block(1 + d, 0));
        text.line(fmt::format("f[{}] = {} * ({});", value_index(k, 1 + e), scale1, sum));
        text.count().additions += 2 * dim - 1;
        text.count().multiplications += dim + 1;
      }
    print_diagonal_second(text, outputs, k, scale1);
    if (value_index(k, hessian_entry(in_.num_entries(), 1, 1)) < 0)
      continue;
    for (int e = 0; e < dim; ++e)
      for (int e2 = e; e2 < dim; ++e2) {
        const int entry = hessian_entry(in_.num_entries(), 1 + e, 1 + e2);
        std::string sum;
        for (int d = 0; d < dim; ++d)
          for (int d2 = 0; d2 < dim; ++d2) {
            const std::string g = block(1 + d, 1 + d2);
            if (is_zero(block_output(k, 1 + d, 1 + d2)))
              continue;
            const std::string forward = fmt::format("k{}{} * k{}{}", e, d, e2, d2);
            const std::string factor =
                e == e2 ? forward : fmt::format("({} + k{}{} * k{}{})", forward, e2, d, e, d2);
            text.count().multiplications += e == e2 ? 2 : 3;
            text.count().additions += (e == e2 ? 0 : 1) + (sum.empty() ? 0 : 1);
            sum += fmt::format("{}{} * {}", sum.empty() ? "" : " + ", factor, g);
          }
        text.line(fmt::format("f[{}] = {} * ({});", value_index(k, entry), scale2, sum));
        text.count().multiplications += in_.reads_coordinates() ? 2 : 1;
      }
  }
}

Coefficient CellPrinter::test_coefficient(int field, int node, int entry) {
  BasisTables &tables = tables_[in_.tests[field].family];
  if (in_.kind == IntegralKind::diagonal)
    return tables.diagonal(node, entry);
  return tables.entry(node, entry);
}

std::string CellPrinter::test_coefficient_at(int field, const std::string &node, int entry) {
  BasisTables &tables = tables_[in_.tests[field].family];
  if (in_.kind == IntegralKind::diagonal)
    return tables.diagonal_at(node, entry);
  return tables.entry_at(node, entry);
}

void CellPrinter::print_test_loop(LaneText &text, int field, int first_component) {
  const TestField &test = in_.tests[field];
  const int num_nodes = in_.families[test.family].element.num_nodes();
  text.open(fmt::format("WEFT_NO_UNROLL for (i32 i = 0; i < {}; ++i) {{", num_nodes));
  for (int k = 0; k < test.components; ++k)
    for (int entry = 0; entry < entries_a_component(); ++entry)
      if (const int index = value_index(first_component + k, entry); index >= 0) {
        text.line(fmt::format("r[{0}] = lane_fma(lane_splat({1}), f[{2}], r[{0}]);",
                              affine_text("i", test.components, in_.first_row(field) + k),
                              test_coefficient_at(field, "i", entry), index));
        text.count().multiply_adds += num_nodes;
        text.count().loop_multiply_adds += num_nodes;
      }
  text.close();
}

void CellPrinter::print_test_add(LaneText &text) {
  text.open(fmt::format("WEFT_FUNCTION void weft_test_add({}, const i32 q, "
                        "const WEFT_PRIVATE lane *f, WEFT_PRIVATE lane *r) {{",
                        cell_argument()));
  print_point_numbers(text, "q");
  const bool accumulate = in_.num_points() > 1; // the only point adds to zeros
  int first_component = 0;
  for (std::size_t field = 0; field < in_.tests.size(); ++field) {
    const TestField &test = in_.tests[field];
    const int num_nodes = in_.families[test.family].element.num_nodes();
    if (in_.loops_over(test.family))
      print_test_loop(text, static_cast<int>(field), first_component);
    for (int i = 0; i < num_nodes && !in_.loops_over(test.family); ++i)
      for (int k = 0; k < test.components; ++k) {
        std::vector<Term> terms;
        const bool summed = has_summed_fluxes(first_component + k);
        for (int entry = 0; entry < entries_a_component(); ++entry)
          if (const int index = value_index(first_component + k, entry);
              index >= 0 && !(summed && entry > 0 && entry <= in_.dim))
            terms.push_back(
                {test_coefficient(static_cast<int>(field), i, entry), fmt::format("f[{}]", index)});
        text.sum(
            "",
            fmt::format("r[{}]", in_.first_row(static_cast<int>(field)) + i * test.components + k),
            terms, accumulate);
      }
    first_component += test.components;
  }
  for (int k = 0; k < in_.num_components(); ++k)
    for (int d = 0; d < in_.dim; ++d)
      if (const int index = flux_index(k, d); index >= 0) {
        text.line(fmt::format("cell->flux[{0}] = cell->flux[{0}] + f[{1}];", index,
                              value_index(k, 1 + d)));
        text.count().additions += 1;
      }
  text.close();
}

void CellPrinter::print_test_finish(LaneText &text) {
  const int dim = in_.dim;
  text.open(fmt::format("WEFT_FUNCTION void weft_test_finish({}, WEFT_PRIVATE lane *r) {{",
                        cell_argument()));
  for (int k = 0; k < in_.num_components(); ++k) {
    if (!has_summed_fluxes(k))
      continue;
    for (int e = 0; e < dim; ++e)
      text.line(fmt::format("const lane flux{}_{} = {};", k, e, reference_flux(text, k, e, true)));
    const int field = field_of(k);
    const TestField &test = in_.tests[field];
    int first_component = 0;
    for (int other = 0; other < field; ++other)
      first_component += in_.tests[other].components;
    for (int i = 0; i < in_.families[test.family].element.num_nodes(); ++i) {
      std::vector<Term> terms;
      for (int e = 0; e < dim; ++e)
        terms.push_back({tables_[test.family].gradient(i, e), fmt::format("flux{}_{}", k, e)});
      text.sum(
          "",
          fmt::format("r[{}]", in_.first_row(field) + i * test.components + k - first_component),
          terms, true);
    }
  }
  text.close();
}

void CellPrinter::print_test_row(LaneText &text) {
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
          if (const int index = value_index(first_component + k, entry); index >= 0)
            terms.push_back({test_coefficient(static_cast<int>(field), i, entry),
                             fmt::format("lane_load_local({})", lanes_past("f", index))});
        text.open(fmt::format("case {}:",
                              in_.first_row(static_cast<int>(field)) + i * test.components + k));
        text.sum("", "r", terms, false);
        for (const Term &term : terms)
          row_reads_ += term.coefficient.literal && term.coefficient.value == 0 ? 0 : 1;
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
      if (const int index = value_index(k, entry); index >= 0)
        text.line(fmt::format("lane_store_local(f[{}], {});", index, lanes_past("values", index)));
    text.line("break;");
    text.dedent();
  }
  text.close();
  text.close();
}

} // namespace weft
