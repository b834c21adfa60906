#include "op/law/fv_diffusion.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/embedded.h"
#include "base/error.h"
#include "device/dialect.h"
#include "device/lanes.h"
#include "device/streaming.h"
#include "linalg/device_sell.h"
#include "linalg/launch_sizes.h"
#include "linalg/vector_cost.h"
#include "op/law/fv_layout.h"
#include "op/law/law_rates.h"
#include "op/weak_form/operator_settings.h"

namespace weft {

namespace {

constexpr int gpu_warp = 32, gpu_plain_group = 128, gpu_block_group = 256;
constexpr int most_ahead_rows = 128;
// Lines of x that are prefetched and not yet used: about as many as a core waits for at a time.
constexpr double lines_under_way = 64;
// Entries of other blocks that are prefetched before they are copied: 128 were as good as more or
// better on two cores of an EPYC (Zen 5), whatever lay between the entries.
constexpr int entries_ahead = 128;
constexpr std::int64_t most_parts_an_item = 4096;
// Staging pays where blocks read few entries of others: on two cores of an EPYC (Zen 5) it was as
// fast as the plain form at as many of them as rows and took 14% (f64) and 27% (f32) longer at 1.9
// times as many, but where these lay beyond the last cache.
constexpr double most_outside_fraction = 0.5;
constexpr std::int64_t most_block_rows = 8192, fewest_block_rows = 1024;
// Stages are of one of few sizes, so that matrices share kernels.
constexpr std::int64_t stage_step = 512;
// Local memory that every device has; static arrays of CUDA may have no more.
constexpr std::int64_t static_local_bytes = 48 << 10;

std::int64_t divided_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// Takes one of few sizes, so that matrices share kernels. GPUs: what finds room in local memory.
int default_block_rows(std::int64_t rows, int slice, const DeviceInfo &device) {
  std::int64_t block = fewest_block_rows;
  while (device.is_cpu && block < most_block_rows &&
         2 * block * blocks_a_core * device.compute_units <= rows)
    block *= 2;
  return static_cast<int>(divided_up(block, slice)) * slice;
}

// Far enough ahead that lines have come when they are read, near enough that they are still there.
int default_ahead(const EllpackMatrix &matrix, int slice, int line_reals) {
  const FvTouched touched = fv_touched(matrix, slice, 0, line_reals);
  const double lines = static_cast<double>(touched.lines.size()) * slice /
                       static_cast<double>(std::max<std::int64_t>(1, matrix.num_rows));
  return std::clamp(static_cast<int>(lines_under_way / std::max(lines, 1.0)), 1,
                    std::max(1, most_ahead_rows / slice));
}

std::int64_t distinct_ghosts(const EllpackMatrix &matrix) {
  std::vector<bool> is_read(matrix.num_ghosts, false);
  for (const std::int32_t index : matrix.index)
    if (index >= matrix.num_rows)
      is_read[index - matrix.num_rows] = true;
  return std::count(is_read.begin(), is_read.end(), true);
}

[[noreturn]] void fail_setting(const std::string &where, const std::string &found,
                               const std::string &allowed, const std::string &remedy) {
  throw Error(ErrorKind::unsupported,
              {.what = "the device does not compute finite-volume diffusion like that",
               .where = where,
               .found = found,
               .allowed = allowed,
               .remedy = remedy});
}

// What the other choices are made from.
void check_lanes(const FvDiffusionSettings &s, const DeviceInfo &device) {
  if (s.precision != Precision::f64 && s.precision != Precision::f32)
    fail_setting("precision", to_string(s.precision), "f64, f32", "choose one of these");
  const int lanes = *s.lanes;
  if (lanes < 1 || lanes > 16 || (lanes & (lanes - 1)) != 0 || (lanes > 1 && !device.is_cpu))
    fail_setting("lanes", std::to_string(lanes), device.is_cpu ? "1, 2, 4, 8, 16" : "1",
                 "leave the lanes open");
  if (*s.slice < lanes || *s.slice % lanes != 0)
    fail_setting("slice", std::to_string(*s.slice), fmt::format("a multiple of {}", lanes),
                 "leave the slice open");
  if (s.block_rows && (*s.block_rows < *s.slice || *s.block_rows % *s.slice != 0))
    fail_setting("block_rows", std::to_string(*s.block_rows),
                 fmt::format("a multiple of the slice, {}", *s.slice), "leave it open");
}

void check_settings(const FvDiffusionSettings &s, const EllpackMatrix &matrix) {
  if (*s.index_bits != 16 && *s.index_bits != 32)
    fail_setting("index_bits", std::to_string(*s.index_bits), "16, 32", "choose one of these");
  if (*s.groups_per_item < 1)
    fail_setting("groups_per_item", std::to_string(*s.groups_per_item), ">= 1", "leave it open");
  if (*s.ahead < 0)
    fail_setting("ahead", std::to_string(*s.ahead), ">= 0", "leave it open");
  const double bytes =
      static_cast<double>(matrix.num_columns()) * static_cast<double>(size_bytes(s.precision));
  if (*s.gathered && *s.form == FvForm::plain && bytes >= 4294967296.0)
    fail_setting("gathered", fmt::format("a vector of {} bytes", bytes), "less than 4 GiB",
                 "read the entries one by one");
}

const char *fv_kernel_name(FvForm form) {
  return form == FvForm::staged ? "fv_diffusion_block" : "fv_diffusion";
}

} // namespace

std::string to_string(FvForm form) {
  return form == FvForm::plain ? "plain" : "staged";
}

FvForm fv_form_from_name(const std::string &name) {
  for (const FvForm form : {FvForm::plain, FvForm::staged})
    if (to_string(form) == name)
      return form;
  throw Error(ErrorKind::input, {.what = "unknown form of the diffusion kernel",
                                 .found = name,
                                 .allowed = "plain, staged",
                                 .remedy = "choose one of these, or leave the key out"});
}

FvDiffusionSettings with_fv_choices(FvDiffusionSettings s, const EllpackMatrix &matrix,
                                    const DeviceInfo &device) {
  s.lanes = s.lanes.value_or(default_lanes(device, s.precision));
  s.slice = s.slice.value_or(device.is_cpu ? *s.lanes : gpu_warp);
  check_lanes(s, device);
  s.block_rows = s.block_rows.value_or(default_block_rows(matrix.num_rows, *s.slice, device));
  if (!s.form)
    s.form = device.is_cpu && fv_outside_fraction(matrix, *s.block_rows) <= most_outside_fraction
                 ? FvForm::staged
                 : FvForm::plain;
  const bool staged = *s.form == FvForm::staged;
  s.index_bits = staged ? 16 : s.index_bits.value_or(32);
  s.gathered = s.gathered.value_or(false);
  if (!device.is_cpu)
    s.ahead = 0;
  else if (!s.ahead)
    s.ahead = staged ? entries_ahead
                     : default_ahead(matrix, *s.slice, sell_line_reals(device, s.precision));
  s.stream = s.stream.value_or(streams_by_default(
      static_cast<double>(matrix.num_rows) * static_cast<double>(size_bytes(s.precision)), device));
  // Enough items that all cores have work to the end.
  const std::int64_t part = divided_up(matrix.num_rows, *s.lanes) /
                            (std::max(1, device.compute_units) * fewest_items_a_core);
  s.groups_per_item = s.groups_per_item.value_or(
      device.is_cpu ? static_cast<int>(std::clamp<std::int64_t>(part, 1, most_parts_an_item)) : 1);
  s.group_size =
      device.is_cpu ? 1 : s.group_size.value_or(staged ? gpu_block_group : gpu_plain_group);
  return s;
}

double fv_required_bytes(const EllpackMatrix &matrix, Precision precision) {
  const double real = static_cast<double>(size_bytes(precision));
  return static_cast<double>(matrix.num_rows) * (matrix.width * (real + 4) + 2 * real);
}

double fv_required_flops(const EllpackMatrix &matrix) {
  return static_cast<double>(matrix.num_rows) * (3 * matrix.width - 1);
}

FvDiffusion::FvDiffusion(Device &device, const EllpackMatrix &matrix,
                         const FvDiffusionSettings &settings)
    : device_(device), settings_(with_fv_choices(settings, matrix, device.info())),
      num_rows_(matrix.num_rows), num_columns_(matrix.num_columns()), width_(matrix.width),
      num_read_ghosts_(distinct_ghosts(matrix)) {
  require(num_columns_ < (std::int64_t{1} << 31), "indices fit in 32 bits");
  check_settings(settings_, matrix);
  const std::vector<double> values = fv_values(matrix, *settings_.slice);
  num_slices_ = divided_up(num_rows_, *settings_.slice);
  values_ = make_vector(device_, static_cast<std::int64_t>(values.size()), settings_.precision,
                        "coefficients of finite volumes");
  set_vector(device_, values_, values);
  const bool staged = *settings_.form == FvForm::staged;
  if (staged)
    upload_blocks(matrix);
  else
    upload_plain(matrix);
  const std::string kernel = fv_kernel_name(*settings_.form);
  program_ = device_.build(
      {.name = fmt::format("{}_{}", kernel, to_string(settings_.precision)),
       .text = program_head(device_.info().backend, settings_.precision, *settings_.lanes) +
               constants() + embedded_text("kernels/fv/fv_slices.kernel") +
               embedded_text("kernels/fv/" + kernel + ".kernel"),
       .kernels = {kernel}});
}

void FvDiffusion::upload_plain(const EllpackMatrix &matrix) {
  const FvIndices indices = fv_indices(matrix, *settings_.slice, *settings_.index_bits);
  num_index16_ = static_cast<std::int64_t>(indices.index16.size());
  num_index32_ = static_cast<std::int64_t>(indices.index32.size());
  num_narrow_ = num_index16_ / (std::int64_t(width_) * *settings_.slice);
  last_is_narrow_ = !indices.slices.empty() && indices.slices.back() >= 0;
  FvTouched touched;
  if (*settings_.ahead > 0)
    touched = fv_touched(matrix, *settings_.slice, *settings_.ahead,
                         sell_line_reals(device_.info(), settings_.precision));
  num_touched_ = static_cast<std::int64_t>(touched.lines.size());
  arguments_ = {static_cast<std::int32_t>(num_rows_),
                static_cast<std::int32_t>(divided_up(num_rows_, *settings_.lanes)),
                static_cast<std::int32_t>(num_slices_),
                upload(device_, indices.slices, "slices of finite volumes"),
                upload(device_, indices.index16, "neighbours of finite volumes, 16 bits"),
                upload(device_, indices.index32, "neighbours of finite volumes, 32 bits"),
                upload(device_, touched.start, "slices of finite volumes"),
                upload(device_, touched.lines, "lines of x that finite volumes touch"),
                values_.buffer,
                Buffer{},
                Buffer{}};
}

void FvDiffusion::upload_blocks(const EllpackMatrix &matrix) {
  FvBlocks blocks = fv_blocks(matrix, *settings_.slice, *settings_.block_rows);
  stage_entries_ = blocks.block_rows + divided_up(blocks.most_outside, stage_step) * stage_step;
  const std::int64_t bytes =
      stage_entries_ * static_cast<std::int64_t>(size_bytes(settings_.precision));
  const auto local = static_cast<std::int64_t>(device_.info().local_memory_bytes);
  if (*settings_.group_size > 1 && bytes > std::min(static_local_bytes, local))
    fail_setting("block_rows",
                 fmt::format("{} rows that read {} others: {} bytes", blocks.block_rows,
                             blocks.most_outside, bytes),
                 fmt::format("{} bytes of local memory", std::min(static_local_bytes, local)),
                 "choose smaller blocks, or put neighbours near each other");
  num_outside_ = static_cast<std::int64_t>(blocks.outside.size());
  num_index16_ = static_cast<std::int64_t>(blocks.index.size());
  blocks.outside.resize(blocks.outside.size() + *settings_.ahead, 0); // prefetched, not copied
  arguments_ = {static_cast<std::int32_t>(num_rows_),
                upload(device_, blocks.outside_start, "blocks of finite volumes"),
                upload(device_, blocks.outside, "what blocks read of others"),
                upload(device_, blocks.index, "neighbours of finite volumes, 16 bits"),
                values_.buffer,
                Buffer{},
                Buffer{}};
}

std::string FvDiffusion::constants() const {
  std::string text;
  const auto define = [&](const char *name, const auto &value) {
    text += fmt::format("#define {} {}\n", name, value);
  };
  define("WEFT_WIDTH", width_);
  define("WEFT_SLICE", *settings_.slice);
  define("WEFT_PARTS", *settings_.slice / *settings_.lanes);
  define("WEFT_SLICE_REALS", std::int64_t{width_} * *settings_.slice);
  define("WEFT_GATHERED", int(*settings_.gathered));
  define("WEFT_STREAM", int(*settings_.stream));
  define("WEFT_AHEAD", *settings_.ahead);
  if (*settings_.form == FvForm::plain) {
    define("WEFT_INDEX_BITS", *settings_.index_bits);
    define("WEFT_PARTS_PER_ITEM", *settings_.groups_per_item);
    return text;
  }
  define("WEFT_BLOCK", *settings_.block_rows);
  define("WEFT_STAGE", stage_entries_);
  define("WEFT_GROUP", *settings_.group_size);
  const bool is_private = *settings_.group_size == 1;
  define("WEFT_STAGE_SPACE", is_private ? "WEFT_PRIVATE" : "WEFT_LOCAL");
  define("WEFT_STAGE_ARRAY(name, count)",
         is_private ? "real name[count]" : "WEFT_LOCAL_ARRAY(real, name, count)");
  define("weft_stage_load", is_private ? "lane_load_private" : "lane_load_local");
  define("weft_stage_store", is_private ? "lane_store_private" : "lane_store_local");
  return text;
}

Launch FvDiffusion::launch() const {
  const std::int64_t group = *settings_.group_size;
  if (*settings_.form == FvForm::staged)
    return {divided_up(num_rows_, *settings_.block_rows), group};
  const std::int64_t items =
      divided_up(divided_up(num_rows_, *settings_.lanes), *settings_.groups_per_item);
  return {divided_up(items, group), group};
}

void FvDiffusion::apply(const Vector &x, Vector &y) {
  require(x.precision == settings_.precision && y.precision == settings_.precision &&
              x.size == num_columns_ && y.size == num_rows_ && x.buffer != y.buffer,
          "two vectors of this matrix");
  arguments_[arguments_.size() - 2] = x.buffer;
  arguments_.back() = y.buffer;
  device_.launch(program_, fv_kernel_name(*settings_.form), launch(), arguments_);
}

NamedCost FvDiffusion::cost() const {
  const bool staged = *settings_.form == FvForm::staged;
  const double real = static_cast<double>(size_bytes(settings_.precision));
  const double rows = static_cast<double>(num_rows_), width = width_;
  const double slots =
      static_cast<double>(divided_up(num_rows_, *settings_.lanes) * *settings_.lanes);
  KernelCost cost;
  cost.operations.additions = width * slots;
  cost.operations.multiplications = slots;
  cost.operations.multiply_adds = (width - 1) * slots;
  cost.bytes_read = real * (width * slots + rows + static_cast<double>(num_read_ghosts_));
  const double rest = static_cast<double>(num_rows_ % *settings_.lanes); // row by row
  cost.bytes_streamed = *settings_.stream ? real * (rows - rest) : 0;
  cost.bytes_written = real * rows - cost.bytes_streamed;
  if (staged) {
    const double outside = static_cast<double>(num_outside_);
    // The list goes on where entries are prefetched past the last ones.
    const double listed = outside + std::min(outside, static_cast<double>(*settings_.ahead));
    cost.bytes_read += 4 * (static_cast<double>(launch().groups) + 1 + listed) + 2 * width * slots;
    cost.stage_reads1 = width * slots;
    cost.local_bytes = real * (rows + outside + (1 + width) * slots);
    cost.memory_reads1 = cost.memory_places1 = outside;
    cost.stage_bytes = static_cast<double>(stage_entries_) * real;
  } else {
    // Rows of the last slice in parts that have none are not read.
    const double missing = static_cast<double>(num_slices_ * *settings_.slice) - slots;
    double of16 = static_cast<double>(num_index16_), of32 = static_cast<double>(num_index32_);
    (last_is_narrow_ ? of16 : of32) -= missing * width;
    cost.bytes_read += 2 * of16 + 4 * of32;
    // Nobody reads where the lists of the first slices begin.
    if (*settings_.ahead > 0 && num_slices_ > *settings_.ahead)
      cost.bytes_read += 4 * static_cast<double>(num_slices_ + 1 - *settings_.ahead + num_touched_);
    if (*settings_.index_bits == 16)
      cost.bytes_read += 4 * static_cast<double>(num_slices_ + num_narrow_ * width_);
    cost.memory_reads1 = width * slots;
    cost.memory_places1 = rows + static_cast<double>(num_read_ghosts_);
  }
  cost.slots = slots;
  cost.lanes = *settings_.lanes;
  count_launch(cost, launch());
  return {fv_kernel_name(*settings_.form), cost};
}

} // namespace weft
