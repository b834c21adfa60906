// [functionals] to [exact]: what is asked of a solution.
#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "case/bindings.h"
#include "case/case_declarations.h"

namespace weft {

namespace {

Declaration first_times_table(std::vector<ValueSpec> &values) {
  Declaration name = declare_key(
      "<name>", type_math,
      "an expression of fields, parameters, place and time: \"u - 0.5\"; its first time above "
      "zero is a name for [output] fields and [functionals]");
  name.read = [&values](const Entry &e) {
    named(values, &ValueSpec::name, e.key).value = math_of(e);
  };
  return declare_table(
      "first_times",
      "Conservation laws: when expressions first rise above zero, at each node (activation times), "
      "on the line between two steps; NaN until then. Functionals leave points out that are not "
      "reached; a point of a cell is reached when all its nodes are.",
      {name});
}

Declaration over_time_table(std::vector<OverTimeSpec> &values) {
  const std::pair<const char *, OverTimeKind> kinds[] = {{"mean", OverTimeKind::mean},
                                                         {"maximum", OverTimeKind::maximum},
                                                         {"minimum", OverTimeKind::minimum}};
  Declaration name = declare_table(
      "<name>", "one of these; its name is one for [output] fields and [functionals]",
      {declare_key("mean", type_math,
                   "a scalar expression of fields, parameters, place and time: its mean so far, by "
                   "the trapezoidal rule over the steps"),
       declare_key("maximum", type_math, "its largest value so far, at the start and after steps"),
       declare_key("minimum", type_math, "its smallest value")});
  name.read = [&values, kinds](const Entry &e) {
    OverTimeSpec &spec = named(values, &OverTimeSpec::name, e.key);
    int found = 0;
    for (const auto &[key, kind] : kinds)
      if (const auto value = child_of(e, key)) {
        spec.kind = kind;
        spec.value = math_of(*value);
        ++found;
      }
    if (found != 1)
      throw Error(ErrorKind::input, {.what = "a value over time is one of three",
                                     .where = e.where(),
                                     .found = fmt::format("{} of them", found),
                                     .allowed = "mean, maximum or minimum",
                                     .remedy = "write NAME = { mean = \"T\" }"});
  };
  return declare_table(
      "over_time",
      "Runs in time: means and extrema over time, at each node of the first field, from the start "
      "of the run to the time at hand. They are evaluated on the host after each step.",
      {name});
}

Declaration recovered_table(std::vector<ValueSpec> &values) {
  Declaration name = declare_key(
      "<name>", type_math,
      "an expression of gradients of continuous fields, a number or a vector: \"sigma[0, 0]\"; its "
      "recovered field is a name for [output] fields and [functionals]");
  name.read = [&values](const Entry &e) {
    named(values, &ValueSpec::name, e.key) = {.name = e.key, .value = math_of(e)};
  };
  return declare_table("recovered",
                       "Weak forms: expressions that jump from cell to cell, such as fluxes and "
                       "stresses, as functions of the fields' element that are continuous in each "
                       "region: those nearest in the mean square. Where regions meet each side has "
                       "its own.",
                       {name});
}

struct FunctionalName {
  const char *key;
  FunctionalKind kind;
  const char *description;
};
constexpr FunctionalName functional_names[] = {
    {"integral", FunctionalKind::integral, "the integral of this expression"},
    {"average", FunctionalKind::average, "its integral over the measure of the domain"},
    {"maximum", FunctionalKind::maximum, "its largest value over the points of `over`"},
    {"minimum", FunctionalKind::minimum, "its smallest value"},
    {"value", FunctionalKind::point, "its value at `point`"},
    {"reaction", FunctionalKind::reaction,
     "a field, or a component such as `u[0]`, whose values are prescribed on `facets`, "
     "`edges` or `points`: what these add to its equation, by the "
     "residual; the force of a support on the body, the heat that flows in"},
};

// Where a functional may be taken, and as which kinds.
struct FunctionalPlaceName {
  const char *key;
  Domain domain;
  bool of_reactions_only, of_reactions;
};
constexpr FunctionalPlaceName functional_places[] = {
    {"cells", Domain::cells, false, false},
    {"facets", Domain::facets, false, true},
    {"edges", Domain::edges, false, true},
    {"points", Domain::points, true, true},
};

[[noreturn]] void refuse_functional(const Entry &e) {
  throw Error(ErrorKind::input,
              {.what = "a functional is one expression over cells, facets, edges or at a point",
               .where = e.where(),
               .allowed = "one of integral, average, maximum, minimum, with cells, facets or "
                          "edges; value with point, and cells; or reaction with facets, edges or "
                          "points"});
}

void read_functional_place(const Entry &e, FunctionalSpec &spec) {
  const bool is_reaction = spec.kind == FunctionalKind::reaction;
  int places = 0;
  for (const FunctionalPlaceName &place : functional_places) {
    const auto groups = child_of(e, place.key);
    if (!groups)
      continue;
    if (++places > 1 || (is_reaction ? !place.of_reactions : place.of_reactions_only) ||
        (spec.kind == FunctionalKind::point && place.domain != Domain::cells))
      refuse_functional(e);
    spec.domain = place.domain;
    spec.groups = texts_of(*groups);
  }
  if (is_reaction && places == 0)
    refuse_functional(e);
  const bool by_name = spec.domain == Domain::edges || spec.domain == Domain::points;
  const auto means_all = [&](const std::string &group) {
    return group == "all" || (spec.domain == Domain::facets && group == "boundary");
  };
  if (!by_name && std::any_of(spec.groups.begin(), spec.groups.end(), means_all))
    spec.groups.clear();
}

constexpr std::pair<const char *, ExtremePoints> extreme_points[] = {
    {"all", ExtremePoints::nodes_and_quadrature},
    {"nodes", ExtremePoints::nodes},
    {"quadrature", ExtremePoints::quadrature},
};

void read_extreme_points(const Entry &e, FunctionalSpec &spec) {
  const auto over = child_of(e, "over");
  if (!over)
    return;
  if (spec.kind != FunctionalKind::maximum && spec.kind != FunctionalKind::minimum)
    throw Error(ErrorKind::input, {.what = "points of a functional that is no extreme",
                                   .where = over->where(),
                                   .allowed = "over with maximum or minimum",
                                   .remedy = "leave it out"});
  for (const auto &[name, points] : extreme_points)
    if (name == text_of(*over))
      spec.over = points;
}

FunctionalSpec read_functional(const Entry &e) {
  FunctionalSpec spec{.name = e.key};
  int kinds = 0;
  for (const auto &name : functional_names)
    if (const auto expression = child_of(e, name.key)) {
      spec.kind = name.kind;
      spec.expression = math_of(*expression);
      ++kinds;
    }
  const auto point = child_of(e, "point");
  if (kinds != 1 || (spec.kind == FunctionalKind::point) != point.has_value())
    refuse_functional(e);
  if (point && point->value->is_string())
    spec.point_group = text_of(*point);
  else if (point)
    spec.point = reals_of(*point);
  read_functional_place(e, spec);
  read_extreme_points(e, spec);
  if (const auto error = child_of(e, "error"))
    spec.error = error->value->as_boolean()->get();
  if (const auto gradient = child_of(e, "gradient"))
    for (const std::string &name : texts_of(*gradient))
      spec.gradient.push_back(
          {.text = name, .file = gradient->file, .line = gradient->line, .key = gradient->path});
  return spec;
}

Declaration functionals_table(Case &c) {
  std::vector<Declaration> keys;
  for (const auto &name : functional_names)
    keys.push_back(declare_key(name.key, type_math, name.description));
  keys.push_back(
      declare_key("point", type_reals | type_text, "coordinates of the point, or the name of one"));
  Declaration cells = declare_key("cells", type_text | type_texts,
                                  "the regions; `all`: every cell. With `point`: those whose side "
                                  "of an interface is asked for");
  cells.default_text = "\"all\"";
  keys.push_back(cells);
  keys.push_back(declare_key("facets", type_text | type_texts,
                             "instead of cells: facet groups; `all` or `boundary`: every one"));
  keys.push_back(
      declare_key("edges", type_text | type_texts, "instead of cells, in 3D: named curves"));
  keys.push_back(declare_key("points", type_text | type_texts, "of reactions: named points"));
  Declaration over = declare_key(
      "over", type_text,
      "of `maximum` and `minimum`: `nodes` of the highest order of the fields, where gradients are "
      "those of each cell; points of the `quadrature`, inside of cells; or `all` of both");
  for (const auto &[name, points] : extreme_points)
    over.allowed.emplace_back(name);
  over.default_text = fmt::format("\"{}\"", over.allowed.front());
  keys.push_back(over);
  Declaration error = declare_key(
      "error", type_boolean,
      "of stationary weak forms: estimate its discretisation error, by a solve of the adjoint "
      "problem in elements of the next order; the estimate is no bound");
  error.default_text = "false";
  keys.push_back(error);
  keys.push_back(declare_key(
      "gradient", type_text | type_texts,
      "of stationary weak forms: parameters by which it is differentiated, numbers that are the "
      "same everywhere (`k`) or in one group (`k.fins`); by one solve of the adjoint problem"));
  Declaration functional = declare_table("<name>", "a quantity of interest", std::move(keys));
  functional.read = [&c](const Entry &e) {
    named(c.functionals, &FunctionalSpec::name, e.key) = read_functional(e);
  };
  return declare_table(
      "functionals",
      "Quantities of interest: `functionals.NAME` in results.json; vectors give "
      "lists. Gradients at a node are averages over the cells that touch it; where "
      "regions meet, `cells` says whose.",
      {functional});
}

Declaration exact_table(std::vector<ValueSpec> &values) {
  Declaration field = declare_key("<field>", type_math, "its value, an expression of place");
  field.read = [&values](const Entry &e) {
    named(values, &ValueSpec::name, e.key).value = math_of(e);
  };
  return declare_table("exact", "Exact solutions: `errors.FIELD.L2` and `.H1` in results.json.",
                       {field});
}

} // namespace

std::vector<Declaration> result_declarations(Case &c) {
  std::vector<Declaration> tables = {functionals_table(c), first_times_table(c.first_times),
                                     over_time_table(c.over_time), recovered_table(c.recovered),
                                     exact_table(c.exact)};
  for (auto &table : tables)
    table.in_physics = true;
  return tables;
}

} // namespace weft
