// A case on its mesh and device: its equations applied, solved, its quantities read.
// Standard types only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/device_vector.h"
#include "weft/error.h"
#include "weft/export.h"
#include "weft/mesh.h"
#include "weft/solve_result.h"

namespace weft {

struct ProblemOptions {
  std::string device;                 // as --device; empty = what the case says, or the default
  int threads = 0;                    // cores of a CPU device; 0 = all
  std::vector<std::string> overrides; // as --set: "parameters.k=3"
  // Parameters that set_parameter() will set: kernels read them as arguments from the start. One
  // that is not named here costs a second making of the kernels when it is set first.
  std::vector<std::string> settable;
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

// A case that is no file.
struct CaseText {
  std::string text;               // as a case file has it
  std::string directory = ".";    // what relative paths in it begin at
  std::string name = "case";      // in messages, in place of a file's name
  std::optional<MeshArrays> mesh; // in place of file and box of [mesh], which need not be there
};

// A field of the solution. Its dofs are entries [offset, offset + num_nodes * components) of
// states: [node][component].
struct FieldInfo {
  std::string name;
  std::string element; // "P2", "DG1", "FV"
  int components = 1;
  bool is_vector = false; // else a scalar
  std::size_t num_nodes = 0;
  std::size_t offset = 0;
};

// A matrix in compressed rows with ascending columns. Views are good until the problem is changed,
// asked for another matrix, or gone.
struct MatrixView {
  std::size_t num_rows = 0;
  std::span<const std::int64_t> row_start; // [row + 1]
  std::span<const std::int32_t> columns;
  std::span<const double> values; // parallel to columns
};

// Matrices of the cells of one type.
struct CellMatrices {
  int vtk_type = 0;
  std::size_t num_cells = 0, size = 0; // `size`: rows of a matrix
  std::vector<std::int32_t> dofs;      // [cell][row]: entry of the state
  std::vector<double> values;          // [cell][row][column]
};

// The mesh, and the cells' nodes as VTK has them. Cells are in Weft's order, blocked for caches.
struct MeshView {
  std::size_t dimension = 0;
  std::span<const double> points; // [point][dimension]
  std::vector<MeshCells> cells;
};

// A step of a transient problem, or of a load.
struct StepInfo {
  double time = 0;         // at its end; the parameter's value of a load
  std::int64_t number = 0; // steps so far
  bool finished = false;   // the end of [time] is reached
};

// What [functionals] has, at the state.
struct FunctionalResult {
  std::string name;
  std::vector<double> values; // one, or the components of a vector
};

// A case on its mesh and device.
//
// Errors are weft::Error, derived from std::runtime_error, whose text says what, where, and what to
// do; after one a problem is as it was before the call. Arrays have num_dofs() entries in f64,
// whatever the device computes in. A problem belongs to one thread at a time; several problems may
// be used by several threads.
class WEFT_EXPORT Problem {
public:
  explicit Problem(const std::string &case_file, const ProblemOptions &options = {});
  explicit Problem(const CaseText &text, const ProblemOptions &options = {});
  ~Problem();
  Problem(Problem &&) noexcept;
  Problem &operator=(Problem &&) noexcept;

  // What it is of.
  //
  // Dofs of all fields, field after field; within a field [node][component].
  std::size_t num_dofs() const;
  std::vector<FieldInfo> fields() const;
  // Errors (input): an unknown name, with those there are.
  FieldInfo field(const std::string &name) const;
  // [node][dimension] coordinates of the nodes of a field.
  std::vector<double> node_coordinates(const std::string &field) const;
  // Dofs prescribed by [dirichlet]: the residual there is u - value. Ascending.
  std::vector<std::size_t> constrained_dofs() const;
  // Their values, at the time and with the parameters as they are now; parallel to
  // constrained_dofs().
  void constrained_values(std::span<double> values) const;
  // Good as long as the problem.
  MeshView mesh() const;
  bool is_linear() const;
  // The Jacobian is known to be symmetric.
  bool is_symmetric() const;
  bool is_transient() const; // has [time] or [load]
  std::string device() const;

  // Parameters of [parameters], by group "k.fins".
  //
  std::vector<std::string> parameters() const;
  // Its components, row by row. Errors (input): an unknown name; a value that depends on place or
  // time.
  std::vector<double> parameter(const std::string &name) const;
  // Sets them, all or none: what depends on them is taken anew, of weak forms nothing else;
  // operators of conservation laws are made anew. The first time that one is set, kernels are made
  // once more (see ProblemOptions::settable). The state stays, so that the next solve() starts from
  // it; before the first solve initial values follow. Errors (input): unknown names, wrong numbers
  // of components, values that are not finite, and what is wrong with the problem that they make
  // (diffusion that runs backwards).
  void set_parameter(const std::string &name, double value);
  void set_parameters(const std::vector<std::pair<std::string, std::vector<double>>> &values);

  // The state: initial values, or the solution after solve().
  //
  // Stays where it is in memory as long as the problem.
  std::span<const double> state() const;
  std::span<const double> state(const std::string &field) const;
  void set_state(std::span<const double> u);
  // Back to the initial values, and to the start of [time].
  void reset();

  // The equations F(u) = 0, for methods of the caller's own. Of weak forms; of conservation laws
  // F(t, u) = W (dt(u) - L(t, u)), W being 1, but volumes times capacities of cells for order 0.
  //
  // The time of all of them; that of the start first, after a solve that of its end.
  double time() const;
  void set_time(double time);
  // What dt(u) stands for: shift * u + offset, so that F is a function of u alone, as implicit
  // schemes want it. At first, and after a solve, shift is 0 and so is the offset.
  void set_rate(std::span<const double> offset, double shift);
  // r = F(u).
  void residual(std::span<const double> u, std::span<double> r);
  void residual(const DeviceVector &u, DeviceVector &r);
  // Takes the Jacobian at u for all that follows.
  void linearise(std::span<const double> u);
  void linearise(const DeviceVector &u);
  // y = F'(u) x; rows and columns of constrained dofs are those of the identity. Error (input):
  // nothing was linearised.
  void apply(std::span<const double> x, std::span<double> y);
  void apply(const DeviceVector &x, DeviceVector &y);
  // The same at a state.
  void apply(std::span<const double> u, std::span<const double> x, std::span<double> y);
  // Its diagonal.
  void diagonal(std::span<double> d);
  // F'(u) assembled. Error (unsupported): C text; laws above order 0.
  MatrixView matrix();
  // z ~ F'(u)^-1 r by the preconditioner of [solver], or Weft's choice. Set up for the Jacobian of
  // that time when it is first asked for, and by each set_up_preconditioner(); between them later
  // linearisations leave it as it is.
  void set_up_preconditioner();
  void precondition(std::span<const double> r, std::span<double> z);
  // Matrices of the cells' integrals at u, before conditions; those of facets are not in them.
  std::vector<CellMatrices> cell_matrices(std::span<const double> u);
  // y = the sum over cells of their matrices at u times the entries of x, as they are computed and
  // without keeping them: what cell_matrices() would give.
  void apply_cell_matrices(std::span<const double> u, std::span<const double> x,
                           std::span<double> y);
  // What GAMG and its like call near null space, [vector][dof], orthonormal: constants of each
  // component, and of elastic forms rigid motions in place of them; 0 at constrained dofs.
  std::vector<std::vector<double>> near_null_space() const;
  // A vector on the device, of this problem, which it must not outlive.
  DeviceVector device_vector();

  // Solving.
  //
  // Solves from the state; transient problems from there to the end of [time], from initial values
  // where an earlier solve came to its end. Error (numerical) where it does not converge, with the
  // reason; the state is the last one then.
  SolveResult solve();
  // The same without an error for not converging.
  SolveResult try_solve();
  // Called by solve() of a transient problem at its start and after each step, with state() as it
  // is then; what it throws ends the solve, and comes out of it. Empty: nobody looks.
  void on_step(std::function<void(const StepInfo &step)> look);
  // For stationary problems that are solved for many values of their parameters. Keeps the state, a
  // solution, for first guesses: the last four. Error (input): a transient problem.
  void keep_solution();
  // Sets the state to that combination of the kept solutions whose residual is smallest with the
  // parameters as they are now; a residual is evaluated for each. Where parameters stand in loads
  // and prescribed values of a linear problem alone, it is the solution from the third one on.
  // False where none is kept, and the state stays.
  bool set_first_guess();
  // One accepted step of a transient problem; the first one begins at the state, at the start of
  // [time]. Where a step is the last, `finished` says so, and the next one begins anew: see
  // reset(). Error (input): a stationary problem; (numerical): as solve().
  StepInfo step();

  // Results at the state.
  //
  std::vector<std::string> functional_names() const;
  // Vectors give their first component. Throws where it is not finite, with the place.
  double functional(const std::string &name);
  std::vector<double> functional_values(const std::string &name);
  std::vector<FunctionalResult> functionals();
  // What dual weighted residuals estimate that a functional, [component], is off by: the exact
  // value less the computed one (docs/theory/adjoint.md). Of a stationary weak form that
  // was solved. Errors (input): nothing was solved; (unsupported): functionals and forms that have
  // no adjoint problem.
  std::vector<double> error_estimate(const std::string &functional);
  // d functional / d parameter, [parameter][component], by one adjoint solve: exact derivatives of
  // what was computed. The same errors; (input) a parameter that is no number.
  std::vector<std::vector<double>> gradient(const std::string &functional,
                                            const std::vector<std::string> &parameters);
  // An expression in the language of cases, of fields, parameters, place: [point][component] at
  // points [point][dimension]; where it jumps the mean of the cells that meet. Errors (input): what
  // is wrong with the expression; a point outside the mesh.
  std::vector<double> values_at(std::span<const double> points, const std::string &expression);
  // The same at the points of mesh(): [point][component]; where it jumps as one of the cells has
  // it.
  std::vector<double> values_at_mesh_points(const std::string &expression);
  // The same at the nodes of a field: [node][component].
  std::vector<double> values_at_nodes(const std::string &field, const std::string &expression);
  // What `weft run` writes of fields, functionals and the solve, in a folder that is made where it
  // is missing; "fields.vtu", "results.json". Error (system).
  void write(const std::string &folder);
  // The text of results.json.
  std::string report();

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

} // namespace weft
