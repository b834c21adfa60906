#include "solve/settings.h"

#include <map>
#include <string>

#include "base/error.h"
#include "base/names.h"
#include "base/number.h"

namespace weft {

namespace {

template <typename Kind>
Kind named_kind(const std::map<std::string, Kind> &kinds, const std::string &name,
                const std::string &key) {
  if (const auto found = kinds.find(name); found != kinds.end())
    return found->second;
  std::vector<std::string> known;
  for (const auto &[allowed, kind] : kinds)
    known.push_back(allowed);
  throw Error(ErrorKind::input, {.what = "There is no such " + key + ".",
                                 .where = "[solver] " + key,
                                 .found = name,
                                 .allowed = join_names(known),
                                 .remedy = "Choose one of these."});
}

void check_positive(double value, const std::string &key) {
  if (!(value > 0))
    throw Error(ErrorKind::input, {.what = "The value must be positive.",
                                   .where = "[solver] " + key,
                                   .found = format_real(value),
                                   .allowed = "numbers above 0"});
}

// Numbers of hypre's manual for HYPRE_BoomerAMGSetCoarsenType and HYPRE_BoomerAMGSetInterpType.
const std::map<std::string, int> coarsenings = {
    {"cljp", 0}, {"falgout", 6}, {"pmis", 8}, {"hmis", 10}};
const std::map<std::string, int> interpolations = {{"classical", 0}, {"direct", 3},
                                                   {"multipass", 4}, {"extended_i", 6},
                                                   {"standard", 8},  {"extended", 14}};

HypreSettings make_hypre_settings(const SolverSpec &spec) {
  if (spec.op != "assembled")
    throw Error(ErrorKind::input,
                {.what = "the preconditioner hypre needs the entries of the matrix",
                 .where = "[solver] preconditioner",
                 .found = "operator = \"" + spec.op + "\"",
                 .allowed = "operator = \"assembled\"",
                 .remedy = "set operator = \"assembled\" in [solver], or choose preconditioner = "
                           "\"jacobi\" or \"chebyshev\""});
  return {.strong_threshold = spec.hypre.strong_threshold,
          .coarsening = named_kind(coarsenings, spec.hypre.coarsening, "preconditioner.coarsening"),
          .interpolation =
              named_kind(interpolations, spec.hypre.interpolation, "preconditioner.interpolation"),
          .aggressive_levels = spec.hypre.aggressive_levels,
          .reuse = spec.hypre.reuse};
}

} // namespace

SolverSettings make_solver_settings(const SolverSpec &spec) {
  static const std::map<std::string, KrylovKind> methods = {
      {"cg", KrylovKind::cg}, {"bicgstab", KrylovKind::bicgstab}, {"gmres", KrylovKind::gmres}};
  static const std::map<std::string, PrecondKind> preconditioners = {
      {"none", PrecondKind::none},
      {"jacobi", PrecondKind::jacobi},
      {"chebyshev", PrecondKind::chebyshev},
      {"hypre", PrecondKind::hypre}};
  check_positive(spec.tolerance, "tolerance");
  check_positive(spec.max_iterations, "max_iterations");
  check_positive(spec.restart, "restart");
  check_positive(spec.chebyshev_degree, "chebyshev_degree");
  check_positive(spec.newton.tolerance, "newton.tolerance");
  check_positive(spec.newton.max_iterations, "newton.max_iterations");

  SolverSettings settings;
  if (!spec.method.empty())
    settings.method = named_kind(methods, spec.method, "method");
  settings.preconditioner = named_kind(preconditioners, spec.preconditioner, "preconditioner");
  settings.tolerance = spec.tolerance;
  settings.max_iterations = spec.max_iterations;
  settings.restart = spec.restart;
  settings.chebyshev_degree = spec.chebyshev_degree;
  if (settings.preconditioner == PrecondKind::hypre)
    settings.hypre = make_hypre_settings(spec);
  settings.newton = {spec.newton.tolerance, spec.newton.max_iterations, spec.newton.check_jacobian};
  return settings;
}

} // namespace weft
