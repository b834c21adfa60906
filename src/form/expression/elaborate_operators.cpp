#include <fmt/format.h>
#include <set>

#include "form/expression/elaborate.h"
#include "form/expression/in_regions.h"
#include "form/expression/term_regions.h"
#include "form/graph/differentiate.h"
#include "form/graph/hessian_entries.h"

namespace weft {

namespace {

// jump() and avg() of fields in some regions: 0 where one of them is on one side only.
Tensor where_on_both_sides(const FormSpec &spec, Graph &graph, ParameterTables &tables,
                           Tensor value, const SourceText &where) {
  if (!has_regions(spec.fields, spec.auxiliary))
    return value;
  RegionsOfNodes regions(graph, spec.fields, spec.auxiliary);
  for (NodeId &component : value.components) {
    std::set<std::vector<std::string>> fields;
    for (const TermRegion &region : regions.of(component))
      fields.insert(region.regions);
    for (const std::vector<std::string> &field : fields)
      for (const Side side : {Side::minus, Side::plus})
        component =
            graph.make(Op::where, in_regions(graph, tables, field, Domain::interior, side, where),
                       component, graph.constant(0));
  }
  return value;
}

} // namespace

Tensor Elaborator::call_operator(const SyntaxNode &node) {
  const std::string &name = node.text;
  if (node.children.size() != 1)
    fail(node, fmt::format("{}() with {} arguments", name, node.children.size()), "1");
  const SyntaxNode &argument = node.children[0];
  if (name == "test")
    return test(argument);
  if (name == "dt")
    return rate(argument);
  if (name == "minus")
    return on_side(node, Side::minus);
  if (name == "plus")
    return on_side(node, Side::plus);
  if (name == "jump" || name == "avg") {
    const Tensor minus = on_side(node, Side::minus), plus = on_side(node, Side::plus);
    const Tensor value = name == "jump"
                             ? tensor::sub(graph_, minus, plus)
                             : tensor::scale(graph_, 0.5, tensor::add(graph_, minus, plus));
    return where_on_both_sides(spec_, graph_, tables_, value, *source_);
  }

  const Tensor gradient = gradient_at(node, value_of(argument));
  if (name == "div")
    return tensor::div_of_gradient(graph_, gradient);
  if (name == "curl")
    return tensor::curl_of_gradient(graph_, gradient);
  if (gradient.shape.size() > 2)
    throw ShapeProblem{"grad() of a matrix", "grad() takes scalars and vectors"};
  return gradient;
}

Tensor Elaborator::test(const SyntaxNode &node) {
  if (!scope_.test)
    fail(node, "test() has a meaning in [weak_form] only");
  if (node.kind == SyntaxKind::index) { // test(u[k]) is test(u)[k]
    SyntaxNode of_component = node;
    const SyntaxNode whole = node.children[0];
    of_component.children[0] = {.kind = SyntaxKind::call, .text = "test", .children = {whole}};
    of_component.children[0].span = whole.span;
    return component(of_component);
  }
  const Named known = names_.find(node.text);
  if (node.kind == SyntaxKind::name && known.kind == NameKind::unknown)
    names_.fail_unknown(*source_, node);
  if (node.kind != SyntaxKind::name || known.kind != NameKind::field)
    fail(node, "test() of something that is not a field", "the name of a field", "write test(u)");
  return field(node, SymbolKind::test, known.index, spec_.fields[known.index]);
}

Tensor Elaborator::rate(const SyntaxNode &node) {
  if (!scope_.rates || in_parameter_)
    fail(node, "dt() has a meaning in the equations only",
         "[weak_form], [pointwise]; results of runs by scheme = \"generalised_alpha\"");
  const Tensor value = value_of(node);
  Tensor result{.shape = value.shape};
  result.components = differentiate(
      graph_, value.components, [&](const Symbol &symbol) { return rate_of_symbol(node, symbol); });
  return result;
}

NodeId Elaborator::rate_of_symbol(const SyntaxNode &node, Symbol symbol) {
  switch (symbol.kind) {
  case SymbolKind::field:
    symbol.kind = SymbolKind::field_rate;
    break;
  case SymbolKind::field_gradient:
    symbol.kind = SymbolKind::field_rate_gradient;
    break;
  case SymbolKind::field_hessian:
    symbol.kind = SymbolKind::field_rate_hessian;
    break;
  case SymbolKind::field_rate:
  case SymbolKind::field_rate_gradient:
  case SymbolKind::field_rate_hessian:
    break;
  case SymbolKind::time:
    return graph_.constant(1);
  case SymbolKind::auxiliary:
  case SymbolKind::auxiliary_gradient:
  case SymbolKind::auxiliary_hessian:
    fail(node, "the time derivative of an auxiliary field", "dt() of fields, place and time");
  case SymbolKind::test:
  case SymbolKind::test_gradient:
  case SymbolKind::test_hessian:
    fail(node, "the time derivative of test()", "dt() of fields, place and time");
  default:
    return graph_.constant(0);
  }
  if (++symbol.order > 2)
    fail(node, "the third time derivative of a field", "dt(u), dt(dt(u))",
         "make dt(u) a field of its own: dt(u) = v");
  if (scope_.results && symbol.order > spec_.known_rates[symbol.index])
    fail(node,
         fmt::format("a time derivative of `{}` that its equation does not have",
                     spec_.fields[symbol.index].name),
         "those in the weak form");
  return graph_.symbol(symbol);
}

Tensor Elaborator::on_side(const SyntaxNode &node, Side side) {
  if (scope_.side != Side::none) {
    if (side != scope_.side)
      fail(node, fmt::format("{}() where there is a cell on one side only", node.text), "minus()");
    return value_of(node.children[0]);
  }
  if (scope_.place.domain != Domain::interior)
    fail(node, fmt::format("{}() has a meaning on interior facets only", node.text),
         "interior.* of [weak_form], numerical fluxes");
  if (side_ != Side::none)
    fail(node, fmt::format("{}() inside of another choice of the side", node.text),
         "one of minus(), plus(), avg(), jump()");
  side_ = side;
  Tensor value = value_of(node.children[0]);
  side_ = Side::none;
  return value;
}

Tensor Elaborator::gradient_at(const SyntaxNode &node, const Tensor &value) {
  if (value.truth)
    throw ShapeProblem{"the gradient of a truth value", ""};
  if (on_edges_or_points() && !in_parameter_)
    fail(node,
         "a gradient on an edge or at a point, where it has a value in each cell that meets "
         "there",
         "values of fields, place and time",
         "write the derivative as an integral over facets or cells");
  const std::size_t n = value.components.size();
  Tensor result{.shape = value.shape, .components = std::vector<NodeId>(n * spec_.dim)};
  result.shape.push_back(spec_.dim);
  for (int d = 0; d < spec_.dim; ++d) {
    const auto derivatives = differentiate(graph_, value.components, [&](const Symbol &symbol) {
      return gradient_of_symbol(node, symbol, d);
    });
    for (std::size_t k = 0; k < n; ++k)
      result.components[k * spec_.dim + d] = derivatives[k];
  }
  return result;
}

NodeId Elaborator::gradient_of_symbol(const SyntaxNode &node, Symbol symbol, int direction) {
  const auto of_field = [&](SymbolKind kind, const FieldSpec &spec) {
    // Constant in each cell; laws reconstruct gradients.
    if (spec.order == 0 && !(spec.discontinuous && spec_.law))
      return graph_.constant(0);
    symbol.kind = kind;
    symbol.direction = direction;
    return graph_.symbol(symbol);
  };
  switch (symbol.kind) {
  case SymbolKind::field:
    return of_field(SymbolKind::field_gradient, spec_.fields[symbol.index]);
  case SymbolKind::test:
    return of_field(SymbolKind::test_gradient, spec_.fields[symbol.index]);
  case SymbolKind::auxiliary:
    return of_field(SymbolKind::auxiliary_gradient, spec_.auxiliary[symbol.index]);
  case SymbolKind::coordinate:
    return graph_.constant(symbol.component == direction ? 1 : 0);
  case SymbolKind::field_gradient:
  case SymbolKind::field_rate_gradient:
  case SymbolKind::test_gradient:
  case SymbolKind::auxiliary_gradient:
    return second_derivative(node, symbol, direction);
  case SymbolKind::field_hessian:
  case SymbolKind::field_rate_hessian:
  case SymbolKind::test_hessian:
  case SymbolKind::auxiliary_hessian:
    fail(node, "a third derivative of a field", "first and second derivatives of fields",
         "integrate by parts: move one derivative to test()");
  case SymbolKind::field_rate:
    if (spec_.fields[symbol.index].order == 0) // constant in each cell
      return graph_.constant(0);
    symbol.kind = SymbolKind::field_rate_gradient;
    symbol.direction = direction;
    return graph_.symbol(symbol);
  case SymbolKind::normal:
    fail(node, "the gradient of the normal", "gradients of fields and of place");
  default: // time, cell size and parameters by group do not vary in a cell
    return graph_.constant(0);
  }
}

NodeId Elaborator::second_derivative(const SyntaxNode &node, Symbol symbol, int direction) {
  const bool of_means =
      symbol.kind == SymbolKind::field_gradient && spec_.fields[symbol.index].finite_volume;
  if (spec_.law && (!scope_.results || of_means))
    fail(node, "a second derivative in a conservation law",
         "first derivatives of fields; in results second ones too, but for finite volumes",
         "write the flux whose divergence it is, or the problem as a weak form");
  switch (symbol.kind) {
  case SymbolKind::field_gradient:
    symbol.kind = SymbolKind::field_hessian;
    break;
  case SymbolKind::field_rate_gradient:
    symbol.kind = SymbolKind::field_rate_hessian;
    break;
  case SymbolKind::test_gradient:
    symbol.kind = SymbolKind::test_hessian;
    break;
  default:
    symbol.kind = SymbolKind::auxiliary_hessian;
  }
  symbol.direction = hessian_entry(spec_.dim, symbol.direction, direction);
  return graph_.symbol(symbol);
}

} // namespace weft
