// A case on its mesh and device: its residual applied, the problem solved, its quantities read.
// Standard types only.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/export.h"

namespace weft {

struct ProblemOptions {
  std::string device;                 // as --device; empty = what the case says, or the default
  int threads = 0;                    // cores of a CPU device; 0 = all
  std::vector<std::string> overrides; // as --set: "parameters.k=3"
  // One of [verify] boxes, as `weft verify` names it: "triangle P2"; empty = the case as it is
  // written.
  std::string combination;
  std::string variants_file; // as --variants: choices of an earlier run to repeat
  bool tune = false;         // as --tune: search for the fastest kernels first
  double tune_budget_s = 10; // seconds a kernel that the search may take
  // As --trust: the case and its files may run code of their own. Also on where the user's settings
  // say so ($XDG_CONFIG_HOME/weft/config.toml).
  bool trust = false;
  double mesh_timeout_s = 3600; // as --mesh-timeout: seconds that gmsh may take for a geometry
  // As --kernel-timeout: where C text that is trusted does not come back in so many seconds, the
  // process ends with exit code 3. 0: it is waited for.
  double kernel_timeout_s = 0;
};

// A case on its mesh and device. Errors are exceptions derived from std::runtime_error whose text
// says what, where, and what to do.
class WEFT_EXPORT Problem {
public:
  explicit Problem(const std::string &case_file, const ProblemOptions &options = {});
  ~Problem();
  Problem(Problem &&) noexcept;
  Problem &operator=(Problem &&) noexcept;

  // Dofs of all fields, field after field; within a field [node][component].
  std::size_t num_dofs() const;
  // [node, dimension] coordinates of the nodes of a field.
  std::vector<double> node_coordinates(const std::string &field) const;
  // Dofs prescribed by [dirichlet]: the residual there is u - value.
  std::vector<std::size_t> constrained_dofs() const;

  // r = F(u), both of num_dofs() entries; before a transient case is solved, with dt(u) = 0.
  void residual(std::span<const double> u, std::span<double> r);
  // y = F'(u) x; rows and columns of constrained dofs are those of the identity.
  void apply(std::span<const double> u, std::span<const double> x, std::span<double> y);

  // Solves the case from its initial values; transient ones up to the end of [time]. Throws when it
  // does not converge, with the reason.
  void solve();
  // The state: initial values, or the solution after solve().
  std::vector<double> state() const;
  void set_state(std::span<const double> u);
  // A functional of the case at the state; vectors give all components. Throws where it is not
  // finite, with the place.
  double functional(const std::string &name);
  std::vector<double> functional_values(const std::string &name);

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

} // namespace weft
