#include "form/adjoint/transposed_form.h"

#include "base/error.h"
#include "form/graph/rewrite.h"

namespace weft {

namespace {

// The symbols of a kind that the outputs of a form's integral are paired with, in their order; the
// gradient's have the kind that follows `value`'s.
std::vector<Symbol> paired_symbols(const Form &form, SymbolKind value, SymbolKind gradient) {
  std::vector<Symbol> symbols;
  for (int f = 0; f < static_cast<int>(form.fields.size()); ++f) {
    const int components = form.fields[f].components();
    for (int k = 0; k < components; ++k)
      symbols.push_back({.kind = value, .index = f, .component = k});
    for (int k = 0; k < components; ++k)
      for (int d = 0; d < form.dim; ++d)
        symbols.push_back({.kind = gradient, .index = f, .component = k, .direction = d});
  }
  return symbols;
}

// sum_i outputs_i w_i, w the direction.
NodeId tested(Graph &graph, const std::vector<NodeId> &outputs, const std::vector<Symbol> &w) {
  require(outputs.size() == w.size(), "an output for each test function");
  NodeId sum = graph.constant(0);
  for (std::size_t i = 0; i < w.size(); ++i)
    sum = graph.add(sum, graph.mul(outputs[i], graph.symbol(w[i])));
  return sum;
}

// The state becomes known, the direction the unknown.
NodeId exchanged(Graph &graph, Symbol symbol, int num_known) {
  switch (symbol.kind) {
  case SymbolKind::field:
    symbol.kind = SymbolKind::auxiliary;
    symbol.index += num_known;
    break;
  case SymbolKind::field_gradient:
    symbol.kind = SymbolKind::auxiliary_gradient;
    symbol.index += num_known;
    break;
  case SymbolKind::direction:
    symbol.kind = SymbolKind::field;
    break;
  case SymbolKind::direction_gradient:
    symbol.kind = SymbolKind::field_gradient;
    break;
  default:
    break;
  }
  return graph.symbol(symbol);
}

FormIntegral transposed(const Form &form, const FormIntegral &integral) {
  require(integral.domain != Domain::interior, "a form without integrals over interior facets");
  Graph graph;
  const std::vector<Symbol> z =
      paired_symbols(form, SymbolKind::direction, SymbolKind::direction_gradient);
  const NodeId sum = tested(graph, insert(graph, integral.residual), z);
  std::vector<NodeId> outputs;
  for (const Symbol &g : paired_symbols(form, SymbolKind::field, SymbolKind::field_gradient))
    outputs.push_back(derivative(graph, std::span(&sum, 1), g)[0]);
  const int num_known = static_cast<int>(form.auxiliary.size());
  outputs = substitute(graph, outputs, [&](Graph &g, const Symbol &symbol) {
    return exchanged(g, symbol, num_known);
  });
  FormIntegral result{.domain = integral.domain, .groups = integral.groups, .all = integral.all};
  result.residual = extract(graph, outputs);
  result.linearised = extract(graph, directional_derivative(graph, outputs));
  return result;
}

} // namespace

Form transposed_form(const Form &form) {
  require(form.c_text.empty(), "a form whose derivatives are known");
  Form result{.dim = form.dim,
              .fields = form.fields,
              .auxiliary = form.auxiliary,
              .cell_table = form.cell_table,
              .facet_table = form.facet_table,
              .linear = true,
              .symmetric = form.symmetric};
  result.auxiliary.insert(result.auxiliary.end(), form.fields.begin(), form.fields.end());
  for (const FormIntegral &integral : form.integrals)
    result.integrals.push_back(transposed(form, integral));
  return result;
}

PointwiseFunction tested_integrand(const Form &form, const FormIntegral &integral) {
  Graph graph;
  const NodeId sum =
      tested(graph, insert(graph, integral.residual),
             paired_symbols(form, SymbolKind::direction, SymbolKind::direction_gradient));
  return extract(graph, std::span(&sum, 1));
}

PointwiseFunction weighted_integrand(const Form &form, const FormIntegral &integral) {
  Graph graph;
  const std::vector<NodeId> outputs = insert(graph, integral.residual);
  const std::vector<Symbol> w =
      paired_symbols(form, SymbolKind::direction, SymbolKind::direction_gradient);
  std::vector<NodeId> weighted(1 + form.dim, graph.constant(0));
  weighted[0] = tested(graph, outputs, w);
  for (std::size_t i = 0; i < w.size(); ++i)
    if (w[i].kind == SymbolKind::direction_gradient) {
      NodeId &flux = weighted[1 + w[i].direction];
      const Symbol value{
          .kind = SymbolKind::direction, .index = w[i].index, .component = w[i].component};
      flux = graph.add(flux, graph.mul(outputs[i], graph.symbol(value)));
    }
  return extract(graph, weighted);
}

} // namespace weft
