#include "op/law/result_check.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/error.h"
#include "base/names.h"
#include "form/expression/expression.h"
#include "op/evaluate/expression_values.h"
#include "op/evaluate/field_values.h"
#include "op/evaluate/line_values.h"
#include "op/evaluate/point_location.h"
#include "op/evaluate/time_statistics.h"
#include "op/law/arrival_times.h"
#include "op/problem/result_form.h"

namespace weft {

namespace {

const FieldSpec *find_field(const Discretisation &d, const std::string &name) {
  const auto found = std::find_if(d.form.fields.begin(), d.form.fields.end(),
                                  [&](const FieldSpec &field) { return field.name == name; });
  return found == d.form.fields.end() ? nullptr : &*found;
}

void check_exact(const Case &c, const Discretisation &d) {
  for (const ValueSpec &spec : c.exact) {
    const FieldSpec *field = find_field(d, spec.name);
    require(field != nullptr, "read_case() has looked at the fields of [exact]");
    resolve_on_cells(with_gradient(c.form, spec.value, field->shape), *d.mesh);
  }
}

// Names of fields and first times are written as they are.
void check_output_fields(const Case &c, const Discretisation &d) {
  for (const SourceText &text : c.output.fields) {
    const bool first_times =
        std::any_of(c.first_times.begin(), c.first_times.end(),
                    [&](const ValueSpec &spec) { return spec.name == text.text; });
    if (!first_times && find_field(d, text.text) == nullptr)
      resolve_on_cells(make_expression(result_form(c), text, {}, true, false), *d.mesh);
  }
}

void check_probes(const Case &c, const Discretisation &d) {
  const std::string place =
      c.output.probes_place.empty() ? "[output] probes" : c.output.probes_place;
  for (std::size_t p = 0; p < c.output.probes.size(); ++p)
    locate_named_point(d, c.output.probes[p], fmt::format("{}[{}]", place, p));
}

// Components of what --expect may name.
std::map<std::string, int> components_by_name(const Case &c, const Discretisation &d) {
  std::map<std::string, int> components;
  for (const FunctionalSpec &spec : c.functionals) {
    const int count = check_functional(c, d, spec);
    components["functionals." + spec.name] = count;
    if (spec.error)
      components["functional_errors." + spec.name] = count;
    for (const SourceText &parameter : spec.gradient)
      components[fmt::format("gradients.{}.{}", spec.name, parameter.text)] = count;
  }
  for (const ValueSpec &spec : c.exact)
    for (const char *norm : {"L2", "H1"})
      components[fmt::format("errors.{}.{}", spec.name, norm)] = 1;
  return components;
}

} // namespace

void check_results(const Case &c, const Discretisation &d) {
  for (const FunctionalSpec &spec : c.functionals)
    check_functional(c, d, spec);
  check_exact(c, d);
  check_arrival_times(c, d);
  if (!c.over_time.empty())
    TimeStatistics(c, d);
  check_output_fields(c, d);
  check_probes(c, d);
  for (const LineSpec &line : c.output.lines)
    check_line(c, d, line);
}

void check_expected_names(const Expectations &expected, const std::string &file, const Case &c,
                          const Discretisation &d) {
  const std::map<std::string, int> known = components_by_name(c, d);
  std::vector<std::string> names;
  for (const auto &[name, components] : known)
    names.push_back(name);
  for (const Expectation &e : expected.entries) {
    const auto found = known.find(e.name);
    if (found == known.end()) {
      const std::string nearest = nearest_name(e.name, names);
      throw Error(ErrorKind::input,
                  {.what = "an expectation of what the case does not compute",
                   .where = file,
                   .found = e.name,
                   .allowed = names.empty()
                                  ? "nothing: the case has no [functionals] and no [exact]"
                                  : join_names(names),
                   .remedy = nearest.empty() ? "" : fmt::format("did you mean {}?", nearest)});
    }
    // A list is compared component by component.
    const bool fits = e.component < 0 ? found->second == 1 : e.component < found->second;
    if (!fits)
      throw Error(ErrorKind::input,
                  {.what = fmt::format("{} has another number of components", e.name),
                   .where = file,
                   .found = e.component < 0 ? "a number" : fmt::format("component {}", e.component),
                   .allowed = found->second == 1 ? "a number"
                                                 : fmt::format("a list of {}", found->second)});
  }
}

} // namespace weft
