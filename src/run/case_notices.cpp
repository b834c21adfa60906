#include "run/case_notices.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/error.h"
#include "base/log.h"
#include "base/names.h"
#include "form/expression/expression.h"
#include "mesh/position.h"
#include "op/evaluate/field_values.h"
#include "op/problem/boundary_conditions.h"
#include "op/problem/quadrature_degree.h"
#include "op/problem/result_form.h"
#include "op/set_up/diffusion_direction.h"
#include "op/set_up/explicit_terms.h"
#include "run/advice/advice.h"

namespace weft {

namespace {

using FacetPairs = std::vector<std::pair<std::int32_t, std::int32_t>>;

// "(0.5, 1), (0.5, 2), ..."
std::string places_text(const Mesh &mesh, const std::vector<std::int32_t> &nodes) {
  constexpr std::size_t shown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, nodes.size()); ++i) {
    const Position x = position_of(mesh, nodes[i]);
    text += i == 0 ? "(" : ", (";
    for (int d = 0; d < mesh.dim; ++d)
      text += fmt::format("{}{:.6g}", d == 0 ? "" : ", ", x[d]);
    text += ")";
  }
  return nodes.size() > shown ? text + ", ..." : text;
}

// Pairs of which a facet lies in no group that a condition names.
FacetPairs without_named(const FacetPairs &pairs, const Mesh &mesh,
                         const std::vector<BoundaryClass> &classes) {
  FacetPairs left;
  for (const auto &[a, b] : pairs)
    if (!classes[mesh.facets[a].facet_class].by_name ||
        !classes[mesh.facets[b].facet_class].by_name)
      left.emplace_back(a, b);
  return left;
}

void refuse_overlapping_facets(const Case &c, const Mesh &mesh, const UnjoinedFacets &unjoined,
                               const std::vector<BoundaryClass> &classes) {
  const FacetPairs left = without_named(unjoined.overlapping, mesh, classes);
  if (left.empty())
    return;
  throw Error(
      ErrorKind::input,
      {.what = "the mesh does not conform: cells meet that do not share whole facets",
       .where = place_in(c, "[mesh] file"),
       .found = fmt::format("{} facets on facets with other vertices, {} hanging nodes, at {}",
                            left.size(), unjoined.hanging_nodes.size(),
                            places_text(mesh, unjoined.hanging_nodes)),
       .allowed = "facets that two cells share whole",
       .remedy = "join the geometry before it is meshed (Gmsh: Coherence, BooleanFragments); where "
                 "the parts shall only touch, put the facets there into groups and name these in "
                 "conditions"});
}

void notice_double_facets(const Case &c, const Mesh &mesh, const UnjoinedFacets &unjoined,
                          const std::vector<BoundaryClass> &classes) {
  const FacetPairs left = without_named(unjoined.doubled, mesh, classes);
  if (left.empty())
    return;
  log::notice("{}: pairs of facets lie on one another without being joined: {}, with {} double "
              "nodes, at {}: the solution may jump there, as along a crack; where the parts should "
              "be one, join the geometry (Gmsh: Coherence, BooleanFragments)",
              place_in(c, "[mesh] file"), left.size(), unjoined.double_nodes.size(),
              places_text(mesh, unjoined.double_nodes));
}

// All: facets of a class without a condition, of all ranks.
std::int64_t num_facets(const Discretisation &d, const std::vector<BoundaryClass> &classes,
                        std::size_t k) {
  return classes[k].has_condition ? 0 : sum(d.ranks, classes[k].num_facets);
}

void notice_open_boundary(const Case &c, const Discretisation &d,
                          const std::vector<BoundaryClass> &classes) {
  if (!has_natural_conditions(d.form)) // on all ranks
    return;
  std::map<std::string, std::int64_t> count; // facets by groups
  std::int64_t without_group = 0;
  for (std::size_t k = 0; k < classes.size(); ++k)
    if (const std::int64_t facets = num_facets(d, classes, k); facets > 0) {
      const GroupClass &groups = d.mesh->facet_classes[k];
      (groups.groups.empty() ? without_group : count[name_of_class(groups)]) += facets;
    }
  std::vector<std::string> parts;
  for (const auto &[groups, facets] : count)
    parts.push_back(fmt::format("{} ({} facet{})", groups, facets, facets == 1 ? "" : "s"));
  if (without_group > 0)
    parts.push_back(fmt::format("facets without a group ({})", without_group));
  if (!parts.empty())
    log::notice("{}: no condition on {}: the natural one of the form holds there, such as no flux",
                c.file, join_names(parts));
}

void notice_degree(const Case &c, const std::string &what, int used, int exact) {
  const QuadratureSpec &asked = c.form.quadrature;
  const std::string reason = asked.gauss_lobatto ? " at Gauss-Lobatto points, as the case says"
                             : asked.degree      ? ", as the case says"
                                                 : ", the most that Weft takes";
  log::notice("{}: integrated with a quadrature of degree {}{}; the integrand counts as degree "
              "{}{}",
              what, used, reason, std::min(exact, largest_degree),
              exact >= largest_degree ? " or more" : "");
}

std::string place_of_integrals(const Case &c, Domain domain) {
  if (domain == Domain::cells && !c.form.pointwise.empty() && !c.form.explicit_part)
    return place_in(c, "[pointwise]");
  const IntegralSpec *only = nullptr;
  for (const IntegralSpec &spec : c.form.terms()) {
    if (spec.domain == domain && only)
      return place_in(c, "[weak_form]");
    if (spec.domain == domain)
      only = &spec;
  }
  return only ? only->integrand.where() : place_in(c, "[weak_form]");
}

void notice_degrees_of_integrals(const Case &c, const Discretisation &d) {
  for (const FormIntegral &integral : d.form.integrals) {
    const QuadratureDegree degree = degree_of_integral(d, integral);
    const int used = integral.domain == Domain::cells ? d.cell_degree : d.facet_degree;
    if (used < degree.exact)
      notice_degree(c, place_of_integrals(c, integral.domain), used, degree.exact);
  }
}

void notice_degrees(const Case &c, const Discretisation &d) {
  notice_degrees_of_integrals(c, d);
  // Functionals, of which there may be many alike, in one line.
  std::vector<std::string> names;
  int least_used = 0, most = 0;
  for (const FunctionalSpec &spec : c.functionals) {
    if (spec.kind != FunctionalKind::integral && spec.kind != FunctionalKind::average)
      continue;
    const QuadratureDegree degree = degree_of_expression(
        d, make_expression(result_form(c), spec.expression, {}, true, spec.domain).function);
    const int used =
        std::max(degree.used, spec.domain == Domain::cells ? d.cell_degree : d.facet_degree);
    if (used >= degree.exact)
      continue;
    least_used = names.empty() ? used : std::min(least_used, used);
    most = std::max(most, degree.exact);
    names.push_back(spec.name);
  }
  if (!names.empty())
    notice_degree(c, place_in(c, "[functionals] " + join_names(names)), least_used, most);
}

// A field that no equation has is a column of zeros, which no solver can make anything of.
void refuse_fields_that_are_nowhere(const Case &c, const Form &form) {
  if (!form.c_text.empty() || form.integrals.empty())
    return;
  constexpr SymbolKind increments[] = {SymbolKind::direction,
                                       SymbolKind::direction_gradient,
                                       SymbolKind::direction_hessian,
                                       SymbolKind::direction_rate,
                                       SymbolKind::direction_rate_gradient,
                                       SymbolKind::direction_rate_hessian};
  for (std::size_t f = 0; f < form.fields.size(); ++f) {
    const int field = static_cast<int>(f);
    if (std::any_of(form.integrals.begin(), form.integrals.end(),
                    [&](const FormIntegral &integral) {
                      return std::any_of(
                          std::begin(increments), std::end(increments),
                          [&](SymbolKind kind) { return integral.linearised.uses(kind, field); });
                    }))
      continue;
    const FieldSpec &spec = form.fields[f];
    throw Error(ErrorKind::input,
                {.what = fmt::format("no term of the weak form depends on the field `{}`: nothing "
                                     "determines it",
                                     spec.name),
                 .where = spec.place.empty() ? c.file : spec.place,
                 .remedy = "add a term with it to [weak_form], or leave the field out"});
  }
}

// Steps in time would end in numbers that mean nothing, and count as solved.
void refuse_backward_diffusion(const Case &c, const Discretisation &d) {
  if (d.law || !has_rates(d.form) || !diffusion_runs_backwards(d, initial_state(c, d)))
    return;
  throw Error(ErrorKind::input,
              {.what = "the terms with dt() and with gradients have the signs of diffusion that "
                       "runs backwards in time: values would grow without bound, the faster the "
                       "finer the mesh",
               .where = place_of_integrals(c, Domain::cells),
               .allowed = "dt(u)*test(u) + k*inner(grad(u), grad(test(u))) with k not negative",
               .remedy = "change the sign of one of the terms"});
}

} // namespace

void look_over_mesh(const Case &c, const Mesh &whole, const UnjoinedFacets &unjoined,
                    bool notices) {
  const std::vector<BoundaryClass> classes = boundary_classes(c, whole);
  refuse_overlapping_facets(c, whole, unjoined, classes);
  if (notices)
    notice_double_facets(c, whole, unjoined, classes);
}

void look_over(const Case &c, const Discretisation &d, bool notices) {
  refuse_fields_that_are_nowhere(c, d.form);
  refuse_backward_diffusion(c, d);
  if (!notices)
    return;
  notice_open_boundary(c, d, boundary_classes(c, *d.mesh));
  notice_degrees(c, d);
  if (!c.form.explicit_integrals.empty()) {
    const Case terms = case_of_explicit_terms(c);
    notice_degrees_of_integrals(terms, discretise_explicit_terms(terms, d));
  }
  if (d.form.linear)
    give_advice(c, d, initial_state(c, d));
}

} // namespace weft
