#include "form/expression/term_regions.h"

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "form/expression/in_regions.h"
#include "form/graph/differentiate.h"
#include "form/graph/rewrite.h"

namespace weft {

namespace {

using OfTerm = std::function<NodeId(NodeId term, const TermRegions &also)>;

TermRegions both(TermRegions a, const TermRegions &b) {
  a.insert(b.begin(), b.end());
  return a;
}

// Calls `of_term` for each term that a node is a sum of, factors that are sums multiplied out where
// their terms have different regions, and returns the sum of what it gives.
NodeId sum_over_terms(Graph &g, RegionsOfNodes &regions, NodeId id, const TermRegions &also,
                      const OfTerm &of_term) {
  if (regions.is_one_term(id, also))
    return of_term(id, also);
  const Node node = g[id]; // a copy: making nodes moves the storage
  const NodeId a = node.operand[0], b = node.operand[1], c = node.operand[2];
  const auto terms_of = [&](NodeId operand, const TermRegions &more, const OfTerm &then) {
    return sum_over_terms(g, regions, operand, more, then);
  };
  switch (node.op) {
  case Op::neg:
    return g.neg(terms_of(a, also, of_term));
  case Op::mul: {
    const bool last_first = regions.is_one_term(b, also); // its regions are those of all terms
    return terms_of(last_first ? b : a, also, [&](NodeId x, const TermRegions &more) {
      return terms_of(last_first ? a : b, both(more, regions.of(x)),
                      [&](NodeId y, const TermRegions &all) { return of_term(g.mul(x, y), all); });
    });
  }
  case Op::div:
    return terms_of(a, both(also, regions.of(b)),
                    [&](NodeId x, const TermRegions &all) { return of_term(g.div(x, b), all); });
  case Op::where: {
    const TermRegions with_condition = both(also, regions.of(a));
    const NodeId then = terms_of(b, with_condition, of_term);
    return g.make(Op::where, a, then, terms_of(c, with_condition, of_term));
  }
  default: { // add, sub
    const NodeId first = terms_of(a, also, of_term);
    return g.make(node.op, first, terms_of(b, also, of_term));
  }
  }
}

// Which of the two cells is the minus one is not the user's choice, and so the sign of n is not.
void check_normal(const Graph &graph, NodeId term, const TermRegions &regions,
                  const SourceText &where) {
  const bool on_one_side =
      std::any_of(regions.begin(), regions.end(),
                  [](const TermRegion &region) { return region.side == Side::none; });
  const std::vector<bool> needed = reachable(graph.nodes(), std::span(&term, 1));
  bool has_normal = false, knows_side = false;
  for (std::size_t id = 0; id < needed.size(); ++id)
    if (const Node &node = graph[static_cast<NodeId>(id)]; needed[id] && node.op == Op::symbol) {
      const Symbol &symbol = graph.symbols()[node.symbol];
      has_normal = has_normal || symbol.kind == SymbolKind::normal;
      knows_side =
          knows_side || (symbol.kind == SymbolKind::cell_parameter && symbol.side != Side::none);
    }
  if (on_one_side && has_normal && !knows_side)
    throw Error(
        ErrorKind::input,
        {.what = "n beside a field without minus() or plus(): which way it points is not said",
         .where = where.where(),
         .found = where.text,
         .allowed = "n with a sign by region",
         .remedy = "add a parameter such as out = { fluid = 1, solid = -1 } and write "
                   "minus(out)*n, which points out of fluid"});
}

} // namespace

bool has_regions(const std::vector<FieldSpec> &fields, const std::vector<FieldSpec> &auxiliary) {
  const auto any = [](const std::vector<FieldSpec> &specs) {
    return std::any_of(specs.begin(), specs.end(),
                       [](const FieldSpec &spec) { return !spec.cells.empty(); });
  };
  return any(fields) || any(auxiliary);
}

const std::vector<std::string> *RegionsOfNodes::of_symbol(const Symbol &symbol) const {
  const std::vector<FieldSpec> *specs = nullptr;
  switch (symbol.kind) {
  case SymbolKind::field:
  case SymbolKind::field_gradient:
  case SymbolKind::field_hessian:
  case SymbolKind::field_rate:
  case SymbolKind::field_rate_gradient:
  case SymbolKind::field_rate_hessian:
  case SymbolKind::test:
  case SymbolKind::test_gradient:
  case SymbolKind::test_hessian:
    specs = &fields_;
    break;
  case SymbolKind::auxiliary:
  case SymbolKind::auxiliary_gradient:
  case SymbolKind::auxiliary_hessian:
    specs = &auxiliary_;
    break;
  default:
    return nullptr;
  }
  if (symbol.index >= static_cast<int>(specs->size())) // derivatives of known fields, see
    return nullptr;                                    // parameter_derivative()
  const std::vector<std::string> &cells = (*specs)[symbol.index].cells;
  return cells.empty() ? nullptr : &cells;
}

const TermRegions &RegionsOfNodes::of(NodeId id) {
  if (const auto known = known_.find(id); known != known_.end())
    return known->second;
  const Node node = graph_[id];
  TermRegions regions;
  if (node.op == Op::symbol) {
    const Symbol symbol = graph_.symbols()[node.symbol];
    if (const auto *cells = of_symbol(symbol))
      regions.insert({*cells, symbol.side});
  }
  for (const NodeId operand : node.operand)
    if (operand >= 0)
      regions = both(std::move(regions), of(operand));
  return known_[id] = std::move(regions);
}

bool RegionsOfNodes::is_one_term(NodeId id, const TermRegions &also) {
  const std::pair key{id, also};
  if (const auto known = one_term_.find(key); known != one_term_.end())
    return known->second;
  const Node node = graph_[id];
  const NodeId a = node.operand[0], b = node.operand[1], c = node.operand[2];
  const auto same = [&](NodeId first, NodeId second, const TermRegions &beside) {
    return is_one_term(first, beside) && is_one_term(second, beside) &&
           both(of(first), beside) == both(of(second), beside);
  };
  bool one = true;
  switch (node.op) {
  case Op::neg:
    one = is_one_term(a, also);
    break;
  case Op::mul:
    one = is_one_term(b, also) ? is_one_term(a, both(also, of(b)))
                               : is_one_term(a, also) && is_one_term(b, both(also, of(a)));
    break;
  case Op::div:
    one = is_one_term(a, both(also, of(b)));
    break;
  case Op::add:
  case Op::sub:
    one = same(a, b, also);
    break;
  case Op::where:
    one = same(b, c, both(also, of(a)));
    break;
  default: // a function of a sum is one term
    break;
  }
  one_term_[key] = one;
  return one;
}

TermRestriction::TermRestriction(const FormSpec &spec, Graph &graph, ParameterTables &tables,
                                 Domain domain)
    : graph_(graph), tables_(tables), domain_(domain), regions_(graph, spec.fields, spec.auxiliary),
      empty_(!has_regions(spec.fields, spec.auxiliary)) {}

TermRegions TermRestriction::of_symbol(const Symbol &symbol) const {
  const auto *regions = regions_.of_symbol(symbol);
  return regions == nullptr ? TermRegions{} : TermRegions{{*regions, symbol.side}};
}

NodeId TermRestriction::restricted(NodeId value, const TermRegions &also,
                                   const std::vector<std::string> &groups,
                                   const SourceText &where) {
  if (empty_ || graph_.is_constant(value, 0))
    return value;
  where_ = where;
  return sum_over_terms(
      graph_, regions_, value, also, [&](NodeId term, const TermRegions &of_factors) {
        if (graph_.is_constant(term, 0))
          return term;
        const TermRegions all = both(of_factors, regions_.of(term));
        if (all.empty())
          return term;
        if (domain_ == Domain::interior)
          check_normal(graph_, term, all, where);
        terms_.insert({domain_, groups, all, where});
        if (!groups.empty() || domain_ == Domain::edges || domain_ == Domain::points)
          return term;
        return graph_.make(Op::where, inside(all), term, graph_.constant(0));
      });
}

NodeId TermRestriction::with_sides(NodeId value) {
  if (empty_ || domain_ != Domain::interior)
    return value;
  return substitute(graph_, std::span(&value, 1), [&](Graph &graph, const Symbol &symbol) {
    const auto *cells = regions_.of_symbol(symbol);
    if (cells == nullptr || symbol.side != Side::none)
      return graph.symbol(symbol);
    Symbol minus = symbol, plus = symbol;
    minus.side = Side::minus;
    plus.side = Side::plus;
    const NodeId on_minus = graph.symbol(minus), on_plus = graph.symbol(plus);
    // A sum, of which one is 0: the linearised form of a symmetric one is seen to be symmetric.
    const NodeId zero = graph.constant(0);
    return graph.add(graph.make(Op::where, inside(*cells, Side::minus), on_minus, zero),
                     graph.make(Op::where, inside(*cells, Side::plus), on_plus, zero));
  })[0];
}

NodeId TermRestriction::on_side(NodeId value, const Symbol &field, Side side) {
  if (graph_.is_constant(value, 0))
    return value;
  return graph_.make(Op::where, inside(*regions_.of_symbol(field), side), value,
                     graph_.constant(0));
}

// The cell lies in the regions; of an inner facet that of the side, or exactly one of both.
NodeId TermRestriction::inside(const std::vector<std::string> &regions, Side side) {
  if (domain_ == Domain::interior && side == Side::none) {
    const NodeId minus = inside(regions, Side::minus), plus = inside(regions, Side::plus);
    const NodeId not_both = graph_.make(Op::logical_not, graph_.make(Op::logical_and, minus, plus));
    return graph_.make(Op::logical_and, graph_.make(Op::logical_or, minus, plus), not_both);
  }
  return in_regions(graph_, tables_, regions, domain_, side, where_);
}

NodeId TermRestriction::inside(const TermRegions &regions) {
  NodeId all = -1;
  for (const TermRegion &region : regions) {
    const NodeId one = inside(region.regions, region.side);
    all = all < 0 ? one : graph_.make(Op::logical_and, all, one);
  }
  return all;
}

} // namespace weft
