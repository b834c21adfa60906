#include "run/adjoint/enriched_space.h"

#include "base/error.h"
#include "mesh/make/make_mesh.h"
#include "op/adjoint/adjoint_problem.h"

namespace weft {

EnrichedSpace::EnrichedSpace(const Simulation &s) : s_(s), c_(s.c) {
  if (without_next_order(s.c, s.mesh).empty()) {
    c_ = enriched_case(s.c);
    return;
  }
  MeshSpec spec = s.c.mesh;
  ++spec.refine;
  Timings unused;
  mesh_ = std::make_unique<Mesh>(make_mesh(spec, unused, &coarser_));
  bool same = coarser_.front().mesh.sets.size() == s.mesh.sets.size();
  for (std::size_t set = 0; same && set < s.mesh.sets.size(); ++set)
    same = coarser_.front().mesh.sets[set].nodes == s.mesh.sets[set].nodes;
  require(same, "a mesh is made in the same way each time");
  cells_.emplace(s.mesh, *mesh_, coarser_.front().parents);
}

Discretisation EnrichedSpace::make_discretisation() const {
  return make_enriched(c_, mesh_ ? *mesh_ : s_.mesh);
}

std::vector<double> EnrichedSpace::interpolate(const Discretisation &d,
                                               const std::vector<double> &values) const {
  return cells_ ? cells_->interpolate(s_.discretisation, d, values)
                : weft::interpolate(s_.discretisation, d, values);
}

std::vector<double> EnrichedSpace::back(const Discretisation &d,
                                        const std::vector<double> &values) const {
  return cells_ ? cells_->inject(d, s_.discretisation, values)
                : weft::interpolate(d, s_.discretisation, values);
}

FunctionalPlace EnrichedSpace::place(const FunctionalPlace &place) const {
  if (!cells_)
    return place;
  if (place.part.facet >= 0)
    throw Error(ErrorKind::unsupported,
                {.what = "an error estimate of an extreme on facets by a refined mesh",
                 .where = s_.c.file,
                 .found = without_next_order(s_.c, s_.mesh) + ", which has no next order",
                 .remedy = "ask for its value at a point, or lower the order of the element"});
  const RefinedCells::Point point =
      cells_->find(place.part.set, place.part.cells.front(), place.reference);
  return {{.set = point.set, .cells = {point.cell}}, point.reference};
}

std::vector<double> EnrichedSpace::density(const ErrorDensity &density) const {
  if (!cells_)
    return density.density;
  std::vector<double> errors = density.density;
  for (std::size_t cell = 0; cell < errors.size(); ++cell)
    errors[cell] *= density.volume[cell];
  std::vector<double> result = cells_->sum_of_parts(errors);
  const std::vector<double> volume = cells_->sum_of_parts(density.volume);
  for (std::size_t cell = 0; cell < result.size(); ++cell)
    result[cell] /= volume[cell];
  return result;
}

} // namespace weft
