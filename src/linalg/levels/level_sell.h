// The matrices that multigrid applies on a device: sliced ELLPACK with values that are scaled and
// stored in a precision of their own, and programs for it.
#pragma once

#include <string>
#include <vector>

#include "device/dialect.h"
#include "linalg/device_sell.h"
#include "linalg/sparse_matrix.h"
#include "linalg/vector.h"

namespace weft {

// Constants and dialect of programs over such a layout. `real`: in which they compute; `lanes`
// divides the slice. `systems`: vectors at once, interleaved.
std::string level_program_head(const DeviceInfo &device, const DeviceSell &layout, Precision real,
                               int lanes, int systems = 1);
// Groups of windows that a kernel over rows is launched with.
struct WindowLaunch {
  Launch launch;
  std::int32_t windows_per_group = 1;
};
WindowLaunch window_launch(const DeviceInfo &device, const DeviceSell &layout,
                           std::int64_t num_rows);

// A matrix in sliced ELLPACK before it is filled, and its values, not yet scaled.
struct UnscaledSell {
  DeviceSell layout;
  Buffer values;    // of `precision`, in the order of slices or of rows
  Buffer row_start; // [row + 1] of i32 where it is that of rows; else null
  Precision precision = Precision::f64;
};

// With values in the order of rows, without a copy where the device sees the host's memory:
// `matrix` has to outlive it. Nothing of x is fetched ahead: vectors of coarse levels stay in a
// core's caches.
UnscaledSell make_unscaled_sell(Device &device, const HostMatrix &matrix);

// What programs over such slices are made for, before there is a matrix; of no rows.
UnscaledSell empty_unscaled_sell(Device &device);

// kernels/matrix/level_fill.kernel for the values of a matrix.
class LevelFill {
public:
  // `constants`: a vector of them is given.
  LevelFill(Device &device, const UnscaledSell &unscaled, Precision storage, Precision diagonal,
            int components, bool constants);
  // A vector of the values' precision with room for ghosts, which are to be fetched.
  Vector scaling(const Vector &diagonal, const VectorLayout &layout);
  void round(const Vector &diagonal, const Vector &scaling, const Vector &constants,
             const Buffer &stored, Vector &rounded_diagonal);
  void round_transfer(std::int64_t num_rows, const Vector &row_scaling,
                      const Vector &column_scaling, bool transposed, const Buffer &stored);
  // Fetch the kernels that scale and round levels, or transfers: see Device::load().
  void load_for_levels();
  void load_for_transfers();

private:
  static Launch scaling_launch(std::int64_t num_rows, int lanes);
  Launch part_launch() const;
  // Gives the rounding kernels layout and values, after `num_rows`.
  std::vector<KernelArgument> arguments(std::int64_t num_rows,
                                        const std::vector<KernelArgument> &others) const;

  Device &device_;
  UnscaledSell unscaled_;
  int lanes_ = 1;
  Program program_;
};

// f64 if one of them is, else f32.
Precision wider(Precision a, Precision b);
// A floating-point literal of the program's reals.
std::string real_literal(double value, Precision real);

} // namespace weft
