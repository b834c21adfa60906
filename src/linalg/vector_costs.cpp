#include "linalg/vector_costs.h"

#include <functional>
#include <map>

#include "base/error.h"

namespace weft {

namespace {

using Choices = VectorChoices;

Operations additions(double number) {
  return {.additions = number};
}
Operations multiply_adds(double number) {
  return {.multiply_adds = number};
}

// Kernels of all methods: kernels/vector/blas.kernel, jacobi.kernel, chebyshev.kernel.
VectorWork combine(const Choices &) {
  return {.reads = 2, .writes = 1, .per_entry = {.multiplications = 1, .multiply_adds = 1}};
}
VectorWork dots(const Choices &c) {
  return {.reads = c.same ? 1.0 : 2.0, .per_entry = multiply_adds(2), .partial_stores = 2};
}
// kernels/vector/block.kernel
VectorWork axpy(const Choices &) {
  return {.reads = 2, .writes = 1, .per_entry = multiply_adds(1), .reads_coefficients = true};
}
VectorWork axpy_entries(const Choices &) {
  return {.reads = 3, .writes = 1, .per_entry = multiply_adds(1)};
}
VectorWork axpy_dot(const Choices &) {
  return {.reads = 2,
          .writes = 1,
          .per_entry = multiply_adds(2),
          .reads_coefficients = true,
          .stores_systems = true};
}
VectorWork dot(const Choices &c) {
  return {.reads = c.same ? 1.0 : 2.0,
          .per_entry = multiply_adds(1),
          .chains = vector_chains,
          .stores_systems = true};
}
VectorWork largest(const Choices &) {
  return {.reads = 1,
          .per_entry = {.simple = 2},
          .chains = vector_chains,
          .stores_systems = true,
          .largest = true};
}
VectorWork horner(const Choices &c) {
  return {.reads = 1,
          .writes = 1,
          .per_entry = {.multiplications = 1, .multiply_adds = c.degree - 1.0},
          .chains = horner_chains};
}
VectorWork reduce(const Choices &c) {
  return {.reduces_systems = true, .largest = c.largest};
}

// kernels/vector/bounds.kernel
VectorWork bounds_project(const Choices &) {
  return {.reads = 3, .writes = 1};
}
VectorWork bounds_restrict(const Choices &) {
  return {.reads = 4, .writes = 1};
}
VectorWork bounds_free(const Choices &) {
  return {.reads = 4, .writes = 1};
}

VectorWork scale(const Choices &) {
  return {.reads = 2, .writes = 1, .per_entry = {.multiplications = 1}};
}
VectorWork invert(const Choices &) {
  return {.reads = 1, .writes = 1, .per_entry = {.divisions = 1}};
}
VectorWork chebyshev(const Choices &c) {
  if (c.first)
    return {.reads = 2, .writes = 2, .per_entry = {.multiplications = 2}};
  return {.reads = 5,
          .writes = 2,
          .per_entry = {.additions = 2, .multiplications = 2, .multiply_adds = 1}};
}

// kernels/vector/cg.kernel
VectorWork cg_alpha(const Choices &) {
  return {.scalars_read = 2, // status, rho
          .scalars_written = 1,
          .once = {.additions = 2, .divisions = 1}, // two tests for finite numbers
          .partial_sums = 1,
          .groups = 1};
}
VectorWork cg_residual(const Choices &c) {
  return {.reads = c.weighted ? 3.0 : 2.0,
          .writes = 1,
          .scalars_read = 1,
          .per_entry = {.multiplications = c.weighted ? 1.0 : 0.0, .multiply_adds = 3},
          .partial_stores = 2};
}
VectorWork cg_flexible_dots(const Choices &) {
  return {.reads = 3, .per_entry = multiply_adds(3), .partial_stores = 3};
}
VectorWork cg_beta(const Choices &c) {
  return {.scalars_read = 5,    // status, iteration, target, rho, step
          .scalars_written = 6, // a record of three, iteration, rho, beta
          .once = {.additions = 3, .multiplications = c.flexible ? 1.0 : 0.0, .divisions = 1},
          .partial_sums = c.flexible ? 3 : 2,
          .groups = 1};
}
VectorWork cg_direction(const Choices &c) {
  return {.reads = c.weighted ? 4.0 : 3.0,
          .writes = 2,
          .scalars_read = 2,
          .per_entry = {.multiplications = c.weighted ? 1.0 : 0.0, .multiply_adds = 2}};
}

// kernels/vector/defect.kernel
VectorWork defect_residual(const Choices &) {
  return {.reads = 2,
          .writes = 1,
          .scalars_read = 1,
          .per_entry = multiply_adds(2),
          .partial_stores = 1};
}
VectorWork defect_check(const Choices &) {
  return {.scalars_read = 3,    // status, iteration, target
          .scalars_written = 3, // the record, iteration, step
          .once = additions(3),
          .partial_sums = 1,
          .groups = 1};
}
VectorWork defect_update(const Choices &) {
  return {.reads = 2, .writes = 1, .scalars_read = 1, .per_entry = multiply_adds(1)};
}

// kernels/vector/bicgstab.kernel
VectorWork bicgstab_direction(const Choices &) {
  return {.reads = 3, .writes = 1, .scalars_read = 3, .per_entry = multiply_adds(2)};
}
VectorWork bicgstab_alpha(const Choices &) {
  return {.scalars_read = 2,    // status, rho
          .scalars_written = 2, // alpha, step
          .once = {.additions = 1, .divisions = 1},
          .partial_sums = 1,
          .groups = 1};
}
VectorWork bicgstab_step(const Choices &c) {
  return {.reads = c.same ? 4.0 : 5.0,
          .writes = 2,
          .scalars_read = 1,
          .per_entry = multiply_adds(4),
          .partial_stores = 2};
}
VectorWork bicgstab_omega(const Choices &) {
  return {.scalars_read = 2,    // status, target
          .scalars_written = 2, // omega, step
          .once = {.additions = 3, .divisions = 1},
          .partial_sums = 3,
          .groups = 1};
}
VectorWork bicgstab_beta(const Choices &) {
  return {.scalars_read = 6,    // status, iteration, target, rho, alpha, omega
          .scalars_written = 4, // the record, iteration, rho, beta
          .once = {.additions = 3, .multiplications = 1, .divisions = 2},
          .partial_sums = 2,
          .groups = 1};
}

// kernels/vector/gmres.kernel
VectorWork gmres_dots(const Choices &c) {
  return {.reads = 1.0 + c.vectors,
          .scalars_read = c.again ? 1.0 : 0.0,
          .per_entry = multiply_adds(1 + c.vectors),
          .partial_stores = 1 + c.vectors};
}
VectorWork gmres_project(const Choices &c) {
  // A work-group a vector, and one for w.w, which is not of the column.
  return {.scalars_read = c.again ? 1.0 + c.vectors : 0.0,
          .scalars_written = 1.0 + 2 * c.vectors,
          .once = additions(c.again ? c.vectors : 0),
          .partial_sums = 1 + c.vectors,
          .groups = 1 + c.vectors};
}
VectorWork gmres_subtract(const Choices &c) {
  return {.reads = 1.0 + c.vectors,
          .writes = 1,
          .scalars_read = c.vectors + (c.again ? 1.0 : 0.0),
          .per_entry = multiply_adds(1 + c.vectors),
          .partial_stores = 1};
}
VectorWork gmres_norm(const Choices &c) {
  return {.scalars_read = 1, // the first time coefficients[before], then the state
          .scalars_written = 2,
          .once = {.multiplications = c.again ? 0.0 : 1.0},
          .partial_sums = 1,
          .groups = 1};
}
VectorWork gmres_normalise(const Choices &) {
  return {.reads = 1, .writes = 2, .scalars_read = 1, .per_entry = {.multiplications = 1}};
}

} // namespace

namespace {

const std::map<std::string, std::function<VectorWork(const Choices &)>> &all_works() {
  static const std::map<std::string, std::function<VectorWork(const Choices &)>> works = {
      {"vector_combine", combine},
      {"vector_dots", dots},
      {"vector_axpy", axpy},
      {"vector_axpy_entries", axpy_entries},
      {"vector_xpay", axpy},
      {"vector_axpy_dot", axpy_dot},
      {"vector_dot", dot},
      {"vector_largest", largest},
      {"vector_horner", horner},
      {"vector_reduce", reduce},
      {"bounds_project", bounds_project},
      {"bounds_restrict", bounds_restrict},
      {"bounds_free", bounds_free},
      {"vector_scale", scale},
      {"vector_invert", invert},
      {"chebyshev_step", chebyshev},
      {"cg_alpha", cg_alpha},
      {"cg_residual", cg_residual},
      {"cg_flexible_dots", cg_flexible_dots},
      {"cg_beta", cg_beta},
      {"cg_direction", cg_direction},
      {"defect_residual", defect_residual},
      {"defect_check", defect_check},
      {"defect_update", defect_update},
      {"bicgstab_direction", bicgstab_direction},
      {"bicgstab_alpha", bicgstab_alpha},
      {"bicgstab_step", bicgstab_step},
      {"bicgstab_omega", bicgstab_omega},
      {"bicgstab_beta", bicgstab_beta},
      {"gmres_dots", gmres_dots},
      {"gmres_project", gmres_project},
      {"gmres_subtract", gmres_subtract},
      {"gmres_norm", gmres_norm},
      {"gmres_normalise", gmres_normalise}};
  return works;
}

} // namespace

bool has_vector_kernel_cost(const std::string &kernel) {
  return all_works().count(kernel) > 0;
}

KernelCost vector_kernel_cost(const std::string &kernel, const VectorShape &shape,
                              const VectorChoices &choices) {
  const auto work = all_works().find(kernel);
  require(work != all_works().end(), "a kernel of kernels/vector has a cost");
  VectorWork done = work->second(choices);
  if (choices.idle)
    done = {.groups = done.groups};
  if (kernel == "gmres_normalise") // 1 / |w| in every work-item, on a whole lane
    done.per_item = {.divisions = double(shape.lanes), .roots = double(shape.lanes)};
  const double lanes = shape.lanes, joins = vector_chains - 1; // of chains, a work-item
  if (kernel == "vector_dot")
    done.per_item = {.additions = joins * lanes};
  if (kernel == "vector_largest") // infinity, on a whole lane too
    done.per_item = {.divisions = lanes, .simple = joins * lanes};
  return vector_cost(shape, done);
}

} // namespace weft
