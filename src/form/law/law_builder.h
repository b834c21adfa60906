// The parts of a conservation law as nodes of one graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "form/expression/elaborate.h"
#include "form/law/conservation_law.h"
#include "form/law/facet_diffusion.h"

namespace weft {

class LawBuilder {
public:
  // `spec`: of with_numerical_flux(); must outlive the builder. `two_point`: of finite volumes,
  // what `diffusion = "auto"` is.
  LawBuilder(const FormSpec &spec, bool two_point);

  ConservationLaw build();

private:
  using Nodes = std::vector<NodeId>;

  // What the law says of a point, in a cell or on one side of a facet.
  struct Values {
    Nodes flux;     // [component, direction]
    Nodes inviscid; // the flux without gradients
    Nodes viscous;  // the rest of it
    Nodes capacity; // [component]
    NodeId wave_speed = -1;
  };
  Values values_on(Side side);
  Nodes flux_on(Side side);
  Nodes capacity_on(Side side);
  NodeId wave_speed_on(Side side, const Values &values);
  // d(inviscid flux)/d(field) of the only scalar with a flux, [direction].
  Nodes flux_derivative(Side side, const Values &values);

  // What the expressions for a field may name.
  LawValues named_for(int field, Side side, const Values &values);
  // A scalar for all components that has no gradients.
  NodeId scalar(const SourceText &text, Side side);
  Nodes source();
  Nodes numerical_flux(const Values &minus, const Values &plus);
  Nodes viscous_flux(const Values &minus, const Values &plus);
  NodeId diffusivity(const Values &cell);
  bool is_linear(const Values &cell, const Nodes &source);
  void check_gradients(const Values &cell, const Nodes &source);

  // Finite volumes: law_finite_volume.cpp.
  void choose_finite_volume(const Values &minus);
  // Each field of a side by its value at the facet, where the reconstruction is linear.
  Nodes reconstructed(const Nodes &values);
  // [component k, component l, direction]: d(F_k.n)/d(grad q_l) of a side.
  Nodes normal_slopes(const Values &values, Side side);
  DiffusionSide diffusion_side(const Nodes &slopes, Side side);
  // The numerical flux of reconstructed values, and diffusion.
  Nodes finite_volume_flux(const Nodes &numerical, const Values &plus);
  // Values at a boundary facet's middle, of which diffusion knows, by the states inside and
  // outside. One outside that is c + s q in its own component, as a mirrored -q, says that it is
  // where both agree, c/(1 - s); any other is the value itself.
  Nodes facet_values(const Nodes &state, const Nodes &outer);
  // `values`: of facet_values(); a component that has the state inside is closed.
  Nodes finite_volume_boundary(const Nodes &numerical, const Nodes &state, const Nodes &values);
  bool diffusion_sees(const Nodes &state, const Nodes &outer) const;
  bool is_isotropic();
  void describe_finite_volume(ConservationLaw &law);

  BoundaryCondition boundary(const BoundarySpec &spec, const Values &inside, const Nodes &flux);
  void check_complete(const BoundarySpec &spec) const;
  // [component] of all fields, those without a text as `otherwise`.
  Nodes texts_at(const TextByField &texts, const Scope &scope, Nodes otherwise);
  Nodes outer_gradient(const BoundarySpec &spec, const Scope &scope);

  void add(Nodes &values, const Nodes &more);
  NodeId symbol(SymbolKind kind, int component, int direction, Side side);
  Tensor tensor_of(const Nodes &nodes, int field, bool gradient) const;

  const FormSpec &spec_;
  const ConservationLawSpec &law_;
  Elaborator elaborator_;
  Graph &graph_;
  std::vector<int> first_;    // [field]: its first component
  std::vector<int> field_of_; // [component]
  int num_components_ = 0;
  bool viscous_ = false;
  bool finite_volume_ = false;
  bool two_point_ = false;
  bool reconstructs_ = false;    // of finite volumes: some flux sees reconstructed values
  std::string limiter_ = "none"; // of finite volumes
  std::optional<Nodes> slopes_;  // of finite volumes with diffusion: those of the minus side
};

} // namespace weft
