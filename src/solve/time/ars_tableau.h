// Additive Runge-Kutta schemes: a diagonally implicit one for some terms with an explicit one for
// the others, whose last stage is the state at the end of the step.
#pragma once

#include <vector>

#include "solve/time/time_settings.h"

namespace weft {

// Rows are the implicit stages; both parts of a stage are of the same time.
struct ArsTableau {
  std::vector<std::vector<double>> a; // [stage][stage]: of the implicit terms, diagonal not 0
  // [stage][0: the start of the step; j + 1: stage j]: of the explicit terms, up to the stage
  // before.
  std::vector<std::vector<double>> explicit_a;
  std::vector<double> c; // [stage]
};

// ars2, ars3: ARS(2,2,2) and ARS(4,4,3) of Ascher, Ruuth and Spiteri 1997, sections 2.6 and 2.8
// (doi:10.1016/S0168-9274(97)00056-1), of orders 2 and 3. Their first stages need no implicit terms
// at the start of the step, the implicit parts are L-stable, and the weights of both parts are
// those of the last stage.
ArsTableau make_ars(TimeScheme scheme);

} // namespace weft
