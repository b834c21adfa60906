// The parts of a conservation law as nodes of one graph.
#pragma once

#include <string>
#include <vector>

#include "form/conservation_law.h"
#include "form/elaborate.h"

namespace weft {

class LawBuilder {
public:
  // `spec`: of with_numerical_flux(); must outlive the builder.
  explicit LawBuilder(const FormSpec &spec);

  ConservationLaw build();

private:
  using Nodes = std::vector<NodeId>;

  // What the law says of a place, in a cell or on one side of a facet.
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

  BoundaryCondition boundary(const BoundarySpec &spec, const Values &inside, const Nodes &flux);
  void check_complete(const BoundarySpec &spec) const;
  // [component] of all fields, those without a text as `otherwise`.
  Nodes texts_at(const TextByField &texts, const Scope &scope, Nodes otherwise);
  Nodes outer_gradient(const BoundarySpec &spec, const Scope &scope);

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
};

} // namespace weft
