// The cost formulas of kernels/vector against what the kernels do.
#include "linalg/vector.h"
#include "linalg/vector_costs.h"
#include "linalg/vector_kernels.h"
#include "support/expect_counted.h"

namespace weft {
namespace {

// Every kernel of kernels/vector, launched as the solvers do, on vectors of more than one chunk and
// of no whole number of lanes.
struct CountedVectors {
  Precision precision;
  bool gpu;
  int systems;
};

class VectorCosts : public testing::TestWithParam<CountedVectors> {
protected:
  static constexpr std::int64_t size = 5004;

  void SetUp() override {
    const auto [precision, gpu, systems] = GetParam();
    device_ = open_host_device({.count = true, .gpu = gpu});
    kernels_ = std::make_unique<VectorKernels>(*device_, precision, size, basis_block + 2,
                                               std::set<std::string>{"jacobi", "chebyshev", "cg",
                                                                     "defect", "bicgstab", "gmres",
                                                                     "block", "bounds"},
                                               systems);
    for (Buffer *vector : {&a_, &b_, &c_, &d_, &e_})
      *vector = values(size, 1);
    basis_ = values(size * basis_block, 0.5);
    columns_ = reals(100, 4);
    coefficients_ = reals(100, 2);
    ASSERT_GT(kernels_->shape().chunks, 1);
  }

  Buffer values(std::int64_t count, double value) {
    Vector v = make_vector(*device_, count, GetParam().precision, "values");
    set_vector(*device_, v, std::vector<double>(count, value));
    return v.buffer;
  }
  Buffer reals(std::int64_t count, double value) {
    const Buffer buffer = kernels_->reals(count, "reals");
    kernels_->write_reals(buffer, std::vector<double>(count, value));
    return buffer;
  }
  // A method that runs, far from its target.
  void set_state() {
    KrylovState state;
    state[StateSlot::status] = int(SolveStatus::running);
    state[StateSlot::target] = 1e-20;
    for (const StateSlot slot :
         {StateSlot::rho, StateSlot::alpha, StateSlot::beta, StateSlot::omega, StateSlot::step})
      state[slot] = 0.5;
    state[StateSlot::again] = 1;
    kernels_->write_state(state);
    const VectorShape shape = kernels_->shape();
    kernels_->write_reals(kernels_->partials(),
                          std::vector<double>(shape.chunks * shape.systems * (basis_block + 2), 1));
  }
  void expect(const char *kernel, const VectorChoices &choices) {
    expect_counted(take_counted_costs(*device_),
                   {{kernel, vector_kernel_cost(kernel, kernels_->shape(), choices)}});
  }
  void over_vector(const char *kernel, const std::vector<KernelArgument> &arguments,
                   const VectorChoices &choices = {}) {
    set_state();
    kernels_->over_vector(kernel, arguments);
    expect(kernel, choices);
  }
  void over_sums(const char *kernel, const std::vector<KernelArgument> &arguments,
                 const VectorChoices &choices = {}, int groups = 1) {
    set_state();
    kernels_->over_sums(kernel, arguments, groups);
    expect(kernel, choices);
  }
  KernelArgument real(double value) const { return kernels_->real(value); }
  static KernelArgument number(std::int32_t value) { return value; }

  std::unique_ptr<Device> device_;
  std::unique_ptr<VectorKernels> kernels_;
  Buffer a_, b_, c_, d_, e_, basis_, columns_, coefficients_;
};

TEST_P(VectorCosts, OfWhatEveryMethodNeeds) {
  over_vector("vector_combine", {a_, real(2), b_, real(3), c_});
  over_vector("vector_dots", {a_, b_, kernels_->partials(), number(0)});
  over_vector("vector_dots", {a_, a_, kernels_->partials(), number(2)}, {.same = true});
  over_vector("vector_scale", {a_, b_, c_});
  over_vector("vector_invert", {a_});
  for (const int first : {0, 1})
    over_vector("chebyshev_step", {a_, b_, c_, d_, e_, real(2), real(3), number(first)},
                {.first = first == 1});
}

TEST_P(VectorCosts, OfBounds) {
  over_vector("bounds_project", {a_, b_, c_});
  over_vector("bounds_restrict", {a_, b_, c_, d_});
  over_vector("bounds_free", {a_, b_, c_, d_, e_});
}

TEST_P(VectorCosts, OfBlocks) {
  const Buffer &partials = kernels_->partials();
  over_vector("vector_axpy", {a_, coefficients_, b_});
  over_vector("vector_xpay", {a_, coefficients_, b_});
  over_vector("vector_axpy_entries", {a_, b_, c_});
  over_vector("vector_axpy_dot", {a_, coefficients_, b_, partials, number(1)});
  over_vector("vector_dot", {a_, b_, partials, number(0)});
  over_vector("vector_dot", {a_, a_, partials, number(0)}, {.same = true});
  over_vector("vector_largest", {a_, partials, number(2)});
  // Powers up to x^m: 2m - 1 operations a number.
  for (const int degree : {1, 2, 17}) {
    const KernelCost cost =
        vector_kernel_cost("vector_horner", kernels_->shape(), {.degree = degree});
    EXPECT_EQ(cost.operations.multiplications + 2 * cost.operations.multiply_adds,
              (2 * degree - 1) * cost.operations.multiplications);
    EXPECT_EQ(cost.bytes_read, cost.bytes_written);
    over_vector("vector_horner", {a_, number(degree)}, {.degree = degree});
  }
  for (const int largest : {0, 1})
    over_sums("vector_reduce", {number(2), number(largest), coefficients_},
              {.largest = largest == 1}, GetParam().systems);
}

TEST_P(VectorCosts, OfConjugateGradients) {
  const Buffer &state = kernels_->state(), &partials = kernels_->partials();
  over_sums("cg_alpha", {state});
  over_vector("cg_flexible_dots", {a_, b_, c_, partials});
  for (const int flexible : {0, 1})
    over_sums("cg_beta", {number(flexible), state}, {.flexible = flexible == 1});
  for (const int weighted : {0, 1}) {
    const VectorChoices choices{.weighted = weighted == 1};
    over_vector("cg_residual", {a_, b_, number(weighted), c_, state, partials}, choices);
    over_vector("cg_direction", {a_, b_, c_, number(weighted), d_, state}, choices);
  }
}

TEST_P(VectorCosts, OfDefectCorrection) {
  const Buffer &state = kernels_->state(), &partials = kernels_->partials();
  over_vector("defect_residual", {a_, b_, real(0.5), state, partials});
  over_sums("defect_check", {real(0.5), state});
  over_vector("defect_update", {a_, b_, state});
}

TEST_P(VectorCosts, OfBicgstab) {
  const Buffer &state = kernels_->state(), &partials = kernels_->partials();
  over_vector("bicgstab_direction", {a_, b_, c_, state});
  over_sums("bicgstab_alpha", {state});
  over_vector("bicgstab_step", {a_, b_, c_, d_, e_, state, partials});
  over_vector("bicgstab_step", {a_, b_, b_, d_, e_, state, partials}, {.same = true});
  over_sums("bicgstab_omega", {state});
  over_sums("bicgstab_beta", {state});
}

TEST_P(VectorCosts, OfGmres) {
  const Buffer &state = kernels_->state(), &partials = kernels_->partials();
  constexpr std::int32_t num = 3;
  for (const std::int32_t again : {0, 1}) {
    const VectorChoices choices{.again = again == 1, .vectors = num};
    over_vector("gmres_dots", {basis_, num, a_, number(0), num, again, state, partials}, choices);
    over_sums("gmres_project", {again, state, columns_, number(5), coefficients_}, choices,
              num + 1);
    over_vector("gmres_subtract",
                {basis_, num, a_, coefficients_, number(0), again, state, partials}, choices);
    over_sums("gmres_norm", {again, coefficients_, num, columns_, number(8), state}, choices);
  }
  over_vector("gmres_normalise", {a_, basis_, num, columns_, number(8)});
}

INSTANTIATE_TEST_SUITE_P(Devices, VectorCosts,
                         testing::Values(CountedVectors{Precision::f64, false, 1},
                                         CountedVectors{Precision::f32, false, 1},
                                         CountedVectors{Precision::f64, true, 4},
                                         CountedVectors{Precision::f16, false, 4}),
                         [](const auto &info) {
                           return to_string(info.param.precision) +
                                  (info.param.gpu ? "_gpu" : "_cpu");
                         });

} // namespace
} // namespace weft
