#include "run/input/earlier_stages.h"

#include "base/error.h"

namespace weft {

void EarlierStages::add(const std::shared_ptr<const void> &owner, const Case &c,
                        const Discretisation &d, const std::vector<double> &state) {
  mesh_ = d.mesh;
  for (const FieldSpec &field : c.form.fields)
    fields_[{c.stage, field.name}] = std::make_shared<StateSource>(owner, c, d, state, field.name);
}

std::shared_ptr<const FieldSource> EarlierStages::field(const std::string &stage,
                                                        const std::string &name) const {
  const auto found = fields_.find({stage, name});
  require(found != fields_.end(), "stages are solved in their order");
  return found->second;
}

} // namespace weft
