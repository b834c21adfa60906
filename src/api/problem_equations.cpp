// A problem's equations applied to vectors of the caller's.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "api/problem_parts.h"
#include "base/error.h"
#include "op/assembly/element_matrices.h"
#include "op/law/law_residual.h"
#include "op/problem/dof_layout.h"
#include "op/problem/rigid_motion.h"
#include "op/set_up/make_near_null_space.h"
#include "output/vtk/vtk_cells.h"
#include "run/settings/kernel_settings.h"

namespace weft {

void Problem::Parts::require_no_explicit_terms(const char *what) const {
  const Case &c = simulation->c;
  if (!c.form.explicit_integrals.empty())
    throw Error(
        ErrorKind::unsupported,
        {.what = fmt::format("{} of a weak form with terms that are taken explicitly in "
                             "time",
                             what),
         .where = c.form.explicit_integrals.front().integrand.where(),
         .allowed = "steps in time: solve(), step()",
         .remedy = "write the terms without `explicit`, for a time integrator of your own"});
}

void Problem::Parts::linearise(const Vector &at) {
  require_no_explicit_terms("the Jacobian");
  equations().linearise(at);
  is_linearised = true;
  assembled_is_current = false;
}

void Problem::Parts::require_linearised(const char *what) const {
  if (!is_linearised)
    throw Error(ErrorKind::input,
                {.what = fmt::format("{} needs the Jacobian, which is not known", what),
                 .remedy = "call linearise(u) first, and again after parameters or the time "
                           "have changed"});
}

void Problem::residual(std::span<const double> u, std::span<double> r) {
  parts_->require_no_explicit_terms("the residual");
  parts_->require_size(r.size(), "residual");
  const Vector &state = parts_->enter(parts_->x, u, "state");
  Vector &result = parts_->vector(parts_->r, "residual");
  parts_->equations().residual(state, result);
  parts_->leave(result, r);
}

void Problem::residual(const DeviceVector &u, DeviceVector &r) {
  parts_->require_no_explicit_terms("the residual");
  Vector result = parts_->entries(r, "residual");
  parts_->equations().residual(parts_->entries(u, "state"), result);
}

void Problem::linearise(std::span<const double> u) {
  parts_->linearise(parts_->enter(parts_->u, u, "state"));
}

void Problem::linearise(const DeviceVector &u) {
  // The caller's may change; operators keep a reference.
  const Vector &from = parts_->entries(u, "state");
  Vector &state = parts_->vector(parts_->u, "state");
  parts_->simulation->device->copy(from.buffer, state.buffer,
                                   from.size * size_bytes(from.precision));
  parts_->linearise(state);
}

void Problem::apply(std::span<const double> x, std::span<double> y) {
  parts_->require_linearised("apply()");
  parts_->require_size(y.size(), "result");
  const Vector &direction = parts_->enter(parts_->x, x, "direction");
  Vector &result = parts_->vector(parts_->r, "result");
  parts_->equations().apply(direction, result);
  parts_->leave(result, y);
}

void Problem::apply(const DeviceVector &x, DeviceVector &y) {
  parts_->require_linearised("apply()");
  Vector result = parts_->entries(y, "result");
  parts_->equations().apply(parts_->entries(x, "direction"), result);
}

void Problem::apply(std::span<const double> u, std::span<const double> x, std::span<double> y) {
  linearise(u);
  apply(x, y);
}

void Problem::diagonal(std::span<double> d) {
  parts_->require_linearised("diagonal()");
  parts_->require_size(d.size(), "diagonal");
  Vector &result = parts_->vector(parts_->r, "diagonal");
  parts_->equations().diagonal(result);
  parts_->leave(result, d);
}

MatrixView Problem::matrix() {
  Parts &p = *parts_;
  p.require_linearised("matrix()");
  Simulation &s = *p.simulation;
  const SparseMatrix *matrix = nullptr;
  if (auto *law = dynamic_cast<LawResidual *>(&p.equations())) {
    if (s.discretisation.law->fields.front().order != 0)
      throw Error(ErrorKind::unsupported,
                  {.what = "the matrix of a conservation law above order 0",
                   .where = s.c.file,
                   .allowed = "finite volumes and DG0; others have apply() and diagonal()"});
    law->keep_matrix();
    matrix = law->matrix();
  } else if (matrix = p.equations().matrix(); matrix == nullptr) {
    if (!p.assembled)
      p.assembled = std::make_unique<AssembledOperator>(
          *s.device, s.discretisation, operator_settings(s.c), assembly_settings(s.c));
    const auto &op = dynamic_cast<const FormOperator &>(p.equations());
    if (!p.assembled_is_current) { // it follows the operator in use
      p.assembled->take_rates(op, op.rate_offset(), op.second_rate_offset());
      p.assembled->set_time(op.time());
      p.assembled->linearise(p.u);
    }
    p.assembled_is_current = true;
    matrix = p.assembled->matrix();
  }
  p.matrix_values = matrix->host_values();
  const CsrPattern &pattern = matrix->pattern();
  return {.num_rows = static_cast<std::size_t>(pattern.num_rows),
          .row_start = pattern.row_start,
          .columns = pattern.columns,
          .values = {p.matrix_values.get(), static_cast<std::size_t>(pattern.num_entries())}};
}

void Problem::set_up_preconditioner() {
  Parts &p = *parts_;
  p.require_linearised("a preconditioner");
  if (!p.preconditioner) {
    p.preconditioner =
        std::make_unique<LinearSolver>(p.equations(), solver_settings(*p.simulation));
    return;
  }
  p.preconditioner->forget_setup();
  p.preconditioner->update();
}

void Problem::precondition(std::span<const double> r, std::span<double> z) {
  Parts &p = *parts_;
  p.require_size(z.size(), "result");
  if (!p.preconditioner)
    set_up_preconditioner();
  const Vector &residual = p.enter(p.x, r, "residual");
  Vector &result = p.vector(p.r, "result");
  p.preconditioner->precondition(residual, result);
  p.leave(result, z);
}

std::vector<std::vector<double>> Problem::near_null_space() const {
  const Discretisation &d = parts_->simulation->discretisation;
  const NearNullSpace space = make_near_null_space(d, !d.law && ignores_rotations(d));
  const auto num = static_cast<std::size_t>(d.num_owned);
  std::vector<std::vector<double>> vectors;
  for (int k = 0; k < (space.values.empty() ? 0 : space.num_vectors); ++k) {
    vectors.emplace_back(num, 0.0); // and 0 of the whole domain
    for (std::size_t i = 0; i < space.values.size() / space.num_vectors; ++i)
      vectors.back()[i] = space.values[i * space.num_vectors + k];
  }
  const bool of_constants = vectors.empty();
  for (std::size_t f = 0; of_constants && f < num_varying_fields(d.form.fields); ++f) {
    const FieldInfo of = field(d.form.fields[f].name);
    for (int k = 0; k < of.components; ++k) {
      vectors.emplace_back(num, 0.0);
      for (std::size_t n = 0; n < of.num_nodes; ++n)
        vectors.back()[of.offset + n * of.components + k] = 1;
    }
  }
  for (std::vector<double> &vector : vectors)
    for (const std::int32_t dof : d.constraints.dofs)
      vector[dof] = 0;
  // By Gram and Schmidt, twice.
  std::vector<std::vector<double>> orthonormal;
  for (std::vector<double> &vector : vectors) {
    const auto dot = [&](const std::vector<double> &other) {
      double sum = 0;
      for (std::size_t i = 0; i < num; ++i)
        sum += vector[i] * other[i];
      return sum;
    };
    const double before = std::sqrt(dot(vector));
    for (int pass = 0; pass < 2; ++pass)
      for (const std::vector<double> &other : orthonormal) {
        const double along = dot(other);
        for (std::size_t i = 0; i < num; ++i)
          vector[i] -= along * other[i];
      }
    const double norm = std::sqrt(dot(vector));
    if (!(norm > 1e-12 * before))
      continue;
    for (double &value : vector)
      value /= norm;
    orthonormal.push_back(std::move(vector));
  }
  return orthonormal;
}

namespace {

// Error (unsupported): a problem whose cells have no matrices.
void require_cell_matrices(const Simulation &s) {
  if (s.discretisation.law || !s.discretisation.form.c_text.empty())
    throw Error(ErrorKind::unsupported,
                {.what = "matrices of cells of this problem",
                 .where = s.c.file,
                 .found = s.discretisation.law ? "a conservation law" : "C text",
                 .allowed = "weak forms in the language of cases"});
}

ElementMatrices matrices_of_set(const Simulation &s, const FormIntegrals &integrals,
                                std::size_t set, MatrixDestination destination) {
  OperatorSettings settings = operator_settings(s.c);
  settings.strategy = Strategy::cell;
  settings.lanes = 1; // a cell's matrix lies together
  return {*s.device,
          integrals,
          with_choices(settings, integrals, s.device->info()),
          static_cast<int>(set),
          {.destination = destination}};
}

// [cell][row]: entries of states.
std::vector<std::int32_t> dofs_of_cells(const Discretisation &d, std::size_t set) {
  std::vector<std::int32_t> dofs;
  for (std::int64_t c = 0; c < d.mesh->sets[set].num_cells(); ++c)
    for (int f = 0; f < static_cast<int>(d.form.fields.size()); ++f) {
      const NodeMapSet &nodes = d.map_of_field(f).sets[set];
      const int n = nodes.element.num_nodes(), components = d.form.fields[f].components();
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < components; ++k)
          dofs.push_back(static_cast<std::int32_t>(
              d.own_offset[f] + std::int64_t(nodes.nodes[c * n + i]) * components + k));
    }
  return dofs;
}

} // namespace

std::vector<CellMatrices> Problem::cell_matrices(std::span<const double> u) {
  Parts &p = *parts_;
  const Simulation &s = *p.simulation;
  require_cell_matrices(s);
  const Discretisation &d = s.discretisation;
  const Vector &state = p.enter(p.x, u, "state");
  const FormIntegrals integrals(d);
  std::vector<CellMatrices> all;
  for (std::size_t set = 0; set < d.mesh->sets.size() && integrals.has_cells(); ++set) {
    ElementMatrices made = matrices_of_set(s, integrals, set, MatrixDestination::per_cell);
    made.compute(state);
    CellMatrices of_set{.vtk_type = vtk_cell_type(d.mesh->sets[set].type, d.geometry.order),
                        .num_cells = static_cast<std::size_t>(d.mesh->sets[set].num_cells()),
                        .size = 0,
                        .dofs = dofs_of_cells(d, set),
                        .values = {}};
    if (of_set.num_cells > 0)
      of_set.size = of_set.dofs.size() / of_set.num_cells;
    of_set.values.reserve(of_set.dofs.size() * of_set.size);
    for (const std::vector<double> &matrix : made.host())
      of_set.values.insert(of_set.values.end(), matrix.begin(), matrix.end());
    all.push_back(std::move(of_set));
  }
  return all;
}

void Problem::apply_cell_matrices(std::span<const double> u, std::span<const double> x,
                                  std::span<double> y) {
  Parts &p = *parts_;
  const Simulation &s = *p.simulation;
  require_cell_matrices(s);
  p.require_size(y.size(), "result");
  const Discretisation &d = s.discretisation;
  const Vector &state = p.enter(p.x, u, "state");
  const Vector &direction = p.enter(p.r, x, "direction");
  const FormIntegrals integrals(d);
  std::fill(y.begin(), y.end(), 0.0);
  for (std::size_t set = 0; set < d.mesh->sets.size() && integrals.has_cells(); ++set) {
    ElementMatrices made = matrices_of_set(s, integrals, set, MatrixDestination::applied);
    made.compute(state, &direction);
    const std::vector<std::int32_t> dofs = dofs_of_cells(d, set);
    std::size_t at = 0;
    for (const std::vector<double> &vector : made.host())
      for (const double value : vector)
        y[dofs[at++]] += value;
  }
}

} // namespace weft
