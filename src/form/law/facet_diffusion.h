// The diffusive flux between two cells of a finite-volume mesh, as nodes of a graph.
//
// Notation: n the unit normal from minus to plus; of each side q the means, g the cell's gradients,
// o the vector from its centre to a point of the facet's plane, a[k] = d(F_k.n)/d(grad q_k) of the
// flux F(grad q), linear in gradients (for F = -K grad(q): a = -K n). On each side the gradient on
// the facet is
//
//   corrected:  G = g + (u - q - g.o)/(n.o) n      two-point:  G = (u - q)/(o.o) o
//
// with u the value at that point, so that q + G.o = u. With T- = -a.n/(n.o) and
// T+ = a.n/(n.o) (two-point: T- = -a.o/(o.o), T+ = a.o/(o.o)), all >= 0 for diffusion, a side's
// flux is
//
//   F-(G).n = r- + T- (q- - u),  F+(G).n = r+ + T+ (u - q+),
//   r- = (a- + T- o-).g-,  r+ = (a+ - T+ o+).g+      (two-point: r = 0).
//
// Their equality gives u and the flux: u = (T- q- + T+ q+ + r- - r+)/(T- + T+),
//
//   F.n = (T- T+ (q- - q+) + T+ r- + T- r+)/(T- + T+).
//
// The first term is the two-point flux with harmonically averaged coefficients (Eymard, Gallouet,
// Herbin 2000, Finite Volume Methods, doi:10.1016/S1570-8659(00)07005-8). r is what a
// non-orthogonal mesh or a tensor adds: a splits into -T o, along the line to the facet, and a rest
// without a part along n, which is the over-relaxed splitting (Jasak 1996, PhD thesis, Imperial
// College London, section 3.3.1.3; Moukalled, Mangani, Darwish 2016, doi:10.1007/978-3-319-16874-6,
// chapter 8) done on each side up to the facet. The flux is exact for linear q with one K wherever
// g is.
//
// Two-point fluxes and boundaries take the facet's middle as the point. Corrected ones take the
// place where the line of centres crosses the plane: r then holds differences of values across the
// line alone. With the middle it also held (o across the line).(g- - g+), a second difference of
// either sign, which on tetrahedra from Gmsh made modes of a few cells grow without bound.
#pragma once

#include <vector>

#include "form/graph/graph.h"

namespace weft {

// What a facet sees of one side.
struct DiffusionSide {
  std::vector<NodeId> mean;     // [component]
  std::vector<NodeId> gradient; // [component, direction]
  std::vector<NodeId> offset;   // [direction]
  std::vector<NodeId> slope;    // [component k, component l, direction]: d(F_k.n)/d(grad q_l)
};

class FacetDiffusion {
public:
  using Nodes = std::vector<NodeId>;

  FacetDiffusion(Graph &graph, int dim, int num_components, bool two_point);

  // [component]: the normal flux from minus to plus. Components whose flux has gradients of others
  // take the mean of both sides' fluxes, with u of each component as above (where a component has
  // no diffusion of its own, with T = 1/|n.o|); the others' are equal. Both T zero: no flux.
  Nodes between(DiffusionSide minus, DiffusionSide plus);

  // [component]: the flux outward, with the value u = outer at the facet's middle. Components in
  // `closed` have no flux, and no normal gradient where others' fluxes ask for it.
  Nodes at_boundary(const DiffusionSide &inside, const Nodes &outer,
                    const std::vector<bool> &closed);

private:
  enum class Sign { minus, plus };

  // Makes the offsets those to where the line of centres crosses the facet's plane.
  void meet_between_centres(DiffusionSide &minus, DiffusionSide &plus);

  // The flux of a component has gradients of other components.
  bool couples(const DiffusionSide &side, int k) const;
  Nodes slope_of(const DiffusionSide &side, int k, int l) const;
  Nodes gradient_of(const DiffusionSide &side, int l) const;
  NodeId dot(const Nodes &a, const Nodes &b);
  NodeId transmissibility(const DiffusionSide &side, int k, Sign sign);
  // r of component k, with T.
  NodeId remainder(const DiffusionSide &side, int k, NodeId t, Sign sign);
  // G of component l with the value u.
  Nodes facet_gradient(const DiffusionSide &side, int l, NodeId u);
  Nodes tangential_gradient(const DiffusionSide &side, int l);
  // F_k(G).n, G by component.
  NodeId flux(const DiffusionSide &side, int k, const std::vector<Nodes> &gradients);
  // u of component l between two cells.
  NodeId middle_value(const DiffusionSide &minus, const DiffusionSide &plus, int l);
  NodeId scalar_flux(const DiffusionSide &minus, const DiffusionSide &plus, int k);

  Graph &graph_;
  const int dim_, num_components_;
  const bool two_point_;
  Nodes normal_;
};

} // namespace weft
