// [conservation_law], [numerical_fluxes], [boundary].
#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "base/names.h"
#include "case/bindings.h"
#include "case/case_declarations.h"
#include "case/flux_file.h"

namespace weft {

namespace {

ConservationLawSpec &law_of(Case &c) {
  return c.form.law ? *c.form.law : c.form.law.emplace();
}

BoundarySpec &boundary_of(Case &c, const Entry &e) {
  const std::string group = e.key == "boundary" ? "all" : e.key;
  auto &list = c.form.boundaries;
  auto found = std::find_if(list.begin(), list.end(),
                            [&](const BoundarySpec &spec) { return spec.group == group; });
  if (found == list.end())
    found = list.insert(list.end(), {.group = group});
  found->where = {.text = {}, .file = e.file, .line = e.line, .key = e.path};
  return *found;
}

void read_texts(const Entry &e, TextByField &texts) {
  for (const Entry &text : entries_of(*e.value->as_table(), &e))
    texts[text.key] = math_of(text);
}

// `flux.rho = "m"`
Declaration by_field(Case &c, std::string key, std::string description,
                     TextByField ConservationLawSpec::*texts) {
  Declaration d = declare_table(std::move(key), std::move(description),
                                {declare_key("<field>", type_math, "of that field")});
  d.read = [&c, texts](const Entry &e) { read_texts(e, law_of(c).*texts); };
  return d;
}

Declaration numerical_flux_key(Case &c) {
  Declaration d = declare_key(
      "numerical_flux", type_text | type_table,
      fmt::format("the normal flux on facets: the name of one of [numerical_fluxes] or of {}; or "
                  "expressions by field",
                  join_names(flux_file_names())));
  d.default_text = "\"lax_friedrichs\"";
  d.children = {declare_key("<field>", type_math,
                            "of minus(), plus(), avg(), jump() and n; `every`: of all others")};
  d.read = [&c](const Entry &e) {
    ConservationLawSpec &law = law_of(c);
    if (e.value->is_table()) {
      law.numerical_flux.reset();
      read_texts(e, law.numerical_flux_of);
    } else {
      law.numerical_flux = math_of(e);
      law.numerical_flux_of.clear();
    }
  };
  return d;
}

Declaration limiter_key(Case &c) {
  Declaration d = declare_key(
      "limiter", type_text,
      "of each new state: `positivity` keeps `positive`, `shock` also flattens cells that "
      "overshoot; of `FV`: of the gradients in a linear reconstruction, by default "
      "`venkatakrishnan`, which leaves alone what changes by less than (5 h/L)^1.5 of the field's "
      "range at the start and on boundaries, h of a cell and L of the mesh; both take the mean of "
      "a cell where `positive` would not be so");
  d.default_text = "\"none\"";
  d.allowed = {"none", "positivity", "shock", "venkatakrishnan", "barth_jespersen"};
  d.read = [&c](const Entry &e) { law_of(c).limiter = text_of(e); };
  return d;
}

// Keys that only laws of the element FV have.
std::vector<Declaration> finite_volume_keys(Case &c) {
  Declaration reconstruction = declare_key(
      "reconstruction", type_text,
      "of `FV`: what a flux without gradients sees on facets, the mean of a cell or a linear "
      "function by its least-squares gradient");
  reconstruction.default_text = "\"linear\"";
  reconstruction.allowed = {"linear", "constant"};
  reconstruction.read = [&c](const Entry &e) { law_of(c).reconstruction = text_of(e); };
  Declaration diffusion = declare_key(
      "diffusion", type_text,
      "of `FV`: gradients on facets by the values of two cells, or corrected by the cells' "
      "gradients; `auto`: the former where that is consistent, on meshes whose lines of centres "
      "follow K n");
  diffusion.default_text = "\"auto\"";
  diffusion.allowed = {"auto", "two_point", "corrected"};
  diffusion.read = [&c](const Entry &e) { law_of(c).diffusion = text_of(e); };
  return {reconstruction, diffusion};
}

Declaration conservation_law_table(Case &c) {
  Declaration wave_speed = declare_key(
      "wave_speed", type_math,
      "the largest at a place, for the step and for Lax-Friedrichs; default: by the derivative of "
      "the flux, of a law of one scalar");
  wave_speed.read = [&c](const Entry &e) { law_of(c).wave_speed = math_of(e); };
  Declaration positive =
      declare_key("positive", type_maths,
                  "expressions that the limiter keeps positive, of `FV` at the middles of facets");
  positive.read = [&c](const Entry &e) { law_of(c).positive = maths_of(e); };
  std::vector<Declaration> keys = {
      by_field(c, "flux", "of a scalar a vector, of a vector a matrix with a row a component",
               &ConservationLawSpec::flux),
      by_field(c, "capacity", "scalars that multiply the time derivative; default: 1",
               &ConservationLawSpec::capacity),
      by_field(c, "source", "the right-hand side; default: 0", &ConservationLawSpec::source),
      numerical_flux_key(c),
      wave_speed,
      positive,
      limiter_key(c)};
  for (Declaration &key : finite_volume_keys(c))
    keys.push_back(std::move(key));
  Declaration table = declare_table(
      "conservation_law",
      "Instead of `weak_form`: dt(capacity*q) + div(flux) = source, one entry a field. A key that "
      "a physics file also has replaces the one there.",
      std::move(keys));
  table.read = [&c](const Entry &e) { law_of(c).place = e.where(); };
  return table;
}

Declaration numerical_fluxes_table(Case &c) {
  Declaration flux = declare_table(
      "<name>", "a numerical flux that `numerical_flux` may name",
      {declare_key("<field>", type_math,
                   "of minus(), plus(), avg(), jump() and n; `every`: of all others")});
  flux.read = [&c](const Entry &e) { read_texts(e, law_of(c).fluxes[e.key]); };
  return declare_table("numerical_fluxes",
                       "Numerical fluxes that a conservation law has beside those of Weft.",
                       {flux});
}

Declaration boundary_table(Case &c) {
  const auto texts = [](std::string key, std::string description) {
    return declare_table(std::move(key), std::move(description),
                         {declare_key("<field>", type_math, "of that field")});
  };
  Declaration group = declare_table(
      "<group>", "a facet group; `all`: every boundary facet that no other entry names",
      {texts("outer", "the state outside, which the numerical flux sees; the diffusion of `FV` "
                      "takes it for the value on the facet, and a field's name alone for none"),
       texts("outer_gradient", "gradients outside, of viscous laws; default: those inside"),
       texts("flux", "instead of the state: the outward normal flux")});
  group.read = [&c](const Entry &e) {
    BoundarySpec &spec = boundary_of(c, e);
    if (const auto outer = child_of(e, "outer"))
      read_texts(*outer, spec.outer);
    if (const auto gradient = child_of(e, "outer_gradient"))
      read_texts(*gradient, spec.outer_gradient);
    if (const auto flux = child_of(e, "flux"))
      read_texts(*flux, spec.flux);
    if (spec.outer.empty() && spec.flux.empty())
      throw Error(ErrorKind::input, {.what = "a boundary with neither a state outside nor a flux",
                                     .where = e.where(),
                                     .allowed = "outer = {...} or flux = {...}"});
  };
  return declare_table("boundary",
                       "What happens at the boundary of a conservation law, by facet group. "
                       "Fields stand for their values inside.",
                       {group});
}

} // namespace

std::vector<Declaration> law_declarations(Case &c) {
  std::vector<Declaration> tables = {conservation_law_table(c), numerical_fluxes_table(c),
                                     boundary_table(c)};
  for (auto &table : tables)
    table.in_physics = true;
  return tables;
}

} // namespace weft
