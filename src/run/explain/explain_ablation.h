// What terms of kernels cost, by doing their work twice.
#pragma once

#include "run/explain/explain.h"

namespace weft {

// Of the kernels over cells that work without a matrix. Error (unsupported): a case that asks for
// other kernels.
std::vector<AblationResult> ablate(const std::string &case_file, const ProblemOptions &options,
                                   const std::vector<Ablation> &ablations, int repeats);

} // namespace weft
