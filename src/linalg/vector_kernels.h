// The kernels of kernels/vector for vectors of one size and precision, and the buffers they share:
// partial sums of reductions and the scalars of a Krylov method. Reals, which is what sums, scalars
// and arithmetic are in, have the arithmetic precision of that of the vectors.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "device/device.h"
#include "linalg/solve_status.h"
#include "linalg/vector.h"
#include "linalg/vector_costs.h"

namespace weft {

// Places of a Krylov method's scalars in the `state` buffer; STATE_x in kernels/vector.
enum class StateSlot {
  status,    // a SolveStatus
  iteration, // finished
  target,    // square of the residual norm to reach
  rho,
  alpha,
  beta,
  omega,
  step,    // what the next update takes; 0 = the method has stopped
  again,   // GMRES: a second orthogonalisation is needed
  records, // 3 values for each of the last max_batch iterations
};
inline constexpr int max_batch = 8; // iterations queued between two looks at `state`
inline constexpr int num_state_slots = int(StateSlot::records) + 3 * max_batch;
inline constexpr int basis_block = 8; // vectors in one buffer of the GMRES basis

// A copy of `state` on the host.
struct KrylovState {
  std::array<double, num_state_slots> values{};
  double &operator[](StateSlot slot) { return values[int(slot)]; }
  double operator[](StateSlot slot) const { return values[int(slot)]; }
  SolveStatus status() const { return SolveStatus(int(values[int(StateSlot::status)])); }
  // Of an iteration, of all that were finished.
  double record(int iteration, int value) const {
    return values[int(StateSlot::records) + 3 * (iteration % max_batch) + value];
  }
};

class VectorKernels {
public:
  // `num_sums`: how many reductions may be open at once (GMRES: restart + 2). `parts`: the files of
  // kernels/vector to compile, beside common and blas; a method compiles only what it launches,
  // for every kernel of a program costs PoCL some 0.1 s. `systems`: 1, 2 or 4 vectors interleaved,
  // [entry][system], for the kernels of "block"; `layout` counts the entries of all. Kernels see
  // owned entries alone.
  VectorKernels(Device &device, Precision precision, const VectorLayout &layout, int num_sums,
                const std::set<std::string> &parts, int systems = 1);

  Device &device() const { return device_; }
  Precision precision() const { return precision_; }
  std::int64_t size() const { return layout_.owned; }
  Communicator *among() const { return layout_.among; }
  int systems() const { return systems_; }
  Vector vector(const char *purpose) const;
  Buffer reals(std::int64_t count, const char *purpose) const;
  void write_reals(const Buffer &to, const std::vector<double> &values);
  std::vector<double> read_reals(const Buffer &from, std::int64_t count,
                                 std::int64_t offset = 0); // waits
  // A real argument of the kernels' precision.
  KernelArgument real(double value) const;

  // How the vectors are cut: for the cost of the kernels, see linalg/vector_costs.h.
  VectorShape shape() const;

  // Fetches what over_vector() and over_sums() launch: see Device::load().
  void load();
  void load(const Program &program, const char *kernel);

  // Launches a kernel over all chunks; its arguments after `n, chunk`. `choices`: for its cost.
  void over_vector(const char *kernel, const std::vector<KernelArgument> &arguments,
                   const VectorChoices &choices = {});
  // The same with another program.
  void over_vector(const Program &program, const char *kernel,
                   const std::vector<KernelArgument> &arguments, const VectorChoices &choices = {});
  // The program of a file of kernels/vector that reads or writes numbers of other precisions too;
  // `defines` says which, before its text.
  Program mixed_program(const std::string &part, const std::string &defines) const;
  // Launches `groups` single work-groups that add partial sums; arguments after
  // `partials, num_chunks`. Among ranks the host adds the chunks of each and gathers the sums
  // before, in place of partial sums of all.
  void over_sums(const char *kernel, const std::vector<KernelArgument> &arguments, int groups = 1,
                 const VectorChoices &choices = {});
  // The same with another program.
  void over_sums(const Program &program, const char *kernel,
                 const std::vector<KernelArgument> &arguments, int groups = 1,
                 const VectorChoices &choices = {});

  void zero(Vector &v);
  void copy(const Vector &from, Vector &to);
  void combine(Vector &out, double a, const Vector &x, double b, const Vector &y); // a x + b y
  void scale(Vector &out, const Vector &d, const Vector &x);                       // d_i x_i
  void invert(Vector &d); // 1 / d_i, 1 where d_i = 0
  // Partial sums `slot` = a.a and `slot` + 1 = a.b.
  void dots(const Vector &a, const Vector &b, int slot);
  // Of the partial sums, in double on the host; waits. Over all ranks, as the norm is.
  double sum(int slot);
  double norm(const Vector &v); // waits; of any numbers whose norm is one, however small or large

  // Kernels of "block" do each system by itself; coefficients are reals on the device, [system].
  void axpy(Vector &y, const Buffer &a, const Vector &x);               // y + a x
  void axpy_entries(Vector &y, const Vector &d, const Vector &x);       // y_i + d_i x_i
  void xpay(Vector &y, const Buffer &a, const Vector &x);               // x + a y
  void axpy_dot(Vector &y, const Buffer &a, const Vector &x, int slot); // y + a x, partial sums y.y
  void dot(const Vector &a, const Vector &b, int slot);                 // partial sums a.b
  // Largest |a_i| of each chunk; infinite where one is not finite.
  void largest(const Vector &a, int slot);
  // x + x^2 + ... + x^degree of each number, in place; degree >= 1.
  void horner(Vector &x, int degree);
  // out[system] = what slot `slot` comes to, added up or its largest.
  void reduce_sum(int slot, const Buffer &out);
  void reduce_largest(int slot, const Buffer &out);

  void write_state(const KrylovState &state);
  KrylovState read_state(); // waits

  const Buffer &partials() const { return partials_; }
  const Buffer &state() const { return state_; }

private:
  const Buffer &sums_of_ranks(int groups);
  void count(const char *kernel, const VectorChoices &choices);
  Launch chunk_launch() const { return {.groups = num_chunks_, .group_size = group_size_}; }

  Device &device_;
  Precision precision_;
  VectorLayout layout_;
  int systems_;
  int group_size_;
  std::int64_t chunk_ = 0;
  std::int32_t num_chunks_ = 0;
  Program program_;
  Buffer partials_; // [sum, chunk]; of "block" [sum, system, chunk]
  Buffer state_;    // [num_state_slots]
  Buffer totals_;   // [sum], among ranks
  int num_sums_ = 0;
};

} // namespace weft
