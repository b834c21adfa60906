#include "linalg/levels/level_matrix.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/embedded.h"
#include "base/error.h"
#include "device/dialect.h"
#include "linalg/levels/level_cost.h"

namespace weft {

namespace {

std::vector<double> diagonal_of(const HostMatrix &matrix) {
  std::vector<double> diagonal(matrix.num_rows(), 0.0);
  for (std::int32_t row = 0; row < matrix.num_rows(); ++row) {
    const auto begin = matrix.columns.begin() + matrix.row_start[row];
    const auto end = matrix.columns.begin() + matrix.row_start[row + 1];
    const auto found = std::lower_bound(begin, end, row);
    if (found != end && *found == row)
      diagonal[row] = matrix.values[found - matrix.columns.begin()];
  }
  return diagonal;
}

} // namespace

LevelMatrix::LevelMatrix(Device &device, const HostMatrix &matrix, Precision storage,
                         const Constants &constants, std::shared_ptr<const SharedRows> rows,
                         int systems)
    : device_(device), num_rows_(matrix.num_rows()),
      num_entries_(static_cast<std::int64_t>(matrix.columns.size())), systems_(systems),
      storage_(storage), rows_(std::move(rows)) {
  make(matrix, constants);
}

LevelMatrix::LevelMatrix(Device &device, const SparseMatrix &matrix, Precision storage,
                         const Constants &constants, std::shared_ptr<const SharedRows> rows,
                         int systems)
    : device_(device), num_rows_(matrix.size()), num_entries_(matrix.pattern().num_entries()),
      systems_(systems), storage_(storage), rows_(std::move(rows)) {
  if (!matrix.sell()) {
    make(matrix.host(), constants);
    return;
  }
  shares_layout_ = true;
  Vector diagonal = make_vector(device, num_rows_, matrix.precision(), "diagonal of a level");
  matrix.copy_diagonal(diagonal);
  fill({.layout = *matrix.sell(), .values = matrix.sell_values(), .precision = matrix.precision()},
       diagonal, constants);
}

VectorLayout LevelMatrix::layout() const {
  return rows_ ? VectorLayout(num_rows_, rows_->num_local() - num_rows_, rows_->ranks) : size();
}

void LevelMatrix::make(const HostMatrix &matrix, const Constants &constants) {
  const UnscaledSell unscaled = make_unscaled_sell(device_, matrix);
  Vector diagonal = make_vector(device_, num_rows_, unscaled.precision, "diagonal of a level");
  set_vector(device_, diagonal, diagonal_of(matrix));
  fill(unscaled, diagonal, constants);
}

void LevelMatrix::fill(const UnscaledSell &unscaled, const Vector &diagonal,
                       const Constants &constants) {
  const bool given = !constants.values.empty();
  require(systems_ == 1 || !rows_, "several systems of one rank");
  const VectorLayout with_ghosts = rows_ ? layout() : num_rows_;
  const std::int64_t num_local = with_ghosts.owned + with_ghosts.ghosts;
  require(!given || static_cast<std::int64_t>(constants.values.size()) == num_local,
          "a constant for each row");
  layout_ = unscaled.layout;
  values_ = device_.allocate(layout_.num_values * size_bytes(storage_), "entries of a level");
  diagonal_ = make_vector(device_, num_rows_, precision(), "diagonal of a level");
  LevelFill filling(device_, unscaled, storage_, precision(), constants.components, given);
  scaling_ = filling.scaling(diagonal, with_ghosts);
  if (rows_) {
    Halo(device_, *rows_->ranks, rows_->halo, scaling_.precision).exchange(scaling_.buffer);
    halo_ = std::make_shared<Halo>(device_, *rows_->ranks, rows_->halo, precision());
  }
  Vector c = scaling_; // any, where none is read
  if (given) {
    c = make_vector(device_, num_local, unscaled.precision, "constants of a level");
    set_vector(device_, c, constants.values);
  }
  filling.round(diagonal, scaling_, c, values_, diagonal_);
  if (systems_ > 1)
    diagonal_ = repeated(device_, diagonal_, systems_, "diagonal of a level");
  program_ = build_program(device_, layout_, storage_, systems_);
}

// Launches both kernels over no rows, which loads them.
Program LevelMatrix::build_program(Device &device, const DeviceSell &layout, Precision storage,
                                   int systems) {
  const DeviceInfo &info = device.info();
  const Precision precision = arithmetic_precision(storage);
  const int lanes = info.is_cpu ? layout.slice : 1;
  const std::string text =
      level_program_head(info, layout, precision, lanes, systems) +
      fmt::format("#define WEFT_STORAGE {}\n#define WEFT_X {}\n#define WEFT_APPLY {}\n"
                  "#define WEFT_RESIDUAL {}\n#define WEFT_SMOOTH {}\n",
                  to_string(storage), to_string(precision), static_cast<int>(Product::apply),
                  static_cast<int>(Product::residual), static_cast<int>(Product::smooth)) +
      embedded_text("kernels/matrix/level_sell.kernel") +
      embedded_text("kernels/matrix/level_matrix.kernel");
  Program program = device.build({.name = "level_matrix_" + to_string(storage),
                                  .text = text,
                                  .kernels = {"level_product", "level_smooth_first"}});
  const Launch launch = {.groups = 1,
                         .group_size = window_launch(info, layout, 0).launch.group_size};
  const Buffer any = device.allocate(sizeof(double), "nothing");
  constexpr std::int32_t none = 0;
  const KernelArgument zero = precision == Precision::f64 ? KernelArgument(0.0) : 0.0F;
  device.launch(program, "level_product", launch,
                {none, none, none, any, any, any, any, any, any, any, none, none, none, any, any,
                 any, any, zero, zero});
  device.launch(program, "level_smooth_first", launch,
                {none, none, any, any, any, any, zero, none});
  return program;
}

void LevelMatrix::load_kernels(Device &device, Precision storage, int components, bool constants,
                               int systems) {
  const Precision precision = arithmetic_precision(storage);
  const UnscaledSell empty = empty_unscaled_sell(device);
  LevelFill(device, empty, storage, precision, components, constants).load_for_levels();
  build_program(device, empty.layout, storage, systems);
}

std::uint64_t LevelMatrix::bytes() const {
  return values_->bytes + diagonal_.buffer->bytes + scaling_.buffer->bytes +
         (shares_layout_ ? 0 : layout_.bytes());
}

KernelArgument LevelMatrix::real(double value) const {
  return precision() == Precision::f64 ? KernelArgument(value)
                                       : KernelArgument(static_cast<float>(value));
}

// Beside the sums and x: the diagonal, b and w; out and w.
KernelCost LevelMatrix::cost(Product product, const SmootherStep &step, const Launch &size) const {
  const bool is_smooth = product == Product::smooth, needs_b = product != Product::apply;
  const double bytes = static_cast<double>(size_bytes(precision()));
  Operations of_row = {.additions = needs_b ? 1.0 : 0.0, .multiply_adds = 1};
  if (is_smooth) {
    of_row.additions += 1;
    of_row.multiplications = of_row.divisions = 1;
    of_row.multiply_adds += step.reads_w ? 1 : 0;
  }
  return level_product_cost(layout_, static_cast<double>(size_bytes(storage_)),
                            {.systems = systems_,
                             .rows = static_cast<double>(num_rows_),
                             .columns = static_cast<double>(num_rows_),
                             .row_bytes = bytes,
                             .column_bytes = bytes,
                             .reads = 1.0 + (needs_b ? 1 : 0) + (is_smooth && step.reads_w ? 1 : 0),
                             .writes = 1.0 + (is_smooth && step.keeps_w ? 1 : 0)},
                            of_row, device_.info().is_cpu ? layout_.slice : 1, size);
}

void LevelMatrix::launch(Product product, const Vector &x, const Vector &b, const Vector &w,
                         const Vector &out, const SmootherStep &step) {
  for (const Vector *v : {&x, &b, &w, &out})
    require(v->precision == precision() && v->size == size(), "vectors of this level");
  if (halo_)
    halo_->exchange(x.buffer);
  const WindowLaunch rows = window_launch(device_.info(), layout_, num_rows_);
  count_next_launch(device_, [&] { return cost(product, step, rows.launch); });
  device_.launch(program_, "level_product", rows.launch,
                 {rows.windows_per_group, static_cast<std::int32_t>(num_rows_),
                  static_cast<std::int32_t>(layout_.num_slices), layout_.slices, layout_.rows,
                  layout_.columns16, layout_.columns32, layout_.touched, values_, diagonal_.buffer,
                  static_cast<std::int32_t>(product), static_cast<std::int32_t>(step.reads_w),
                  static_cast<std::int32_t>(step.keeps_w), x.buffer, b.buffer, w.buffer, out.buffer,
                  real(step.c1), real(step.c2)});
}

void LevelMatrix::diagonal(Vector &d) {
  require(d.precision == precision() && d.size == size(), "a vector of this level");
  device_.copy(diagonal_.buffer, d.buffer, size() * size_bytes(precision()));
}

void LevelMatrix::apply(const Vector &x, Vector &y) {
  launch(Product::apply, x, x, y, y, {});
}

void LevelMatrix::residual(const Vector &b, const Vector &x, Vector &r) {
  launch(Product::residual, x, b, r, r, {});
}

void LevelMatrix::smooth(const Vector &b, const Vector &x, Vector &w, Vector &out,
                         const SmootherStep &step) {
  if (step.reads_x) {
    launch(Product::smooth, x, b, w, out, step);
    return;
  }
  require(!step.reads_w, "a first step of a smoother starts with its correction");
  const WindowLaunch rows = window_launch(device_.info(), layout_, num_rows_);
  count_next_launch(device_, [&] {
    return level_rows_cost({.systems = systems_,
                            .rows = static_cast<double>(num_rows_),
                            .row_bytes = static_cast<double>(size_bytes(precision())),
                            .reads = 2,
                            .writes = step.keeps_w ? 2.0 : 1.0},
                           {.multiplications = 1, .divisions = 1}, rows.launch);
  });
  device_.launch(program_, "level_smooth_first", rows.launch,
                 {rows.windows_per_group, static_cast<std::int32_t>(num_rows_), diagonal_.buffer,
                  b.buffer, w.buffer, out.buffer, real(step.c2),
                  static_cast<std::int32_t>(step.keeps_w)});
}

} // namespace weft
