#include "form/law/conservation_law.h"

#include "base/error.h"
#include "form/law/law_builder.h"
#include "form/law/numerical_flux.h"

namespace weft {

ConservationLaw make_conservation_law(const FormSpec &given, bool two_point) {
  require(given.law.has_value() && !given.fields.empty(), "the case has a conservation law");
  const FormSpec spec = with_numerical_flux(given);
  return LawBuilder(spec, two_point).build();
}

} // namespace weft
