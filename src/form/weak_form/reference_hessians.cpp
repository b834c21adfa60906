#include "form/weak_form/reference_hessians.h"

#include <optional>

#include "form/graph/hessian_entries.h"
#include "form/graph/rewrite.h"

namespace weft {

namespace {

// The kind of the gradient of what has second derivatives of this kind.
std::optional<SymbolKind> gradient_kind(SymbolKind hessian) {
  switch (hessian) {
  case SymbolKind::field_hessian:
    return SymbolKind::field_gradient;
  case SymbolKind::direction_hessian:
    return SymbolKind::direction_gradient;
  case SymbolKind::auxiliary_hessian:
    return SymbolKind::auxiliary_gradient;
  case SymbolKind::rate_offset_hessian:
    return SymbolKind::rate_offset_gradient;
  default:
    return {};
  }
}

// The map of the cells on one side, as nodes of a graph.
class CellMap {
public:
  CellMap(Graph &graph, int dim, Side side, bool straight)
      : graph_(graph), dim_(dim), side_(side), straight_(straight) {}

  // The share of the second derivative `reference` by xi in that by x of number `entry`.
  NodeId share(int entry, int reference) {
    const auto [d, d2] = hessian_directions(dim_, entry);
    const auto [e, e2] = hessian_directions(dim_, reference);
    const NodeId product = graph_.mul(inverse(e, d), inverse(e2, d2));
    if (e == e2)
      return product;
    return graph_.add(product, graph_.mul(inverse(e2, d), inverse(e, d2)));
  }

  // X of x_m.
  NodeId bend(int m, int reference) {
    return straight_ ? graph_.constant(0)
                     : graph_.symbol({.kind = SymbolKind::map_hessian,
                                      .component = m,
                                      .direction = reference,
                                      .side = side_});
  }

  NodeId by_place(Symbol symbol, SymbolKind gradient) {
    const int entry = symbol.direction;
    NodeId sum = graph_.constant(0);
    for (int reference = 0; reference < num_hessian_entries(dim_); ++reference) {
      symbol.direction = reference;
      NodeId value = graph_.symbol(symbol);
      for (int m = 0; m < dim_; ++m) {
        Symbol slope = symbol;
        slope.kind = gradient;
        slope.direction = m;
        if (!straight_)
          value = graph_.sub(value, graph_.mul(bend(m, reference), graph_.symbol(slope)));
      }
      sum = graph_.add(sum, graph_.mul(share(entry, reference), value));
    }
    return sum;
  }

private:
  NodeId inverse(int e, int d) {
    return graph_.symbol(
        {.kind = SymbolKind::inverse_jacobian, .component = e, .direction = d, .side = side_});
  }

  Graph &graph_;
  int dim_;
  Side side_;
  bool straight_;
};

} // namespace

PointwiseFunction with_reference_hessians(const PointwiseFunction &function, const Form &form,
                                          Domain domain, const IsStraight &is_straight) {
  Graph graph;
  const int dim = form.dim, entries = num_hessian_entries(dim);
  std::vector<NodeId> outputs = insert(graph, function, [&](Graph &g, const Symbol &symbol) {
    const std::optional<SymbolKind> gradient = gradient_kind(symbol.kind);
    return gradient
               ? CellMap(g, dim, symbol.side, is_straight(symbol.side)).by_place(symbol, *gradient)
               : g.symbol(symbol);
  });
  const std::vector<Side> sides =
      domain == Domain::interior ? std::vector{Side::minus, Side::plus} : std::vector{Side::none};
  int components = 0;
  for (const FieldSpec &field : form.fields)
    components += field.components();
  int first = 0; // output of the field
  int second = static_cast<int>(sides.size()) * components * (1 + dim);
  for (const Side side : sides) {
    CellMap map(graph, dim, side, is_straight(side));
    for (const FieldSpec &field : form.fields) {
      const int n = field.components();
      for (int k = 0; k < n; ++k, second += entries) {
        const std::vector<NodeId> f2(outputs.begin() + second, outputs.begin() + second + entries);
        for (int reference = 0; reference < entries; ++reference) {
          NodeId sum = graph.constant(0);
          for (int entry = 0; entry < entries; ++entry)
            sum = graph.add(sum, graph.mul(map.share(entry, reference), f2[entry]));
          outputs[second + reference] = sum;
          for (int m = 0; m < dim; ++m) {
            NodeId &f1 = outputs[first + n + k * dim + m];
            f1 = graph.sub(f1, graph.mul(map.bend(m, reference), sum));
          }
        }
      }
      first += n * (1 + dim);
    }
  }
  return extract(graph, outputs);
}

} // namespace weft
