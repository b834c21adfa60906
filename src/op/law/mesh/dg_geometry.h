// Metric terms of cells for discontinuous Galerkin methods.
#pragma once

#include "op/law/mesh/dg_mesh.h"

namespace weft {

// Fills affine, metric, facet_metric (but for the penalty), penalties and length of a set whose
// groups are known.
// Finite volumes get neither middles nor offsets, see set_fv_geometry().
void set_dg_geometry(const Discretisation &d, int lanes, const DgFacetLayout &layout, DgSet &set);

} // namespace weft
