#include "op/set_up/explicit_terms.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "base/error.h"
#include "form/graph/hessian_entries.h"
#include "form/weak_form/rates.h"
#include "op/set_up/make_discretisation.h"

namespace weft {

namespace {

const IntegralSpec &first_with_rates(const Case &c) {
  return *std::find_if(c.form.explicit_integrals.begin(), c.form.explicit_integrals.end(),
                       [&](const IntegralSpec &integral) {
                         Case alone = c;
                         alone.form.explicit_integrals = {integral};
                         return has_rates(form_of_explicit_terms(alone));
                       });
}

// What the mass depends on that a Runge-Kutta scheme would have to weigh: "the fields", "time".
std::string what_mass_depends_on(const Discretisation &d) {
  constexpr SymbolKind of_fields[] = {
      SymbolKind::field,      SymbolKind::field_gradient,      SymbolKind::field_hessian,
      SymbolKind::field_rate, SymbolKind::field_rate_gradient, SymbolKind::field_rate_hessian};
  for (const FormIntegral &integral : d.form.integrals) {
    const PointwiseFunction mass = rate_part(integral.linearised);
    if (std::any_of(std::begin(of_fields), std::end(of_fields),
                    [&](SymbolKind kind) { return mass.uses(kind); }))
      return "the fields";
    const bool moves = std::any_of(mass.symbols.begin(), mass.symbols.end(), [&](const Symbol &s) {
      const bool known =
          s.kind == SymbolKind::auxiliary || s.kind == SymbolKind::auxiliary_gradient;
      return s.kind == SymbolKind::time || (known && d.auxiliary[s.index].depends_on_time);
    });
    if (moves)
      return "time";
  }
  return {};
}

// The first field without a time derivative that they are an equation of; null: none.
const FieldSpec *algebraic_field(const Form &terms, const std::vector<int> &orders) {
  for (const FormIntegral &integral : terms.integrals) {
    const int sides = integral.domain == Domain::interior ? 2 : 1;
    int output = 0;
    for (int side = 0; side < sides; ++side)
      for (std::size_t f = 0; f < terms.fields.size(); ++f) {
        const int entries = terms.fields[f].components() * (1 + terms.dim);
        for (int i = 0; i < entries; ++i)
          if (orders[f] == 0 && !integral.residual.output_is_zero(output + i))
            return &terms.fields[f];
        output += entries;
      }
    for (int side = 0; integral.second && side < sides; ++side)
      for (std::size_t f = 0; f < terms.fields.size(); ++f) {
        const int entries = terms.fields[f].components() * num_hessian_entries(terms.dim);
        for (int i = 0; i < entries; ++i, ++output)
          if (orders[f] == 0 && !integral.residual.output_is_zero(output))
            return &terms.fields[f];
      }
  }
  return nullptr;
}

// Additive Runge-Kutta schemes add up explicit terms and residuals of stages.
void check_stages(const Case &c, const Discretisation &d, const Form &terms) {
  const std::string scheme = fmt::format("scheme = \"{}\"", c.time->scheme);
  const std::string where = c.form.explicit_integrals.front().integrand.where();
  const char *remedy = "write scheme = \"bdf2\"";
  if (const std::string of_mass = what_mass_depends_on(d); !of_mass.empty())
    throw Error(ErrorKind::unsupported,
                {.what = "terms taken explicitly by a Runge-Kutta scheme, where what multiplies "
                         "dt() depends on " +
                         of_mass,
                 .where = where,
                 .found = scheme,
                 .allowed = "theta, bdf2; dirk2 and dirk3 with a constant mass",
                 .remedy = remedy});
  if (const FieldSpec *field = algebraic_field(terms, time_orders(d.form)))
    throw Error(ErrorKind::unsupported,
                {.what = fmt::format("a term with test({0}) taken explicitly by a Runge-Kutta "
                                     "scheme, where there is no dt({0})",
                                     field->name),
                 .where = where,
                 .found = scheme,
                 .allowed = "theta, bdf2; dirk2 and dirk3 for fields with dt()",
                 .remedy = remedy});
}

} // namespace

Case case_of_explicit_terms(const Case &c) {
  Case terms = c;
  terms.form.explicit_part = true;
  terms.dirichlet.clear();
  terms.bounds.clear();
  terms.over_time.clear();
  terms.recovered.clear();
  return terms;
}

Form form_of_explicit_terms(const Case &c) {
  FormSpec spec = c.form;
  spec.explicit_part = true;
  return make_form(spec);
}

Discretisation discretise_explicit_terms(const Case &explicit_terms, const Discretisation &d) {
  Discretisation terms = d;
  terms.integrated_facets.clear();
  terms.fixed = {};
  make_equations_anew(explicit_terms, terms);
  return terms;
}

void check_explicit_terms(const Case &c, const Discretisation &d, const Form &terms) {
  const SourceText &first = c.form.explicit_integrals.front().integrand;
  if (has_rates(terms))
    throw Error(ErrorKind::input, {.what = "dt() in a term that is taken explicitly",
                                   .where = first_with_rates(c).integrand.where(),
                                   .remedy = "write the terms with dt() without `explicit`"});
  if (!has_rates(d.form))
    throw Error(ErrorKind::input,
                {.what = "terms taken explicitly in time, of a weak form without dt()",
                 .where = first.where(),
                 .remedy = "add a term such as dt(u)*test(u), or write them without `explicit`"});
  if (has_second_rates(d.form))
    throw Error(ErrorKind::unsupported,
                {.what = "terms taken explicitly in time, of a weak form with dt(dt())",
                 .where = first.where(),
                 .allowed = "weak forms with dt() alone",
                 .remedy = "make dt(u) a field of its own: dt(u) = v"});
  if (c.time->scheme.starts_with("dirk"))
    check_stages(c, d, terms);
}

} // namespace weft
