#include "run/adjoint/open_constants.h"

#include <numeric>

#include "base/error.h"
#include "op/evaluate/functional_derivative.h"
#include "op/set_up/constraints.h"

namespace weft {

namespace {

double product(const std::vector<double> &a, const std::vector<double> &b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.);
}

double sum_at(const std::vector<double> &values, const std::vector<std::int64_t> &dofs) {
  return std::accumulate(dofs.begin(), dofs.end(), 0.,
                         [&](double sum, std::int64_t dof) { return sum + values[dof]; });
}

} // namespace

OpenConstants::OpenConstants(const Simulation &s, const Case &c, Discretisation &d,
                             const std::vector<double> &state) {
  NullSpace space;
  for (const OpenMotion &motion : s.null_space.motions) {
    if (motion.component < 0)
      throw Error(ErrorKind::unsupported,
                  {.what = "an error estimate or a gradient of a body that may turn",
                   .where = s.c.file,
                   .found = "open: " + name_of(s.discretisation, motion),
                   .remedy = "prescribe values that hold the body, at points for example, or leave "
                             "error and gradient out"});
    const int components = d.form.fields[motion.field].components();
    const std::int64_t count = d.map_of_field(motion.field).num_local;
    Constant &constant = constants_.emplace_back();
    OpenMotion &here = space.motions.emplace_back(
        OpenMotion{motion.field, motion.component, std::vector<double>(count * components, 0.)});
    for (std::int64_t dof = motion.component; dof < count * components; dof += components) {
      here.values[dof] = 1;
      constant.dofs.push_back(d.field_offset[motion.field] + dof);
    }
    const FunctionalSpec mean{.kind = FunctionalKind::average,
                              .expression = {.text = name_of(s.discretisation, motion)}};
    constant.mean = derivative_by_dofs(c, d, mean, 0, {}, state);
  }
  if (space.empty())
    return;
  d.fixed = {.dofs = dofs_to_fix(d, space)};
  for (const std::int32_t dof : d.fixed.dofs)
    d.fixed.values.push_back(state[dof]);
  d.constraints = make_constraints(c, d, false);
}

void OpenConstants::make_orthogonal(std::vector<double> &load) const {
  for (const Constant &constant : constants_) {
    const double of_constant = sum_at(load, constant.dofs);
    for (std::size_t dof = 0; dof < load.size(); ++dof)
      load[dof] -= of_constant * constant.mean[dof];
  }
}

void OpenConstants::match_means(std::vector<double> &values,
                                const std::vector<double> &like) const {
  for (const Constant &constant : constants_) {
    const double mean = like.empty() ? 0 : product(constant.mean, like);
    const double shift = mean - product(constant.mean, values);
    for (const std::int64_t dof : constant.dofs)
      values[dof] += shift;
  }
}

} // namespace weft
