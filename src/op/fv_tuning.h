// The diffusion kernels of finite volumes as the tuner sees them.
#pragma once

#include "op/fv_diffusion.h"
#include "tune/search_space.h"

namespace weft {

// The name under which choices are kept and replayed.
inline constexpr const char *fv_diffusion_kernel = "fv_diffusion";

// The parameters, in the order of the space:
//   form             plain, staged
//   lanes            rows a lane group; 1 on GPUs
//   slices           lane groups (GPUs: warps) that lie together
//   index_bits       32, 16; staged always 16
//   loads            single, gathered; GPUs: single
//   ahead            plain: slices ahead whose x is asked for; staged: entries of other blocks;
//                    GPUs: 0
//   stores           cached, streamed (past the caches)
//   groups_per_item  lane groups a work-item does in turn; staged: "-"
//   block_rows       staged: rows of a block; plain: "-"
//   group_size       work-items of a work-group; 1 on CPUs
SearchSpace fv_diffusion_space(const DeviceInfo &device, Precision precision);
FvDiffusionSettings fv_settings_of(const Variant &variant, Precision precision,
                                   const DeviceInfo &device);
// `settings`: complete, see FvDiffusion::settings().
Variant variant_of(const FvDiffusionSettings &settings, const DeviceInfo &device);

} // namespace weft
