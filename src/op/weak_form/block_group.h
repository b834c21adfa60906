// Sizes of the block strategy's work-groups for a form: the lists of a plan serve all its kinds of
// integral, so there must be room for the one that reads most.
#pragma once

#include <vector>

#include "op/weak_form/form_integrals.h"
#include "op/weak_form/operator_settings.h"

namespace weft {

struct BlockGroupNeed {
  std::vector<std::vector<int>> stage; // [kind][family]: reals of a node that are staged
  int rows = 0;                        // of a cell
};
// By precision, geometry and lanes of the settings.
BlockGroupNeed block_group_need(const FormIntegrals &integrals, const IntegralDomain &domain,
                                const OperatorSettings &settings);

// `stage_nodes`: room for the largest block's nodes, [family]; `most_groups`: its lane groups.
// Throws `unsupported` where not one lane group fits.
BlockGroupSizes block_group_sizes(const BlockGroupNeed &need, const std::vector<int> &stage_nodes,
                                  int most_groups, const OperatorSettings &settings,
                                  const DeviceInfo &device);

} // namespace weft
