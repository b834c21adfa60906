#include "run/model/solver_choice.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/error.h"
#include "base/log.h"
#include "base/names.h"
#include "base/system/processor.h"
#include "form/law/law_slopes.h"
#include "op/problem/dof_layout.h"
#include "op/problem/quadrature_degree.h"
#include "op/set_up/definiteness.h"
#include "op/set_up/field_blocks.h"
#include "op/set_up/make_csr_pattern.h"
#include "run/settings/case_solver_settings.h"
#include "solve/direct/direct_solver.h"
#include "solve/direct/elimination_cost.h"
#include "solve/settings.h"

namespace weft {

namespace {

// By way of a matrix: not forms in C text, whose entries are not known.
bool can_be_assembled(const Form &form) {
  return form.c_text.empty();
}

bool has_second_derivatives(const Form &form) {
  return std::any_of(form.integrals.begin(), form.integrals.end(),
                     [](const FormIntegral &integral) { return integral.second; });
}

// Of a form that is symmetric and definite, but for a border. Blocks of several fields have no
// aggregates in common; those of equations of fourth order had to hold linear functions too.
bool multigrid_is_safe(const SolverSpec &s, const Form &form) {
  return s.op != "matrix_free" && num_varying_fields(form.fields) == 1 && can_be_assembled(form) &&
         !has_second_derivatives(form);
}

// Scalar fields on the same nodes, each of which diffuses, that depend on one another, and do not
// grow by themselves unless in steps of time, which follow that: multigrid of all at once, field by
// field on each level. It needs a fifth of the iterations that solving them one after the other
// takes where they are coupled strongly.
bool go_together(const FieldBlocks &blocks, const Discretisation &d) {
  const auto count = blocks.kinds.size();
  bool both_ways = false;
  for (std::size_t f = 0; f < count; ++f) {
    const bool diffuses =
        blocks.kinds[f] == FieldKind::elliptic ||
        (blocks.kinds[f] == FieldKind::transported && (blocks.damped[f] || has_rates(d.form)));
    if (!diffuses || d.form.fields[f].components() > 1 || d.field_map[f] != d.field_map[0])
      return false;
    for (std::size_t other = 0; other < f; ++other)
      both_ways = both_ways || (blocks.couples[f][other] && blocks.couples[other][f]);
  }
  return both_ways;
}
// Fewer unknowns are eliminated.
constexpr std::int64_t together_from_dofs = 5000;

// A stationary equation of one field that is not symmetric, convection and diffusion above all: at
// every cell Peclet number GMRES takes a tenth of the iterations with incomplete factors,
// or less, of those with the diagonal, and multigrid by polynomials often fails. In steps of time,
// where the diagonal may do, factors would be made for each.
bool wants_ilu(const Case &c, const Discretisation &d) {
  return c.solver.method == "gmres" && c.solver.op != "matrix_free" && !c.time &&
         !d.form.symmetric && num_varying_fields(d.form.fields) == 1 && can_be_assembled(d.form) &&
         d.num_global >= multigrid_from_dofs;
}

// Multigrid by orders above order 1, unless something said asks for levels of a matrix. The
// operators of high orders are not assembled, which costs more than all iterations, and fewer
// iterations are needed. Stiffness that changes with large strains stays with the matrix, which a
// direct solver may take over.
bool wants_orders(const SolverSpec &s, const Discretisation &d) {
  return d.bounds.empty() && d.ties.empty() && !has_second_derivatives(d.form) &&
         s.op != "assembled" && s.coarsening.empty() && !smooths_by_inverse(s) &&
         highest_field_order(d) > 1 && d.form.fields.size() == 1 &&
         !d.form.fields.front().discontinuous && can_be_assembled(d.form) &&
         (d.form.linear || d.form.fields.front().components() == 1);
}

// What elimination may cost: less than a second where what iterates is sure to converge, but may
// take long (elasticity of slender bodies); seconds where it often does (first derivatives, several
// fields); minutes where nothing else is sure to, or has failed, all within a part of the memory.
// MUMPS does
// some 1e10 operations a second, Eigen's SparseLU a tenth of that.
constexpr double few_operations = 2e9, some_operations = 2e10, most_operations = 1e12;
constexpr double memory_fraction = 0.4;
// To count them takes time too, and beyond so many nodes they are certain to be too many.
std::int64_t most_nodes(int dim, double most_operations_allowed) {
  const bool few = most_operations_allowed < most_operations;
  return dim < 3 ? 500'000 : few ? 8'000 : 150'000;
}

// All: among ranks the first one eliminates.
bool is_affordable(const Discretisation &d, double most) {
  std::int64_t num_nodes = 0;
  for (const int map : d.field_map)
    num_nodes += d.maps[map].num_global;
  if (num_nodes > most_nodes(d.mesh->dim, most))
    return false;
  const CsrPattern nodes = make_node_pattern(d);
  if (!is_first(d.ranks))
    return any(d.ranks, false);
  const double per_node = static_cast<double>(d.num_global) /
                          static_cast<double>(std::max<std::int64_t>(nodes.num_rows, 1));
  const EliminationCost cost = elimination_cost(nodes, per_node);
  const double factors = d.form.symmetric && has_direct_module() ? 1 : 2;
  const double rate = has_direct_module() ? 1 : 0.1;
  const double bytes = 2 * factors * cost.entries * sizeof(double); // with what is being eliminated
  log::debug("elimination: {:.3g} operations, {:.3g} entries", factors * cost.operations,
             factors * cost.entries);
  return any(d.ranks, factors * cost.operations <= rate * most &&
                          bytes <= memory_fraction * static_cast<double>(host_memory_bytes()));
}

// Of several fields in a matrix; else none.
FieldBlocks blocks_of_matrix(const SolverSpec &s, const Discretisation &d,
                             const std::vector<double> &state) {
  if (s.op == "matrix_free" || d.form.fields.size() < 2 || !can_be_assembled(d.form))
    return {};
  return find_field_blocks(d, state);
}

// `definite`: the matrix is sure to be symmetric and positive definite.
bool wants_direct(const SolverSpec &s, const Discretisation &d, bool definite,
                  const FieldBlocks &blocks) {
  if (!s.method.empty() || !s.preconditioner.empty() || s.op == "matrix_free" ||
      !can_be_assembled(d.form))
    return false;
  const bool scalar = d.form.fields.size() == 1 && d.form.fields.front().components() == 1;
  // Of fourth order: iterations grow with the square of the number of cells along a side.
  if (definite && has_second_derivatives(d.form))
    return is_affordable(d, some_operations);
  if (go_together(blocks, d))
    return d.num_global < together_from_dofs && is_affordable(d, few_operations);
  if (d.form.fields.size() > 1 && d.ranks) // which have no solver for each field
    return !definite && is_affordable(d, most_operations);
  if (d.form.fields.size() > 1)
    return is_affordable(d, blocks.definite() ? few_operations : some_operations);
  if (!definite && !scalar)
    return is_affordable(d, most_operations);
  if (!definite)
    return is_affordable(d, d.form.symmetric ? most_operations : some_operations);
  return !scalar && d.num_global < multigrid_from_dofs && is_affordable(d, few_operations);
}

// "f16", "f32, f16": of what works in a low precision.
std::string precision_text(const SolverSettings &settings) {
  if (settings.preconditioner == PrecondKind::low_precision)
    return to_string(settings.inner.precision);
  if (settings.preconditioner != PrecondKind::multigrid &&
      settings.preconditioner != PrecondKind::blocks)
    return {};
  std::vector<std::string> names;
  for (const Precision precision : settings.multigrid.precisions)
    names.push_back(to_string(precision));
  return join_names(names);
}

// The matrix of a law is for its preconditioner alone, and has the entries of cells that meet.
void check_preconditioner(const SolverSpec &s, const ConservationLaw &law) {
  const auto refuse = [&](const std::string &what, const std::string &found,
                          const std::string &allowed) {
    throw Error(ErrorKind::unsupported, {.what = what,
                                         .where = "[solver] preconditioner",
                                         .found = found,
                                         .allowed = allowed,
                                         .remedy = "write preconditioner = \"jacobi\""});
  };
  if (needs_matrix(s) && law.fields.front().order > 0)
    refuse("a preconditioner of implicit steps that needs a matrix, above order 0",
           fmt::format("{} with element = \"{}\"",
                       s.method == "direct" ? s.method : s.preconditioner,
                       law.fields.front().element()),
           "none, jacobi, chebyshev; with element = \"FV\" or \"DG0\" ilu, spai, adi, multigrid, "
           "hypre and "
           "direct too");
  const bool discretised =
      s.preconditioner == "multigrid" && (s.coarsening == "nested" || s.coarsening == "low_order");
  if (discretised || s.preconditioner == "low_precision" || s.method == "defect_correction")
    refuse("a solver in low precision or on nested meshes, of a conservation law",
           discretised                       ? fmt::format("coarsening = \"{}\"", s.coarsening)
           : s.method == "defect_correction" ? "method = \"defect_correction\""
                                             : "low_precision",
           "cg, bicgstab, gmres with none, jacobi, chebyshev, ilu, spai, adi, multigrid by "
           "aggregation, "
           "hypre");
}

// Coarser discretisations, and grids of lines, do not know which unknowns are held at their bounds,
// or follow others, and those of lower orders lose second derivatives.
void refuse_coarser_discretisations(const SolverSpec &s, const char *of) {
  const bool by_lines = s.preconditioner == "adi";
  if (s.coarsening != "nested" && s.coarsening != "low_order" && !by_lines)
    return;
  throw Error(ErrorKind::unsupported,
              {.what = fmt::format("{} {}",
                                   by_lines ? "lines of a grid as a preconditioner"
                                            : "multigrid by coarser discretisations",
                                   of),
               .where = "[solver] preconditioner",
               .found = by_lines ? "\"adi\"" : fmt::format("coarsening = \"{}\"", s.coarsening),
               .allowed = by_lines ? "multigrid, jacobi, chebyshev, ilu, hypre, direct"
                                   : "coarsening = \"aggregation\"",
               .remedy = by_lines ? "leave preconditioner out" : "leave coarsening out"});
}

// The border makes a system indefinite, and its preconditioner is not symmetric; levels, factors
// along lines and low precision are of fields that vary. hypre eliminates its coarsest level, which
// is singular where the border alone makes the system regular.
void refuse_for_border(const SolverSpec &s, const Form &form) {
  const auto refuse = [&](const char *key, const std::string &found, const std::string &allowed) {
    throw Error(ErrorKind::unsupported,
                {.what = fmt::format("this solver of a system with a field of the whole domain, {}",
                                     form.fields.back().name),
                 .where = std::string("[solver] ") + key,
                 .found = found,
                 .allowed = allowed,
                 .remedy = "leave the key out: Weft chooses"});
  };
  if (s.method == "cg" || s.method == "defect_correction")
    refuse("method", s.method, "gmres, bicgstab, direct");
  if (s.preconditioner == "adi" || s.preconditioner == "low_precision" ||
      s.preconditioner == "hypre")
    refuse("preconditioner", s.preconditioner,
           "none, jacobi, chebyshev, ilu, spai, multigrid, blocks, direct");
  if (s.coarsening == "nested" || s.coarsening == "low_order")
    refuse("preconditioner.coarsening", s.coarsening, "aggregation");
}

} // namespace

bool elimination_is_affordable(const Discretisation &d) {
  return can_be_assembled(d.form) && is_affordable(d, most_operations);
}

SolverRecord choose_solver_of_law(Case &c, const ConservationLaw &law) {
  SolverSpec &s = c.solver;
  check_preconditioner(s, law);
  SolverRecord record{.op = "matrix_free"};
  if (s.method == "direct")
    s.preconditioner = "direct";
  record.chosen = s.method.empty() || s.preconditioner.empty();
  if (s.method.empty())
    s.method = law_slopes(law).symmetric && s.preconditioner != "adi" ? "cg" : "gmres";
  if (s.preconditioner.empty())
    s.preconditioner = "jacobi";
  if (s.op.empty())
    s.op = needs_matrix(s) ? "assembled" : "matrix_free";
  record.method = s.method;
  record.preconditioner = s.preconditioner;
  record.precision = precision_text(make_solver_settings(s));
  return record;
}

void check_solver(SolverSpec s) {
  if (s.op == "matrix_free" && s.coarsening.empty() && s.preconditioner == "multigrid" &&
      !smooths_by_inverse(s))
    s.coarsening = "nested"; // as it is for some forms; others are refused when they are known
  if (s.op.empty())
    s.op = needs_matrix(s) ? "assembled" : "matrix_free";
  make_solver_settings(s);
}

void refuse_on_ranks(const Case &c, int ranks) {
  const auto check = [&](const char *key, const std::string &found,
                         const std::set<std::string> &allowed) {
    if (found.empty() || allowed.contains(found))
      return;
    throw Error(ErrorKind::unsupported,
                {.what = fmt::format("{} = \"{}\" shared by several processes", key, found),
                 .where = place_in(c, std::string("[solver] ") + key),
                 .found = fmt::format("{} processes of a launcher (mpirun, srun)", ranks),
                 .allowed = join_names({allowed.begin(), allowed.end()}),
                 .remedy = "leave the key out, or start weft without the launcher: one process "
                           "uses all cores of a machine"});
  };
  check("method", c.solver.method, {"cg", "gmres", "bicgstab", "defect_correction", "direct"});
  check("coarsening", c.solver.coarsening, {"aggregation", "nested"});
  check("preconditioner", c.solver.blocks.empty() ? c.solver.preconditioner : "blocks",
        {"none", "jacobi", "chebyshev", "multigrid", "hypre", "low_precision", "direct"});
}

SolverRecord choose_solver_of_form(Case &c, const Discretisation &d,
                                   const std::vector<double> &state) {
  SolverSpec &s = c.solver;
  if (!d.bounds.empty())
    refuse_coarser_discretisations(s, "of fields with bounds");
  if (!d.ties.empty())
    refuse_coarser_discretisations(s, "of fields that are tied");
  if (has_second_derivatives(d.form))
    refuse_coarser_discretisations(s, "of a form with second derivatives");
  const bool bordered = num_border_dofs(d.form.fields) > 0;
  if (bordered)
    refuse_for_border(s, d.form);
  const bool alone = !d.ranks; // else blocks and incomplete factors are not there
  SolverRecord record;
  // A direct solver has no preconditioner; what needs a matrix leaves no choice of the operator.
  record.chosen = s.method.empty() ||
                  (s.method != "direct" && s.preconditioner.empty() && s.blocks.empty()) ||
                  (s.op.empty() && !needs_matrix(s));
  record.method_chosen = s.method.empty();
  record.preconditioner_chosen = s.preconditioner.empty() && s.blocks.empty();
  const bool definite = !bordered && !any(d.ranks, !(d.form.symmetric && d.form.c_text.empty() &&
                                                     integrand_is_semidefinite(d, state)));
  if (s.preconditioner.empty() && !s.blocks.empty())
    s.preconditioner = "blocks";
  const FieldBlocks blocks = alone ? blocks_of_matrix(s, d, state) : FieldBlocks{};
  // Each field by a solver of its own.
  const bool by_blocks = !blocks.kinds.empty() && num_varying_fields(d.form.fields) > 1;
  const bool definite_inside =
      bordered && !blocks.kinds.empty() && blocks.kinds.front() == FieldKind::elliptic;
  const bool safe = (definite || definite_inside) && multigrid_is_safe(s, d.form);
  if (wants_direct(s, d, definite, blocks))
    s.method = "direct";
  else if (go_together(blocks, d) && s.preconditioner.empty() &&
           (s.method.empty() || s.method == "gmres"))
    s.preconditioner = "multigrid";
  else if (by_blocks && s.preconditioner.empty() && s.method != "defect_correction" &&
           s.method != "cg") // to which blocks one after the other are no preconditioner
    s.preconditioner = "blocks";
  if (s.method.empty() && s.preconditioner == "direct")
    s.method = "gmres";
  if (s.method.empty())
    s.method =
        definite && s.preconditioner != "blocks" && s.preconditioner != "adi" ? "cg" : "gmres";
  if (s.method == "direct")
    s.preconditioner = "direct";
  const bool inner = s.method == "defect_correction" && s.preconditioner.empty();
  if (inner && s.inner.method.empty())
    s.inner.method = safe ? "multigrid" : "chebyshev";
  const bool by_orders = definite && wants_orders(s, d);
  if (s.preconditioner.empty() && !inner)
    s.preconditioner = (safe || by_orders) && (d.num_global >= multigrid_from_dofs ||
                                               d.form.fields.front().components() > 1)
                           ? "multigrid"
                       : alone && wants_ilu(c, d) ? "ilu"
                                                  : "jacobi";
  if (s.preconditioner == "multigrid" && by_orders) {
    s.coarsening = "nested";
    record.orders_chosen = s.op.empty(); // else no matrix may take over
    record.chosen = record.chosen || s.op.empty();
  }
  if (s.op.empty())
    s.op = needs_matrix(s) ? "assembled" : "matrix_free";
  record.op = s.op;
  record.method = s.method;
  record.preconditioner = inner ? s.inner.method : s.preconditioner;
  record.precision = precision_text(make_solver_settings(s));
  return record;
}

} // namespace weft
