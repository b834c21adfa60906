#include "op/weak_form/constrain_program.h"

#include "base/embedded.h"
#include "device/dialect.h"

namespace weft {

Program constrain_program(Device &device, Precision precision) {
  return device.build({.name = "constrain",
                       .text = program_head(device.info().backend, precision, 1) +
                               embedded_text("kernels/fem/constrain.kernel"),
                       .kernels = {"constrain_take", "constrain_give_back", "constrain_residual",
                                   "constrain_set", "constrain_read"}});
}

} // namespace weft
