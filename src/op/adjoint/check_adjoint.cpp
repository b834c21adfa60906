#include "op/adjoint/check_adjoint.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "base/error.h"
#include "form/expression/parameter_derivative.h"
#include "op/adjoint/adjoint_problem.h"

namespace weft {

namespace {

bool asks(const FunctionalSpec &spec) {
  return spec.error || !spec.gradient.empty();
}

// What the equations are that have no adjoint here, and what to do.
struct Obstacle {
  std::string found, remedy;
};

std::optional<Obstacle> obstacle_of(const Case &c, const Discretisation &d) {
  const std::string leave_out = "leave error and gradient out";
  if (!c.stages.empty() && c.stage != c.stages.front())
    return Obstacle{"a stage after the first, whose known fields have errors and derivatives too",
                    leave_out + ", or write the stages as one problem"};
  if (!c.recovered.empty())
    return Obstacle{"a case with [recovered]", leave_out + ", or [recovered]"};
  if (d.law)
    return Obstacle{"a conservation law",
                    leave_out + ", or compare runs on meshes of which one is finer"};
  if (c.time && c.time->is_load())
    return Obstacle{"a case with [load]",
                    leave_out + ", or write the load that matters as a parameter without [load]"};
  if (c.time)
    return Obstacle{"a case with [time]", leave_out + ", or compare runs of several steps"};
  if (!d.form.c_text.empty())
    return Obstacle{"pointwise functions in C text, whose derivatives are not known",
                    "write f0 and f1 as expressions"};
  if (!d.bounds.empty())
    return Obstacle{"a field with bounds", leave_out + ", or compare runs"};
  if (!d.interior.empty())
    return Obstacle{"integrals over facets between two cells", leave_out};
  if (std::any_of(d.form.fields.begin(), d.form.fields.end(),
                  [](const FieldSpec &field) { return field.discontinuous; }))
    return Obstacle{"a discontinuous field", leave_out};
  if (d.ranks)
    return Obstacle{fmt::format("{} processes of a launcher (mpirun, srun)", d.ranks->size()),
                    "start weft without the launcher: one process uses all cores of a machine"};
  return {};
}

// Elements of the next order, or cells of half the size, which hold all functions of the larger
// ones but for those of pyramids, which are rational.
bool has_higher_space(const Case &c, const Mesh &mesh) {
  return without_next_order(c, mesh).empty() ||
         (std::all_of(c.form.fields.begin(), c.form.fields.end(),
                      [](const FieldSpec &field) { return field.order > 0; }) &&
          std::none_of(mesh.sets.begin(), mesh.sets.end(),
                       [](const CellSet &set) { return set.type == CellType::pyramid; }));
}

} // namespace

bool asks_for_errors(const Case &c) {
  return std::any_of(c.functionals.begin(), c.functionals.end(),
                     [](const FunctionalSpec &spec) { return spec.error; });
}

bool asks_for_gradients(const Case &c) {
  return std::any_of(c.functionals.begin(), c.functionals.end(),
                     [](const FunctionalSpec &spec) { return !spec.gradient.empty(); });
}

void check_adjoint(const Case &c, const Discretisation &d) {
  const std::optional<Obstacle> obstacle = obstacle_of(c, d);
  for (const FunctionalSpec &spec : c.functionals) {
    if (!asks(spec))
      continue;
    const std::string what = fmt::format(
        "{} of the functional `{}`", spec.error ? "an error estimate" : "a gradient", spec.name);
    if (obstacle)
      throw Error(ErrorKind::unsupported, {.what = what,
                                           .where = spec.expression.where(),
                                           .found = obstacle->found,
                                           .allowed = "stationary weak forms of continuous "
                                                      "fields as expressions, without integrals "
                                                      "over inner facets, in one process",
                                           .remedy = obstacle->remedy});
    if (spec.error && !has_higher_space(c, *d.mesh))
      throw Error(ErrorKind::unsupported,
                  {.what = what + ", for which there are no elements of the next order",
                   .where = spec.expression.where(),
                   .found = without_next_order(c, *d.mesh),
                   .remedy = "choose another order of the element, or take other cells"});
    for (const SourceText &text : spec.gradient)
      parameter_named(c.form, text);
  }
}

} // namespace weft
