#include "case/check_law.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "base/names.h"

namespace weft {

namespace {

Error input(Diagnostic diagnostic) {
  return Error(ErrorKind::input, std::move(diagnostic));
}

std::vector<std::string> field_names(const Case &c) {
  std::vector<std::string> names;
  for (const FieldSpec &field : c.form.fields)
    names.push_back(field.name);
  return names;
}

void check_fields_of(const Case &c, const TextByField &texts, bool every_allowed) {
  const auto known = field_names(c);
  for (const auto &[name, text] : texts) {
    if ((every_allowed && name == every_field) ||
        std::find(known.begin(), known.end(), name) != known.end())
      continue;
    const std::string nearest = nearest_name(name, known);
    throw input({.what = fmt::format("there is no field \"{}\"", name),
                 .where = text.where(),
                 .allowed = join_names(known),
                 .remedy = nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest)});
  }
}

void check_names(const Case &c, const ConservationLawSpec &law) {
  for (const auto *texts : {&law.flux, &law.capacity, &law.source})
    check_fields_of(c, *texts, false);
  check_fields_of(c, law.numerical_flux_of, true);
  for (const auto &[name, texts] : law.fluxes)
    check_fields_of(c, texts, true);
  for (const BoundarySpec &boundary : c.form.boundaries)
    for (const auto *texts : {&boundary.outer, &boundary.outer_gradient, &boundary.flux})
      check_fields_of(c, *texts, false);
}

void check_elements(const Case &c) {
  const FieldSpec &first = c.form.fields.front();
  for (const FieldSpec &field : c.form.fields) {
    if (!field.cells.empty())
      throw Error(ErrorKind::unsupported,
                  {.what = fmt::format(
                       "the field \"{}\" of a conservation law in some regions only", field.name),
                   .where = field.place,
                   .found = "cells = " + join_names(field.cells),
                   .allowed = "fields of weak forms",
                   .remedy = "leave `cells` out, or write the law as a [weak_form] with an element "
                             "DG, its fluxes in interior.all"});
    if (!field.discontinuous)
      throw input(
          {.what = fmt::format("the field \"{}\" of a conservation law is continuous", field.name),
           .where = field.place,
           .found = field.element(),
           .allowed = "DG0 to DG9, FV",
           .remedy = fmt::format("write element = \"DG{}\"", field.order)});
    const std::string both =
        fmt::format("{} of {}, {} of {}", first.name, first.element(), field.name, field.element());
    if (field.finite_volume != first.finite_volume)
      throw input({.what = "finite volumes and discontinuous Galerkin in one conservation law",
                   .where = field.place,
                   .found = both,
                   .allowed = "one method for all fields, those without a flux as well",
                   .remedy = "write element = \"FV\" for all of them, or for none"});
    if (field.order != first.order)
      throw input({.what = "the fields of a conservation law have one order in common",
                   .where = field.place,
                   .found = both,
                   .remedy = fmt::format("write element = \"DG{}\" for all of them",
                                         std::max(first.order, field.order))});
  }
}

void check_limiter(const ConservationLawSpec &law, const std::vector<std::string> &allowed,
                   const std::string &element) {
  if (std::find(allowed.begin(), allowed.end(), law.limiter) == allowed.end())
    throw input(
        {.what = "a limiter that the element does not have",
         .where = law.place,
         .found = fmt::format("limiter = \"{}\" with element = \"{}\"", law.limiter, element),
         .allowed = join_names(allowed)});
}

// Settings that depend on the element, and their defaults.
void check_method(const Case &c, ConservationLawSpec &law) {
  const FieldSpec &field = c.form.fields.front();
  const auto belongs_to_fv = [&](const char *key, const std::string &value) {
    if (!value.empty())
      throw input(
          {.what = fmt::format("`{}` belongs to finite volumes", key),
           .where = law.place,
           .found = fmt::format("{} = \"{}\" with element = \"{}\"", key, value, field.element()),
           .remedy = fmt::format("leave `{}` out, or write element = \"FV\"", key)});
  };
  if (!field.finite_volume) {
    belongs_to_fv("reconstruction", law.reconstruction);
    belongs_to_fv("diffusion", law.diffusion);
    if (law.limiter.empty())
      law.limiter = "none";
    return check_limiter(law, {"none", "positivity", "shock"}, field.element());
  }
  if (!law.limiter.empty())
    check_limiter(law, {"none", "venkatakrishnan", "barth_jespersen"}, field.element());
  if (law.reconstruction == "constant" && !law.limiter.empty() && law.limiter != "none")
    throw input(
        {.what = "a limiter of gradients without a reconstruction that takes gradients",
         .where = law.place,
         .found = fmt::format("limiter = \"{}\", reconstruction = \"constant\"", law.limiter),
         .remedy = "leave `limiter` out, or write reconstruction = \"linear\""});
  if (law.reconstruction.empty())
    law.reconstruction = "linear";
  if (law.diffusion.empty())
    law.diffusion = "auto";
}

void check_equations(const Case &c, const ConservationLawSpec &law) {
  for (const auto *integrals : {&c.form.integrals, &c.form.explicit_integrals})
    if (!integrals->empty())
      throw input({.what = "a conservation law beside a weak form",
                   .where = law.place,
                   .found = integrals->front().integrand.where(),
                   .remedy = "keep one of them; a law's boundaries are in [boundary]"});
  if (!c.form.pointwise.empty())
    throw input({.what = "a conservation law beside a weak form",
                 .where = law.place,
                 .found = "[pointwise]",
                 .remedy = "keep one of them; a law's boundaries are in [boundary]"});
  for (const FieldSpec &field : c.form.fields)
    if (!law.flux.contains(field.name) && !law.source.contains(field.name))
      throw input({.what = fmt::format("the field \"{}\" has no equation: neither a flux nor a "
                                       "source",
                                       field.name),
                   .where = law.place,
                   .remedy = fmt::format("add flux.{0} or source.{0}; \"0\" where it is constant "
                                         "in time",
                                         field.name)});
}

// What belongs to the other kind of equations.
void check_time(TimeSpec &time, bool law) {
  if (time.is_load())
    return;
  std::vector<std::string> implicit = {"theta", "bdf2", "dirk2", "dirk3", "dirk4"};
  if (law && time.scheme == "generalised_alpha")
    throw input({.what = "generalised_alpha with a conservation law",
                 .where = time.place,
                 .allowed = join_names(implicit) + "; explicit: lsrk4, rk4, ssprk3, euler",
                 .remedy = "write scheme = \"bdf2\""});
  if (!law)
    implicit.emplace_back("generalised_alpha");
  const bool is_implicit =
      !law || std::find(implicit.begin(), implicit.end(), time.scheme) != implicit.end();
  if (time.scheme.empty() && law)
    time.scheme = "lsrk4";
  if (!law && !time.scheme.empty() &&
      std::find(implicit.begin(), implicit.end(), time.scheme) == implicit.end())
    throw input({.what = "an explicit scheme for a weak form",
                 .where = time.place,
                 .found = fmt::format("scheme = \"{}\"", time.scheme),
                 .allowed = join_names(implicit)});
  if (is_implicit && !(time.step > 0) && !(time.cfl > 0))
    throw input({.what = "[time] without `step`",
                 .where = time.place,
                 .remedy = law ? "add step = 0.1, or take an explicit scheme, which finds its own"
                               : "add step = 0.1"});
  if (is_implicit && time.cfl > 0)
    throw input({.what = "a CFL number belongs to the explicit schemes of conservation laws",
                 .where = time.place,
                 .found = fmt::format("scheme = \"{}\"", time.scheme),
                 .remedy = "write step = 0.1 in its place"});
  if (!law && time.splits_reactions())
    throw input({.what = "`reactions` and `substeps` belong to the sources of conservation laws",
                 .where = time.place,
                 .remedy = "leave them out"});
  if (time.tolerance && time.splits_reactions())
    throw input({.what = "adaptive steps with sources that are split off",
                 .where = time.place,
                 .found = time.rush_larsen ? "reactions" : "substeps",
                 .allowed = "step or cfl: the estimate of the error sees the rest of the law alone",
                 .remedy = "leave `adaptive` out, or reactions and substeps"});
  if (!is_implicit && time.tolerance && time.scheme != "ssprk3")
    throw input({.what = "adaptive steps of a scheme that estimates no error",
                 .where = time.place,
                 .found = fmt::format("scheme = \"{}\"", time.scheme),
                 .allowed = "ssprk3, " + join_names(implicit),
                 .remedy = "write scheme = \"ssprk3\", or leave `adaptive` out"});
  if (is_implicit && time.splits_reactions() && time.scheme != "theta")
    throw input(
        {.what = "sources that are split off beside a scheme that looks back on several steps",
         .where = time.place,
         .found = fmt::format("scheme = \"{}\"", time.scheme),
         .allowed = "theta, lsrk4, rk4, ssprk3, euler",
         .remedy = "write scheme = \"theta\""});
}

// Limiters of discontinuous Galerkin methods change a state after each stage of an explicit scheme.
void check_limiter_in_time(const Case &c, const ConservationLawSpec &law) {
  const std::string &scheme = c.time->scheme;
  const bool is_implicit = scheme == "theta" || scheme == "bdf2" || scheme.starts_with("dirk");
  if (is_implicit && !c.form.fields.front().finite_volume && law.limiter != "none")
    throw input(
        {.what = "a limiter of states with an implicit scheme",
         .where = law.place,
         .found = fmt::format("limiter = \"{}\", scheme = \"{}\"", law.limiter, c.time->scheme),
         .allowed = "lsrk4, rk4, ssprk3, euler",
         .remedy = "write scheme = \"ssprk3\", or limiter = \"none\""});
}

void check_positive(const ConservationLawSpec &law) {
  if ((law.limiter == "positivity" || law.limiter == "shock") && law.positive.empty())
    throw input(
        {.what = fmt::format("the limiter `{}` without expressions to keep positive", law.limiter),
         .where = law.place,
         .remedy = "add positive = [\"rho\", \"p\"], of which `shock` looks at the first "
                   "for jumps; one of any sign is shifted: [\"u + 10\"]"});
}

// Which schemes take terms explicitly; whether the form allows it, check_explicit_terms() of the
// discretisation sees.
void check_explicit_terms(const Case &c) {
  if (c.form.explicit_integrals.empty())
    return;
  const std::string where = c.form.explicit_integrals.front().integrand.where();
  if (!c.time || c.time->is_load())
    throw input({.what = "a term that is taken explicitly in time, of a case without time",
                 .where = where,
                 .found = c.time ? "[load]" : "no [time]",
                 .remedy = "add [time] with end = ... and step = ..., or write the term without "
                           "`explicit`"});
  const std::vector<std::string> additive = {"theta", "bdf2", "dirk2", "dirk3"};
  const std::string &scheme = c.time->scheme;
  if (!scheme.empty() && std::find(additive.begin(), additive.end(), scheme) == additive.end())
    throw input({.what = "a term that is taken explicitly in time, with a scheme that has no "
                         "explicit part",
                 .where = where,
                 .found = fmt::format("scheme = \"{}\"", scheme),
                 .allowed = join_names(additive),
                 .remedy = "write scheme = \"bdf2\", or the term without `explicit`"});
}

void check_without_law(const Case &c) {
  check_explicit_terms(c);
  if (!c.form.boundaries.empty())
    throw input({.what = "[boundary] belongs to a conservation law",
                 .where = c.form.boundaries[0].where.where(),
                 .remedy = "a weak form takes [dirichlet] and integrals over facets"});
  for (const FieldSpec &field : c.form.fields)
    if (field.finite_volume)
      throw input({.what = "finite volumes without a conservation law",
                   .where = field.place,
                   .found = field.element(),
                   .allowed = "P1 to P8 and DG0 to DG9 for weak forms",
                   .remedy = "add [conservation_law], or write element = \"DG0\""});
}

} // namespace

void check_law(Case &c) {
  if (c.time)
    check_time(*c.time, c.form.law.has_value());
  if (!c.form.law)
    return check_without_law(c);
  ConservationLawSpec &law = *c.form.law;
  check_names(c, law);
  check_equations(c, law);
  check_elements(c);
  check_method(c, law);
  if (!c.dirichlet.empty())
    throw input({.what = "[dirichlet] with a conservation law",
                 .where = c.dirichlet[0].value.where(),
                 .remedy = fmt::format("write [boundary.{0}] with outer = {{ {1} = ... }}",
                                       c.dirichlet[0].group, c.dirichlet[0].field)});
  if (!c.form.quadrature.place.empty())
    throw input({.what = "a quadrature with a conservation law",
                 .where = c.form.quadrature.place,
                 .remedy = "leave it out: laws choose theirs by the element"});
  if (!c.time)
    throw input({.what = "a conservation law without [time]",
                 .where = law.place,
                 .remedy = "add [time] with end = 1.0; a steady state is where time "
                           "leads: scheme = \"theta\", theta = 1.0, with a step and an end so long "
                           "that nothing changes any more"});
  check_limiter_in_time(c, law);
  check_positive(law);
}

} // namespace weft
