#include "kernel/law/matrix_stage_kernel.h"

#include <fmt/format.h>

#include "base/embedded.h"
#include "device/dialect.h"
#include "kernel/law/law_arguments.h"

namespace weft {

KernelSource make_matrix_stage_kernel(const MatrixStageSpec &spec, const std::string &backend) {
  using enum ArgumentRole;
  LawArguments arguments;
  arguments.add_all({num_slices, slices_per_item, slice_start, entry_index, entry_value, fixed_rate,
                     h, keep, start_factor, state_factor, sum_factor, rate_factor});
  // Vectors of a call may be the same.
  arguments.add_shared(q);
  arguments.add_shared(start);
  arguments.add_shared_written(sum);
  arguments.add_shared_written(out);
  KernelSource kernel{.name = "fv_matrix_stage", .arguments = arguments.specs()};
  kernel.text = program_head(backend, spec.precision, spec.lanes) +
                fmt::format("#define WEFT_HAS_CONSTANT {:d}\n#define WEFT_USES_START {:d}\n"
                            "#define WEFT_USES_SUM {:d}\n#define WEFT_KEEPS_SUM {:d}\n"
                            "#define WEFT_STORE_STATE lane_store{}\n",
                            spec.has_constant, spec.update.uses_start, spec.update.uses_sum,
                            spec.update.keeps_sum, spec.stream ? "_stream" : "") +
                arguments.macros() + embedded_text("kernels/fv/fv_matrix_stage.kernel");
  return kernel;
}

} // namespace weft
