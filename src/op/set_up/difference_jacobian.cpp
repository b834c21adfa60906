#include "op/set_up/difference_jacobian.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "base/embedded.h"
#include "base/error.h"
#include "device/dialect.h"
#include "op/set_up/colour_dofs.h"

namespace weft {

namespace {

constexpr std::int64_t most_chunks = 256;
constexpr std::int64_t least_chunk = 2048;

} // namespace

double difference_step(Precision precision) {
  return std::cbrt(precision == Precision::f64 ? std::numeric_limits<double>::epsilon()
                                               : std::numeric_limits<float>::epsilon());
}

DifferenceJacobian::DifferenceJacobian(Device &device, const Discretisation &d,
                                       const VectorLayout &layout, Precision precision,
                                       Residual residual)
    : device_(device), d_(d), layout_(layout), precision_(precision),
      residual_(std::move(residual)) {
  const DeviceInfo &info = device_.info();
  lanes_ = info.is_cpu ? info.native_lanes_f64 * (precision == Precision::f32 ? 2 : 1) : 1;
  group_size_ = info.is_cpu ? 1 : 256;
  const std::int64_t granule = std::int64_t{group_size_} * lanes_;
  chunk_ = std::max(least_chunk, (d_.num_owned + most_chunks - 1) / most_chunks);
  chunk_ = (chunk_ + granule - 1) / granule * granule;
  num_chunks_ =
      static_cast<std::int32_t>(std::max<std::int64_t>(1, (d_.num_owned + chunk_ - 1) / chunk_));
  program_ = device_.build(
      {.name = "difference_" + to_string(precision),
       .text = program_head(info.backend, precision, lanes_) +
               fmt::format("#define WEFT_GROUP {}\n", group_size_) +
               embedded_text("kernels/vector/common.kernel") +
               embedded_text("kernels/fem/difference.kernel"),
       .kernels = {"difference_largest", "difference_scale", "difference_step", "difference_shift",
                   "difference_quotient", "difference_shift_colour", "difference_pick"}});
  partials_ = device_.allocate(num_chunks_ * size_bytes(precision), "largest entries");
  step_ = device_.allocate(3 * size_bytes(precision), "steps of differences");
  shifted_ = make_vector(device_, layout_, precision, "shifted state");
  minus_ = make_vector(device_, layout_, precision, "residual for differences");
}

KernelArgument DifferenceJacobian::real(double value) const {
  return real_argument(value, precision_);
}

void DifferenceJacobian::over_vector(const char *kernel,
                                     const std::vector<KernelArgument> &arguments) {
  std::vector<KernelArgument> all = {d_.num_owned, chunk_};
  all.insert(all.end(), arguments.begin(), arguments.end());
  device_.launch(program_, kernel, {num_chunks_, group_size_}, all);
}

void DifferenceJacobian::largest(const Vector &x, const char *then) {
  over_vector("difference_largest", {x.buffer, partials_});
  std::int32_t count = num_chunks_;
  if (layout_.among) { // the largest of all takes the place of those of chunks
    Vector of_chunks{partials_, num_chunks_, precision_}, of_all{partials_, 1, precision_};
    const std::vector<double> parts = get_vector(device_, of_chunks);
    const double largest =
        weft::largest(layout_.among, *std::max_element(parts.begin(), parts.end()));
    set_vector(device_, of_all, std::span(&largest, 1));
    count = 1;
  }
  device_.launch(program_, then, {1, group_size_},
                 {partials_, count, real(difference_step(precision_)), step_});
}

void DifferenceJacobian::linearise(const Vector &u) {
  state_ = u;
  largest(state_, "difference_scale");
}

const Buffer &DifferenceJacobian::step_along(const Vector &x) {
  largest(x, "difference_step");
  return step_;
}

void DifferenceJacobian::apply(const Vector &x, Vector &y) {
  step_along(x);
  over_vector("difference_shift", {state_.buffer, x.buffer, step_, real(-1), shifted_.buffer});
  residual_(shifted_, minus_);
  over_vector("difference_shift", {state_.buffer, x.buffer, step_, real(1), shifted_.buffer});
  residual_(shifted_, y);
  over_vector("difference_quotient", {minus_.buffer, step_, y.buffer});
}

void DifferenceJacobian::make_colours() {
  if (num_colours_ > 0)
    return;
  const Colouring colouring = colour_dofs(d_);
  colours_ = upload(device_, colouring.colours, "colours of dofs");
  num_colours_ = colouring.num_colours;
  num_coloured_ = std::count_if(colouring.colours.begin(), colouring.colours.end(),
                                [](std::int32_t colour) { return colour >= 0; });
}

int DifferenceJacobian::num_colours() {
  make_colours();
  return num_colours_;
}

void DifferenceJacobian::diagonal(Vector &d) {
  make_colours();
  if (!plus_.buffer)
    plus_ = make_vector(device_, layout_, precision_, "residual for differences");
  for (std::int32_t colour = 0; colour < num_colours_; ++colour) {
    for (const auto &[sign, result] : {std::pair{-1, &minus_}, std::pair{1, &plus_}}) {
      over_vector("difference_shift_colour",
                  {state_.buffer, colours_, colour, step_, real(sign), shifted_.buffer});
      residual_(shifted_, *result);
    }
    over_vector("difference_pick",
                {plus_.buffer, minus_.buffer, colours_, colour, step_, d.buffer});
  }
}

VectorShape DifferenceJacobian::shape() const {
  return {.entries = d_.num_owned,
          .chunks = num_chunks_,
          .group_size = group_size_,
          .lanes = lanes_,
          .precision = precision_};
}

std::vector<NamedCost> DifferenceJacobian::linearise_costs() const {
  std::vector<NamedCost> costs;
  for (const char *kernel : {"difference_largest", "difference_scale"})
    costs.push_back({kernel, difference_kernel_cost(kernel, shape())});
  return costs;
}

std::vector<NamedCost> DifferenceJacobian::apply_costs() const {
  std::vector<NamedCost> costs;
  for (const char *kernel : {"difference_largest", "difference_step", "difference_shift",
                             "difference_shift", "difference_quotient"})
    costs.push_back({kernel, difference_kernel_cost(kernel, shape())});
  return costs;
}

std::vector<NamedCost> DifferenceJacobian::diagonal_costs() {
  make_colours();
  // All colours are of the same size here, which keeps the sum right.
  const double dofs = static_cast<double>(num_coloured_) / num_colours_;
  std::vector<NamedCost> costs;
  for (int colour = 0; colour < num_colours_; ++colour)
    for (const char *kernel :
         {"difference_shift_colour", "difference_shift_colour", "difference_pick"})
      costs.push_back({kernel, difference_kernel_cost(kernel, shape(), dofs)});
  return costs;
}

KernelCost difference_kernel_cost(const std::string &kernel, const VectorShape &shape,
                                  double dofs) {
  const double real = static_cast<double>(size_bytes(shape.precision));
  const double chunks = static_cast<double>(shape.chunks);
  if (kernel == "difference_largest") {
    KernelCost cost = vector_cost(shape, {.reads = 1, .per_entry = {.simple = 2}});
    cost.bytes_written = chunks * real;
    add_group_reductions(cost, shape, chunks);
    return cost;
  }
  if (kernel == "difference_scale" || kernel == "difference_step") {
    const bool scale = kernel == "difference_scale";
    KernelCost cost =
        vector_cost(shape, {.scalars_read = chunks + (scale ? 0 : 1),
                            .scalars_written = scale ? 2.0 : 1.0,
                            .once = {.multiplications = 1, .divisions = scale ? 0.0 : 1.0},
                            .groups = 1});
    add_group_reductions(cost, shape, 1);
    return cost;
  }
  if (kernel == "difference_shift")
    return vector_cost(shape, {.reads = 2,
                               .writes = 1,
                               .scalars_read = 1,
                               .per_entry = {.multiply_adds = 1},
                               .per_item = {.multiplications = 1}});
  if (kernel == "difference_quotient")
    return vector_cost(shape, {.reads = 2,
                               .writes = 1,
                               .scalars_read = 1,
                               .per_entry = {.additions = 1, .multiplications = 1},
                               .per_item = {.divisions = 1}});
  if (kernel == "difference_shift_colour")
    return vector_cost(shape, {.reads = 1,
                               .writes = 1,
                               .scalars_read = 1,
                               .indices_read = 1,
                               .per_item = {.multiplications = 1},
                               .once = {.additions = dofs}});
  require(kernel == "difference_pick", "a kernel of differences has a cost");
  return vector_cost(shape, {.scalars_read = 1 + 2 * dofs,
                             .scalars_written = dofs,
                             .indices_read = 1,
                             .per_item = {.divisions = 1},
                             .once = {.additions = dofs, .multiplications = dofs}});
}

} // namespace weft
