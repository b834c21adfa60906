#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "base/names.h"
#include "form/expression/elaborate.h"
#include "form/expression/tabulated.h"

namespace weft {

namespace {

// "k", "k[1]", "k[1, 0]"
std::string component_name(const std::string &name, const Tensor &value, int k) {
  if (value.is_vector())
    return fmt::format("{}[{}]", name, k);
  if (value.is_matrix())
    return fmt::format("{}[{}, {}]", name, k / value.columns(), k % value.columns());
  return name;
}

} // namespace

Tensor Elaborator::named(const SyntaxNode &node) {
  const Named known = names_.find(node.text);
  switch (known.kind) {
  case NameKind::unknown:
    names_.fail_unknown(*source_, node);
  case NameKind::function:
    fail(node, fmt::format("`{}` is a function", node.text), "",
         fmt::format("write {}(...)", node.text));
  case NameKind::value:
    return builtin(node);
  case NameKind::field:
    return field(node, SymbolKind::field, known.index, spec_.fields[known.index]);
  case NameKind::auxiliary:
    return field(node, SymbolKind::auxiliary, known.index, spec_.auxiliary[known.index]);
  case NameKind::parameter:
    return parameter(node, spec_.parameters[known.index]);
  case NameKind::law:
    return law_value(node);
  case NameKind::definition:
    break;
  }
  if (in_parameter_)
    fail(node, fmt::format("a parameter may not use the definition `{}`", node.text),
         "parameters, place and time", "write it in [definitions]");
  return elsewhere(spec_.definitions[known.index].value, node.text, false);
}

Tensor Elaborator::field(const SyntaxNode &node, SymbolKind kind, int index,
                         const FieldSpec &spec) {
  if (in_parameter_)
    fail(node, fmt::format("a parameter may not use the field `{}`", node.text),
         "parameters, place and time", "write it in [definitions]");
  if (!scope_.fields)
    fail(node, fmt::format("the field `{}` is not known here", node.text),
         "parameters, place and time");
  if (on_edges_or_points() && !spec.whole_domain && (spec.discontinuous || spec.order == 0))
    fail(node,
         fmt::format("`{}` on an edge or at a point, where it has a value in each cell that meets "
                     "there",
                     node.text),
         "fields of elements P1, P2, ...");
  // What has one value for the whole domain is the same from both sides of a facet. A field in some
  // regions may be on one side only, which is the one that is meant.
  const bool one_of_both = spec.whole_domain && scope_.place.domain == Domain::interior;
  const Side side = one_of_both ? Side::minus : spec.cells.empty() ? side_at(node) : side_;
  Tensor result{.shape = spec.shape};
  for (int k = 0; k < spec.components(); ++k)
    result.components.push_back(
        graph_.symbol({.kind = kind, .index = index, .component = k, .side = side}));
  return result;
}

Tensor Elaborator::law_value(const SyntaxNode &node) {
  if (!scope_.law || in_parameter_)
    fail(node, fmt::format("`{}` has a meaning in numerical fluxes only", node.text),
         "[numerical_fluxes], numerical_flux and flux of [boundary]");
  const auto found = scope_.law->find({node.text, side_at(node)});
  if (found == scope_.law->end())
    fail(node, fmt::format("this law has no `{}`", node.text),
         "it is derived of laws of a single scalar field with a flux");
  return found->second;
}

Side Elaborator::side_at(const SyntaxNode &node) const {
  if (scope_.place.domain == Domain::interior && side_ == Side::none)
    fail(node, fmt::format("`{}` has two values on an interior facet", node.text),
         "minus(), plus(), avg(), jump()", fmt::format("write for example avg({})", node.text));
  return side_;
}

Tensor Elaborator::parameter(const SyntaxNode &node, const ParameterSpec &spec) {
  if (!spec.value)
    return by_group(node, spec);
  Tensor value = parameter_value(spec, "", *spec.value);
  if (spec.settable || (spec_.derived_by && spec_.derived_by->name == spec.name))
    for (int k = 0; k < static_cast<int>(value.components.size()); ++k)
      value.components[k] =
          settable_constant(value(k), component_name(spec.name, value, k), *spec.value);
  return value;
}

// A constant as an entry that is the same everywhere; other values are as they were.
NodeId Elaborator::settable_constant(NodeId value, const std::string &name,
                                     const SourceText &where) {
  if (graph_[value].op != Op::constant)
    return value;
  Symbol symbol = tables_.use(SymbolKind::cell_parameter,
                              {.name = name,
                               .where = where,
                               .by_group = {},
                               .otherwise = graph_[value].value,
                               .settable = true},
                              scope_.place);
  symbol.side = side_;
  if (scope_.place.domain == Domain::interior && side_ == Side::none)
    symbol.side = Side::minus; // both sides have it
  return graph_.symbol(symbol);
}

// The value of a text that has a name of its own, kept for the next use.
Tensor Elaborator::elsewhere(const SourceText &text, const std::string &name, bool in_parameter) {
  const std::pair key{name, side_};
  if (const auto known = known_.find(key); known != known_.end())
    return known->second;
  const SourceText *outer_source = std::exchange(source_, &text);
  const bool outer_parameter = std::exchange(in_parameter_, in_parameter);
  Tensor value = value_of(parse(text));
  source_ = outer_source;
  in_parameter_ = outer_parameter;
  known_[key] = value;
  return value;
}

Tensor Elaborator::parameter_value(const ParameterSpec &spec, const std::string &group,
                                   const SourceText &text) {
  const std::string name = group.empty() ? spec.name : spec.name + " in " + group;
  const auto table = spec.tables.find(group);
  if (table == spec.tables.end())
    return elsewhere(text, name, true);
  const Tensor argument = elsewhere(text, "argument of " + name, false);
  if (!argument.is_scalar())
    fail_at(text, {0, static_cast<int>(text.text.size())},
            fmt::format("the argument of a table is a {}", describe(argument)), "a scalar");
  return make_scalar(tabulated(graph_, table->second, argument(0)));
}

Tensor Elaborator::by_group(const SyntaxNode &node, const ParameterSpec &spec) {
  if (spec.by_group.empty())
    fail(node, fmt::format("the parameter `{}` has no value", spec.name));
  const bool of_side = scope_.place.domain == Domain::interior && side_ != Side::none && !spec_.law;
  const bool by_region =
      scope_.place.domain == Domain::cells || of_side || names_.used_in_cells(spec.name);
  const SymbolKind kind = by_region ? SymbolKind::cell_parameter : SymbolKind::facet_parameter;
  if (by_region && on_edges_or_points())
    fail(node,
         fmt::format("`{}` differs between regions, of which several may meet on an edge or "
                     "at a point",
                     spec.name),
         "parameters that are the same everywhere, or by named curve or point");
  if (by_region)
    side_at(node); // regions differ across an interior facet

  std::map<std::string, Tensor> values;
  for (const auto &[group, text] : spec.by_group) {
    Tensor value = parameter_value(spec, group, text);
    const auto &[first_group, first] = *values.emplace(group, value).first;
    const auto &[other_group, other] = *values.begin();
    if (first.shape != other.shape || value.truth)
      fail_at(text, {0, static_cast<int>(text.text.size())},
              fmt::format("`{}` is a {} in {} and a {} in {}", spec.name, describe(first),
                          first_group, describe(other), other_group),
              "one shape in all groups");
  }
  Tensor result{.shape = values.begin()->second.shape};
  const int n = static_cast<int>(values.begin()->second.components.size());
  for (int k = 0; k < n; ++k) {
    result.components.push_back(
        group_component(spec, component_name(spec.name, result, k), kind, values, k));
  }
  return result;
}

NodeId Elaborator::table_value(SymbolKind kind, Symbol symbol) {
  symbol.side = kind == SymbolKind::cell_parameter ? side_ : Side::none;
  return graph_.symbol(symbol);
}

// One component of a parameter by group: a table entry where all values are constants, else a
// choice by entries that are 1 in one group.
NodeId Elaborator::group_component(const ParameterSpec &spec, const std::string &name,
                                   SymbolKind kind, const std::map<std::string, Tensor> &values,
                                   int component) {
  const SourceText &where = spec.by_group.begin()->second;
  const bool all_constant = std::all_of(values.begin(), values.end(), [&](const auto &value) {
    return graph_[value.second(component)].op == Op::constant;
  });
  TableEntry entry{.name = name, .where = where, .settable = spec.settable};
  if (all_constant) {
    for (const auto &[group, value] : values)
      entry.by_group[group] = graph_[value(component)].value;
    return table_value(kind, tables_.use(kind, entry, scope_.place));
  }
  // Every group is named in every entry, so that a group without a value is still an error.
  entry.settable = false;
  std::optional<NodeId> chain;
  for (const auto &[group, value] : values) {
    NodeId of_group = value(component);
    if (spec.settable)
      of_group = settable_constant(of_group, fmt::format("{}.{}", name, group), where);
    if (!chain) {
      chain = of_group;
      continue;
    }
    entry.name = spec.name + " in " + group;
    for (const auto &[other, unused] : values)
      entry.by_group[other] = other == group ? 1 : 0;
    const NodeId here = table_value(kind, tables_.use(kind, entry, scope_.place));
    const NodeId inside = graph_.make(Op::less, graph_.constant(0.5), here);
    chain = graph_.make(Op::where, inside, of_group, *chain);
  }
  return *chain;
}

} // namespace weft
