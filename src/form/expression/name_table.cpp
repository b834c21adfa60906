#include "form/expression/name_table.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "base/error.h"
#include "base/names.h"
#include "form/expression/c_names.h"
#include "form/expression/definition_nesting.h"
#include "form/expression/functions.h"

namespace weft {

namespace {

bool is_name(const std::string &text) {
  const auto allowed = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), allowed);
}

const char *kind_name(NameKind kind) {
  switch (kind) {
  case NameKind::field:
    return "a field";
  case NameKind::auxiliary:
    return "an auxiliary field";
  case NameKind::parameter:
    return "a parameter";
  default:
    return "a definition";
  }
}

const SourceText &place_of(const ParameterSpec &parameter) {
  static const SourceText nowhere;
  if (parameter.value)
    return *parameter.value;
  return parameter.by_group.empty() ? nowhere : parameter.by_group.begin()->second;
}

} // namespace

const std::vector<std::string> &law_names() {
  static const std::vector<std::string> names = {"state", "flux", "capacity", "wave_speed",
                                                 "normal_speed"};
  return names;
}

NameTable::NameTable(const FormSpec &spec) {
  for (const std::string &name : builtin_values())
    names_[name] = {NameKind::value};
  for (const std::string &name : builtin_names())
    names_.try_emplace(name, Named{NameKind::function});
  if (spec.law)
    for (const std::string &name : law_names())
      names_[name] = {NameKind::law};
  int index = 0;
  for (const FieldSpec &field : spec.fields)
    declare(field.name, "[fields] " + field.name, {NameKind::field, index++});
  index = 0;
  for (const FieldSpec &field : spec.auxiliary)
    declare(field.name, "[auxiliary] " + field.name, {NameKind::auxiliary, index++});
  index = 0;
  for (const ParameterSpec &parameter : spec.parameters)
    declare(parameter.name, place_of(parameter).where(), {NameKind::parameter, index++});
  index = 0;
  for (const DefinitionSpec &definition : spec.definitions)
    declare(definition.name, definition.value.where(), {NameKind::definition, index++});

  for (const ParameterSpec &parameter : spec.parameters) {
    if (parameter.value)
      check(*parameter.value);
    for (const auto &[group, text] : parameter.by_group)
      check(text);
  }
  for (const DefinitionSpec &definition : spec.definitions)
    check(definition.value);
  check_nesting(spec, *this); // first: what follows is recursion over these texts

  for (const auto *integrals : {&spec.integrals, &spec.explicit_integrals})
    for (const IntegralSpec &integral : *integrals)
      if (integral.domain == Domain::cells)
        follow(spec, integral.integrand);
  for (const PointwiseSpec &pointwise : spec.pointwise)
    for (const auto *text : {&pointwise.f0, &pointwise.f1})
      if (*text && !pointwise.c_text) {
        follow(spec, **text);
      } else if (*text) {
        for (const std::string &name : names_in_c_text((*text)->text))
          follow_name(spec, name);
      }
  if (spec.law)
    follow(spec, *spec.law);
}

Named NameTable::find(const std::string &name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? Named{} : found->second;
}

void NameTable::declare(const std::string &name, const std::string &where, Named named) {
  if (!is_name(name))
    throw Error(ErrorKind::input, {.what = "this is not a name that expressions can use",
                                   .where = where,
                                   .found = name,
                                   .allowed = "letters, digits and _, not a digit first"});
  const Named before = find(name);
  if (before.kind == NameKind::value || before.kind == NameKind::function)
    throw Error(ErrorKind::input, {.what = fmt::format("the name `{}` is built in", name),
                                   .where = where,
                                   .found = name,
                                   .remedy = "choose another name"});
  if (before.kind == NameKind::law)
    throw Error(ErrorKind::input,
                {.what = fmt::format("the name `{}` has a meaning in numerical fluxes", name),
                 .where = where,
                 .found = name,
                 .remedy = "choose another name"});
  if (before.kind != NameKind::unknown)
    throw Error(ErrorKind::input,
                {.what = fmt::format("the name `{}` is taken: there is {} of this name", name,
                                     kind_name(before.kind)),
                 .where = where,
                 .found = name,
                 .remedy = "choose another name"});
  names_[name] = named;
}

void NameTable::check(const SourceText &source) const {
  check(parse(source), source);
}

void NameTable::check(const SyntaxNode &node, const SourceText &source) const {
  const bool names_something = node.kind == SyntaxKind::name || node.kind == SyntaxKind::call;
  if (names_something && find(node.text).kind == NameKind::unknown)
    fail_unknown(source, node);
  for (const SyntaxNode &child : node.children)
    check(child, source);
}

// Not [boundary]: there parameters of which the law knows nothing are by facet group.
void NameTable::follow(const FormSpec &spec, const ConservationLawSpec &law) {
  for (const auto *texts : {&law.flux, &law.capacity, &law.source, &law.numerical_flux_of})
    for (const auto &[field, text] : *texts)
      follow(spec, text);
  for (const auto &[name, texts] : law.fluxes)
    for (const auto &[field, text] : texts)
      follow(spec, text);
  if (law.wave_speed)
    follow(spec, *law.wave_speed);
  for (const SourceText &text : law.positive)
    follow(spec, text);
}

void NameTable::follow(const FormSpec &spec, const SourceText &source) {
  follow(spec, parse(source));
}

void NameTable::follow(const FormSpec &spec, const SyntaxNode &node) {
  for (const SyntaxNode &child : node.children)
    follow(spec, child);
  if (node.kind == SyntaxKind::name)
    follow_name(spec, node.text);
}

void NameTable::follow_name(const FormSpec &spec, const std::string &name) {
  if (!used_in_cells_.insert(name).second)
    return;
  const Named named = find(name);
  if (named.kind == NameKind::definition)
    follow(spec, spec.definitions[named.index].value);
  if (named.kind != NameKind::parameter)
    return;
  const ParameterSpec &parameter = spec.parameters[named.index];
  if (parameter.value)
    follow(spec, *parameter.value);
  for (const auto &[group, text] : parameter.by_group)
    follow(spec, text);
}

void NameTable::fail_unknown(const SourceText &source, const SyntaxNode &node) const {
  std::vector<std::string> known, own;
  for (const auto &[name, named] : names_) {
    known.push_back(name);
    if (named.kind > NameKind::law)
      own.push_back(name);
  }
  const std::string nearest = nearest_name(node.text, known);
  Span span = node.span;
  span.end = span.begin + static_cast<int>(node.text.size());
  fail_at(source, span, fmt::format("unknown name `{}`", node.text),
          own.empty() ? "built-in names" : join_names(own) + ", and built-in names",
          nearest.empty() ? "declare it in [parameters], [definitions] or [fields]"
                          : fmt::format("did you mean `{}`?", nearest));
}

} // namespace weft
