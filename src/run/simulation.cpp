#include "run/simulation.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fmt/format.h>
#include <future>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/parallel.h"
#include "device/open/open_device.h"
#include "mesh/build/unjoined_facets.h"
#include "mesh/gmsh/mesh_geometry.h"
#include "mesh/make/distribute_mesh.h"
#include "mesh/make/make_mesh.h"
#include "op/adjoint/check_adjoint.h"
#include "op/evaluate/state_fault.h"
#include "op/evaluate/table_fault.h"
#include "op/law/result_check.h"
#include "op/problem/cell_cost.h"
#include "op/problem/dof_layout.h"
#include "op/problem/rigid_motion.h"
#include "op/set_up/make_discretisation.h"
#include "op/set_up/make_near_null_space.h"
#include "output/progress.h"
#include "ranks/core_share.h"
#include "ranks/norm_of_ranks.h"
#include "run/advice/advice.h"
#include "run/block_settings.h"
#include "run/case_notices.h"
#include "run/input/user_case.h"
#include "run/kernel_choice.h"
#include "run/likely_kernels.h"
#include "run/model/make_model.h"
#include "run/model/solver_choice.h"
#include "run/nested_multigrid.h"
#include "run/open_motions.h"
#include "run/phase.h"
#include "run/settings/case_solver_settings.h"
#include "run/settings/case_time_settings.h"
#include "run/settings/kernel_settings.h"
#include "run/state_condition.h"
#include "run/tensor_grid_of.h"
#include "run/transient.h"
#include "run/watch_kernels.h"
#include "solve/nonlinear/newton.h"
#include "solve/precondition/hypre_library.h"
#include "solve/time/time_settings.h"

namespace weft {

namespace {

// Bytes of vectors and of the form's plan on the device, from below: what a solve can't do without.
void refuse_if_too_large(const Simulation &s) {
  const double real = static_cast<double>(size_bytes(case_precision(s.c)));
  double bytes = 5 * real * static_cast<double>(s.discretisation.num_local);
  for (std::size_t set = 0; set < s.mesh.sets.size(); ++set)
    bytes += 2.0 * static_cast<double>(s.mesh.sets[set].num_cells()) *
             s.discretisation.map_of_field(0).sets[set].element.num_nodes();
  if (bytes > static_cast<double>(s.device->info().memory_bytes))
    throw Error(
        ErrorKind::system,
        {.what = fmt::format("the problem does not fit on {}", s.device->info().name),
         .found = fmt::format("{} cells, {} dofs: at least {:.1f} GiB", s.mesh.num_cells(),
                              s.discretisation.num_local, bytes / (1 << 30)),
         .allowed = fmt::format("{:.1f} GiB of memory",
                                static_cast<double>(s.device->info().memory_bytes) / (1 << 30)),
         .remedy = "use a coarser mesh, a lower order, precision = \"f32\", or a device "
                   "with more memory"});
}

// "; at the last iterate the residual of u is nan in the cell at (0.25, 0.5)"; empty where it is
// finite.
std::string place_of_nan(const Simulation &s) {
  NonlinearOperator &op = *s.model->system();
  Vector u = make_vector(*s.device, op.layout(), op.precision(), "state to look at");
  Vector r = make_vector(*s.device, op.layout(), op.precision(), "residual");
  op.set_dofs(s.state, u);
  op.residual(u, r);
  const std::vector<double> residual = op.dofs(r);
  if (!any(s.ranks, !std::all_of(residual.begin(), residual.end(),
                                 [](double x) { return std::isfinite(x); })))
    return {};
  return "; at the last iterate the residual of " + describe_fault(s.discretisation, residual);
}

// "u[1] of the node at (0, 0.5)": of an entry of a vector.
std::string describe_entry(const Discretisation &d, std::int64_t entry) {
  for (std::size_t f = d.own_offset.size(); f-- > 0;)
    if (entry >= d.own_offset[f])
      return describe_dof(d, entry - d.own_offset[f] + d.field_offset[f]);
  return describe_dof(d, entry);
}

// All: a direct solver passes over pivots that are zero: what it finds then is one solution of
// many.
void tell_null_pivots(Simulation &s) {
  const std::vector<std::int64_t> &rows = s.solver.null_pivots;
  const std::int64_t count = sum(s.ranks, static_cast<std::int64_t>(rows.size()));
  if (count == 0)
    return;
  const std::string what = fmt::format(
      "the matrix is singular: {} {} zero to rounding, the first that of {}", count,
      count == 1 ? "pivot is" : "pivots are",
      first_text(s.ranks, rows.empty() ? "" : describe_entry(s.discretisation, rows.front())));
  const std::string remedy = "look for a condition that is missing there, or for fields whose "
                             "elements do not go together (a pressure with too many unknowns)";
  const std::string remark = what + "; the solution is one of many";
  log::notice("{}: {}; {}", s.c.file, remark, remedy);
  s.solver.remark += (s.solver.remark.empty() ? "" : "; ") + remark;
}

// What would help where a solve took very many iterations.
void tell_slow_solve(Simulation &s) {
  constexpr int many_iterations = 500; // of a linear system
  if (!s.solver.converged ||
      s.solver.iterations <= many_iterations * std::max(1, s.solver.newton_steps))
    return;
  const std::string &preconditioner = s.solver_choice.preconditioner;
  const bool simple =
      preconditioner == "jacobi" || preconditioner == "none" || preconditioner == "chebyshev";
  log::notice("{}: {} iterations are many; {}", s.c.file, s.solver.iterations,
              simple && s.solver_choice.method == "cg"
                  ? "[solver] preconditioner = \"multigrid\" needs fewer"
                  : "[solver] method = \"direct\" needs none, as far as memory goes");
}

// The levels of multigrid are coarser meshes.
bool is_nested(const SolverSpec &solver) {
  return solver.preconditioner == "multigrid" && solver.coarsening == "nested";
}

// Cores of a CPU device; 0: all. Ranks of a machine share its cores.
int chosen_threads(const Simulation &s, const ProblemOptions &options) {
  const Case &c = s.c;
  const int share = core_share(s.ranks);
  const bool by_option = options.threads != 0;
  const int threads = by_option ? options.threads : c.device.threads;
  if (threads == 0 && share < num_processors())
    return share;
  require_num_threads(threads, by_option ? "--threads" : place_in(c, "[device] threads"));
  return threads;
}

// What ranks do not share yet.
void refuse_on_ranks(const Simulation &s, const ProblemOptions &options) {
  const auto refuse = [&](const std::string &what, const std::string &where) {
    throw Error(ErrorKind::unsupported,
                {.what = what + " shared by several processes",
                 .where = where,
                 .found = fmt::format("{} processes of a launcher (mpirun, srun)", s.ranks->size()),
                 .remedy = "start weft without the launcher: one process uses all cores of a "
                           "machine"});
  };
  const bool is_explicit_law =
      s.c.form.law && s.c.time && is_explicit(time_scheme_from_name(s.c.time->scheme));
  if (is_explicit_law && s.c.solver.op == "assembled")
    refuse("the rate of a conservation law as a matrix", place_in(s.c, "[solver] operator"));
  for (const FieldSpec &field : s.c.form.fields)
    if (field.whole_domain)
      refuse("a field of the whole domain", field.place);
  weft::refuse_on_ranks(s.c, s.ranks->size());
  if (options.tune)
    refuse("a search for the fastest kernels", "--tune");
}

// The whole mesh, or this rank's part of it; what is wrong with it, or strange, is said before it
// is cut.
Mesh make_mesh_of_ranks(Simulation &s, const MeshSpec &spec, bool notices) {
  return distribute_mesh(
      spec, *s.ranks, [&s](CellType cell) { return cell_cost(s.c.form, cell); }, s.timings,
      [&](const Mesh &whole) {
        look_over_mesh(s.c, whole, spec.box ? UnjoinedFacets{} : find_unjoined_facets(whole),
                       notices);
      });
}

// `shared`: that of an earlier stage, or null. Coarser meshes of it are made with it.
void make_or_share_mesh(Simulation &s, const MeshSpec &spec, const Mesh *shared, bool notices) {
  if (shared != nullptr && !is_nested(s.c.solver)) {
    s.mesh = *shared;
    s.timings.add("mesh_read", 0);
    s.timings.add("mesh_topology", 0);
  } else if (s.ranks)
    s.mesh = make_mesh_of_ranks(s, spec, notices);
  else
    s.mesh = make_mesh(spec, s.timings, is_nested(s.c.solver) ? &s.coarser : nullptr);
}

// From the case to its state, on a device. `shared_mesh`: that of an earlier stage, or null.
void set_up(Simulation &s, const ProblemOptions &options,
            const std::optional<MeshSpec> &mesh_override, const Mesh *shared_mesh) {
  if (s.ranks)
    refuse_on_ranks(s, options);
  // What is missing is said before the mesh is made.
  check_solver(s.c.solver);
  if (s.c.solver.preconditioner == "hypre")
    hypre_library();
  const std::string selector = options.device.empty() ? s.c.device.name : options.device;
  const std::string selector_place =
      options.device.empty() ? place_in(s.c, "[device] name") : "--device";
  const int threads = chosen_threads(s, options);
  if (s.ranks)
    set_host_threads(threads);
  const int which = s.ranks ? s.ranks->machine_rank() : 0;
  // The driver needs some tenths of a second to start: beside the mesh they cost nothing.
  const Precision precision = case_precision(s.c);
  const bool uses_gmsh = s.c.mesh.file && is_geometry_file(*s.c.mesh.file) && !s.c.form.law;
  std::atomic<bool> meshed = false;
  auto device = std::async(std::launch::async, [&, uses_gmsh, precision] {
    std::unique_ptr<Device> opened = open_device(selector, threads, selector_place, which);
    if (uses_gmsh)
      compile_likely_kernels(*opened, precision, meshed);
    return opened;
  });
  const std::shared_ptr<void> at_end(nullptr, [&](void *) { meshed = true; }); // whatever fails
  std::optional<Phase> phase("mesh");
  const MeshSpec &spec = mesh_override ? *mesh_override : s.c.mesh;
  const bool notices = !mesh_override && shared_mesh == nullptr; // else there were some before
  make_or_share_mesh(s, spec, shared_mesh, notices);
  meshed = true;
  phase.emplace("unknowns and conditions");
  {
    StageTimer timer(s.timings, "space");
    std::future<UnjoinedFacets> unjoined; // found beside the unknowns
    if (!s.c.mesh.box && !s.ranks && shared_mesh == nullptr)
      unjoined = std::async(find_unjoined_facets, std::cref(s.mesh));
    resolve_dimension(s.c, s.mesh.dim);
    s.discretisation = make_discretisation(s.c, s.mesh, {}, s.ranks);
    if (unjoined.valid())
      look_over_mesh(s.c, s.mesh, unjoined.get(), notices);
    if (s.c.time)
      choose_time_scheme(s.c, s.discretisation.form);
    look_over(s.c, s.discretisation, !mesh_override);
    s.advice_is_due = !mesh_override && !s.discretisation.form.linear;
  }
  s.state = initial_state(s.c, s.discretisation);
  check_results(s.c, s.discretisation);
  check_adjoint(s.c, s.discretisation);
  state_condition(s);
  if (s.c.time) // times of output
    make_time_settings(*s.c.time, s.c.output);
  {
    StageTimer timer(s.timings, "device"); // what is left of its start
    s.device = device.get();
  }
  refuse_if_too_large(s);
  s.model = make_model(s.c, *s.device, s.discretisation);
}

} // namespace

std::unique_ptr<Simulation>
make_simulation_without_operator(const CaseInput &input, const ProblemOptions &options,
                                 const std::optional<MeshSpec> &mesh_override,
                                 Communicator *ranks) {
  auto s = std::make_unique<Simulation>();
  s->ranks = ranks;
  {
    StageTimer timer(s->timings, "case");
    s->c = read_user_case(input, options);
    take_sources(input, s->c);
    s->asked_solver = s->c.solver;
    watch_kernels(*s, options.kernel_timeout_s);
  }
  const Mesh *shared_mesh = input.earlier == nullptr ? nullptr : input.earlier->mesh();
  with_places_of(s->c, [&] { set_up(*s, options, mesh_override, shared_mesh); });
  return s;
}

void set_device(Simulation &s, std::unique_ptr<Device> device) {
  s.device = std::move(device);
  s.model = make_model(s.c, *s.device, s.discretisation);
}

void make_operator(Simulation &s, const ProblemOptions &options) {
  const Phase phase("kernels and operator");
  KernelChoice choice;
  {
    StageTimer timer(s.timings, "variants");
    choice = choose_kernels(s, options);
  }
  StageTimer timer(s.timings, "operator");
  s.kernel_variant = choice.variant;
  s.model->set_up(choice.variant);
  s.variant = choice.record;
}

void make_solver_and_operator(Simulation &s, const ProblemOptions &options) {
  with_places_of(s.c, [&] {
    s.solver_choice = s.model->choose_solver(s.state);
    make_operator(s, options);
  });
}

std::unique_ptr<Simulation> make_simulation(const CaseInput &input, const ProblemOptions &options,
                                            const std::optional<MeshSpec> &mesh_override,
                                            Communicator *ranks) {
  auto s = make_simulation_without_operator(input, options, mesh_override, ranks);
  make_solver_and_operator(*s, options);
  return s;
}

SolverSettings solver_settings(const Simulation &s) {
  SolverSettings settings = make_solver_settings(s.c.solver);
  settings.num_border = num_border_dofs(s.discretisation.form.fields);
  settings.may_change_method = s.solver_choice.method_chosen;
  if (s.solver_choice.method_chosen && s.solver_choice.preconditioner_chosen &&
      s.solver_choice.op == "assembled" && settings.preconditioner != PrecondKind::direct)
    settings.may_eliminate = [&d = s.discretisation] { return elimination_is_affordable(d); };
  settings.newton.valid = state_condition(s);
  if (settings.preconditioner == PrecondKind::multigrid) {
    const bool rigid_body_modes = any(s.ranks, ignores_rotations(s.discretisation));
    settings.near_null_space = make_near_null_space(s.discretisation, rigid_body_modes);
    if (settings.multigrid.kind != MultigridKind::aggregation)
      settings.make_multigrid = nested_multigrid(
          settings.multigrid, {.c = &s.c, .d = &s.discretisation, .coarser = &s.coarser},
          rigid_body_modes);
  } else if (settings.preconditioner == PrecondKind::adi) {
    settings.adi.grid = tensor_grid_of(s.discretisation);
  } else if (settings.preconditioner == PrecondKind::blocks) {
    settings.blocks = make_block_settings(s, settings.multigrid);
  } else if (settings.preconditioner == PrecondKind::low_precision &&
             s.discretisation.form.fields.size() == 1) {
    settings.near_null_space.components = s.discretisation.form.fields.front().components();
  }
  for (std::size_t f = 0; f < s.discretisation.form.fields.size(); ++f)
    settings.fields.push_back({s.discretisation.own_offset[f],
                               s.discretisation.form.fields[f].components(),
                               s.discretisation.form.fields[f].name});
  return settings;
}

namespace {

// Iterations after which multigrid by orders, where it is Weft's choice, gives way to a matrix.
constexpr int patience_with_orders = 500;

} // namespace

double reference_norm(Simulation &s) {
  if (!s.has_result)
    return 0;
  NonlinearOperator &op = *s.model->system();
  Vector u = make_vector(*s.device, op.layout(), op.precision(), "initial values");
  Vector r = make_vector(*s.device, op.layout(), op.precision(), "residual");
  op.set_dofs(initial_state(s.c, s.discretisation), u);
  op.set_constrained(u);
  std::optional<ActiveSet> active_set;
  if (!op.bounds().empty())
    active_set.emplace(op).project(u);
  op.residual(u, r);
  if (active_set)
    active_set->restrict_residual(u, r);
  double squares = 0;
  for (const double entry : get_vector(*s.device, r))
    squares += entry * entry;
  const double norm = norm_of_ranks(s.ranks, std::sqrt(squares));
  return std::isfinite(norm) ? norm : 0;
}

namespace {

// Solves the stationary system, from s.state.
void solve_system(Simulation &s, bool progress) {
  SolverSettings settings = solver_settings(s);
  if (s.solver_choice.orders_chosen)
    settings.max_iterations = std::min(settings.max_iterations, patience_with_orders);
  NonlinearOperator &op = *s.model->system();
  Vector u = make_vector(*s.device, op.layout(), op.precision(), "solution");
  op.set_dofs(s.state, u);
  op.set_constrained(u);
  std::optional<Progress> line;
  if (progress) {
    line.emplace("solve", "dof");
    line->keep_drawing(compilations_text);
  }
  const double dofs = static_cast<double>(s.discretisation.num_global);
  const double tolerance = op.linear() ? settings.tolerance : settings.newton.tolerance;
  if (!s.kept_solver)
    s.kept_solver = std::make_unique<NonlinearSolver>(op, settings);
  const auto draw = [&](int iteration, double residual) {
    if (line)
      line->update(fraction_of_residual(residual, tolerance), dofs * iteration);
  };
  s.solver = s.kept_solver->solve(u, draw, {.reference = reference_norm(s)});
  if (!s.keeps_solver)
    s.kept_solver.reset();
  s.timings.add("assembly", s.solver.assembly_seconds);
  s.timings.add("preconditioner", s.solver.setup_seconds);
  s.state = op.dofs(u);
}

// Whether a matrix may do where they do not. In f32 it is the precision that ends most.
bool orders_fail(const Simulation &s) {
  const SolveStatus status = s.solver.status;
  const bool linear_solver_failed =
      status == SolveStatus::max_iterations || status == SolveStatus::stagnated ||
      status == SolveStatus::breakdown || status == SolveStatus::diverged ||
      status == SolveStatus::indefinite;
  return linear_solver_failed && s.solver_choice.orders_chosen &&
         s.c.solver.max_iterations > patience_with_orders &&
         s.model->system()->precision() == Precision::f64;
}

// The matrix, multigrid of its unknowns, and whatever that gives way to.
void solve_by_matrix(Simulation &s, bool progress) {
  const std::string remark =
      fmt::format("multigrid by orders did not converge in {} iterations: the matrix was assembled",
                  s.solver.iterations);
  s.solver_choice.orders_chosen = false;
  s.solver_choice.op = s.c.solver.op = "assembled";
  s.c.solver.coarsening = "aggregation";
  s.kept_solver.reset();
  s.model->set_up(s.kernel_variant);
  solve_system(s, progress);
  s.solver.remark = s.solver.remark.empty() ? remark : remark + "; " + s.solver.remark;
}

} // namespace

void give_due_advice(Simulation &s) {
  if (s.advice_is_due)
    give_advice(s.c, s.discretisation, s.state);
  s.advice_is_due = false;
}

void solve(Simulation &s, bool progress) {
  if (s.c.time)
    return solve_transient(s, progress);
  StageTimer timer(s.timings, "solve");
  fix_open_motions(s);
  const std::vector<double> start = s.state;
  solve_system(s, progress);
  if (orders_fail(s)) {
    s.state = start;
    solve_by_matrix(s, progress);
  }
  set_open_motions(s, s.state);
  s.has_result = true;
  if (s.solver.converged)
    if (const std::string fault = table_fault(s.c, s.discretisation, s.state); !fault.empty())
      finish_report(s.solver, SolveStatus::outside_table, fault);
  if (s.solver.status == SolveStatus::not_finite)
    s.solver.reason += place_of_nan(s);
  tell_null_pivots(s);
  tell_slow_solve(s);
  give_due_advice(s);
}

} // namespace weft
