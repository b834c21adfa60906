#include "kernel/law/dg_values.h"

#include <algorithm>

namespace weft {

namespace {

int num_components(const std::vector<FieldSpec> &fields) {
  int sum = 0;
  for (const FieldSpec &field : fields)
    sum += field.components();
  return sum;
}

std::vector<const PointwiseFunction *> functions_on_facets(const ConservationLaw &law) {
  std::vector<const PointwiseFunction *> functions = {&law.numerical_flux, &law.conormal};
  for (const BoundaryCondition &b : law.boundaries) {
    functions.push_back(&b.flux);
    functions.push_back(&b.outer);
  }
  return functions;
}

std::vector<const PointwiseFunction *> all_functions(const ConservationLaw &law) {
  std::vector<const PointwiseFunction *> functions = functions_on_facets(law);
  functions.insert(functions.end(), {&law.source, &law.capacity, &law.wave_speed, &law.positive});
  if (!law.finite_volume)
    functions.insert(functions.end(), {&law.flux, &law.diffusivity});
  return functions;
}

bool any_of(const std::vector<const PointwiseFunction *> &functions, SymbolKind kind) {
  return std::any_of(functions.begin(), functions.end(),
                     [&](const PointwiseFunction *f) { return f->uses(kind); });
}

// [component]: some function asks for its gradient.
std::vector<bool> asked_gradients(const ConservationLaw &law) {
  std::vector<bool> asked(law.num_components, false);
  for (const PointwiseFunction *function : all_functions(law))
    for (const Symbol &s : function->symbols)
      if (s.kind == SymbolKind::field_gradient || s.kind == SymbolKind::limiter) {
        int component = s.component;
        for (int f = 0; f < s.index; ++f)
          component += law.fields[f].components();
        asked[component] = true;
      }
  return asked;
}

} // namespace

DgValues dg_values(const ConservationLaw &law) {
  DgValues values{.components = law.num_components, .known = num_components(law.auxiliary)};
  const bool has_gradients = law.finite_volume ? law.cell_gradients : law.viscous;
  const std::vector<bool> asked = law.finite_volume && has_gradients
                                      ? asked_gradients(law)
                                      : std::vector<bool>(law.num_components, has_gradients);
  for (int k = 0; k < law.num_components; ++k) {
    values.gradient_of.push_back(asked[k] ? static_cast<int>(values.with_gradient.size()) : -1);
    if (asked[k])
      values.with_gradient.push_back(k);
  }
  const int count = static_cast<int>(values.with_gradient.size());
  values.gradients = count * law.dim;
  values.limiters = law.finite_volume && law.limits_gradients ? count : 0;
  return values;
}

DgFacetLayout dg_facet_layout(const ConservationLaw &law, int order) {
  DgFacetLayout layout{.entries = law.dim + 1};
  const auto add = [&](int &offset, int count) {
    offset = layout.entries;
    layout.entries += count;
  };
  if (!law.finite_volume)
    add(layout.penalty, 1);
  if (order == 0 && (!law.finite_volume || any_uses_on_facets(law, SymbolKind::coordinate)))
    add(layout.middle, law.dim);
  if (law.finite_volume && (law.cell_gradients || has_diffusion(law) ||
                            any_uses_on_facets(law, SymbolKind::facet_offset)))
    add(layout.offsets, 2 * law.dim);
  return layout;
}

bool any_uses(const ConservationLaw &law, SymbolKind kind) {
  return any_of(all_functions(law), kind);
}

bool any_uses_on_facets(const ConservationLaw &law, SymbolKind kind) {
  return any_of(functions_on_facets(law), kind);
}

bool dg_state_lies_by_cell(const ConservationLaw &law, int lanes) {
  return !law.finite_volume && lanes > 1;
}

bool has_diffusion(const ConservationLaw &law) {
  return !law.conormal.outputs.empty();
}

bool gives_outer(const ConservationLaw &law, int condition, int component) {
  const PointwiseFunction &outer = law.boundaries[condition].outer;
  const Node &node = outer.nodes[outer.outputs[component]];
  if (node.op != Op::symbol || outer.symbols[node.symbol].kind != SymbolKind::field)
    return true;
  const Symbol &s = outer.symbols[node.symbol];
  int inside = s.component;
  for (int f = 0; f < s.index; ++f)
    inside += law.fields[f].components();
  return inside != component;
}

bool is_sampled(const ConservationLaw &law, int condition) {
  const DgValues values = dg_values(law);
  return law.boundaries[condition].outer_is_sample &&
         std::all_of(values.with_gradient.begin(), values.with_gradient.end(),
                     [&](int k) { return gives_outer(law, condition, k); });
}

bool gives_some_outer(const ConservationLaw &law, int condition) {
  for (int k = 0; k < law.num_components; ++k)
    if (gives_outer(law, condition, k))
      return true;
  return false;
}

} // namespace weft
