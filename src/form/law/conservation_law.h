// From the mathematics of [conservation_law] and [boundary] to pointwise functions.
#pragma once

#include <string>
#include <vector>

#include "case/form_spec.h"
#include "form/graph/pointwise.h"
#include "form/weak_form/form.h"

namespace weft {

// What happens at the facets of some groups. Symbols of the minus side are the cell's own.
struct BoundaryCondition {
  std::vector<std::string> groups; // empty: every boundary facet that no other condition names
  // [component]: the normal flux, outward. Uses fields (and gradients) of the minus side only.
  PointwiseFunction flux;
  // [component]: the state outside, of which the plus side's gradients know; of a boundary that
  // gives the flux the state inside. Of finite volumes, by the inside's means: the value at the
  // facet's middle, which of a mirrored state -q is 0.
  PointwiseFunction outer;
  // Diffusion of finite volumes sees the state outside, so that the cells' gradients may take it
  // as a sample. Not where `outer` is that inside by name.
  bool outer_is_sample = false;
};

// dt(capacity q) + div(flux) = source, with q the components of all fields in a row: component k of
// field f is component first(f) + k.
//
// Symbols: fields and coordinates, time, cell_size, cell_parameter and auxiliary fields; on facets
// also normal, facet_parameter and penalty (of finite volumes facet_offset and limiter in its
// place), and Side::minus or Side::plus for what differs between the two cells (field,
// field_gradient, cell_parameter, auxiliary, cell_size, facet_offset, limiter). In cells
// Side::none.
struct ConservationLaw {
  int dim = 2;
  int num_components = 0;
  std::vector<FieldSpec> fields;
  std::vector<FieldSpec> auxiliary;
  // The flux or the source has gradients of fields. Then facets see gradients of both sides, which
  // the numerical flux completes to those of the symmetric interior penalty method (Arnold, Brezzi,
  // Cockburn, Marini 2002, doi:10.1137/S0036142901384162): grad(q) - penalty (q- - q+) n on each
  // side; of finite volumes see form/law/facet_diffusion.h.
  bool viscous = false;
  bool linear = false; // flux and source are affine in the fields, and no limiter is in use
  // Cell-centred finite volumes: order 0, and facets see more than the cells' means. Gradients of
  // fields are the cells' least-squares gradients, without a limiter.
  //
  // Linear reconstruction: what a flux on facets makes of a field's value sees q + limiter
  // grad(q).facet_offset, but for the differences of means in diffusive fluxes.
  bool finite_volume = false;
  bool linear_reconstruction = false; // some flux sees reconstructed values
  bool two_point = false;             // diffusion by means alone, else with the cells' gradients
  bool isotropic = false; // conormals lie along the normal, whatever the fields, place and time
  bool cell_gradients = false;      // facets or sources ask for gradients
  bool limits_gradients = false;    // facets ask for the limiter
  PointwiseFunction flux;           // [component][direction]
  PointwiseFunction source;         // [component]
  PointwiseFunction capacity;       // [component]
  PointwiseFunction numerical_flux; // [component]: on interior facets, from minus to plus
  std::vector<BoundaryCondition> boundaries;
  PointwiseFunction wave_speed; // one output, in cells
  // One output, in cells: the largest |d flux/d grad(q)| / capacity of a component by its own
  // gradient; 0 where the flux has none.
  PointwiseFunction diffusivity;
  // [component][direction]: minus the derivative of a component's normal flux by its own gradient,
  // on the minus side of a facet: K n. Of finite volumes with diffusion only.
  PointwiseFunction conormal;
  PointwiseFunction positive;          // outputs that the limiter keeps positive, in cells
  std::string limiter = "none";        // of finite volumes that which is in use
  std::vector<TableEntry> cell_table;  // symbol cell_parameter, component = index
  std::vector<TableEntry> facet_table; // symbol facet_parameter
};

// Errors (input): wrong shapes (names both), a numerical flux that is unknown (lists those there
// are), needs names that the law does not have or whose fields differ from the law's, fields
// missing on a boundary, no wave speed where none is derived, what make_form() checks. Error
// (unsupported): a flux that is not linear in the gradients.
// `two_point`: what `diffusion = "auto"` of finite volumes is, which the mesh decides
// (op/law/mesh/k_orthogonality.h).
ConservationLaw make_conservation_law(const FormSpec &spec, bool two_point = false);

} // namespace weft
