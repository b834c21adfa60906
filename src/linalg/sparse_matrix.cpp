#include "linalg/sparse_matrix.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/embedded.h"
#include "base/error.h"
#include "base/parallel.h"
#include "device/dialect.h"
#include "linalg/launch_sizes.h"
#include "linalg/vector_cost.h"

namespace weft {

namespace {

// Slices of a work-item on CPUs; a work-group on GPUs has one a work-item.
constexpr int slices_an_item = 256;

} // namespace

double sparse_matrix_bytes(std::int64_t num_rows, std::int64_t num_entries, Precision precision) {
  const double rows = static_cast<double>(num_rows), entries = static_cast<double>(num_entries);
  const double real = static_cast<double>(size_bytes(precision));
  // Values in the order of the rows, then the same sliced: some 5% more with the zeros, and
  // columns.
  return entries * real + 8 * rows + 1.05 * entries * (real + 4);
}

SparseMatrix::SparseMatrix(Device &device, std::shared_ptr<const CsrPattern> pattern,
                           Precision precision, bool symmetric, std::optional<MatrixFormat> format)
    : device_(device), pattern_(std::move(pattern)), precision_(precision), symmetric_(symmetric) {
  make_layout(format);
  const std::size_t bytes = pattern_->num_entries() * size_bytes(precision_);
  values_ = device_.allocate(bytes, "values of the matrix");
  device_.fill_zero(values_, bytes);
  values_changed();
}

SparseMatrix::SparseMatrix(Device &device, std::shared_ptr<const CsrPattern> pattern,
                           std::span<const double> values, bool symmetric)
    : device_(device), pattern_(std::move(pattern)), precision_(Precision::f64),
      symmetric_(symmetric) {
  make_layout({});
  see_values(values, symmetric);
}

void SparseMatrix::see_values(std::span<const double> values, bool symmetric) {
  require(precision_ == Precision::f64 &&
              static_cast<std::int64_t>(values.size()) == pattern_->num_entries(),
          "a value in f64 for each entry of the pattern");
  values_.reset();
  values_ = device_.share(values.data(), values.size_bytes(), "values of the matrix");
  symmetric_ = symmetric;
  values_changed();
}

void SparseMatrix::make_layout(std::optional<MatrixFormat> format) {
  const CsrPattern &p = *pattern_;
  if (p.num_entries() >= std::int64_t{1} << 31)
    throw Error(ErrorKind::unsupported,
                {.what = "matrices of 2^31 entries or more on one device",
                 .found = fmt::format("{} rows, {} entries", p.num_rows, p.num_entries()),
                 .remedy = "use solver.operator = \"matrix_free\", which stores none"});
  layout_.num_rows = p.num_rows;
  layout_.num_entries = p.num_entries();
  layout_.row_start =
      upload(device_, std::vector<std::int32_t>(p.row_start.begin(), p.row_start.end()),
             "row starts of the matrix");
  std::vector<std::int32_t> places(p.num_rows);
  for (std::int64_t row = 0; row < p.num_rows; ++row)
    places[row] = static_cast<std::int32_t>(p.place(row, static_cast<std::int32_t>(row)));
  diagonal_places_ = upload(device_, places, "places of the diagonal");
  choose_format(format);
  build_program();
}

void SparseMatrix::choose_format(std::optional<MatrixFormat> format) {
  const DeviceInfo &info = device_.info();
  const double real = static_cast<double>(size_bytes(precision_));
  const double csr_bytes = static_cast<double>(pattern_->num_entries()) * (real + 4) +
                           4.0 * static_cast<double>(pattern_->num_rows);
  std::optional<SellLayout> layout;
  if (format != MatrixFormat::csr) {
    layout = make_sell_layout(*pattern_, sell_slice(info), sell_window(info),
                              sell_line_reals(info, precision_));
    if (!format && layout->bytes(real) >= csr_bytes)
      layout.reset();
  }
  if (!layout) {
    const CsrColumns &columns = pattern_->columns;
    layout_.columns = device_.share(columns.data(), columns.size() * sizeof(std::int32_t),
                                    "columns of the matrix");
    return;
  }
  layout_.format = MatrixFormat::sell;
  layout_.sell = upload_sell(device_, *std::move(layout));
  sell_values_ =
      device_.allocate(layout_.sell.num_values * size_bytes(precision_), "values of slices");
}

void SparseMatrix::build_program() {
  const DeviceInfo &info = device_.info();
  product_.emplace(device_, layout_, ProductSettings{.storage = precision_, .vectors = precision_});
  std::string text =
      program_head(info.backend, precision_, 1) + embedded_text("kernels/matrix/diagonal.kernel");
  std::vector<std::string> kernels = {"matrix_diagonal"};
  if (format() == MatrixFormat::sell) {
    text += fmt::format("#define WEFT_SLICE {}\n#define WEFT_WINDOW {}\n#define "
                        "WEFT_SLICES_PER_ITEM {}\n",
                        layout_.sell.slice, layout_.sell.window, info.is_cpu ? slices_an_item : 1) +
            embedded_text("kernels/matrix/sell.kernel") +
            embedded_text("kernels/matrix/sell_fill.kernel");
    kernels.emplace_back("sell_fill");
  }
  program_ = device_.build(
      {.name = fmt::format("matrix_{}_{}", to_string(format()), to_string(precision_)),
       .text = text,
       .kernels = kernels});
}

Launch SparseMatrix::fill_launch() const {
  const bool is_cpu = device_.info().is_cpu;
  const std::int64_t group = is_cpu ? 1 : gpu_group;
  return {rounded_up(layout_.sell.num_slices, group * (is_cpu ? slices_an_item : 1)), group};
}

Launch SparseMatrix::row_launch() const {
  constexpr std::int64_t group = 64;
  return {rounded_up(size(), group), group};
}

void SparseMatrix::apply(const Vector &x, Vector &y) {
  product_->apply(format() == MatrixFormat::sell ? sell_values_ : values_, x, y);
}

void SparseMatrix::diagonal(Vector &d) {
  copy_diagonal(d);
}

void SparseMatrix::copy_diagonal(Vector &d) const {
  device_.launch(program_, "matrix_diagonal", row_launch(),
                 {static_cast<std::int32_t>(size()), diagonal_places_, values_, d.buffer});
}

void SparseMatrix::values_changed() {
  if (format() == MatrixFormat::sell)
    device_.launch(program_, "sell_fill", fill_launch(),
                   {static_cast<std::int32_t>(size()),
                    static_cast<std::int32_t>(layout_.sell.num_slices), layout_.sell.slices,
                    layout_.sell.rows, layout_.row_start, values_, sell_values_});
}

void SparseMatrix::hold(const Vector &free) {
  if (!hold_columns_) {
    const CsrColumns &columns = pattern_->columns;
    hold_columns_ = layout_.columns
                        ? layout_.columns
                        : device_.share(columns.data(), columns.size() * sizeof(std::int32_t),
                                        "columns of the matrix");
    hold_program_ = device_.build({.name = fmt::format("matrix_hold_{}", to_string(precision_)),
                                   .text = program_head(device_.info().backend, precision_, 1) +
                                           embedded_text("kernels/matrix/hold.kernel"),
                                   .kernels = {"matrix_hold"}});
  }
  device_.launch(
      hold_program_, "matrix_hold", row_launch(),
      {static_cast<std::int32_t>(size()), layout_.row_start, hold_columns_, free.buffer, values_});
  values_changed();
}

std::shared_ptr<const double[]> SparseMatrix::host_values() const {
  const std::int64_t count = pattern_->num_entries();
  const std::shared_ptr<const void> stored = device_.view(values_, count * size_bytes(precision_));
  if (precision_ == Precision::f64)
    return {stored, static_cast<const double *>(stored.get())};
  const std::size_t bytes = count * sizeof(double);
  const std::shared_ptr<double[]> values(static_cast<double *>(allocate_pages(bytes)),
                                         [=](void *address) { free_pages(address, bytes); });
  const auto *rounded = static_cast<const float *>(stored.get());
  parallel_ranges(count, [&](std::int64_t begin, std::int64_t end, int) {
    std::copy(rounded + begin, rounded + end, values.get() + begin);
  });
  return values;
}

HostMatrix SparseMatrix::host() const {
  HostMatrix matrix;
  matrix.row_start.assign(pattern_->row_start.begin(), pattern_->row_start.end());
  matrix.columns.assign(pattern_->columns.begin(), pattern_->columns.end());
  const std::shared_ptr<const double[]> values = host_values();
  matrix.values.assign(values.get(), values.get() + pattern_->num_entries());
  return matrix;
}

std::vector<NamedCost> SparseMatrix::apply_costs() const {
  return {product_->cost()};
}

std::vector<NamedCost> SparseMatrix::diagonal_costs() const {
  const double rows = static_cast<double>(size());
  const double real = static_cast<double>(size_bytes(precision_));
  KernelCost cost;
  cost.bytes_read = (4 + real) * rows;
  cost.bytes_written = real * rows;
  cost.memory_reads1 = rows;
  cost.memory_places1 = rows;
  count_launch(cost, row_launch());
  return {{"matrix_diagonal", cost}};
}

std::vector<NamedCost> SparseMatrix::change_costs() const {
  if (format() == MatrixFormat::csr)
    return {};
  const double slices = static_cast<double>(layout_.sell.num_slices);
  const double real = static_cast<double>(size_bytes(precision_));
  KernelCost cost;
  cost.bytes_read = 4 * (slices + 1) + 2 * slices * layout_.sell.slice +
                    4 * static_cast<double>(size() + 1) +
                    real * static_cast<double>(pattern_->num_entries());
  cost.bytes_written = real * static_cast<double>(layout_.sell.num_values);
  count_launch(cost, fill_launch());
  return {{"sell_fill", cost}};
}

} // namespace weft
