// The way of the data, once: case -> mesh -> discretisation -> model -> state.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/timer.h"
#include "case/case.h"
#include "device/device.h"
#include "device/wait_watch.h"
#include "mesh/mesh_levels.h"
#include "op/evaluate/field_values.h"
#include "op/problem/discretisation.h"
#include "op/set_up/null_space.h"
#include "output/results.h"
#include "ranks/communicator.h"
#include "run/input/user_case.h"
#include "run/model/model.h"
#include "solve/nonlinear/newton.h"
#include "solve/report.h"
#include "solve/settings.h"
#include "tune/search/tuner.h"
#include "weft/problem.h"

namespace weft {

// Everything a run holds, in the order it is made. Not movable: later parts refer to earlier ones.
struct Simulation {
  Simulation() = default;
  Simulation(const Simulation &) = delete;
  Simulation &operator=(const Simulation &) = delete;

  Communicator *ranks = nullptr; // that the problem is shared among; null: this process is alone
  Timings timings;
  Case c;
  Mesh mesh;
  std::vector<CoarserMesh> coarser; // of the mesh, where multigrid goes over them
  Discretisation discretisation;
  std::unique_ptr<Device> device;
  std::unique_ptr<Model> model;
  VariantRecord variant; // with which the model's operators were made
  std::optional<Variant> kernel_variant;
  NullSpace null_space;        // what the equations leave open
  std::vector<double> state;   // [dof]
  bool has_result = false;     // `state` is of a solve, whether it converged or not
  bool advice_is_due = false;  // of a form that is not linear: at the first solution
  bool state_is_given = false; // else the case's initial values, or of a solve
  SolverSpec asked_solver;     // what the case leaves open is open
  SolverRecord solver_choice;  // where systems are solved
  // What solves the stationary system stays for the next solve, with its preconditioner, which a
  // later one takes over as long as it does.
  bool keeps_solver = false;
  std::unique_ptr<NonlinearSolver> kept_solver;
  SolveReport solver;
  std::optional<TimeRecord> time; // of a transient problem that was solved
  // Writes what there is, where a kernel does not come back; see watch_kernels().
  std::function<void(const Error &reason)> save_unfinished;
  std::unique_ptr<WaitWatch> watch; // last: it reads the others
};

// Reads the case, and checks all that it asks of its solution; device and threads of `options`
// override the case's. `mesh_override`: in place of the case's [mesh] (for refinement). Opens the
// device while the mesh is made.
// `ranks`, which must outlive it: those that share the problem; all of them call this and what
// takes the simulation. Error (unsupported): what is not shared yet, by its name.
std::unique_ptr<Simulation> make_simulation(const CaseInput &input, const ProblemOptions &options,
                                            const std::optional<MeshSpec> &mesh_override = {},
                                            Communicator *ranks = nullptr);

// The same without the model's operators, which make_operator() makes, and with what solves left
// open where the case does not say, see Model::choose_solver().
std::unique_ptr<Simulation>
make_simulation_without_operator(const CaseInput &input, const ProblemOptions &options,
                                 const std::optional<MeshSpec> &mesh_override = {},
                                 Communicator *ranks = nullptr);
void make_operator(Simulation &s, const ProblemOptions &options);
// Takes another device in place of that of the simulation, before make_operator().
void set_device(Simulation &s, std::unique_ptr<Device> device);
// What make_simulation() does after that.
void make_solver_and_operator(Simulation &s, const ProblemOptions &options);

// What a solve is asked to do: the case's settings, and what the unknowns are.
SolverSettings solver_settings(const Simulation &s);

// All: what the tolerance is relative to where a solve begins at the solution of another: the norm
// of F at the initial values. 0 where it begins there.
double reference_norm(Simulation &s);

// Gives the advice that is due, at the state.
void give_due_advice(Simulation &s);

// Solves from the initial state into `state` and `solver`; does not throw when it fails to
// converge. Transient problems: see solve_transient(). Errors (input): those of fix_open_motions().
// `progress`: draw a progress line.
void solve(Simulation &s, bool progress);

} // namespace weft
