#include "linalg/band_matrix.h"

#include <fmt/format.h>

#include "base/embedded.h"
#include "base/error.h"
#include "base/stored_numbers.h"
#include "device/dialect.h"
#include "device/lanes.h"
#include "linalg/launch_sizes.h"
#include "linalg/sparse_matrix.h"
#include "linalg/vector_cost.h"

namespace weft {

namespace {

constexpr int parts_an_item = 256; // CPUs
constexpr int gpu_band_slice = 32;

// Rows of a slice, [band][row]: those of a lane group on CPUs.
int band_slice(const DeviceInfo &device, const ProductSettings &settings) {
  return device.is_cpu ? default_lanes(device, settings.arithmetic()) : gpu_band_slice;
}

// [slice][band][row of the slice]
std::vector<double> sliced(const HostBands &matrix, int slice) {
  std::vector<double> values(rounded_up(matrix.size(), slice) * slice * num_bands, 0.0);
  for (int b = 0; b < num_bands; ++b) {
    require(static_cast<std::int64_t>(matrix.bands[b].size()) == matrix.size(), "a number a node");
    for (std::int64_t row = 0; row < matrix.size(); ++row)
      values[(row / slice * num_bands + b) * slice + row % slice] = matrix.bands[b][row];
  }
  return values;
}

} // namespace

HostMatrix compressed_rows(const HostBands &matrix) {
  HostMatrix rows;
  rows.row_start = {0};
  for (std::int64_t row = 0; row < matrix.size(); ++row) {
    for (int b = 0; b < num_bands; ++b)
      if (matrix.bands[b][row] != 0) {
        rows.columns.push_back(
            static_cast<std::int32_t>(row + (b / 3 - 1) * matrix.width + b % 3 - 1));
        rows.values.push_back(matrix.bands[b][row]);
      }
    rows.row_start.push_back(static_cast<std::int32_t>(rows.columns.size()));
  }
  return rows;
}

BandMatrix::BandMatrix(Device &device, const HostBands &matrix, const ProductSettings &settings)
    : device_(device), settings_(settings), num_rows_(matrix.size()),
      width_(static_cast<std::int32_t>(matrix.width)), slice_(band_slice(device.info(), settings)),
      lanes_(device.info().is_cpu ? slice_ : 1) {
  require(settings.systems == 1 || settings.systems == 4, "one vector or four");
  values_ = upload(device_, stored_numbers(sliced(matrix, slice_), settings_.storage),
                   "bands of the matrix");
  const DeviceInfo &info = device_.info();
  program_ = device_.build(
      {.name = fmt::format("band9_{}_{}x{}", to_string(settings_.storage),
                           to_string(settings_.vectors), settings_.systems),
       .text = program_head(info.backend, settings_.arithmetic(), lanes_) +
               stored_dialect_text(info.backend) +
               fmt::format("#define WEFT_STORAGE {}\n#define WEFT_X {}\n#define WEFT_SYSTEMS {}\n"
                           "#define WEFT_SLICE {}\n#define WEFT_PARTS_PER_ITEM {}\n",
                           to_string(settings_.storage), to_string(settings_.vectors),
                           settings_.systems, slice_, info.is_cpu ? parts_an_item : 1) +
               embedded_text("kernels/matrix/band9.kernel"),
       .kernels = {"band9_apply"}});
}

Launch BandMatrix::size_of_launch() const {
  const bool is_cpu = device_.info().is_cpu;
  const std::int64_t group = is_cpu ? 1 : gpu_group;
  return {rounded_up(rounded_up(num_rows_, lanes_), group * (is_cpu ? parts_an_item : 1)), group};
}

void BandMatrix::launch(const Vector &x, Vector &y, bool adds) {
  require(x.precision == settings_.vectors && y.precision == settings_.vectors &&
              x.size == vector_size() && y.size == vector_size(),
          "vectors of this matrix");
  device_.launch(program_, "band9_apply", size_of_launch(),
                 {num_rows_, width_, std::int32_t{adds}, values_, x.buffer, y.buffer});
}

NamedCost BandMatrix::cost(bool adds) const {
  const double rows = static_cast<double>(num_rows_), systems = settings_.systems;
  const double of_vector = static_cast<double>(size_bytes(settings_.vectors)) * systems * rows;
  // Lanes without a row multiply zeros.
  const double values = static_cast<double>(num_bands * rounded_up(num_rows_, lanes_) * lanes_);
  KernelCost cost;
  cost.bytes_read =
      static_cast<double>(size_bytes(settings_.storage)) * values + (adds ? 2 : 1) * of_vector;
  cost.bytes_written = of_vector;
  cost.operations.multiply_adds = values * systems;
  cost.lanes = lanes_;
  count_launch(cost, size_of_launch());
  return {"band9_apply", cost};
}

} // namespace weft
