#include "form/law/facet_diffusion.h"

#include <algorithm>

namespace weft {

FacetDiffusion::FacetDiffusion(Graph &graph, int dim, int num_components, bool two_point)
    : graph_(graph), dim_(dim), num_components_(num_components), two_point_(two_point) {
  for (int d = 0; d < dim; ++d)
    normal_.push_back(graph.symbol({.kind = SymbolKind::normal, .component = d}));
}

NodeId FacetDiffusion::dot(const Nodes &a, const Nodes &b) {
  NodeId sum = graph_.constant(0);
  for (int d = 0; d < dim_; ++d)
    sum = graph_.add(sum, graph_.mul(a[d], b[d]));
  return sum;
}

FacetDiffusion::Nodes FacetDiffusion::slope_of(const DiffusionSide &side, int k, int l) const {
  const auto begin = side.slope.begin() + (k * num_components_ + l) * dim_;
  return {begin, begin + dim_};
}

FacetDiffusion::Nodes FacetDiffusion::gradient_of(const DiffusionSide &side, int l) const {
  const auto begin = side.gradient.begin() + l * dim_;
  return {begin, begin + dim_};
}

bool FacetDiffusion::couples(const DiffusionSide &side, int k) const {
  for (int l = 0; l < num_components_; ++l)
    for (const NodeId slope : slope_of(side, k, l))
      if (l != k && !graph_.is_constant(slope, 0))
        return true;
  return false;
}

NodeId FacetDiffusion::transmissibility(const DiffusionSide &side, int k, Sign sign) {
  const Nodes &along = two_point_ ? side.offset : normal_;
  const NodeId slope = dot(slope_of(side, k, k), along);
  const NodeId t = graph_.div(slope, dot(along, side.offset));
  return sign == Sign::minus ? graph_.neg(t) : t;
}

NodeId FacetDiffusion::remainder(const DiffusionSide &side, int k, NodeId t, Sign sign) {
  if (two_point_)
    return graph_.constant(0);
  Nodes across = slope_of(side, k, k);
  for (int d = 0; d < dim_; ++d) {
    const NodeId along = graph_.mul(t, side.offset[d]);
    across[d] = sign == Sign::minus ? graph_.add(across[d], along) : graph_.sub(across[d], along);
  }
  return dot(across, gradient_of(side, k));
}

FacetDiffusion::Nodes FacetDiffusion::facet_gradient(const DiffusionSide &side, int l, NodeId u) {
  const Nodes gradient = gradient_of(side, l);
  const Nodes &along = two_point_ ? side.offset : normal_;
  NodeId difference = graph_.sub(u, side.mean[l]);
  if (!two_point_)
    difference = graph_.sub(difference, dot(gradient, side.offset));
  const NodeId fraction = graph_.div(difference, dot(along, side.offset));
  Nodes result;
  for (int d = 0; d < dim_; ++d) {
    const NodeId part = graph_.mul(fraction, along[d]);
    result.push_back(two_point_ ? part : graph_.add(gradient[d], part));
  }
  return result;
}

FacetDiffusion::Nodes FacetDiffusion::tangential_gradient(const DiffusionSide &side, int l) {
  if (two_point_)
    return Nodes(dim_, graph_.constant(0));
  Nodes gradient = gradient_of(side, l);
  const NodeId along = dot(gradient, normal_);
  for (int d = 0; d < dim_; ++d)
    gradient[d] = graph_.sub(gradient[d], graph_.mul(along, normal_[d]));
  return gradient;
}

NodeId FacetDiffusion::flux(const DiffusionSide &side, int k, const std::vector<Nodes> &gradients) {
  NodeId sum = graph_.constant(0);
  for (int l = 0; l < num_components_; ++l)
    sum = graph_.add(sum, dot(slope_of(side, k, l), gradients[l]));
  return sum;
}

NodeId FacetDiffusion::scalar_flux(const DiffusionSide &minus, const DiffusionSide &plus, int k) {
  const NodeId t_minus = transmissibility(minus, k, Sign::minus);
  const NodeId t_plus = transmissibility(plus, k, Sign::plus);
  const NodeId r_minus = remainder(minus, k, t_minus, Sign::minus);
  const NodeId r_plus = remainder(plus, k, t_plus, Sign::plus);
  const NodeId jump = graph_.sub(minus.mean[k], plus.mean[k]);
  const NodeId sum = graph_.add(t_minus, t_plus);
  const NodeId conducts = graph_.make(Op::less, graph_.constant(0), sum);
  // T+ (T- jump + r-) + T- r+; without diffusion all of it is 0.
  const NodeId first = graph_.mul(t_plus, graph_.add(graph_.mul(t_minus, jump), r_minus));
  const NodeId all = graph_.add(first, graph_.mul(t_minus, r_plus));
  return graph_.div(all, graph_.make(Op::where, conducts, sum, graph_.constant(1)));
}

NodeId FacetDiffusion::middle_value(const DiffusionSide &minus, const DiffusionSide &plus, int l) {
  const auto gradients = [&](const DiffusionSide &side) {
    std::vector<Nodes> result;
    for (int m = 0; m < num_components_; ++m)
      result.push_back(two_point_ ? Nodes(dim_, graph_.constant(0)) : gradient_of(side, m));
    return result;
  };
  const NodeId t_minus = transmissibility(minus, l, Sign::minus);
  const NodeId t_plus = transmissibility(plus, l, Sign::plus);
  const NodeId conducts = graph_.make(Op::less, graph_.constant(0), graph_.add(t_minus, t_plus));
  const NodeId excess =
      graph_.sub(flux(minus, l, gradients(minus)), flux(plus, l, gradients(plus)));
  const auto choose = [&](NodeId with, NodeId without) {
    return graph_.make(Op::where, conducts, with, without);
  };
  const auto at_middle = [&](const DiffusionSide &side) {
    return two_point_ ? side.mean[l]
                      : graph_.add(side.mean[l], dot(gradient_of(side, l), side.offset));
  };
  const NodeId one = graph_.constant(1);
  const NodeId w_minus = choose(t_minus, graph_.div(one, dot(normal_, minus.offset)));
  const NodeId w_plus = choose(t_plus, graph_.neg(graph_.div(one, dot(normal_, plus.offset))));
  const NodeId weighted =
      graph_.add(graph_.mul(w_minus, at_middle(minus)), graph_.mul(w_plus, at_middle(plus)));
  return graph_.div(graph_.add(weighted, choose(excess, graph_.constant(0))),
                    graph_.add(w_minus, w_plus));
}

void FacetDiffusion::meet_between_centres(DiffusionSide &minus, DiffusionSide &plus) {
  Nodes line; // from centre to centre
  for (int d = 0; d < dim_; ++d)
    line.push_back(graph_.sub(minus.offset[d], plus.offset[d]));
  const NodeId fraction = graph_.div(dot(normal_, minus.offset), dot(normal_, line));
  for (int d = 0; d < dim_; ++d) {
    minus.offset[d] = graph_.mul(fraction, line[d]);
    plus.offset[d] = graph_.sub(minus.offset[d], line[d]);
  }
}

FacetDiffusion::Nodes FacetDiffusion::between(DiffusionSide minus, DiffusionSide plus) {
  if (!two_point_)
    meet_between_centres(minus, plus);
  Nodes result;
  std::vector<Nodes> on_minus, on_plus; // G by component, once one is asked for
  for (int k = 0; k < num_components_; ++k) {
    if (!couples(minus, k) && !couples(plus, k)) {
      result.push_back(scalar_flux(minus, plus, k));
      continue;
    }
    for (int l = static_cast<int>(on_minus.size()); l < num_components_; ++l) {
      const NodeId u = middle_value(minus, plus, l);
      on_minus.push_back(facet_gradient(minus, l, u));
      on_plus.push_back(facet_gradient(plus, l, u));
    }
    result.push_back(graph_.mul(graph_.constant(0.5),
                                graph_.add(flux(minus, k, on_minus), flux(plus, k, on_plus))));
  }
  return result;
}

FacetDiffusion::Nodes FacetDiffusion::at_boundary(const DiffusionSide &inside, const Nodes &outer,
                                                  const std::vector<bool> &closed) {
  Nodes result;
  std::vector<Nodes> gradients;
  for (int l = 0; l < num_components_; ++l)
    gradients.push_back(closed[l] ? tangential_gradient(inside, l)
                                  : facet_gradient(inside, l, outer[l]));
  for (int k = 0; k < num_components_; ++k) {
    if (closed[k]) {
      result.push_back(graph_.constant(0));
    } else if (couples(inside, k)) {
      result.push_back(flux(inside, k, gradients));
    } else {
      const NodeId t = transmissibility(inside, k, Sign::minus);
      result.push_back(graph_.add(graph_.mul(t, graph_.sub(inside.mean[k], outer[k])),
                                  remainder(inside, k, t, Sign::minus)));
    }
  }
  return result;
}

} // namespace weft
