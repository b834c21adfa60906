#include "linalg/levels/level_sell.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/embedded.h"
#include "base/stored_numbers.h"
#include "device/dialect.h"
#include "device/lanes.h"

namespace weft {

namespace {

constexpr int level_group = 128;
constexpr std::int64_t most_windows_a_group = 16; // CPUs
constexpr std::int64_t groups_a_core = 8;         // CPUs: for balance
constexpr int level_parts_an_item = 512;          // CPUs, of filling

std::int64_t quotient_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

} // namespace

Precision wider(Precision a, Precision b) {
  return a == Precision::f64 || b == Precision::f64 ? Precision::f64 : Precision::f32;
}

std::string real_literal(double value, Precision real) {
  return real == Precision::f64 ? fmt::format("{:.17e}", value) : fmt::format("{:.9e}f", value);
}

std::string level_program_head(const DeviceInfo &device, const DeviceSell &layout, Precision real,
                               int lanes, int systems) {
  return program_head(device.backend, real, lanes) + stored_dialect_text(device.backend) +
         fmt::format("#define WEFT_GROUP {}\n#define WEFT_SLICE {}\n#define WEFT_WINDOW {}\n"
                     "#define WEFT_SLICES_AHEAD {}\n#define WEFT_SYSTEMS {}\n",
                     device.is_cpu ? 1 : level_group, layout.slice, layout.window,
                     sell_slices_ahead, systems) +
         embedded_text("kernels/vector/common.kernel") +
         embedded_text("kernels/matrix/sell.kernel");
}

WindowLaunch window_launch(const DeviceInfo &device, const DeviceSell &layout,
                           std::int64_t num_rows) {
  const std::int64_t windows = quotient_up(num_rows, layout.window);
  if (!device.is_cpu)
    return {.launch = {.groups = windows, .group_size = level_group}, .windows_per_group = 1};
  const std::int64_t share = std::clamp<std::int64_t>(
      windows / (groups_a_core * std::max(1, device.compute_units)), 1, most_windows_a_group);
  return {.launch = {.groups = quotient_up(windows, share), .group_size = 1},
          .windows_per_group = static_cast<std::int32_t>(share)};
}

UnscaledSell make_unscaled_sell(Device &device, const HostMatrix &matrix) {
  const DeviceInfo &info = device.info();
  SellLayout layout = make_sell_layout(matrix.rows(), sell_slice(info), sell_window(info), 0);
  UnscaledSell sell{.layout = upload_sell(device, std::move(layout)),
                    .row_start = device.share(matrix.row_start.data(),
                                              matrix.row_start.size() * sizeof(std::int32_t),
                                              "row starts of values to be rounded"),
                    .precision = info.has_f64 ? Precision::f64 : Precision::f32};
  constexpr const char *purpose = "values to be rounded";
  if (info.has_f64)
    sell.values =
        device.share(matrix.values.data(), matrix.values.size() * sizeof(double), purpose);
  else
    sell.values =
        upload(device, std::vector<float>(matrix.values.begin(), matrix.values.end()), purpose);
  return sell;
}

UnscaledSell empty_unscaled_sell(Device &device) {
  const DeviceInfo &info = device.info();
  return {.layout = {.slice = sell_slice(info), .window = sell_window(info)},
          .row_start = device.allocate(sizeof(std::int32_t), "row starts of no rows"),
          .precision = info.has_f64 ? Precision::f64 : Precision::f32};
}

LevelFill::LevelFill(Device &device, const UnscaledSell &unscaled, Precision storage,
                     Precision diagonal, int components, bool constants)
    : device_(device), unscaled_(unscaled) {
  const DeviceInfo &info = device.info();
  const DeviceSell &layout = unscaled.layout;
  const Precision values = unscaled.precision;
  lanes_ = info.is_cpu ? std::min(layout.slice, default_lanes(info, values)) : 1;
  const double largest = std::min(largest_number(storage), largest_number(values));
  std::string text = level_program_head(info, layout, values, lanes_);
  text += fmt::format("#define WEFT_STORAGE {}\n#define WEFT_DIAGONAL {}\n"
                      "#define WEFT_LARGEST {}\n#define WEFT_COMPONENTS {}\n"
                      "#define WEFT_CONSTANTS {}\n#define WEFT_VALUES_BY_ROW {}\n"
                      "#define WEFT_PARTS_PER_ITEM {}\n",
                      to_string(storage), to_string(diagonal), real_literal(largest, values),
                      components, constants ? 1 : 0, unscaled.row_start ? 1 : 0,
                      info.is_cpu ? level_parts_an_item : 1);
  text += embedded_text("kernels/matrix/level_fill.kernel");
  program_ = device.build({.name = "level_fill_" + to_string(storage),
                           .text = text,
                           .kernels = {"level_scaling", "level_round", "transfer_round"}});
}

Launch LevelFill::part_launch() const {
  const bool is_cpu = device_.info().is_cpu;
  const std::int64_t group = is_cpu ? 1 : level_group;
  const DeviceSell &layout = unscaled_.layout;
  const std::int64_t parts = layout.num_slices * (layout.slice / lanes_);
  return {quotient_up(parts, group * (is_cpu ? level_parts_an_item : 1)), group};
}

Launch LevelFill::scaling_launch(std::int64_t num_rows, int lanes) {
  constexpr std::int64_t group = 64;
  return {quotient_up(num_rows, group * lanes), group};
}

void LevelFill::load_for_levels() {
  device_.load(program_, "level_scaling", scaling_launch(0, lanes_));
  device_.load(program_, "level_round", part_launch());
}

void LevelFill::load_for_transfers() {
  device_.load(program_, "transfer_round", part_launch());
}

Vector LevelFill::scaling(const Vector &diagonal, const VectorLayout &layout) {
  Vector s = make_vector(device_, layout, diagonal.precision, "scaling of a level");
  device_.launch(program_, "level_scaling", scaling_launch(diagonal.size, lanes_),
                 {static_cast<std::int32_t>(diagonal.size), diagonal.buffer, s.buffer});
  return s;
}

std::vector<KernelArgument> LevelFill::arguments(std::int64_t num_rows,
                                                 const std::vector<KernelArgument> &others) const {
  const DeviceSell &layout = unscaled_.layout;
  std::vector<KernelArgument> all = {
      static_cast<std::int32_t>(num_rows), static_cast<std::int32_t>(layout.num_slices),
      layout.slices, layout.rows, layout.columns16, layout.columns32, unscaled_.values,
      // Not read where values lie as they are stored.
      unscaled_.row_start ? unscaled_.row_start : layout.slices};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

void LevelFill::round(const Vector &diagonal, const Vector &scaling, const Vector &constants,
                      const Buffer &stored, Vector &rounded_diagonal) {
  device_.launch(program_, "level_round", part_launch(),
                 arguments(diagonal.size, {diagonal.buffer, scaling.buffer, constants.buffer,
                                           stored, rounded_diagonal.buffer}));
}

void LevelFill::round_transfer(std::int64_t num_rows, const Vector &row_scaling,
                               const Vector &column_scaling, bool transposed,
                               const Buffer &stored) {
  device_.launch(program_, "transfer_round", part_launch(),
                 arguments(num_rows, {row_scaling.buffer, column_scaling.buffer,
                                      static_cast<std::int32_t>(transposed ? 1 : 0), stored}));
}

} // namespace weft
