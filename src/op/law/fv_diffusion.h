// y[i] = sum over neighbours of value * (x[neighbour] - x[i]) on a device: the diffusion of
// cell-centred finite volumes, for matrices of meshes and others alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cost/kernel_cost.h"
#include "linalg/ellpack_matrix.h"
#include "linalg/vector.h"

namespace weft {

// How x is read:
//   plain   by each row for itself, from memory
//   staged  first into a stage, a block of rows at a time: on CPUs private memory of a work-item,
//   on
//           GPUs local memory of a work-group; indices are always of 16 bits
enum class FvForm { plain, staged };
std::string to_string(FvForm form);
// Throws an input error that lists the names.
FvForm fv_form_from_name(const std::string &name);

// What a user, a benchmark or the tuner may fix; what is open is chosen for the device and the
// matrix, see with_fv_choices().
struct FvDiffusionSettings {
  Precision precision = Precision::f64; // of values, vectors and arithmetic: f64 or f32
  std::optional<FvForm> form;
  std::optional<int> lanes;      // rows a lane group; 1 on GPUs
  std::optional<int> slice;      // rows that lie together, a multiple of the lanes
  std::optional<int> index_bits; // 32, or 16 where a slice's indices lie within 65536
  std::optional<bool> gathered;  // x by the processor's gathers, or number by number
  // What is prefetched, 0: nothing. Plain: slices ahead whose x is; staged:
  // entries ahead in what blocks copy of others, and then the next block's own too. 0 on GPUs.
  std::optional<int> ahead;
  std::optional<bool> stream;         // y past the caches
  std::optional<int> groups_per_item; // plain
  std::optional<int> block_rows;      // staged, a multiple of the slice
  std::optional<int> group_size;      // work-items of a work-group; 1 on CPUs
};

// Settings in which nothing is open. Errors: unsupported (lanes that the device has not, slices and
// blocks that are no whole number of lanes).
FvDiffusionSettings with_fv_choices(FvDiffusionSettings settings, const EllpackMatrix &matrix,
                                    const DeviceInfo &device);

// Bytes that any form moves at least: values, indices of 32 bits, x and y each once. With 4 slots
// and f64 the 64 bytes a row of Langguth, Wu, Chai, Cai 2013.
double fv_required_bytes(const EllpackMatrix &matrix, Precision precision);
// Operations of one product: 3 a slot, less 1; 11 with 4 slots.
double fv_required_flops(const EllpackMatrix &matrix);

class FvDiffusion {
public:
  // Errors: unsupported (what with_fv_choices() declines, a stage that does not fit).
  FvDiffusion(Device &device, const EllpackMatrix &matrix, const FvDiffusionSettings &settings);

  std::int64_t num_rows() const { return num_rows_; }
  std::int64_t num_columns() const { return num_columns_; }
  // Complete: nothing is open.
  const FvDiffusionSettings &settings() const { return settings_; }
  // x: [column]; y: [row]; not the same. Returns before it is done.
  void apply(const Vector &x, Vector &y);
  // Counts one apply().
  NamedCost cost() const;

private:
  Launch launch() const;
  void upload_plain(const EllpackMatrix &matrix);
  void upload_blocks(const EllpackMatrix &matrix);
  std::string constants() const;

  Device &device_;
  FvDiffusionSettings settings_;
  std::int64_t num_rows_, num_columns_;
  int width_;
  std::int64_t num_read_ghosts_ = 0;
  std::int64_t num_index16_ = 0, num_index32_ = 0, num_slices_ = 0, num_outside_ = 0,
               num_touched_ = 0;
  std::int64_t num_narrow_ = 0; // slices with indices of 16 bits
  bool last_is_narrow_ = false;
  std::int64_t stage_entries_ = 0;
  Vector values_;
  Program program_;
  std::vector<KernelArgument> arguments_; // x and y, the last two, are those of the last call
};

} // namespace weft
