// Jacobi's iteration on a patch of Q1 elements, in each precision, alone and as the inner solver of
// defect correction: on the stencil as it stands with random numbers as the solution, as in the
// paper, and, by name, on problems that show it better or worse.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <random>

#include "base/log.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "bench/linalg/bench_linalg.h"
#include "bench/row_marks.h"
#include "linalg/vector_conversion.h"
#include "linalg/vector_kernels.h"
#include "run/kernel_timing.h"
#include "tune/disturbance.h"

namespace weft {

namespace {

constexpr double target_residual = 1e-8, damping = 0.8;
constexpr int most_iterations = 200000, inner_iterations = 20, history_iterations = 300;
// Steps without a smaller residual after which a method counts as one that stagnates.
constexpr int steps_without_gain = 10;
constexpr double flops_an_unknown = 22; // of an iteration

using Values = std::vector<double>;

// y = b - A x on the host, on all its threads.
void host_residual(const HostBands &a, const Values &b, const Values &x, Values &r) {
  const std::int64_t n = a.size();
  parallel_ranges(n, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t i = begin; i < end; ++i) {
      double sum = b[i];
      for (int band = 0; band < num_bands; ++band) {
        const std::int64_t column = i + (band / 3 - 1) * a.width + band % 3 - 1;
        if (column >= 0 && column < n)
          sum -= a.bands[band][i] * x[column];
      }
      r[i] = sum;
    }
  });
}

double norm(const Values &v) {
  double sum = 0;
  for (const double value : v)
    sum += value * value;
  return std::sqrt(sum);
}
double largest(const Values &v) {
  double result = 0;
  for (const double value : v)
    result = std::max(result, std::abs(value));
  return result;
}

struct JacobiProblem {
  HostBands matrix;
  Values solution, b;

  JacobiProblem(std::int64_t width, const JacobiStencil &stencil)
      : matrix(q1_patch(width, width, stencil.shift)) {
    solution.resize(matrix.size());
    std::mt19937_64 generator(1);
    for (std::int64_t i = 0; i < matrix.size(); ++i)
      // By hand: what distributions make of a generator's numbers is not laid down.
      solution[i] = stencil.random ? 2 * std::ldexp(static_cast<double>(generator() >> 11), -53) - 1
                                   : std::sin(12.9898 * static_cast<double>(i));
    b.resize(matrix.size());
    const Values zero(matrix.size(), 0.0);
    host_residual(matrix, zero, solution, b);
    for (double &value : b)
      value = -value;
  }
  double residual(const Values &x) const {
    Values r(b.size());
    host_residual(matrix, b, x, r);
    return norm(r) / norm(b);
  }
  double error(const Values &x) const {
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      worst = std::isfinite(x[i]) ? std::max(worst, std::abs(x[i] - solution[i])) : INFINITY;
    return worst / largest(solution);
  }
};

// x = x + damping D^-1 (b - A x), with everything stored in one precision.
class Jacobi {
public:
  Jacobi(Device &device, const JacobiProblem &problem, Precision precision)
      : device_(device),
        matrix_(device, problem.matrix, {.storage = precision, .vectors = precision}),
        kernels_(device, precision, problem.matrix.size(), 1, {"chebyshev", "block"}),
        b_(kernels_.vector("right-hand side")), x_(kernels_.vector("solution")),
        q_(kernels_.vector("product")), w_(kernels_.vector("update")), d_(kernels_.vector("D^-1")) {
    Values inverse = problem.matrix.bands[num_bands / 2];
    for (double &value : inverse)
      value = 1 / value;
    set_vector(device_, d_, inverse);
    kernels_.zero(w_);
  }
  Vector &b() { return b_; }
  Vector &x() { return x_; }
  VectorKernels &kernels() { return kernels_; }
  void start() { kernels_.zero(x_); }
  void iterate(int iterations) {
    for (int i = 0; i < iterations; ++i) {
      matrix_.apply(x_, q_);
      kernels_.over_vector("chebyshev_step",
                           {x_.buffer, w_.buffer, b_.buffer, q_.buffer, d_.buffer, kernels_.real(0),
                            kernels_.real(damping), std::int32_t{0}});
    }
  }
  // q = A x, as defect correction needs it.
  const Vector &product() {
    matrix_.apply(x_, q_);
    return q_;
  }

private:
  Device &device_;
  BandMatrix matrix_;
  VectorKernels kernels_;
  Vector b_, x_, q_, w_, d_;
};

// One way to solve.
class Method {
public:
  virtual ~Method() = default;
  virtual void start() = 0;
  virtual void step() = 0; // step_iterations() of them
  virtual int step_iterations() const = 0;
  virtual Values solution() = 0;
  // |b - A x| / |b| as the method itself knows it, or less than 0: by the host's check.
  virtual double own_residual() { return -1; }
};

class JacobiAlone : public Method {
public:
  JacobiAlone(Device &device, const JacobiProblem &problem, Precision precision)
      : device_(device), jacobi_(device, problem, precision) {
    set_vector(device, jacobi_.b(), problem.b);
  }
  void start() override { jacobi_.start(); }
  void step() override { jacobi_.iterate(step_iterations()); }
  int step_iterations() const override { return inner_iterations; }
  Values solution() override { return get_vector(device_, jacobi_.x()); }

private:
  Device &device_;
  Jacobi jacobi_;
};

// x = x + s c with c from inner iterations for A c = (b - A x) / s, s = max |b - A x|.
class CombinedOnHost : public Method {
public:
  CombinedOnHost(Device &device, const JacobiProblem &problem, Precision inner)
      : device_(device), problem_(problem), inner_(device, problem, inner), r_(problem.b.size()) {}
  void start() override {
    x_.assign(problem_.b.size(), 0.0);
    r_ = problem_.b;
  }
  void step() override {
    const double scale = largest(r_);
    for (double &value : r_)
      value /= scale;
    set_vector(device_, inner_.b(), r_);
    inner_.start();
    inner_.iterate(inner_iterations);
    const Values c = get_vector(device_, inner_.x());
    for (std::size_t i = 0; i < c.size(); ++i)
      x_[i] += scale * c[i];
    host_residual(problem_.matrix, problem_.b, x_, r_);
  }
  int step_iterations() const override { return inner_iterations; }
  Values solution() override { return x_; }
  double own_residual() override { return norm(r_) / norm(problem_.b); }

private:
  Device &device_;
  const JacobiProblem &problem_;
  Jacobi inner_;
  Values x_, r_;
};

class CombinedOnDevice : public Method {
public:
  CombinedOnDevice(Device &device, const JacobiProblem &problem, Precision inner)
      : problem_norm_(norm(problem.b)), outer_(device, problem, Precision::f64),
        inner_(device, problem, inner), down_(device, Precision::f64, inner),
        up_(device, inner, Precision::f64), r_(outer_.kernels().vector("defect")),
        scale_(outer_.kernels().reals(1, "scale")) {
    set_vector(device, outer_.b(), problem.b);
  }
  void start() override {
    outer_.start();
    outer_.kernels().copy(outer_.b(), r_);
  }
  void step() override {
    VectorKernels &kernels = outer_.kernels();
    kernels.largest(r_, 0);
    kernels.reduce_largest(0, scale_);
    down_.convert(r_, inner_.b(), 1, {DeviceScalar::Use::divide, scale_, 0});
    inner_.start();
    inner_.iterate(inner_iterations);
    up_.add(inner_.x(), outer_.x(), 1, {DeviceScalar::Use::multiply, scale_, 0});
    kernels.combine(r_, 1, outer_.b(), -1, outer_.product());
  }
  int step_iterations() const override { return inner_iterations; }
  Values solution() override { return get_vector(outer_.kernels().device(), outer_.x()); }
  double own_residual() override { return outer_.kernels().norm(r_) / problem_norm_; }

private:
  double problem_norm_;
  Jacobi outer_, inner_;
  VectorConversion down_, up_;
  Vector r_;
  Buffer scale_;
};

struct NamedMethod {
  std::string name;
  std::unique_ptr<Method> method;
  bool corrects;
};

std::vector<NamedMethod> methods_of(Device &device, const JacobiProblem &problem) {
  std::vector<NamedMethod> methods;
  for (const Precision p : {Precision::f64, Precision::f32, Precision::f16, Precision::bf16})
    methods.push_back(
        {to_string(p) + " Jacobi", std::make_unique<JacobiAlone>(device, problem, p), false});
  for (const Precision p : {Precision::f16, Precision::bf16}) {
    methods.push_back({to_string(p) + " Jacobi, f64 update on the host",
                       std::make_unique<CombinedOnHost>(device, problem, p), true});
    methods.push_back({to_string(p) + " Jacobi, f64 update on the device",
                       std::make_unique<CombinedOnDevice>(device, problem, p), true});
  }
  return methods;
}

JacobiHistory history_of(const NamedMethod &m, const JacobiProblem &problem,
                         const std::string &problem_name) {
  JacobiHistory history{.problem = problem_name, .method = m.name, .errors = {}};
  m.method->start();
  for (int done = 0; done < history_iterations; done += m.method->step_iterations()) {
    m.method->step();
    history.errors.push_back(problem.error(m.method->solution()));
  }
  return history;
}

// The fewest steps after which the residual is reached, then timed without looking at it but where
// the method does so by itself.
JacobiResult result_of(Device &device, const NamedMethod &m, const JacobiProblem &problem,
                       const std::string &problem_name, int repeats) {
  JacobiResult result{.problem = problem_name, .method = m.name};
  Method &method = *m.method;
  method.start();
  int steps = 0, best_steps = 0;
  double best = INFINITY;
  while (!result.reached && steps * method.step_iterations() < most_iterations) {
    method.step();
    ++steps;
    const double residual = problem.residual(method.solution());
    result.reached = residual <= target_residual;
    if (residual < best) {
      best = residual;
      best_steps = steps;
    }
    if (steps > best_steps + steps_without_gain)
      break;
  }
  OthersUse others;
  others.begin();
  const std::vector<double> seconds = time_calls(device, repeats, [&] {
    method.start();
    for (int step = 0; step < best_steps; ++step) {
      method.step();
      if (m.corrects)
        method.own_residual();
    }
  });
  others.end();
  result.seconds = median(seconds);
  result.disturbance = find_disturbance({.seconds = seconds, .others = others.share()});
  result.residual = problem.residual(method.solution());
  result.iterations = best_steps * method.step_iterations();
  result.corrections = m.corrects ? best_steps : 0;
  result.gflops = flops_an_unknown * static_cast<double>(problem.matrix.size()) *
                  result.iterations / result.seconds * 1e-9;
  return result;
}

// Rows of one problem, with the iterations of the first, all in f64, beside them.
void run_problem(Device &device, const JacobiStencil &stencil, const LinalgOptions &options,
                 JacobiTables &tables, RowMarks &marks) {
  const JacobiProblem problem(options.width, stencil);
  fmt::print("\n{}\n", jacobi_title(stencil, options.width));
  fmt::print("{:<38} {:>10} {:>7} {:>11} {:>9} {:>9} {:>10}\n", "method", "iterations", "of f64",
             "corrections", "seconds", "GFlop/s", "residual");
  int of_f64 = 0;
  for (const NamedMethod &m : methods_of(device, problem)) {
    tables.histories.push_back(history_of(m, problem, stencil.name));
    JacobiResult r = result_of(device, m, problem, stencil.name, std::max(3, options.repeats / 3));
    of_f64 = of_f64 == 0 ? r.iterations : of_f64;
    r.of_f64 = static_cast<double>(r.iterations) / of_f64;
    const std::string mark = marks.mark(r.disturbance, 0, false);
    fmt::print("{:<38} {:>10} {:>7} {:>11} {:>9.3f} {:>9.2f} {:>10.1e}{}{}\n", r.method,
               r.iterations, r.reached ? fmt::format("{:.2f}", r.of_f64) : "-", r.corrections,
               r.seconds, r.gflops, r.residual, r.reached ? "" : "  stagnates",
               mark.empty() ? "" : "  " + mark);
    std::fflush(stdout);
    tables.results.push_back(r);
  }
}

} // namespace

const std::vector<JacobiStencil> &jacobi_stencils() {
  static const std::vector<JacobiStencil> all = {
      {.name = "stencil as it stands", .file = "", .shift = 0, .random = true},
      {.name = "stencil as it stands, one wave", .file = "_wave", .shift = 0, .random = false},
      {.name = "shifted diagonal (5%)", .file = "_shifted", .shift = 0.05, .random = false}};
  return all;
}

std::string jacobi_title(const JacobiStencil &stencil, std::int64_t width) {
  return fmt::format(
      "Jacobi, {}: {} x {} nodes, nine bands of Q1, -div(k grad u), k 1 to 3 from cell to cell{},\n"
      "solution {}, damped by {}, {} iterations a correction, to a residual of {:g}",
      stencil.name, width, width,
      stencil.shift > 0 ? fmt::format(", diagonal times {}", 1 + stencil.shift) : "",
      stencil.random ? "random" : "one wave, sin(12.9898 i)", damping, inner_iterations,
      target_residual);
}

JacobiTables bench_jacobi(Device &device, const LinalgOptions &options) {
  JacobiTables tables;
  tables.target = target_residual;
  tables.width = options.width;
  tables.iterations_a_step = inner_iterations;
  if (!device.info().has_f64) {
    log::notice("Jacobi is not run: it corrects in f64, which {} does not have",
                device.info().name);
    return tables;
  }
  RowMarks marks;
  for (const JacobiStencil &stencil : jacobi_stencils())
    run_problem(device, stencil, options, tables, marks);
  print_explained(marks);
  return tables;
}

} // namespace weft
