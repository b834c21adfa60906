// Cell-centred finite volumes: what facets see in the place of the cells' means.
#include <algorithm>

#include "form/graph/rewrite.h"
#include "form/law/law_builder.h"

namespace weft {

void LawBuilder::choose_finite_volume(const Values &minus) {
  if (law_.diffusion == "two_point" || law_.diffusion == "corrected")
    two_point_ = law_.diffusion == "two_point";
  const auto is_zero = [&](NodeId id) { return graph_.is_constant(id, 0); };
  const bool inviscid = !std::all_of(minus.inviscid.begin(), minus.inviscid.end(), is_zero);
  if (law_.reconstruction != "constant")
    limiter_ = !law_.limiter.empty() ? law_.limiter : inviscid ? "venkatakrishnan" : "none";
  Nodes slopes = normal_slopes(minus, Side::minus);
  if (!std::all_of(slopes.begin(), slopes.end(), is_zero))
    slopes_ = std::move(slopes);
}

LawBuilder::Nodes LawBuilder::reconstructed(const Nodes &values) {
  if (law_.reconstruction == "constant")
    return values;
  return substitute(graph_, values, [&](Graph &g, const Symbol &s) {
    if (s.kind != SymbolKind::field)
      return g.symbol(s);
    reconstructs_ = true;
    NodeId change = g.constant(0);
    for (int d = 0; d < spec_.dim; ++d) {
      const NodeId slope = g.symbol({SymbolKind::field_gradient, s.index, s.component, d, s.side});
      const NodeId offset =
          g.symbol({.kind = SymbolKind::facet_offset, .component = d, .side = s.side});
      change = g.add(change, g.mul(slope, offset));
    }
    if (limiter_ != "none")
      change = g.mul(g.symbol({SymbolKind::limiter, s.index, s.component, 0, s.side}), change);
    return g.add(g.symbol(s), change);
  });
}

LawBuilder::Nodes LawBuilder::normal_slopes(const Values &values, Side side) {
  Nodes slopes;
  for (int k = 0; k < num_components_; ++k) {
    NodeId flux = graph_.constant(0);
    for (int d = 0; d < spec_.dim; ++d) {
      const NodeId normal = graph_.symbol({.kind = SymbolKind::normal, .component = d});
      flux = graph_.add(flux, graph_.mul(values.viscous[k * spec_.dim + d], normal));
    }
    for (int l = 0; l < num_components_; ++l)
      for (int d = 0; d < spec_.dim; ++d) {
        const int field = field_of_[l];
        slopes.push_back(
            derivative(graph_, std::span(&flux, 1),
                       {SymbolKind::field_gradient, field, l - first_[field], d, side})[0]);
      }
  }
  return slopes;
}

DiffusionSide LawBuilder::diffusion_side(const Nodes &slopes, Side side) {
  DiffusionSide result{.slope = reconstructed(slopes)};
  for (int k = 0; k < num_components_; ++k) {
    result.mean.push_back(symbol(SymbolKind::field, k, 0, side));
    for (int d = 0; d < spec_.dim; ++d)
      result.gradient.push_back(symbol(SymbolKind::field_gradient, k, d, side));
  }
  for (int d = 0; d < spec_.dim; ++d)
    result.offset.push_back(
        graph_.symbol({.kind = SymbolKind::facet_offset, .component = d, .side = side}));
  return result;
}

LawBuilder::Nodes LawBuilder::finite_volume_flux(const Nodes &numerical, const Values &plus) {
  Nodes flux = reconstructed(numerical);
  if (slopes_)
    add(flux, FacetDiffusion(graph_, spec_.dim, num_components_, two_point_)
                  .between(diffusion_side(*slopes_, Side::minus),
                           diffusion_side(normal_slopes(plus, Side::plus), Side::plus)));
  return flux;
}

LawBuilder::Nodes LawBuilder::facet_values(const Nodes &state, const Nodes &outer) {
  Nodes values = outer;
  for (int k = 0; slopes_ && k < num_components_; ++k) {
    const NodeId fraction =
        derivative(graph_, std::span(&outer[k], 1),
                   {SymbolKind::field, field_of_[k], k - first_[field_of_[k]], 0, Side::minus})[0];
    const NodeId rest = graph_.sub(graph_.constant(1), fraction);
    if (graph_[fraction].op == Op::constant && !graph_.is_constant(rest, 0))
      values[k] = graph_.div(graph_.sub(outer[k], graph_.mul(fraction, state[k])), rest);
  }
  return values;
}

LawBuilder::Nodes LawBuilder::finite_volume_boundary(const Nodes &numerical, const Nodes &state,
                                                     const Nodes &values) {
  Nodes flux = reconstructed(numerical);
  if (!slopes_)
    return flux;
  std::vector<bool> closed;
  for (int k = 0; k < num_components_; ++k)
    closed.push_back(values[k] == state[k]);
  // The state at the facet is known: coefficients are those of it.
  const Nodes slopes = substitute(graph_, *slopes_, [&](Graph &g, const Symbol &s) {
    return s.kind == SymbolKind::field ? values[first_[s.index] + s.component] : g.symbol(s);
  });
  add(flux, FacetDiffusion(graph_, spec_.dim, num_components_, two_point_)
                .at_boundary(diffusion_side(slopes, Side::minus), reconstructed(values), closed));
  return flux;
}

// Some component that diffuses has another state outside than that inside by name.
bool LawBuilder::diffusion_sees(const Nodes &state, const Nodes &outer) const {
  if (!slopes_)
    return false;
  const int width = num_components_ * spec_.dim;
  for (int k = 0; k < num_components_; ++k) {
    const auto begin = slopes_->begin() + k * width;
    const bool diffuses =
        std::any_of(begin, begin + width, [&](NodeId id) { return !graph_.is_constant(id, 0); });
    if (diffuses && outer[k] != state[k])
      return true;
  }
  return false;
}

// By putting the unit vectors for n: K of a component in itself is a number times the identity, and
// there are no gradients of others in its flux.
bool LawBuilder::is_isotropic() {
  Nodes factor(num_components_, -1);
  for (int e = 0; e < spec_.dim; ++e) {
    const Nodes slopes = substitute(graph_, *slopes_, [&](Graph &g, const Symbol &s) {
      return s.kind == SymbolKind::normal ? g.constant(s.component == e ? 1 : 0) : g.symbol(s);
    });
    for (int k = 0; k < num_components_; ++k)
      for (int l = 0; l < num_components_; ++l)
        for (int d = 0; d < spec_.dim; ++d) {
          const NodeId slope = slopes[(k * num_components_ + l) * spec_.dim + d];
          const NodeId expected = k != l || d != e ? graph_.constant(0)
                                  : e == 0         ? slope
                                                   : factor[k];
          if (slope != expected)
            return false;
          if (k == l && d == e)
            factor[k] = slope;
        }
  }
  return true;
}

void LawBuilder::describe_finite_volume(ConservationLaw &law) {
  law.finite_volume = true;
  law.linear_reconstruction = reconstructs_;
  std::vector<const PointwiseFunction *> functions = {&law.numerical_flux, &law.source};
  for (const BoundaryCondition &boundary : law.boundaries)
    functions.push_back(&boundary.flux);
  for (const PointwiseFunction *function : functions) {
    law.cell_gradients = law.cell_gradients || function->uses(SymbolKind::field_gradient);
    law.limits_gradients = law.limits_gradients || function->uses(SymbolKind::limiter);
  }
  law.linear = law.linear && !law.limits_gradients;
  if (law.limits_gradients)
    law.limiter = limiter_;
  if (!slopes_)
    return;
  law.two_point = two_point_;
  law.isotropic = is_isotropic();
  Nodes conormal;
  for (int k = 0; k < num_components_; ++k)
    for (int d = 0; d < spec_.dim; ++d)
      conormal.push_back(graph_.neg((*slopes_)[(k * num_components_ + k) * spec_.dim + d]));
  law.conormal = extract(graph_, conormal);
}

} // namespace weft
