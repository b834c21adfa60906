#include "op/weak_form/constrain_program.h"

#include <fmt/format.h>

#include "base/embedded.h"
#include "device/dialect.h"
#include "op/weak_form/form_cost.h"

namespace weft {

Program constrain_program(Device &device, Precision precision) {
  return device.build(
      {.name = "constrain",
       .text = program_head(device.info().backend, precision, 1) +
               fmt::format("#define WEFT_DOFS_PER_ITEM {}\n", list_entries_an_item(device.info())) +
               embedded_text("kernels/fem/constrain.kernel"),
       .kernels = {"constrain_take", "constrain_give_back", "constrain_residual", "constrain_set",
                   "constrain_read"}});
}

} // namespace weft
