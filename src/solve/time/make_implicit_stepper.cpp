#include "base/error.h"
#include "solve/time/ars_stepper.h"
#include "solve/time/dirk_stepper.h"
#include "solve/time/generalised_alpha_stepper.h"
#include "solve/time/one_leg_stepper.h"

namespace weft {

std::unique_ptr<ImplicitStepper> make_implicit_stepper(const SteppedSystem &system,
                                                       const SolverSettings &solver,
                                                       const TimeSettings &settings) {
  switch (settings.scheme) {
  case TimeScheme::generalised_alpha:
    return std::make_unique<GeneralisedAlphaStepper>(system, solver, settings);
  case TimeScheme::dirk2:
  case TimeScheme::dirk3:
  case TimeScheme::dirk4:
    return std::make_unique<DirkStepper>(system, solver, settings);
  case TimeScheme::ars2:
  case TimeScheme::ars3:
    return std::make_unique<ArsStepper>(system, solver, settings);
  default:
    require(is_implicit(settings.scheme), "an implicit scheme");
    return std::make_unique<OneLegStepper>(system, solver, settings);
  }
}

} // namespace weft
