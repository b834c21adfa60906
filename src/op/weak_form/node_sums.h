// Contributions to nodes summed in a fixed order, on a device: kernels/fem/assemble_gather.kernel.
#pragma once

#include <string>

#include "device/device.h"
#include "op/layout/gather_lists.h"
#include "op/weak_form/form_cost.h"

namespace weft {

struct NodeSums {
  int components = 1;
  int stride = 1;                       // between the components of a contribution
  bool add = false;                     // to what is there
  std::int64_t output_offset = 0;       // node n, component k: entry offset + n * components + k
  Precision precision = Precision::f64; // of contributions and sums
  Buffer contributions;
  // Made of the lists:
  std::string name;
  std::int64_t num_nodes = 0, num_entries = 0;
  Buffer nodes, first_entry, entries;
  Program program;
};

// `sums`: all but what is made of the lists, which have a node at least.
NodeSums make_node_sums(Device &device, GatherLists lists, NodeSums sums);
void sum_nodes(Device &device, const NodeSums &sums, const Buffer &output);
KernelCost cost_of(const DeviceInfo &device, const NodeSums &sums);

} // namespace weft
