#include "op/weak_form/block_group.h"

#include <algorithm>

#include "kernel/cell/argument_list.h"
#include "op/layout/block_lists.h"

namespace weft {

BlockGroupNeed block_group_need(const FormIntegrals &integrals, const IntegralDomain &domain,
                                const OperatorSettings &settings) {
  BlockGroupNeed need;
  for (const IntegralKind kind :
       {IntegralKind::residual, IntegralKind::linearised, IntegralKind::diagonal}) {
    if (kind != IntegralKind::residual && !integrals.discretisation().form.c_text.empty())
      continue; // differences of residuals
    const CellIntegral in = integrals.describe(kind, domain, settings);
    std::vector<int> reals(in.families.size(), 0);
    for (const NodalInput &input : in.inputs)
      if (input.family >= 0 && is_read(in, input))
        reals[input.family] += input.components;
    need.stage.push_back(std::move(reals));
    need.rows = in.num_rows();
  }
  return need;
}

BlockGroupSizes block_group_sizes(const BlockGroupNeed &need, const std::vector<int> &stage_nodes,
                                  int most_groups, const OperatorSettings &settings,
                                  const DeviceInfo &device) {
  const auto real = static_cast<std::int64_t>(size_bytes(settings.precision));
  std::int64_t stage_reals = 0;
  for (const std::vector<int> &kind : need.stage) {
    std::int64_t reals = 0;
    for (std::size_t f = 0; f < kind.size(); ++f)
      reals += std::int64_t{kind[f]} * stage_nodes[f];
    stage_reals = std::max(stage_reals, reals);
  }
  return choose_block_group(stage_reals * real, need.rows * real, most_groups, *settings.lanes,
                            block_group_threads(device), block_group_bytes(settings, device));
}

} // namespace weft
