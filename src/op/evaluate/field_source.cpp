#include "op/evaluate/field_source.h"

#include <fmt/format.h>
#include <utility>

#include "base/error.h"
#include "op/evaluate/expression_values.h"
#include "op/problem/dof_layout.h"
#include "op/problem/field_regions.h"

namespace weft {

namespace {

bool have_the_same_cells(const Mesh &a, const Mesh &b) {
  bool same = a.sets.size() == b.sets.size();
  for (std::size_t s = 0; same && s < a.sets.size(); ++s)
    same = a.sets[s].type == b.sets[s].type && a.sets[s].nodes == b.sets[s].nodes;
  return same;
}

} // namespace

std::vector<double> values_of_spec(const Case &c, const Discretisation &d, const ValueSpec &spec,
                                   const NodeMap &map, const FieldSpec &field) {
  const std::vector<bool> regions = classes_of_field(*d.mesh, field);
  if (spec.is_expression()) {
    const auto expression =
        resolve(make_expression(c.form, spec.value, field.shape, false, false), *d.mesh, regions,
                std::vector<bool>(d.mesh->facet_classes.size(), false));
    if (map.whole_domain)
      check_same_everywhere(expression, spec.value.where());
    return values_at_nodes(d, expression, map, nullptr, field.cells.empty() ? nullptr : &regions);
  }
  if (!spec.source)
    throw Error(ErrorKind::unsupported,
                {.what = fmt::format("values of {} from the stage {}, which was not solved here",
                                     spec.name, spec.stage),
                 .where = spec.value.where(),
                 .allowed = "stages in weft run and weft check",
                 .remedy = "make a case of its own of each stage"});
  if (c.form.derived_by) // no parameter moves them
    return std::vector<double>(map.num_local * field.components(), 0.);
  return spec.source->values(d, map, field.components(), regions);
}

StateSource::StateSource(std::shared_ptr<const void> owner, const Case &c, const Discretisation &d,
                         const std::vector<double> &state, const std::string &field)
    : owner_(std::move(owner)), c_(c), d_(d), state_(state), field_(field) {}

std::vector<double> StateSource::values(const Discretisation &d, const NodeMap &map, int components,
                                        const std::vector<bool> &regions) const {
  if (!have_the_same_cells(*d_.mesh, *d.mesh))
    throw Error(ErrorKind::unsupported,
                {.what = fmt::format("{} of an earlier stage on another mesh", field_),
                 .where = c_.file,
                 .allowed = "the mesh that all stages share",
                 .remedy = "leave multigrid on coarser meshes, error estimates and refinement out "
                           "of this stage"});
  const ResolvedExpression field = resolve_on_cells(
      make_expression(c_.form, {.text = field_, .file = c_.file}, {}, true, false), *d_.mesh);
  require(field.components() == components, "stages have a field of one shape");
  std::vector<bool> there = classes_of_function(d_, field.expression.function);
  for (std::size_t c = 0; c < there.size(); ++c)
    there[c] = there[c] && regions[c];
  return values_at_nodes(d_, field, map, &state_, &there);
}

} // namespace weft
