// The choices that an operator's kernels are made with, and what is chosen where they are open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "device/device.h"
#include "kernel/cell/integral_kernel.h"
#include "op/weak_form/form_integrals.h"

namespace weft {

// Blocks that a core should have at least, for balance.
constexpr std::int64_t blocks_a_core = 8;

// What a user, a benchmark or the tuner may fix; what is left open is chosen for the device and the
// form.
struct OperatorSettings {
  Precision precision = Precision::f64;
  std::optional<Strategy> strategy; // block; cell where blocks do not fit or sums are by planes
  GeometrySource geometry = GeometrySource::on_the_fly;
  // Of quadrilaterals and hexahedra, but in strategy transposed; planes in strategy cell, facets by
  // points then; open: on CPUs lines where cells have more than a few points, on GPUs planes of
  // elements of second order and above where they fit.
  std::optional<Summation> sums;
  std::optional<int> lanes;            // CPUs: the device's vector width; GPUs: 1
  std::optional<int> leaves_per_block; // block
  std::optional<bool> block_groups;    // block: a work-group a block (GPUs), or a work-item (CPUs)
  std::optional<int> local_memory_bytes; // block by work-groups: at most; open: 48 KiB
  std::optional<int> groups_per_item;    // cell
  std::optional<int> num_blocks;         // transposed, N_bl
  std::optional<int> num_batches;        // transposed, N_cb
  std::string form_name = "form";        // for kernel names
  Ablation ablation = Ablation::none;    // for measurements; results are wrong then
};

// Settings in which strategy, sums, lanes and, as far as the strategy has them, leaves_per_block,
// block_groups, groups_per_item and num_batches are set. num_blocks stays open: what it may be
// depends on the integral. Throws `input` for sums by planes in another strategy than cell.
OperatorSettings with_choices(OperatorSettings settings, const FormIntegrals &integrals,
                              const DeviceInfo &device);

// What a work-group of the transposed strategy, or of sums by planes, needs of a device.
struct GroupNeed {
  std::int64_t threads = 0, local_bytes = 0;
  std::int64_t threads_allowed = 0, local_bytes_allowed = 0;
  bool fits() const { return threads <= threads_allowed && local_bytes <= local_bytes_allowed; }
};
GroupNeed transposed_need(const CellIntegral &integral, int num_blocks, const DeviceInfo &device);
GroupNeed planes_need(const CellIntegral &integral, int cells_at_once, const DeviceInfo &device);
// Whether any cells can be summed by planes, and what work-groups need for these fits. Lanes are
// set.
bool planes_fit(const FormIntegrals &integrals, OperatorSettings settings,
                const DeviceInfo &device);
// N_bl that fills a work-group and fits, 1 if nothing does.
int default_num_blocks(const CellIntegral &integral, const DeviceInfo &device);

// The kernel of an integral by complete settings (see with_choices()), all but the sizes of blocks
// by work-groups. Throws `unsupported` where the transposed strategy or sums by planes do not fit
// on the device.
KernelVariant kernel_variant(const CellIntegral &integral, Strategy strategy,
                             const OperatorSettings &settings, const DeviceInfo &device);

// Local memory that a work-group doing a block may take; throws `unsupported` where the settings
// ask for more than the device has.
std::int64_t block_group_bytes(const OperatorSettings &settings, const DeviceInfo &device);
// Work-items of such a group, at most.
int block_group_threads(const DeviceInfo &device);

} // namespace weft
