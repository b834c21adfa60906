// The space in which errors are estimated, and how functions come there and back.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "op/adjoint/error_density.h"
#include "op/adjoint/refined_space.h"
#include "op/evaluate/functional_derivative.h"
#include "run/simulation.h"

namespace weft {

// Elements of the next order on the mesh of a simulation; where there are none, those that there
// are on cells of half the size.
class EnrichedSpace {
public:
  // `s` must outlive it.
  explicit EnrichedSpace(const Simulation &s);

  const Case &problem() const { return c_; }
  // Its mesh is the simulation's or this one's.
  Discretisation make_discretisation() const;

  // Between the space of the simulation and `d`, which make_discretisation() has made: [dof] to
  // [dof]. Exact to the enriched space; back by the values at nodes.
  std::vector<double> interpolate(const Discretisation &d, const std::vector<double> &values) const;
  std::vector<double> back(const Discretisation &d, const std::vector<double> &values) const;
  // Error (unsupported): on a facet of a refined mesh.
  FunctionalPlace place(const FunctionalPlace &place) const;
  // [(set, cell)] of the simulation's mesh.
  std::vector<double> density(const ErrorDensity &density) const;

private:
  const Simulation &s_;
  Case c_;
  std::unique_ptr<Mesh> mesh_; // refined
  std::vector<CoarserMesh> coarser_;
  std::optional<RefinedCells> cells_; // of mesh_
};

} // namespace weft
