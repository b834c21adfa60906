#include "form/weak_form/form.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "base/error.h"
#include "base/names.h"
#include "form/expression/elaborate.h"
#include "form/graph/differentiate.h"
#include "form/graph/hessian_entries.h"
#include "form/weak_form/c_text.h"
#include "form/weak_form/integral_builder.h"

namespace weft {

namespace {

SourceText field_place(const FieldSpec &field) {
  return {.key = "[fields] " + field.name};
}

void check_pointwise(const FormSpec &spec) {
  bool any_c = false, any_expression = false;
  std::vector<std::string> names;
  for (const FieldSpec &field : spec.fields)
    names.push_back(field.name);
  for (const PointwiseSpec &p : spec.pointwise) {
    (p.c_text ? any_c : any_expression) = true;
    const SourceText place = p.f0 ? *p.f0 : p.f1.value_or(SourceText{.key = "[pointwise]"});
    if (std::find(names.begin(), names.end(), p.field) == names.end())
      throw Error(ErrorKind::input, {.what = "pointwise functions of an unknown field",
                                     .where = place.where(),
                                     .found = p.field,
                                     .allowed = join_names(names)});
  }
  const bool cell_integral = std::any_of(spec.integrals.begin(), spec.integrals.end(),
                                         [](const auto &i) { return i.domain == Domain::cells; });
  if (any_c && has_regions(spec.fields, spec.auxiliary))
    throw Error(ErrorKind::unsupported,
                {.what = "C text beside fields that are in some regions only",
                 .where = "[pointwise]",
                 .allowed = "C text of fields that are everywhere",
                 .remedy = "write f0 and f1 as expressions, or leave `cells` of [fields] out"});
  if (any_c && (any_expression || cell_integral))
    throw Error(ErrorKind::input,
                {.what = "C text beside expressions on cells",
                 .where = "[pointwise]",
                 .allowed = "all fields in C text, and no cells.* in [weak_form]",
                 .remedy = "write f0 and f1 of every field in C text, or all as expressions"});
}

bool uses_fields(const PointwiseFunction &f) {
  constexpr SymbolKind kinds[] = {
      SymbolKind::field,      SymbolKind::field_gradient,      SymbolKind::field_hessian,
      SymbolKind::field_rate, SymbolKind::field_rate_gradient, SymbolKind::field_rate_hessian};
  return std::any_of(std::begin(kinds), std::end(kinds),
                     [&](SymbolKind kind) { return f.uses(kind); });
}

// Whether some of the outputs depend on the field's increment, in one of these kinds.
bool depends_on_increment(const PointwiseFunction &f, std::span<const NodeId> outputs, int field,
                          std::initializer_list<SymbolKind> kinds) {
  const std::vector<bool> needed = reachable(f.nodes, outputs);
  for (std::size_t i = 0; i < f.nodes.size(); ++i) {
    if (!needed[i] || f.nodes[i].op != Op::symbol)
      continue;
    const Symbol &s = f.symbols[f.nodes[i].symbol];
    if (s.index == field && std::find(kinds.begin(), kinds.end(), s.kind) != kinds.end())
      return true;
  }
  return false;
}

// An equation as it stands, times a test function: what elements whose gradients jump have of it
// between cells is left out, and of linear triangles there is nothing at all.
void refuse_equations_not_integrated_by_parts(const FormSpec &spec, const Form &form) {
  const auto is_over = [](Domain domain) {
    return [domain](const auto &integral) { return integral.domain == domain; };
  };
  const auto cells =
      std::find_if(form.integrals.begin(), form.integrals.end(), is_over(Domain::cells));
  if (cells == form.integrals.end() || !cells->second ||
      std::any_of(form.integrals.begin(), form.integrals.end(), is_over(Domain::interior)))
    return;
  const PointwiseFunction &f = cells->linearised;
  const std::span<const NodeId> outputs = f.outputs;
  std::size_t first = 0, first_second = 0;
  for (const FieldSpec &field : form.fields)
    first_second += field.components() * (1 + form.dim);
  for (int field = 0; field < static_cast<int>(form.fields.size()); ++field) {
    const std::size_t n = form.fields[field].components();
    const auto f0 = outputs.subspan(first, n), f1 = outputs.subspan(first + n, n * form.dim);
    const auto f2 = outputs.subspan(first_second, n * num_hessian_entries(form.dim));
    first += n + f1.size();
    first_second += f2.size();
    using Kind = SymbolKind;
    const bool second = depends_on_increment(f, f0, field, {Kind::direction_hessian}) ||
                        depends_on_increment(f, f2, field, {Kind::direction});
    const bool on_both_sides =
        depends_on_increment(f, f1, field, {Kind::direction_gradient, Kind::direction_hessian}) ||
        depends_on_increment(f, f2, field, {Kind::direction_gradient, Kind::direction_hessian});
    if (!second || on_both_sides)
      continue;
    const auto text =
        std::find_if(spec.integrals.begin(), spec.integrals.end(), is_over(Domain::cells));
    throw Error(
        ErrorKind::input,
        {.what = fmt::format("second derivatives in the equation of `{0}`, and no term with "
                             "derivatives of both `{0}` and test({0})",
                             form.fields[field].name),
         .where = text != spec.integrals.end() ? text->integrand.where() : "[pointwise]",
         .allowed = "second derivatives in terms that are added to a weak form, such as "
                    "residuals that make it stable",
         .remedy = "integrate by parts: move one derivative to test()"});
  }
}

void check_every_field_is_tested(const FormSpec &spec, const std::vector<bool> &tested) {
  for (std::size_t i = 0; i < spec.fields.size(); ++i)
    if (!tested[i])
      throw Error(ErrorKind::input,
                  {.what = fmt::format("the field `{0}` has no equation: test({0}) is in no "
                                       "integral",
                                       spec.fields[i].name),
                   .where = field_place(spec.fields[i]).where(),
                   .remedy = "add a term to [weak_form], or name physics that has one"});
}

} // namespace

Form make_form(const FormSpec &spec) {
  check_pointwise(spec);
  Elaborator elaborator(spec);
  Form form{.dim = spec.dim, .fields = spec.fields, .auxiliary = spec.auxiliary};
  form.linear = form.symmetric = true;
  std::vector<bool> tested(spec.fields.size(), false);

  for (const Domain domain :
       {Domain::cells, Domain::facets, Domain::interior, Domain::edges, Domain::points}) {
    IntegralBuilder builder(spec, elaborator, domain);
    for (const IntegralSpec &integral : spec.terms())
      if (integral.domain == domain)
        builder.add(integral);
    for (const PointwiseSpec &pointwise : spec.pointwise)
      if (domain == Domain::cells && !pointwise.c_text && !spec.explicit_part)
        builder.add(pointwise);
    if (builder.empty())
      continue;
    form.integrals.push_back(builder.build());
    builder.mark_tested(tested);
    form.restricted.insert(builder.restricted().begin(), builder.restricted().end());
    form.linear = form.linear && !uses_fields(form.integrals.back().linearised);
    form.symmetric = form.symmetric && builder.symmetric();
  }
  if (!spec.explicit_part)
    form.c_text = make_c_text(spec, elaborator);
  for (const CTextFunction &function : form.c_text.functions) {
    tested[function.field] = true;
    form.linear = form.symmetric = false; // not known
  }
  if (!spec.explicit_part) {
    check_every_field_is_tested(spec, tested);
    refuse_equations_not_integrated_by_parts(spec, form);
  }
  form.cell_table = elaborator.tables().cell_table();
  form.facet_table = elaborator.tables().facet_table();
  return form;
}

} // namespace weft
