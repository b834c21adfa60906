// From the mathematics of [conservation_law] and [boundary] to pointwise functions.
#pragma once

#include <string>
#include <vector>

#include "case/form_spec.h"
#include "form/form.h"
#include "form/pointwise.h"

namespace weft {

// What happens at the facets of some groups. Symbols of the minus side are the cell's own.
struct BoundaryCondition {
  std::vector<std::string> groups; // empty: every boundary facet that no other condition names
  // [component]: the normal flux, outward. Uses fields (and gradients) of the minus side only.
  PointwiseFunction flux;
  // [component]: the state outside, of which the plus side's gradients know; of a boundary that
  // gives the flux the state inside.
  PointwiseFunction outer;
};

// dt(capacity q) + div(flux) = source, with q the components of all fields in a row: component k of
// field f is component first(f) + k.
//
// Symbols: fields and coordinates, time, cell_size, cell_parameter and auxiliary fields; on facets
// also normal, facet_parameter and penalty, and Side::minus or Side::plus for what differs between
// the two cells (field, field_gradient, cell_parameter, auxiliary, cell_size). In cells Side::none.
struct ConservationLaw {
  int dim = 2;
  int num_components = 0;
  std::vector<FieldSpec> fields;
  std::vector<FieldSpec> auxiliary;
  // The flux has gradients of fields. Then facets see gradients of both sides, which the numerical
  // flux completes to those of the symmetric interior penalty method (Arnold, Brezzi, Cockburn,
  // Marini 2002, doi:10.1137/S0036142901384162): grad(q) - penalty (q- - q+) n on each side.
  bool viscous = false;
  bool linear = false; // flux and source are affine in the fields
  // Cell-centred finite volumes: order 0, and facets see more than the cells' means. Fields'
  // gradients are least-squares gradients of means; symbols facet_offset and limiter too.
  bool finite_volume = false;
  bool linear_reconstruction = false; // the inviscid flux sees q + limiter grad(q).facet_offset
  bool two_point = false;             // diffusion by values alone, else with the cells' gradients
  bool cell_gradients = false;        // some function asks for gradients
  bool limits_gradients = false;      // some function asks for the limiter
  PointwiseFunction flux;             // [component][direction]
  PointwiseFunction source;           // [component]
  PointwiseFunction capacity;         // [component]
  PointwiseFunction numerical_flux;   // [component]: on interior facets, from minus to plus
  std::vector<BoundaryCondition> boundaries;
  PointwiseFunction wave_speed; // one output, in cells
  // One output, in cells: the largest |d flux/d grad(q)| / capacity of a component by its own
  // gradient; 0 where the flux has none.
  PointwiseFunction diffusivity;
  // [component][direction]: minus the derivative of a component's normal flux by its own gradient,
  // on the minus side of a facet: K n. Of finite volumes with diffusion only.
  PointwiseFunction conormal;
  PointwiseFunction positive; // outputs that the limiter keeps positive, in cells
  std::string limiter = "none";
  std::vector<TableEntry> cell_table;  // symbol cell_parameter, component = index
  std::vector<TableEntry> facet_table; // symbol facet_parameter
};

// Errors (input): wrong shapes (names both), a numerical flux that is unknown (lists those there
// are), needs names that the law does not have or whose fields differ from the law's, fields
// missing on a boundary, no wave speed where none is derived, what make_form() checks. Error
// (unsupported): a flux that is not linear in the gradients.
ConservationLaw make_conservation_law(const FormSpec &spec);

} // namespace weft
