#include "weft/multigrid.h"

#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "api/callers_matrix.h"
#include "base/error.h"
#include "base/names.h"
#include "base/number.h"
#include "base/parallel.h"
#include "base/precision_name.h"
#include "base/timer.h"
#include "device/open/open_device.h"
#include "op/set_up/rigid_body_values.h"
#include "solve/linear/linear.h"
#include "solve/precondition/precond_multigrid.h"
#include "solve/setting_names.h"

namespace weft {

namespace {

template <typename Number>
void require_range(Number value, Number least, Number most, const std::string &where) {
  if (!(value >= least && value <= most))
    throw Error(ErrorKind::input, {.what = "a number out of its range",
                                   .where = where,
                                   .found = fmt::format("{}", value),
                                   .allowed = fmt::format("{} to {}", least, most)});
}

void require_positive(double value, const std::string &where) {
  if (!(value > 0))
    throw Error(ErrorKind::input, {.what = "a number that has to be positive",
                                   .where = where,
                                   .found = format_real(value),
                                   .allowed = "numbers above 0"});
}

void require_size(std::size_t found, std::size_t expected, const std::string &where,
                  const std::string &why) {
  if (found != expected)
    throw Error(ErrorKind::input, {.what = "an array of the wrong size",
                                   .where = where,
                                   .found = fmt::format("{} entries", found),
                                   .allowed = fmt::format("{} ({})", expected, why)});
}

MultigridSettings settings_of(const MultigridOptions &options) {
  require_range(options.degree, 1, 64, "MultigridOptions::degree");
  require_range(options.sweeps.value_or(1), 1, 64, "MultigridOptions::sweeps");
  require_range(options.strength.value_or(0), 0., 1., "MultigridOptions::strength");
  require_range(options.max_levels, 1, 50, "MultigridOptions::max_levels");
  require_range(options.coarsest_size, 1, 5000, "MultigridOptions::coarsest_size");
  MultigridSettings settings;
  settings.cycle =
      named_kind(multigrid_cycle_names(), options.cycle, "cycle", "MultigridOptions::cycle");
  settings.smoother =
      named_kind(smoother_names(), options.smoother, "smoother", "MultigridOptions::smoother");
  settings.degree = options.degree;
  settings.sweeps = options.sweeps.value_or(smooths_by_inverse(settings.smoother) ? 1 : 2);
  settings.strength = options.strength;
  settings.max_levels = options.max_levels;
  settings.coarsest_size = options.coarsest_size;
  if (!options.precision.empty())
    settings.precisions.clear();
  for (const std::string &name : options.precision)
    settings.precisions.push_back(precision_from_name(name, "MultigridOptions::precision"));
  return settings;
}

void require_finite(const std::vector<double> &values, const std::string &where) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw Error(ErrorKind::input, {.what = "a number that is not finite",
                                     .where = fmt::format("{}[{}]", where, i),
                                     .found = format_real(values[i]),
                                     .allowed = "finite numbers"});
}

NearNullSpace rigid_body_modes(const MultigridOptions &options, std::int64_t num_rows) {
  const std::string where = "MultigridOptions::coordinates";
  const int dim = options.block_size;
  if (dim != 2 && dim != 3)
    throw Error(ErrorKind::input, {.what = "coordinates make rigid body modes of displacements",
                                   .where = where,
                                   .found = fmt::format("block_size = {}", dim),
                                   .allowed = "2 or 3, the dimension",
                                   .remedy = "set block_size, or give near_null_space"});
  if (!options.near_null_space.empty())
    throw Error(ErrorKind::input, {.what = "two near null spaces",
                                   .where = where,
                                   .found = "coordinates beside near_null_space",
                                   .remedy = "leave one of them out"});
  require_size(options.coordinates.size(), num_rows, where, "nodes times dimension");
  require_finite(options.coordinates, where);
  return {.num_vectors = dim * (dim + 1) / 2,
          .components = dim,
          .values = rigid_body_values(options.coordinates, dim, nullptr)};
}

NearNullSpace near_null_space_of(const MultigridOptions &options, std::int64_t num_rows) {
  if (!options.coordinates.empty())
    return rigid_body_modes(options, num_rows);
  constexpr std::int64_t most_vectors = 64;
  const auto size = static_cast<std::int64_t>(options.near_null_space.size());
  const std::string where = "MultigridOptions::near_null_space";
  if (size % num_rows != 0 || size / num_rows > most_vectors)
    throw Error(ErrorKind::input,
                {.what = "near null vectors have an entry for each row",
                 .where = where,
                 .found = fmt::format("{} entries", size),
                 .allowed = fmt::format("a multiple of the {} rows, up to {} vectors", num_rows,
                                        most_vectors)});
  require_finite(options.near_null_space, where);
  return {.num_vectors = static_cast<int>(size / num_rows),
          .components = options.block_size,
          .values = options.near_null_space};
}

std::unique_ptr<Device> device_of(const MultigridOptions &options) {
  require_num_threads(options.threads, "MultigridOptions::threads");
  std::unique_ptr<Device> device =
      open_device(options.device, options.threads, "MultigridOptions::device");
  if (!device->info().has_f64)
    throw Error(ErrorKind::unsupported, {.what = "matrices in f64 on this device",
                                         .where = "MultigridOptions::device",
                                         .found = device->info().name,
                                         .remedy = "choose a device that computes in f64"});
  return device;
}

SolverSettings settings_of(const SolveOptions &options, bool is_symmetric) {
  require_positive(options.tolerance, "SolveOptions::tolerance");
  require_range(options.max_iterations, 1, 1'000'000'000, "SolveOptions::max_iterations");
  require_range(options.restart, 0, 10'000, "SolveOptions::restart");
  SolverSettings settings;
  settings.preconditioner = PrecondKind::multigrid;
  if (!options.method.empty())
    settings.method =
        named_kind(krylov_kind_names(), options.method, "method", "SolveOptions::method");
  if (settings.method == KrylovKind::cg && !is_symmetric)
    throw Error(ErrorKind::input,
                {.what = "cg is for symmetric matrices",
                 .where = "SolveOptions::method",
                 .found = "a matrix that is not symmetric",
                 .allowed = "gmres, bicgstab, defect_correction",
                 .remedy =
                     "choose one of these, or set MultigridOptions::symmetric where it is but "
                     "for errors of its entries"});
  settings.tolerance = options.tolerance;
  settings.max_iterations = options.max_iterations;
  settings.may_enlarge_restart = options.restart == 0;
  if (options.restart > 0)
    settings.restart = options.restart;
  return settings;
}

} // namespace

// In the order in which they refer to one another.
struct Multigrid::Parts {
  Parts(const CsrMatrix &given, const MultigridOptions &options)
      : said_symmetric(options.symmetric), matrix_on_host(given, options.block_size),
        multigrid(settings_of(options)),
        null_space(near_null_space_of(options, static_cast<std::int64_t>(given.num_rows))),
        values(matrix_on_host.take_values(given.values)), device(device_of(options)),
        matrix(*device, matrix_on_host.pattern(), values, is_symmetric()),
        kernels(*device, Precision::f64, matrix.size(), 1, {}),
        precond(std::make_shared<PrecondMultigrid>(
            kernels, aggregation_multigrid(multigrid, null_space), false)),
        r(kernels.vector("residual")), z(kernels.vector("correction")) {
    precond->update(matrix);
  }

  bool is_symmetric() const {
    return said_symmetric ? *said_symmetric : matrix_on_host.is_symmetric();
  }
  void require_row_each(std::size_t found, const char *what) const {
    require_size(found, static_cast<std::size_t>(matrix.size()), what, "num_rows");
  }
  void write(std::span<const double> from, const Vector &to) const {
    device->write(to.buffer, from.data(), from.size_bytes());
  }
  void read(const Vector &from, std::span<double> to) const {
    device->read(from.buffer, to.data(), to.size_bytes());
  }
  // Kept while the same is asked for.
  LinearSolver &solver_for(const SolverSettings &settings) {
    const Asked asked = {settings.method, settings.max_iterations, settings.restart,
                         settings.may_enlarge_restart};
    if (!solver || asked != solver_is_for) {
      solver.reset();
      solver = std::make_unique<LinearSolver>(matrix, settings, precond);
      solver_is_for = asked;
    }
    return *solver;
  }

  using Asked = std::tuple<std::optional<KrylovKind>, int, int, bool>;

  std::optional<bool> said_symmetric;
  CallersMatrix matrix_on_host;
  MultigridSettings multigrid;
  NearNullSpace null_space;
  std::span<const double> values;
  std::unique_ptr<Device> device;
  SparseMatrix matrix;
  VectorKernels kernels;
  std::shared_ptr<PrecondMultigrid> precond;
  Vector r, z;
  std::unique_ptr<LinearSolver> solver;
  Asked solver_is_for;
  double setup_seconds = 0;
};

Multigrid::Multigrid(const CsrMatrix &matrix, const MultigridOptions &options) {
  const Timer timer;
  parts_ = std::make_unique<Parts>(matrix, options);
  parts_->device->finish();
  parts_->setup_seconds = timer.seconds();
}

Multigrid::~Multigrid() = default;
Multigrid::Multigrid(Multigrid &&) noexcept = default;
Multigrid &Multigrid::operator=(Multigrid &&) noexcept = default;

void Multigrid::update(std::span<const double> values) {
  Parts &p = *parts_;
  const Timer timer;
  p.values = p.matrix_on_host.take_values(values);
  const bool is_symmetric = p.is_symmetric();
  if (is_symmetric != p.matrix.symmetric())
    p.solver.reset();
  p.matrix.see_values(p.values, is_symmetric);
  p.precond->update(p.matrix);
  p.device->finish();
  p.setup_seconds = timer.seconds();
}

void Multigrid::apply(std::span<const double> r, std::span<double> z) {
  Parts &p = *parts_;
  p.require_row_each(r.size(), "r");
  p.require_row_each(z.size(), "z");
  p.write(r, p.r);
  Vector scratch; // multigrid needs none
  p.read(p.precond->apply(p.r, p.z, scratch), z);
}

SolveResult Multigrid::solve(std::span<const double> b, std::span<double> x,
                             const SolveOptions &options) {
  Parts &p = *parts_;
  p.require_row_each(b.size(), "b");
  p.require_row_each(x.size(), "x");
  const Timer timer;
  const SolverSettings settings = settings_of(options, p.matrix.symmetric());
  p.write(b, p.r);
  p.write(x, p.z);
  LinearSolver &solver = p.solver_for(settings);
  const SolveReport report = solver.solve(p.r, p.z, settings.tolerance, options.progress);
  p.read(p.z, x);
  return {.converged = report.converged,
          .reason = report.reason,
          .iterations = report.iterations,
          .residual = report.residual,
          .seconds = timer.seconds(),
          .setup_seconds = p.setup_seconds};
}

std::size_t Multigrid::num_rows() const {
  return static_cast<std::size_t>(parts_->matrix.size());
}

bool Multigrid::symmetric() const {
  return parts_->matrix.symmetric();
}

bool Multigrid::copies_arrays() const {
  return parts_->matrix_on_host.is_copy();
}

std::vector<MultigridLevelInfo> Multigrid::levels() const {
  std::vector<MultigridLevelInfo> levels;
  for (const LevelSummary &level : parts_->precond->levels())
    levels.push_back({.unknowns = static_cast<std::size_t>(level.unknowns),
                      .entries = static_cast<std::size_t>(level.entries),
                      .precision = to_string(level.storage),
                      .bytes = level.bytes});
  return levels;
}

double Multigrid::operator_complexity() const {
  return weft::operator_complexity(parts_->precond->levels()).value_or(1);
}

std::size_t Multigrid::bytes() const {
  return parts_->device->allocated_bytes() + parts_->matrix_on_host.bytes_of_copies() +
         parts_->null_space.values.size() * sizeof(double);
}

double Multigrid::setup_seconds() const {
  return parts_->setup_seconds;
}

const std::string &Multigrid::device() const {
  return parts_->device->info().selector;
}

} // namespace weft
