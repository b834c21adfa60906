// Whether two values give the flux between two cells: where conormals follow the lines from the
// cells' centres to their facets' middles.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "op/problem/discretisation.h"

namespace weft {

// Angles at the sides of all facets through which something diffuses, one a cell and facet: of
// those between cells two, and of those on the boundary where the state outside is known one.
struct KOrthogonality {
  bool is_known = true;     // conormals do not change with the fields and the time
  double largest_angle = 0; // between K n and the line, in radians
  std::int64_t num_sides = 0;
  std::int64_t num_skew = 0;     // sides beyond k_angle_tolerance
  std::int64_t num_negative = 0; // cells with a K n that points away from the facet's middle: with
                                 // two-point fluxes no maximum principle holds there
  std::vector<std::array<double, 3>> first_negative; // centres of the first few of them

  // Two-point fluxes are exact for linear fields.
  bool is_orthogonal() const { return is_known && num_skew == 0; }
};

inline constexpr double k_angle_tolerance = 1e-6; // radians

// Measures a law of finite volumes with diffusion, its auxiliary fields as they are now. K n on a
// side is ConservationLaw::conormal at the facet's middle, along the facet's mean normal; lines are
// those of facet_offset. Sides where K n vanishes have no angle.
KOrthogonality k_orthogonality(const Discretisation &d);

// "not K-orthogonal: 12 of 40 ..., at most 30 degrees between ...".
std::string to_string(const KOrthogonality &k, int dim);
// "2 cells, first at (0.5, 0.25), ..."; empty where there is none.
std::string negative_cells(const KOrthogonality &k, int dim);

// Makes d.law anew with two-point fluxes where `diffusion = "auto"` and the mesh is K-orthogonal.
// `form`: what d.law is made from. A notice says where fluxes that were asked to be two-point are
// not consistent on the mesh.
void choose_diffusion(const FormSpec &form, Discretisation &d);

} // namespace weft
