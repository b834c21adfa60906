#include "form/weak_form/form.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "base/names.h"
#include "form/expression/elaborate.h"
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
  return f.uses(SymbolKind::field) || f.uses(SymbolKind::field_gradient) ||
         f.uses(SymbolKind::field_rate) || f.uses(SymbolKind::field_rate_gradient);
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
    for (const IntegralSpec &integral : spec.integrals)
      if (integral.domain == domain)
        builder.add(integral);
    for (const PointwiseSpec &pointwise : spec.pointwise)
      if (domain == Domain::cells && !pointwise.c_text)
        builder.add(pointwise);
    if (builder.empty())
      continue;
    form.integrals.push_back(builder.build());
    builder.mark_tested(tested);
    form.restricted.insert(builder.restricted().begin(), builder.restricted().end());
    form.linear = form.linear && !uses_fields(form.integrals.back().linearised);
    form.symmetric = form.symmetric && builder.symmetric();
  }
  form.c_text = make_c_text(spec, elaborator);
  for (const CTextFunction &function : form.c_text.functions) {
    tested[function.field] = true;
    form.linear = form.symmetric = false; // not known
  }
  check_every_field_is_tested(spec, tested);
  form.cell_table = elaborator.tables().cell_table();
  form.facet_table = elaborator.tables().facet_table();
  return form;
}

} // namespace weft
