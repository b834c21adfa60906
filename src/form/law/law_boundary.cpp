// Boundaries of conservation laws: the numerical flux with the state outside in the place of the
// plus side's.
#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "base/names.h"
#include "form/graph/rewrite.h"
#include "form/law/law_builder.h"

namespace weft {

// The state outside has to be known wherever the numerical flux is used.
void LawBuilder::check_complete(const BoundarySpec &spec) const {
  std::vector<std::string> without_flux, without_outer;
  for (const FieldSpec &field : spec_.fields) {
    if (!law_.flux.contains(field.name))
      continue;
    if (!spec.flux.contains(field.name))
      without_flux.push_back(field.name);
    if (!spec.outer.contains(field.name))
      without_outer.push_back(field.name);
  }
  if (without_flux.empty() || without_outer.empty())
    return;
  const bool gives_flux = spec.outer.empty();
  throw Error(ErrorKind::input,
              {.what = gives_flux ? "fields without a flux on a boundary"
                                  : "fields without a state outside on a boundary",
               .where = spec.where.where(),
               .found = "nothing for " + join_names(gives_flux ? without_flux : without_outer),
               .remedy = "give the state outside of all fields in `outer` (its name alone is the "
                         "state inside), or the flux of all of them in `flux`"});
}

LawBuilder::Nodes LawBuilder::outer_gradient(const BoundarySpec &spec, const Scope &scope) {
  Nodes gradient;
  for (int k = 0; k < num_components_; ++k)
    for (int d = 0; d < spec_.dim; ++d)
      gradient.push_back(symbol(SymbolKind::field_gradient, k, d, Side::minus));
  for (std::size_t f = 0; f < spec_.fields.size(); ++f)
    if (const auto text = spec.outer_gradient.find(spec_.fields[f].name);
        text != spec.outer_gradient.end()) {
      if (finite_volume_)
        throw Error(ErrorKind::input,
                    {.what = "outer gradients with finite volumes",
                     .where = text->second.where(),
                     .allowed = "the state outside, which is the value at the facet's middle",
                     .remedy = "leave outer_gradient out; give the normal flux itself in `flux`"});
      if (!viscous_)
        throw Error(ErrorKind::input, {.what = "outer gradients of a law without gradients",
                                       .where = text->second.where(),
                                       .remedy = "leave outer_gradient out"});
      Shape shape = spec_.fields[f].shape;
      shape.push_back(spec_.dim);
      const Tensor value = elaborator_.evaluate(text->second, scope, shape);
      std::copy(value.components.begin(), value.components.end(),
                gradient.begin() + first_[f] * spec_.dim);
    }
  return gradient;
}

BoundaryCondition LawBuilder::boundary(const BoundarySpec &spec, const Values &inside,
                                       const Nodes &numerical) {
  check_complete(spec);
  BoundaryCondition condition;
  if (spec.group != "all")
    condition.groups = {spec.group};
  Scope scope{.place = {Domain::facets, condition.groups}, .fields = true, .side = Side::minus};
  Nodes state;
  for (int k = 0; k < num_components_; ++k)
    state.push_back(symbol(SymbolKind::field, k, 0, Side::minus));
  Nodes outer = texts_at(spec.outer, scope, state);
  const Nodes gradient = outer_gradient(spec, scope);
  if (depends_on(graph_, outer, SymbolKind::field_gradient))
    throw Error(ErrorKind::input, {.what = "a state outside that depends on gradients",
                                   .where = spec.where.where(),
                                   .remedy = "write gradients in outer_gradient or flux"});

  // All that is not told of the outside is as inside.
  Nodes flux = substitute(graph_, numerical, [&](Graph &g, Symbol s) {
    if (s.side != Side::plus)
      return g.symbol(s);
    const int component = first_[s.index] + s.component;
    if (s.kind == SymbolKind::field)
      return outer[component];
    if (s.kind == SymbolKind::field_gradient)
      return gradient[component * spec_.dim + s.direction];
    s.side = Side::minus;
    return g.symbol(s);
  });
  if (finite_volume_) {
    outer = facet_values(state, outer);
    flux = finite_volume_boundary(flux, state, outer);
    condition.outer_is_sample = diffusion_sees(state, outer);
  }
  for (std::size_t f = 0; f < spec_.fields.size(); ++f) {
    const auto text = spec.flux.find(spec_.fields[f].name);
    if (text == spec.flux.end())
      continue;
    const LawValues named = named_for(static_cast<int>(f), Side::minus, inside);
    scope.law = &named;
    const Tensor value = elaborator_.evaluate(text->second, scope, spec_.fields[f].shape);
    const Nodes given = finite_volume_ ? reconstructed(value.components) : value.components;
    std::copy(given.begin(), given.end(), flux.begin() + first_[f]);
  }
  condition.flux = extract(graph_, flux);
  condition.outer = extract(graph_, outer);
  return condition;
}

} // namespace weft
