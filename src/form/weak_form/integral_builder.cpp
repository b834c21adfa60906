#include "form/weak_form/integral_builder.h"

#include <algorithm>
#include <fmt/format.h>

#include "form/graph/hessian_entries.h"
#include "form/graph/rewrite.h"
#include "form/graph/symmetry.h"

namespace weft {

namespace {

std::vector<TestValue> test_values(const FormSpec &spec, Domain domain) {
  std::vector<TestValue> values;
  const std::vector<Side> sides =
      domain == Domain::interior ? std::vector{Side::minus, Side::plus} : std::vector{Side::none};
  for (const Side side : sides)
    for (int i = 0; i < static_cast<int>(spec.fields.size()); ++i) {
      const int components = spec.fields[i].components();
      for (int k = 0; k < components; ++k)
        values.push_back({{SymbolKind::test, i, k, 0, side}, {SymbolKind::field, i, k, 0, side}});
      for (int k = 0; k < components; ++k)
        for (int d = 0; d < spec.dim; ++d)
          values.push_back({{SymbolKind::test_gradient, i, k, d, side},
                            {SymbolKind::field_gradient, i, k, d, side}});
    }
  for (const Side side : sides)
    for (int i = 0; i < static_cast<int>(spec.fields.size()); ++i)
      for (int k = 0; k < spec.fields[i].components(); ++k)
        for (int entry = 0; entry < num_hessian_entries(spec.dim); ++entry)
          values.push_back({{SymbolKind::test_hessian, i, k, entry, side},
                            {SymbolKind::field_hessian, i, k, entry, side}});
  return values;
}

} // namespace

IntegralBuilder::IntegralBuilder(const FormSpec &spec, Elaborator &elaborator, Domain domain)
    : spec_(spec), elaborator_(elaborator), domain_(domain),
      restriction_(spec, elaborator.graph(), elaborator.tables(), domain),
      values_(test_values(spec, domain)) {}

void IntegralBuilder::add(const IntegralSpec &integral) {
  const Scope scope{
      .place = {domain_, integral.groups}, .fields = true, .rates = true, .test = true};
  const Tensor value = elaborator_.evaluate(integral.integrand, scope);
  const SourceText &text = integral.integrand;
  const Span whole{0, static_cast<int>(text.text.size())};
  if (!value.is_scalar())
    fail_at(text, whole, fmt::format("an integrand that is a {}", describe(value)), "scalar",
            "use inner() or dot() with test()");
  Graph &graph = elaborator_.graph();
  if (Linearity().degree(graph, value(0)) == TestDegree::without)
    fail_at(text, whole, "a weak form without test()", "each term has one test() as a factor");
  auto &outputs = outputs_of(integral.groups, text);
  for (std::size_t i = 0; i < values_.size(); ++i)
    outputs[i] = graph.add(outputs[i], residual_of(value, values_[i], integral));
}

// What a value of a test function is multiplied with.
NodeId IntegralBuilder::residual_of(const Tensor &integrand, const TestValue &value,
                                    const IntegralSpec &integral) {
  Graph &graph = elaborator_.graph();
  const auto terms_of = [&](const Symbol &test) {
    const NodeId factor = derivative(graph, integrand.components, test)[0];
    return restriction_.with_sides(restriction_.restricted(factor, restriction_.of_symbol(test),
                                                           integral.groups, integral.integrand));
  };
  const NodeId of_side = terms_of(value.test);
  Symbol on_one_side = value.test; // of a field in some regions, written without a side
  on_one_side.side = Side::none;
  if (domain_ != Domain::interior || restriction_.of_symbol(on_one_side).empty())
    return of_side;
  return graph.add(of_side,
                   restriction_.on_side(terms_of(on_one_side), on_one_side, value.test.side));
}

void IntegralBuilder::add(const PointwiseSpec &pointwise) {
  const auto field = std::find_if(spec_.fields.begin(), spec_.fields.end(),
                                  [&](const auto &f) { return f.name == pointwise.field; });
  const auto index = static_cast<int>(field - spec_.fields.begin());
  Shape gradient = field->shape;
  gradient.push_back(spec_.dim);
  if (pointwise.f0)
    add_part(*pointwise.f0, SymbolKind::test, index, field->shape);
  if (pointwise.f1)
    add_part(*pointwise.f1, SymbolKind::test_gradient, index, gradient);
}

FormIntegral IntegralBuilder::build() {
  Graph &graph = elaborator_.graph();
  sum_.assign(values_.size(), graph.constant(0));
  FormIntegral integral{.domain = domain_, .all = false};
  for (const auto &[groups, part] : by_groups_) {
    integral.all = integral.all || groups.empty();
    for (const auto &group : groups)
      if (std::find(integral.groups.begin(), integral.groups.end(), group) == integral.groups.end())
        integral.groups.push_back(group);
    for (std::size_t i = 0; i < values_.size(); ++i)
      sum_[i] = graph.add(sum_[i], switched(groups, part, part.outputs[i]));
  }
  integral.second = keep_second_derivatives();
  integral.residual = extract(graph, sum_);
  integral.linearised = extract(graph, directional_derivative(graph, sum_));
  return integral;
}

bool IntegralBuilder::keep_second_derivatives() {
  Graph &graph = elaborator_.graph();
  const auto is_second = [](const TestValue &value) {
    return value.test.kind == SymbolKind::test_hessian;
  };
  const auto first = std::find_if(values_.begin(), values_.end(), is_second) - values_.begin();
  bool second = std::any_of(sum_.begin() + first, sum_.end(),
                            [&](NodeId output) { return !graph.is_constant(output, 0); });
  for (const SymbolKind kind :
       {SymbolKind::field_hessian, SymbolKind::field_rate_hessian, SymbolKind::auxiliary_hessian})
    second = second || depends_on(graph, sum_, kind);
  if (!second) {
    values_.resize(first);
    sum_.resize(first);
  }
  return second;
}

bool IntegralBuilder::symmetric() {
  std::vector<TestPair> pairs;
  for (std::size_t i = 0; i < values_.size(); ++i)
    pairs.push_back({sum_[i], values_[i].trial});
  return is_symmetric(elaborator_.graph(), pairs);
}

void IntegralBuilder::mark_tested(std::vector<bool> &tested) const {
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (!elaborator_.graph().is_constant(sum_[i], 0))
      tested[values_[i].test.index] = true;
}

std::vector<NodeId> &IntegralBuilder::outputs_of(const std::vector<std::string> &groups,
                                                 const SourceText &where) {
  auto [part, is_new] = by_groups_.try_emplace(groups);
  if (is_new)
    part->second = {std::vector(values_.size(), elaborator_.graph().constant(0)), where};
  return part->second.outputs;
}

void IntegralBuilder::add_part(const SourceText &text, SymbolKind kind, int field,
                               const Shape &shape) {
  const Scope scope{.place = {domain_, {}}, .fields = true, .rates = true};
  const Tensor value = elaborator_.evaluate(text, scope, shape);
  Graph &graph = elaborator_.graph();
  auto &outputs = outputs_of({}, text);
  std::size_t next = 0;
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (values_[i].test.kind == kind && values_[i].test.index == field)
      outputs[i] = graph.add(
          outputs[i], restriction_.restricted(value.components[next++],
                                              restriction_.of_symbol(values_[i].test), {}, text));
}

NodeId IntegralBuilder::switched(const std::vector<std::string> &groups, const Part &part,
                                 NodeId value) {
  Graph &graph = elaborator_.graph();
  if (groups.empty() || graph.is_constant(value, 0))
    return value;
  const SymbolKind kind =
      domain_ == Domain::cells ? SymbolKind::cell_parameter : SymbolKind::facet_parameter;
  const NodeId indicator =
      graph.symbol(elaborator_.tables().indicator(kind, groups, domain_, part.where));
  const NodeId inside = graph.make(Op::less, graph.constant(0.5), indicator);
  return graph.make(Op::where, inside, value, graph.constant(0));
}

} // namespace weft
