#include "run/settings/case_solver_settings.h"

#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include "base/error.h"
#include "base/names.h"
#include "base/number.h"
#include "base/precision_name.h"
#include "solve/setting_names.h"

namespace weft {

namespace {

template <typename Kind>
Kind named_kind(const std::map<std::string, Kind> &kinds, const std::string &name,
                const std::string &key) {
  return weft::named_kind(kinds, name, key, "[solver] " + key);
}

void check_positive(double value, const std::string &key) {
  if (!(value > 0))
    throw Error(ErrorKind::input, {.what = "The value must be positive.",
                                   .where = "[solver] " + key,
                                   .found = format_real(value),
                                   .allowed = "numbers above 0"});
}

std::map<std::string, KrylovKind> methods() {
  std::map<std::string, KrylovKind> names = krylov_kind_names();
  names["direct"] = KrylovKind::gmres; // around factors
  return names;
}
const std::map<std::string, PrecondKind> preconditioners = {
    {"none", PrecondKind::none},
    {"jacobi", PrecondKind::jacobi},
    {"chebyshev", PrecondKind::chebyshev},
    {"hypre", PrecondKind::hypre},
    {"multigrid", PrecondKind::multigrid},
    {"low_precision", PrecondKind::low_precision},
    {"direct", PrecondKind::direct},
    {"blocks", PrecondKind::blocks},
    {"ilu", PrecondKind::ilu},
    {"spai", PrecondKind::spai},
    {"adi", PrecondKind::adi}};
const std::map<std::string, InnerKind> inner_methods = {
    {"jacobi", InnerKind::jacobi}, {"chebyshev", InnerKind::chebyshev}, {"cg", InnerKind::cg}};
const std::map<std::string, MultigridKind> multigrid_kinds = {
    {"aggregation", MultigridKind::aggregation},
    {"nested", MultigridKind::nested},
    {"low_order", MultigridKind::low_order}};
// Numbers of hypre's manual for HYPRE_BoomerAMGSetCoarsenType and HYPRE_BoomerAMGSetInterpType.
const std::map<std::string, int> coarsenings = {
    {"cljp", 0}, {"falgout", 6}, {"pmis", 8}, {"hmis", 10}};
const std::map<std::string, int> interpolations = {{"classical", 0}, {"direct", 3},
                                                   {"multipass", 4}, {"extended_i", 6},
                                                   {"standard", 8},  {"extended", 14}};

void require_assembled(const SolverSpec &spec, const std::string &what) {
  if (spec.op == "assembled")
    return;
  throw Error(ErrorKind::input,
              {.what = what + " needs the entries of the matrix",
               .where = "[solver] preconditioner",
               .found = "operator = \"" + (spec.op.empty() ? "matrix_free" : spec.op) + "\"",
               .allowed = "operator = \"assembled\"",
               .remedy = "set operator = \"assembled\" in [solver], or choose preconditioner = "
                         "\"jacobi\" or \"chebyshev\""});
}

HypreSettings make_hypre_settings(const SolverSpec &spec) {
  const std::string coarsening = spec.coarsening.empty() ? "hmis" : spec.coarsening;
  return {.strong_threshold = spec.hypre.strong_threshold,
          .coarsening = named_kind(coarsenings, coarsening, "preconditioner.coarsening"),
          .interpolation =
              named_kind(interpolations, spec.hypre.interpolation, "preconditioner.interpolation"),
          .aggressive_levels = spec.hypre.aggressive_levels,
          .reuse = spec.reuse.value_or(false)};
}

MultigridSettings make_multigrid_settings(const SolverSpec &spec) {
  const MultigridSpec &m = spec.multigrid;
  const std::string coarsening = spec.coarsening.empty() ? "aggregation" : spec.coarsening;
  MultigridSettings settings;
  settings.kind = named_kind(multigrid_kinds, coarsening, "preconditioner.coarsening");
  settings.cycle = named_kind(multigrid_cycle_names(), m.cycle, "preconditioner.cycle");
  settings.smoother = named_kind(smoother_names(), m.smoother, "preconditioner.smoother");
  settings.degree = spec.degree.value_or(settings.degree);
  settings.sweeps = m.sweeps.value_or(smooths_by_inverse(settings.smoother) ? 1 : 2);
  settings.strength = m.strength;
  settings.max_levels = m.max_levels;
  settings.coarsest_size = m.coarsest_size;
  settings.gathered_size = m.gathered_size;
  if (!m.precision.empty())
    settings.precisions.clear();
  for (const std::string &name : m.precision)
    settings.precisions.push_back(precision_from_name(name));
  return settings;
}

void refuse_inverse_without_matrix(const SolverSpec &spec, const MultigridSettings &settings) {
  if (settings.kind != MultigridKind::aggregation && smooths_by_inverse(settings.smoother))
    throw Error(ErrorKind::input,
                {.what = "smoothers that are made of a level's matrix go with aggregation",
                 .where = "[solver] preconditioner.smoother",
                 .found = fmt::format("{} with coarsening = \"{}\"", spec.multigrid.smoother,
                                      spec.coarsening),
                 .allowed = "chebyshev, jacobi",
                 .remedy = "choose one of these, or coarsening = \"aggregation\""});
}

// Settings of preconditioner = { kind = "low_precision", ... }.
InnerSettings make_inner_settings(const InnerSpec &inner) {
  InnerSettings settings;
  if (!inner.method.empty())
    settings.method = named_kind(inner_methods, inner.method, "method of low_precision");
  if (!inner.precision.empty())
    settings.precision = precision_from_name(inner.precision);
  settings.iterations = inner.iterations;
  return settings;
}

// One precision, from the key that multigrid has a list in.
InnerSpec low_precision_spec(const SolverSpec &spec) {
  InnerSpec inner = spec.low_precision;
  const std::vector<std::string> &given = spec.multigrid.precision;
  if (given.size() > 1)
    throw Error(ErrorKind::input, {.what = "the preconditioner low_precision has one precision",
                                   .where = "[solver] preconditioner.precision",
                                   .found = join_names(given),
                                   .allowed = "one of f64, f32, f16, bf16"});
  if (!given.empty())
    inner.precision = given.front();
  return inner;
}

// [solver] inner says what the preconditioner of defect correction is; so a preconditioner beside
// it may only be there where `inner` leaves that open.
void refuse_bad_inner(const SolverSpec &spec) {
  if (!spec.has_inner)
    return;
  if (spec.method != "defect_correction")
    throw Error(ErrorKind::input,
                {.what = "inner belongs to defect correction",
                 .where = "[solver] inner",
                 .found = spec.method.empty() ? "no method" : "method = \"" + spec.method + "\"",
                 .allowed = "method = \"defect_correction\"",
                 .remedy = "for a solver in low precision inside of cg or gmres write "
                           "preconditioner = { kind = \"low_precision\" }"});
  if (!spec.preconditioner.empty() &&
      !(spec.inner.method.empty() && spec.inner.precision.empty() && spec.inner.iterations == 0))
    throw Error(ErrorKind::input,
                {.what = "two inner solvers",
                 .where = "[solver] inner, preconditioner",
                 .found = "preconditioner = \"" + spec.preconditioner + "\" beside inner",
                 .remedy = "say with one of them what solves in low precision; inner may have its "
                           "damping beside a preconditioner"});
}

void refuse_preconditioner_of_direct(const SolverSpec &spec) {
  if (spec.method == "direct" && !spec.preconditioner.empty() && spec.preconditioner != "direct")
    throw Error(ErrorKind::input, {.what = "a direct solver has no preconditioner",
                                   .where = "[solver] preconditioner",
                                   .found = spec.preconditioner + " beside method = \"direct\"",
                                   .remedy = "leave one of them out"});
}

void set_preconditioner(const SolverSpec &spec, SolverSettings &settings) {
  const bool inner = spec.method == "defect_correction" && spec.preconditioner.empty();
  if (inner && spec.inner.method == "multigrid")
    settings.preconditioner = PrecondKind::multigrid;
  else if (inner)
    settings.preconditioner = PrecondKind::low_precision;
  else if (spec.method == "direct")
    settings.preconditioner = PrecondKind::direct;
  else if (!spec.preconditioner.empty())
    settings.preconditioner = named_kind(preconditioners, spec.preconditioner, "preconditioner");

  switch (settings.preconditioner) {
  case PrecondKind::hypre:
    require_assembled(spec, "the preconditioner hypre");
    settings.hypre = make_hypre_settings(spec);
    break;
  case PrecondKind::multigrid:
    settings.multigrid = make_multigrid_settings(spec);
    settings.reuse_multigrid = spec.reuse.value_or(true);
    refuse_inverse_without_matrix(spec, settings.multigrid);
    if (settings.multigrid.kind == MultigridKind::aggregation)
      require_assembled(spec, "multigrid by aggregation");
    if (inner && !spec.inner.precision.empty())
      settings.multigrid.precisions = {precision_from_name(spec.inner.precision)};
    break;
  case PrecondKind::low_precision:
    settings.inner = make_inner_settings(inner ? spec.inner : low_precision_spec(spec));
    break;
  case PrecondKind::blocks:
    require_assembled(spec, "the preconditioner blocks");
    settings.multigrid = make_multigrid_settings(spec);
    settings.reuse_multigrid = spec.reuse.value_or(true);
    break;
  case PrecondKind::ilu:
    require_assembled(spec, "the preconditioner ilu");
    settings.ilu = {.level = spec.level, .reuse = spec.reuse.value_or(true)};
    break;
  case PrecondKind::spai:
    require_assembled(spec, "the preconditioner spai");
    settings.reuse_sparse_inverse = spec.reuse.value_or(true);
    break;
  case PrecondKind::adi:
    require_assembled(spec, "the preconditioner adi");
    settings.adi.reuse = spec.reuse.value_or(true);
    break;
  case PrecondKind::direct:
    require_assembled(spec, "a direct solver");
    settings.reuse_factors = spec.reuse.value_or(true);
    break;
  case PrecondKind::none:
  case PrecondKind::jacobi:
  case PrecondKind::chebyshev:
    break;
  }
}

} // namespace

SolverSettings make_solver_settings(const SolverSpec &spec) {
  check_positive(spec.tolerance, "tolerance");
  check_positive(spec.max_iterations, "max_iterations");
  check_positive(spec.restart.value_or(1), "restart");
  check_positive(spec.newton.tolerance, "newton.tolerance");
  check_positive(spec.newton.max_iterations, "newton.max_iterations");
  refuse_bad_inner(spec);
  refuse_preconditioner_of_direct(spec);

  SolverSettings settings;
  if (!spec.method.empty())
    settings.method = named_kind(methods(), spec.method, "method");
  set_preconditioner(spec, settings);
  settings.tolerance = spec.tolerance;
  settings.max_iterations = spec.max_iterations;
  settings.restart = spec.restart.value_or(settings.restart);
  settings.may_enlarge_restart = !spec.restart;
  settings.chebyshev_degree = spec.degree.value_or(settings.chebyshev_degree);
  settings.damping = spec.inner.damping;
  settings.newton = {.tolerance = spec.newton.tolerance,
                     .absolute = spec.newton.absolute,
                     .max_iterations = spec.newton.max_iterations,
                     .check_jacobian = spec.newton.check_jacobian};
  return settings;
}

bool smooths_by_inverse(const SolverSpec &spec) {
  return smooths_by_inverse(
      named_kind(smoother_names(), spec.multigrid.smoother, "preconditioner.smoother"));
}

bool needs_matrix(const SolverSpec &spec) {
  static const std::set<std::string> of_entries = {"hypre", "direct", "blocks",
                                                   "ilu",   "spai",   "adi"};
  if (spec.preconditioner == "multigrid")
    return spec.coarsening != "nested" && spec.coarsening != "low_order";
  return of_entries.contains(spec.preconditioner) || spec.method == "direct" ||
         (spec.preconditioner.empty() && spec.inner.method == "multigrid");
}

} // namespace weft
