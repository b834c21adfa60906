#include "run/model/make_model.h"

#include "run/model/conservation_law_model.h"
#include "run/model/weak_form_model.h"

namespace weft {

std::unique_ptr<Model> make_model(Case &c, Device &device, const Discretisation &d) {
  if (d.law)
    return std::make_unique<ConservationLawModel>(c, device, d);
  return std::make_unique<WeakFormModel>(c, device, d);
}

} // namespace weft
