#include "run/open_motions.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "base/log.h"
#include "base/names.h"
#include "op/set_up/constraints.h"
#include "op/set_up/field_blocks.h"
#include "run/input/user_case.h"

namespace weft {

namespace {

bool is_open(const Simulation &s, int field, int component) {
  return std::any_of(s.null_space.motions.begin(), s.null_space.motions.end(),
                     [&](const OpenMotion &motion) {
                       return motion.field == field && motion.component == component;
                     });
}

// [field, component]: what [mean] says.
std::vector<std::vector<double>> means_of(const Simulation &s) {
  std::vector<std::vector<double>> means;
  for (const FieldSpec &field : s.discretisation.form.fields) {
    means.emplace_back(field.components(), 0.);
    for (const MeanSpec &mean : s.c.means)
      if (mean.field == field.name)
        std::copy_n(mean.values.begin(), std::min(mean.values.size(), means.back().size()),
                    means.back().begin());
  }
  return means;
}

void check_means(const Simulation &s) {
  for (const MeanSpec &mean : s.c.means) {
    const std::vector<FieldSpec> &fields = s.discretisation.form.fields;
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const FieldSpec &f) { return f.name == mean.field; });
    if (field == fields.end()) {
      std::vector<std::string> names;
      for (const FieldSpec &f : fields)
        names.push_back(f.name);
      throw Error(ErrorKind::input, {.what = "the mean of a field that is not there",
                                     .where = mean.place,
                                     .found = mean.field,
                                     .allowed = join_names(names)});
    }
    if (static_cast<int>(mean.values.size()) != field->components())
      throw Error(
          ErrorKind::input,
          {.what = fmt::format("the mean of {} needs a number for each component", mean.field),
           .where = mean.place,
           .found = fmt::format("{} numbers", mean.values.size()),
           .allowed = fmt::format("{}", field->components())});
    for (int k = 0; k < field->components(); ++k)
      if (!is_open(s, static_cast<int>(field - fields.begin()), k))
        throw Error(ErrorKind::input,
                    {.what = fmt::format("the mean of {} is not open: the equations and the "
                                         "prescribed values determine it",
                                         mean.field),
                     .where = mean.place,
                     .remedy = "leave [mean] out, or the conditions that fix the field"});
  }
}

// The constants of constraints alone are open, and their blocks stand for Schur complements: then
// GMRES needs no fixed dof, which would only cost it iterations.
bool fixes_itself(const Simulation &s) {
  if (s.c.solver.preconditioner != "blocks")
    return false;
  const FieldBlocks blocks = find_field_blocks(s.discretisation, s.state);
  return std::all_of(s.null_space.motions.begin(), s.null_space.motions.end(),
                     [&](const OpenMotion &motion) {
                       return blocks.kinds[motion.field] == FieldKind::constraint;
                     });
}

// Whether a bound determines the constant is known when it is solved only.
void refuse_bounds(const Simulation &s) {
  for (const OpenMotion &motion : s.null_space.motions)
    for (const BoundsSpec &bounds : s.c.bounds)
      if (s.discretisation.form.fields[motion.field].name == bounds.field)
        throw Error(ErrorKind::unsupported,
                    {.what = "bounds of a field that its equations determine but for a constant",
                     .where = bounds.place,
                     .found = "nothing determines the constant of " + bounds.field,
                     .allowed = "fields that [dirichlet] or the weak form hold somewhere",
                     .remedy = "prescribe a value, or add a weak spring such as "
                               "1e-6*u*test(u) to the weak form"});
}

} // namespace

void fix_open_motions(Simulation &s) {
  NonlinearOperator *op = s.model->system();
  if (op == nullptr || s.discretisation.law || !s.null_space.empty()) // fixed by an earlier solve
    return;
  Vector u = make_vector(*s.device, op->layout(), op->precision(), "state");
  Vector offset = make_vector(*s.device, op->layout(), op->precision(), "offset of rates");
  set_vector(*s.device, offset, std::vector<double>(op->size(), 0.));
  if (s.c.time && !s.c.time->is_load()) { // a step of any length: what dt() determines is not open
    op->set_rate(offset, 1);
    op->set_second_rate(offset, 1, 1);
  }
  op->set_dofs(s.state, u);
  op->set_constrained(u);
  s.null_space = find_null_space(*op, s.discretisation, u);
  check_means(s);
  if (s.null_space.empty())
    return;
  refuse_bounds(s);
  check_balance(*op, s.discretisation, s.null_space, u);
  std::vector<std::string> names;
  for (const OpenMotion &motion : s.null_space.motions)
    if (const std::string name = name_of(s.discretisation, motion);
        std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  const std::vector<double> state = get_vector(*s.device, u);
  log::notice("{}: nothing determines the {} of {}: {} over the mesh {} made {}", s.c.file,
              names.size() > 1 ? "constants" : "constant", join_names(names),
              names.size() > 1 ? "the means" : "the mean", names.size() > 1 ? "are" : "is",
              s.c.means.empty() ? "0 ([mean] may say otherwise)" : "what [mean] says");
  if (fixes_itself(s))
    return;
  Constraints &fixed = s.discretisation.fixed;
  fixed.dofs = dofs_to_fix(s.discretisation, s.null_space);
  for (const std::int32_t dof : fixed.dofs)
    fixed.values.push_back(state[dof]);
  s.discretisation.constraints = make_constraints(s.c, s.discretisation, false);
  s.kept_solver.reset();
  s.model->set_up(s.kernel_variant);
}

void set_open_motions(const Simulation &s, std::vector<double> &state) {
  if (!s.null_space.empty())
    take_out(s.discretisation, s.null_space, means_of(s), state);
}

} // namespace weft
