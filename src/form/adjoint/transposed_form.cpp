#include "form/adjoint/transposed_form.h"

#include "base/error.h"
#include "form/graph/hessian_entries.h"
#include "form/graph/rewrite.h"

namespace weft {

namespace {

// Kinds of symbols of values, gradients and second derivatives.
struct Kinds {
  SymbolKind value, gradient, hessian;
};
constexpr Kinds of_fields{SymbolKind::field, SymbolKind::field_gradient, SymbolKind::field_hessian};
constexpr Kinds of_directions{SymbolKind::direction, SymbolKind::direction_gradient,
                              SymbolKind::direction_hessian};

// The symbols that the outputs of a form's integral are paired with, in their order.
std::vector<Symbol> paired_symbols(const Form &form, const FormIntegral &integral,
                                   const Kinds &kinds) {
  std::vector<Symbol> symbols;
  for (int f = 0; f < static_cast<int>(form.fields.size()); ++f) {
    const int components = form.fields[f].components();
    for (int k = 0; k < components; ++k)
      symbols.push_back({.kind = kinds.value, .index = f, .component = k});
    for (int k = 0; k < components; ++k)
      for (int d = 0; d < form.dim; ++d)
        symbols.push_back({.kind = kinds.gradient, .index = f, .component = k, .direction = d});
  }
  for (int f = 0; integral.second && f < static_cast<int>(form.fields.size()); ++f)
    for (int k = 0; k < form.fields[f].components(); ++k)
      for (int entry = 0; entry < num_hessian_entries(form.dim); ++entry)
        symbols.push_back({.kind = kinds.hessian, .index = f, .component = k, .direction = entry});
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
  case SymbolKind::field_hessian:
    symbol.kind = SymbolKind::auxiliary_hessian;
    symbol.index += num_known;
    break;
  case SymbolKind::direction:
    symbol.kind = SymbolKind::field;
    break;
  case SymbolKind::direction_gradient:
    symbol.kind = SymbolKind::field_gradient;
    break;
  case SymbolKind::direction_hessian:
    symbol.kind = SymbolKind::field_hessian;
    break;
  default:
    break;
  }
  return graph.symbol(symbol);
}

FormIntegral transposed(const Form &form, const FormIntegral &integral) {
  require(integral.domain != Domain::interior, "a form without integrals over interior facets");
  Graph graph;
  const std::vector<Symbol> z = paired_symbols(form, integral, of_directions);
  const NodeId sum = tested(graph, insert(graph, integral.residual), z);
  std::vector<NodeId> outputs;
  for (const Symbol &g : paired_symbols(form, integral, of_fields))
    outputs.push_back(derivative(graph, std::span(&sum, 1), g)[0]);
  const int num_known = static_cast<int>(form.auxiliary.size());
  outputs = substitute(graph, outputs, [&](Graph &g, const Symbol &symbol) {
    return exchanged(g, symbol, num_known);
  });
  FormIntegral result{.domain = integral.domain,
                      .groups = integral.groups,
                      .all = integral.all,
                      .second = integral.second};
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
  const NodeId sum = tested(graph, insert(graph, integral.residual),
                            paired_symbols(form, integral, of_directions));
  return extract(graph, std::span(&sum, 1));
}

PointwiseFunction weighted_integrand(const Form &form, const FormIntegral &integral) {
  Graph graph;
  const std::vector<NodeId> outputs = insert(graph, integral.residual);
  const std::vector<Symbol> w = paired_symbols(form, integral, of_directions);
  const int dim = form.dim;
  std::vector<NodeId> weighted(1 + dim + (integral.second ? num_hessian_entries(dim) : 0),
                               graph.constant(0));
  weighted[0] = tested(graph, outputs, w);
  const auto add = [&](int to, NodeId output, Symbol symbol, SymbolKind kind, int direction) {
    symbol.kind = kind;
    symbol.direction = direction;
    weighted[to] = graph.add(weighted[to], graph.mul(output, graph.symbol(symbol)));
  };
  for (std::size_t i = 0; i < w.size(); ++i)
    if (w[i].kind == SymbolKind::direction_gradient) {
      add(1 + w[i].direction, outputs[i], w[i], SymbolKind::direction, 0);
    } else if (w[i].kind == SymbolKind::direction_hessian) {
      // (w phi)_ab = w_ab phi + w_a phi_b + w_b phi_a + w phi_ab
      const auto [a, b] = hessian_directions(dim, w[i].direction);
      add(1 + b, outputs[i], w[i], SymbolKind::direction_gradient, a);
      add(1 + a, outputs[i], w[i], SymbolKind::direction_gradient, b);
      add(1 + dim + w[i].direction, outputs[i], w[i], SymbolKind::direction, 0);
    }
  return extract(graph, weighted);
}

} // namespace weft
