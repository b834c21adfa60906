#include "op/weak_form/node_sums.h"

#include <fmt/format.h>
#include <utility>

#include "base/embedded.h"
#include "device/dialect.h"

namespace weft {

NodeSums make_node_sums(Device &device, GatherLists lists, NodeSums sums) {
  sums.num_nodes = static_cast<std::int64_t>(lists.nodes.size());
  sums.num_entries = static_cast<std::int64_t>(lists.entries.size());
  sums.nodes = upload(device, std::move(lists.nodes), "nodes of gather lists");
  sums.first_entry = upload(device, std::move(lists.first_entry), "rows of gather lists");
  sums.entries = upload(device, std::move(lists.entries), "entries of gather lists");
  sums.name = fmt::format("assemble_gather_{}{}_{}", sums.add ? "add_" : "", sums.components,
                          to_string(sums.precision));
  sums.program = device.build(
      {.name = sums.name,
       .text = program_head(device.info().backend, sums.precision, 1) +
               fmt::format("#define WEFT_KERNEL_NAME {}\n#define WEFT_COMPONENTS {}\n#define "
                           "WEFT_ADD {}\n#define WEFT_NODES_PER_ITEM {}\n",
                           sums.name, sums.components, sums.add ? 1 : 0,
                           list_entries_an_item(device.info())) +
               embedded_text("kernels/fem/assemble_gather.kernel"),
       .kernels = {sums.name}});
  return sums;
}

void sum_nodes(Device &device, const NodeSums &sums, const Buffer &output) {
  count_next_launch(device, [&] { return cost_of(device.info(), sums); });
  device.launch(sums.program, sums.name, list_launch(sums.num_nodes, device.info()),
                {static_cast<std::int32_t>(sums.num_nodes), sums.nodes, sums.first_entry,
                 sums.entries, sums.contributions, static_cast<std::int32_t>(sums.stride), output,
                 sums.output_offset});
}

KernelCost cost_of(const DeviceInfo &device, const NodeSums &sums) {
  return gather_cost({.nodes = sums.num_nodes,
                      .entries = sums.num_entries,
                      .components = sums.components,
                      .add = sums.add},
                     sums.precision, list_launch(sums.num_nodes, device));
}

} // namespace weft
