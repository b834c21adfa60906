#include "linalg/matrix_product.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/embedded.h"
#include "base/error.h"
#include "device/dialect.h"
#include "device/lanes.h"
#include "linalg/launch_sizes.h"
#include "linalg/vector_cost.h"

namespace weft {

namespace {

// Work of a work-item on CPUs; a work-group on GPUs has one a work-item.
constexpr int csr_rows_an_item = 2048;
constexpr int sell_parts_an_item = 256;
constexpr int line_bytes = 64; // of CPUs' caches

// Rows of each lane group: in compressed rows a lane holds the systems of a row.
int product_lanes(const DeviceInfo &device, const MatrixLayout &layout,
                  const ProductSettings &settings) {
  if (!device.is_cpu)
    return 1;
  return layout.format == MatrixFormat::csr ? settings.systems : layout.sell.slice;
}

} // namespace

std::string to_string(MatrixFormat format) {
  return format == MatrixFormat::csr ? "csr" : "sell";
}

MatrixFormat matrix_format_from_name(const std::string &name) {
  for (const MatrixFormat format : {MatrixFormat::csr, MatrixFormat::sell})
    if (to_string(format) == name)
      return format;
  throw Error(ErrorKind::input, {.what = "unknown format of sparse matrices",
                                 .found = name,
                                 .allowed = "csr, sell",
                                 .remedy = "choose one of these, or leave the key out"});
}

Precision ProductSettings::arithmetic() const {
  return storage == Precision::f64 || vectors == Precision::f64 ? Precision::f64 : Precision::f32;
}

int product_slice(const DeviceInfo &device, const ProductSettings &settings) {
  return device.is_cpu && settings.systems > 1 ? default_lanes(device, settings.arithmetic())
                                               : sell_slice(device);
}

int product_line_entries(const DeviceInfo &device, const ProductSettings &settings) {
  if (!device.is_cpu)
    return 0;
  return std::max(1,
                  line_bytes / static_cast<int>(size_bytes(settings.vectors)) / settings.systems);
}

MatrixProduct::MatrixProduct(Device &device, MatrixLayout layout, const ProductSettings &settings)
    : device_(device), layout_(std::move(layout)), settings_(settings),
      lanes_(product_lanes(device.info(), layout_, settings)) {
  require(settings.systems == 1 || settings.systems == 4, "one vector or four");
  const DeviceInfo &info = device_.info();
  const bool sell = layout_.format == MatrixFormat::sell;
  std::string text =
      program_head(info.backend, settings_.arithmetic(), lanes_) +
      stored_dialect_text(info.backend) +
      fmt::format("#define WEFT_STORAGE {}\n#define WEFT_X {}\n#define "
                  "WEFT_SYSTEMS {}\n",
                  to_string(settings_.storage), to_string(settings_.vectors), settings_.systems);
  if (sell)
    text += fmt::format("#define WEFT_SLICE {}\n#define WEFT_WINDOW {}\n#define "
                        "WEFT_PARTS_PER_ITEM {}\n#define WEFT_SLICES_AHEAD {}\n",
                        layout_.sell.slice, layout_.sell.window,
                        info.is_cpu ? sell_parts_an_item : 1, sell_slices_ahead) +
            embedded_text("kernels/matrix/sell.kernel");
  else
    text += fmt::format("#define WEFT_ROWS_PER_ITEM {}\n", info.is_cpu ? csr_rows_an_item : 1);
  text += embedded_text("kernels/matrix/" + kernel() + ".kernel");
  program_ =
      device_.build({.name = fmt::format("{}_{}_{}x{}", kernel(), to_string(settings_.storage),
                                         to_string(settings_.vectors), settings_.systems),
                     .text = text,
                     .kernels = {kernel()}});
}

Launch MatrixProduct::launch() const {
  const bool is_cpu = device_.info().is_cpu;
  const std::int64_t group = is_cpu ? 1 : gpu_group;
  if (layout_.format == MatrixFormat::csr)
    return {rounded_up(layout_.num_rows, group * (is_cpu ? csr_rows_an_item : 1)), group};
  const std::int64_t parts = layout_.sell.num_slices * (layout_.sell.slice / lanes_);
  return {rounded_up(parts, group * (is_cpu ? sell_parts_an_item : 1)), group};
}

void MatrixProduct::apply(const Buffer &values, const Vector &x, Vector &y) {
  require(x.precision == settings_.vectors && y.precision == settings_.vectors &&
              y.size == vector_size() &&
              x.size == (layout_.num_columns < 0 ? vector_size()
                                                 : layout_.num_columns * settings_.systems),
          "vectors of this matrix");
  const auto rows = static_cast<std::int32_t>(layout_.num_rows);
  const DeviceSell &sell = layout_.sell;
  count_next_launch(device_, [&] { return cost().cost; });
  if (layout_.format == MatrixFormat::csr)
    device_.launch(program_, kernel(), launch(),
                   {rows, layout_.row_start, layout_.columns, values, x.buffer, y.buffer});
  else
    device_.launch(program_, kernel(), launch(),
                   {rows, static_cast<std::int32_t>(sell.num_slices), sell.slices, sell.rows,
                    sell.columns16, sell.columns32, sell.touched, values, x.buffer, y.buffer});
}

NamedCost MatrixProduct::cost() const {
  const double rows = static_cast<double>(layout_.num_rows), systems = settings_.systems;
  const double stored = static_cast<double>(size_bytes(settings_.storage));
  const double of_vector = static_cast<double>(size_bytes(settings_.vectors)) * systems;
  const double values = static_cast<double>(layout_.num_values());
  KernelCost cost;
  cost.bytes_read = stored * values + of_vector * rows;
  if (layout_.format == MatrixFormat::csr) {
    cost.bytes_read += 4 * (rows + 1 + values);
    cost.operations.additions = 3 * rows * systems; // of a row's four sums
  } else {
    const DeviceSell &sell = layout_.sell;
    const double slices = static_cast<double>(sell.num_slices);
    // Nobody reads where the first slices' touched lines begin; all others' and their end.
    const double starts = std::max(0.0, slices + 1 - sell_slices_ahead);
    cost.bytes_read += 4 * (3 * slices + 1 + starts) + 2 * slices * sell.slice +
                       2 * static_cast<double>(sell.num_columns16) +
                       4 * static_cast<double>(sell.num_columns32 + sell.num_touched);
  }
  cost.operations.multiply_adds = values * systems;
  cost.bytes_written = of_vector * rows;
  cost.memory_reads1 = values * systems;
  cost.memory_places1 = rows * systems;
  cost.lanes = lanes_;
  count_launch(cost, launch());
  return {"spmv_" + to_string(layout_.format), cost};
}

} // namespace weft
