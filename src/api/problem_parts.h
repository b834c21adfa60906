// What a Problem holds, and what its functions share.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linalg/vector.h"
#include "op/assembly/assembled_operator.h"
#include "run/simulation.h"
#include "run/transient.h"
#include "solve/linear/linear.h"
#include "weft/weft.h"

namespace weft {

struct DeviceVector::Impl {
  Device &device;
  Vector vector;
  // Error (input): as many entries as are not in it.
  void require_size(std::size_t found) const;
};

struct Problem::Parts {
  std::unique_ptr<Simulation> simulation;
  std::vector<double> state; // that of the simulation, where it stays in memory
  std::function<void(const StepInfo &)> look;
  std::unique_ptr<TransientRun> steps;        // under way
  std::vector<std::vector<double>> solutions; // kept for first guesses, the newest last
  // Vectors that calls with arrays go through, made when first needed.
  Vector u, r, x, y;
  bool is_linearised = false;
  std::unique_ptr<AssembledOperator> assembled; // of a form whose own operator has no matrix
  bool assembled_is_current = false;
  std::shared_ptr<const double[]> matrix_values;
  std::unique_ptr<LinearSolver> preconditioner;

  // Error (input): `found` entries where num_dofs() are asked for.
  void require_size(std::size_t found, const char *what) const;
  NonlinearOperator &equations() const { return simulation->model->equations(); }
  // Those that are there: making them takes a while where steps are explicit.
  NonlinearOperator *equations_made() const { return simulation->model->equations_made(); }
  // A vector of the equations, made where it is not yet.
  Vector &vector(Vector &of_calls, const char *what) const;
  // `values` in such a vector.
  Vector &enter(Vector &of_calls, std::span<const double> values, const char *what) const;
  void leave(const Vector &from, std::span<double> to) const;
  Vector make(const char *what) const;
  // Error (input): a vector of another problem.
  const Vector &entries(const DeviceVector &vector, const char *what) const;

  // Error (unsupported): `what` would be of the equations without their explicit terms.
  void require_no_explicit_terms(const char *what) const;
  // The Jacobian at `at`, which must stay.
  void linearise(const Vector &at);
  // Error (input): nothing was linearised.
  void require_linearised(const char *what) const;
  // After the equations, or their values, became others. `anew`: operators were made anew.
  void changed(bool anew);
  // After a solve, or the last step, left operators at a state and a rate of its own.
  void operators_moved();
  // Takes over the simulation's state.
  void take_state();
  const FunctionalSpec &functional(const std::string &name) const;
  int field(const std::string &name) const;
};

} // namespace weft
