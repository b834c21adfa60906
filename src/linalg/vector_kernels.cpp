#include "linalg/vector_kernels.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/embedded.h"
#include "base/error.h"
#include "device/dialect.h"
#include "ranks/norm_of_ranks.h"

namespace weft {

namespace {

constexpr std::int64_t max_f32_additions = 2048;

// A CPU's thread walks a chunk alone, lane by lane; a GPU gives it a work-group.
int vector_group_size(const DeviceInfo &info) {
  return info.is_cpu ? 1 : 256;
}

// Lanes hold reals; on CPUs one of each system at least.
int vector_lanes(const DeviceInfo &info, Precision precision, int systems) {
  const int reals = int(8 / size_bytes(arithmetic_precision(precision)));
  return info.is_cpu ? std::clamp(info.native_lanes_f64 * reals, systems, 16) : 1;
}

// Sums that a method may have open, but GMRES.
constexpr int least_sums = 4;

// Norm of numbers whose squares are not representable; NaN or infinity where an entry is.
double norm_on_host(const std::vector<double> &values) {
  double largest = 0;
  for (const double value : values) {
    if (!std::isfinite(value))
      return std::abs(value);
    largest = std::max(largest, std::abs(value));
  }
  double square = 0;
  for (const double value : values)
    square += value / largest * (value / largest);
  return largest == 0 ? 0 : largest * std::sqrt(square);
}

// The entry points of each file of kernels/vector.
const std::map<std::string, std::vector<std::string>> kernels_of_part = {
    {"blas", {"vector_combine", "vector_dots"}},
    {"block",
     {"vector_axpy", "vector_axpy_entries", "vector_xpay", "vector_axpy_dot", "vector_dot",
      "vector_largest", "vector_reduce"}},
    {"jacobi", {"vector_scale", "vector_invert"}},
    {"bounds", {"bounds_project", "bounds_restrict", "bounds_free"}},
    {"scaled", {"scaled_largest", "scaled_factor", "scaled_enter", "scaled_leave"}},
    {"defect", {"defect_residual", "defect_check", "defect_update"}},
    {"chebyshev", {"chebyshev_step"}},
    {"matrix_free_level", {"matrix_free_step", "matrix_free_residual"}},
    {"cg", {"cg_alpha", "cg_residual", "cg_flexible_dots", "cg_beta", "cg_direction"}},
    {"bicgstab",
     {"bicgstab_direction", "bicgstab_alpha", "bicgstab_step", "bicgstab_omega", "bicgstab_beta"}},
    {"gmres", {"gmres_dots", "gmres_project", "gmres_subtract", "gmres_norm", "gmres_normalise"}}};

// Constants, dialect and what all parts share.
std::string program_head(const DeviceInfo &info, Precision precision, int systems) {
  std::string text = fmt::format("#define WEFT_LANES {}\n#define WEFT_REAL_{}\n",
                                 vector_lanes(info, precision, systems),
                                 precision == Precision::f64 ? "F64" : "F32");
  text += dialect_text(info.backend);
  if (arithmetic_precision(precision) != precision)
    text += stored_dialect_text(info.backend) +
            fmt::format("#define WEFT_VALUE {}\n", to_string(precision));
  text += fmt::format("#define WEFT_GROUP {}\n#define WEFT_BASIS {}\n#define WEFT_SYSTEMS {}\n",
                      vector_group_size(info), basis_block, systems);
  const std::pair<const char *, StateSlot> slots[] = {
      {"STATUS", StateSlot::status}, {"ITERATION", StateSlot::iteration},
      {"TARGET", StateSlot::target}, {"RHO", StateSlot::rho},
      {"ALPHA", StateSlot::alpha},   {"BETA", StateSlot::beta},
      {"OMEGA", StateSlot::omega},   {"STEP", StateSlot::step},
      {"AGAIN", StateSlot::again},   {"RECORDS", StateSlot::records}};
  for (const auto &[name, slot] : slots)
    text += fmt::format("#define STATE_{} {}\n", name, int(slot));
  text += fmt::format("#define STATE_BATCH {}\n", max_batch);
  const std::pair<const char *, SolveStatus> statuses[] = {{"RUNNING", SolveStatus::running},
                                                           {"CONVERGED", SolveStatus::converged},
                                                           {"NOT_FINITE", SolveStatus::not_finite},
                                                           {"INDEFINITE", SolveStatus::indefinite},
                                                           {"BREAKDOWN", SolveStatus::breakdown}};
  for (const auto &[name, status] : statuses)
    text += fmt::format("#define STATUS_{} {}\n", name, int(status));
  return text + embedded_text("kernels/vector/common.kernel");
}

ProgramSource vector_program(const DeviceInfo &info, Precision precision,
                             std::set<std::string> parts, int systems) {
  parts.insert("blas");
  ProgramSource source = {.name = "vector", .text = program_head(info, precision, systems)};
  for (const std::string &part : parts) {
    const std::vector<std::string> &kernels = kernels_of_part.at(part);
    source.name += "_" + part;
    source.text += embedded_text("kernels/vector/" + part + ".kernel");
    source.kernels.insert(source.kernels.end(), kernels.begin(), kernels.end());
  }
  source.name += fmt::format("_{}", to_string(precision));
  return source;
}

} // namespace

VectorKernels::VectorKernels(Device &device, Precision precision, const VectorLayout &layout,
                             int num_sums, const std::set<std::string> &parts, int systems)
    : device_(device), precision_(precision), layout_(layout), systems_(systems),
      group_size_(vector_group_size(device.info())) {
  const std::int64_t size = layout.owned;
  require(size % systems == 0 && (systems == 1 || systems == 2 || systems == 4),
          "whole entries of 1, 2 or 4 vectors");
  // Chunks long enough to hide a work-group's start, and enough of them for any number of threads;
  // a function of the size alone, which makes the sums the same on every run. A lane adds at most
  // max_f32_additions numbers in f32, whose roundings would add up on long vectors.
  const std::int64_t granule =
      vector_chains * group_size_ * vector_lanes(device.info(), precision, systems);
  const std::int64_t most_chunks = device.info().is_cpu ? 256 : 2048;
  const std::int64_t least_entries = std::max<std::int64_t>(2048, granule);
  std::int64_t chunks = std::clamp<std::int64_t>(size / least_entries, 1, most_chunks);
  if (precision != Precision::f64)
    chunks = std::max(chunks, size / (granule / vector_chains * max_f32_additions));
  const std::int64_t entries = (size + chunks - 1) / chunks;
  chunk_ = std::max<std::int64_t>(1, (entries + granule - 1) / granule) * granule;
  num_chunks_ = std::int32_t(std::max<std::int64_t>(1, (size + chunk_ - 1) / chunk_));

  program_ = device.build(vector_program(device.info(), precision, parts, systems));
  num_sums_ = std::max(num_sums, least_sums);
  partials_ = reals(std::int64_t(num_sums_) * systems * num_chunks_, "partial sums");
  if (layout.among) {
    require(systems == 1, "ranks share one system");
    totals_ = reals(num_sums_, "sums of all ranks");
  }
  state_ = reals(num_state_slots, "Krylov scalars");
}

Vector VectorKernels::vector(const char *purpose) const {
  return make_vector(device_, layout_, precision_, purpose);
}

Buffer VectorKernels::reals(std::int64_t count, const char *purpose) const {
  return device_.allocate(count * size_bytes(arithmetic_precision(precision_)), purpose);
}

void VectorKernels::write_reals(const Buffer &to, const std::vector<double> &values) {
  Vector view{to, std::int64_t(values.size()), arithmetic_precision(precision_)};
  set_vector(device_, view, values);
}

std::vector<double> VectorKernels::read_reals(const Buffer &from, std::int64_t count,
                                              std::int64_t offset) {
  const std::uint64_t bytes = size_bytes(arithmetic_precision(precision_));
  if (precision_ == Precision::f64) {
    std::vector<double> values(count);
    device_.read(from, values.data(), count * bytes, offset * bytes);
    return values;
  }
  std::vector<float> values(count);
  device_.read(from, values.data(), count * bytes, offset * bytes);
  return {values.begin(), values.end()};
}

VectorShape VectorKernels::shape() const {
  return {.entries = layout_.owned,
          .chunks = num_chunks_,
          .chunk_entries = chunk_,
          .group_size = group_size_,
          .lanes = vector_lanes(device_.info(), precision_, systems_),
          .systems = systems_,
          .precision = precision_};
}

KernelArgument VectorKernels::real(double value) const {
  if (precision_ == Precision::f64)
    return value;
  return float(value);
}

// A program's other kernels come with the first.
void VectorKernels::load() {
  load(program_, "vector_dots");
}

void VectorKernels::load(const Program &program, const char *kernel) {
  device_.load(program, kernel, chunk_launch());
}

// Kernels of other files have no formula.
void VectorKernels::count(const char *kernel, const VectorChoices &choices) {
  if (has_vector_kernel_cost(kernel))
    count_next_launch(device_, [&] { return vector_kernel_cost(kernel, shape(), choices); });
}

void VectorKernels::over_vector(const char *kernel, const std::vector<KernelArgument> &arguments,
                                const VectorChoices &choices) {
  over_vector(program_, kernel, arguments, choices);
}

void VectorKernels::over_vector(const Program &program, const char *kernel,
                                const std::vector<KernelArgument> &arguments,
                                const VectorChoices &choices) {
  std::vector<KernelArgument> all = {layout_.owned, chunk_};
  all.insert(all.end(), arguments.begin(), arguments.end());
  count(kernel, choices);
  device_.launch(program, kernel, chunk_launch(), all);
}

Program VectorKernels::mixed_program(const std::string &part, const std::string &defines) const {
  const std::string &backend = device_.info().backend;
  std::string text = program_head(device_.info(), precision_, systems_);
  if (arithmetic_precision(precision_) == precision_)
    text += stored_dialect_text(backend);
  return device_.build(
      {.name = "vector_" + part + "_" + to_string(precision_),
       .text = text + defines + embedded_text("kernels/vector/" + part + ".kernel"),
       .kernels = kernels_of_part.at(part)});
}

void VectorKernels::over_sums(const char *kernel, const std::vector<KernelArgument> &arguments,
                              int groups, const VectorChoices &choices) {
  over_sums(program_, kernel, arguments, groups, choices);
}

void VectorKernels::over_sums(const Program &program, const char *kernel,
                              const std::vector<KernelArgument> &arguments, int groups,
                              const VectorChoices &choices) {
  std::vector<KernelArgument> all =
      layout_.among ? std::vector<KernelArgument>{sums_of_ranks(groups), std::int32_t{1}}
                    : std::vector<KernelArgument>{partials_, num_chunks_};
  all.insert(all.end(), arguments.begin(), arguments.end());
  count(kernel, choices);
  device_.launch(program, kernel, {.groups = groups, .group_size = group_size_}, all);
}

// Of the slots that may be open: those of a method's few scalars, or one a group.
const Buffer &VectorKernels::sums_of_ranks(int groups) {
  const int slots = std::min(num_sums_, std::max(groups, least_sums));
  const std::vector<double> partials = read_reals(partials_, std::int64_t(slots) * num_chunks_);
  std::vector<double> own(slots, 0);
  for (int slot = 0; slot < slots; ++slot)
    for (std::int32_t chunk = 0; chunk < num_chunks_; ++chunk)
      own[slot] += partials[std::int64_t(slot) * num_chunks_ + chunk];
  write_reals(totals_, weft::sum(layout_.among, std::move(own)));
  return totals_;
}

void VectorKernels::zero(Vector &v) {
  device_.fill_zero(v.buffer, layout_.owned * size_bytes(precision_));
}

void VectorKernels::copy(const Vector &from, Vector &to) {
  device_.copy(from.buffer, to.buffer, layout_.owned * size_bytes(precision_));
}

void VectorKernels::combine(Vector &out, double a, const Vector &x, double b, const Vector &y) {
  over_vector("vector_combine", {out.buffer, real(a), x.buffer, real(b), y.buffer});
}

void VectorKernels::scale(Vector &out, const Vector &d, const Vector &x) {
  over_vector("vector_scale", {out.buffer, d.buffer, x.buffer});
}

void VectorKernels::invert(Vector &d) {
  over_vector("vector_invert", {d.buffer});
}

void VectorKernels::dots(const Vector &a, const Vector &b, int slot) {
  over_vector("vector_dots", {a.buffer, b.buffer, partials_, std::int32_t(slot)},
              {.same = a.buffer == b.buffer});
}

void VectorKernels::axpy(Vector &y, const Buffer &a, const Vector &x) {
  over_vector("vector_axpy", {y.buffer, a, x.buffer});
}

void VectorKernels::axpy_entries(Vector &y, const Vector &d, const Vector &x) {
  over_vector("vector_axpy_entries", {y.buffer, d.buffer, x.buffer});
}

void VectorKernels::xpay(Vector &y, const Buffer &a, const Vector &x) {
  over_vector("vector_xpay", {y.buffer, a, x.buffer});
}

void VectorKernels::axpy_dot(Vector &y, const Buffer &a, const Vector &x, int slot) {
  over_vector("vector_axpy_dot", {y.buffer, a, x.buffer, partials_, std::int32_t(slot)});
}

void VectorKernels::dot(const Vector &a, const Vector &b, int slot) {
  over_vector("vector_dot", {a.buffer, b.buffer, partials_, std::int32_t(slot)},
              {.same = a.buffer == b.buffer});
}

void VectorKernels::largest(const Vector &a, int slot) {
  over_vector("vector_largest", {a.buffer, partials_, std::int32_t(slot)});
}

void VectorKernels::horner(Vector &x, int degree) {
  over_vector("vector_horner", {x.buffer, std::int32_t(degree)}, {.degree = degree});
}

void VectorKernels::reduce_sum(int slot, const Buffer &out) {
  over_sums("vector_reduce", {std::int32_t(slot), std::int32_t{0}, out}, systems_);
}

void VectorKernels::reduce_largest(int slot, const Buffer &out) {
  require(!layout_.among, "the largest of one rank");
  over_sums("vector_reduce", {std::int32_t(slot), std::int32_t{1}, out}, systems_,
            {.largest = true});
}

double VectorKernels::sum(int slot) {
  double total = 0;
  for (const double part : read_reals(partials_, num_chunks_, std::int64_t(slot) * num_chunks_))
    total += part;
  return weft::sum(layout_.among, total);
}

double VectorKernels::norm(const Vector &v) {
  dots(v, v, 0);
  const double square = sum(0);
  // Squares of small numbers vanish, those of large ones overflow.
  const double smallest = arithmetic_precision(precision_) == Precision::f64 ? 1e-280 : 1e-25;
  return std::isfinite(square) && square > smallest
             ? std::sqrt(square)
             : norm_of_ranks(layout_.among, norm_on_host(get_vector(device_, v)));
}

void VectorKernels::write_state(const KrylovState &state) {
  write_reals(state_, {state.values.begin(), state.values.end()});
}

KrylovState VectorKernels::read_state() {
  KrylovState state;
  const std::vector<double> values = read_reals(state_, num_state_slots);
  std::copy(values.begin(), values.end(), state.values.begin());
  return state;
}

} // namespace weft
