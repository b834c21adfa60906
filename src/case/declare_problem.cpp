// [parameters] to [mean]: the mathematics of a case.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include "base/error.h"
#include "base/names.h"
#include "case/bindings.h"
#include "case/case_declarations.h"

namespace weft {

namespace {

// Of a rule: 26 points along a line of a tensor cell.
constexpr int most_quadrature_degree = 50;

// Drops an entry of that name that another file has put into `list`: what the case calls a
// parameter may be a definition in a physics file. Twice in one file stays, and is an error of the
// form.
template <typename Spec, typename File>
void drop_from_other_files(std::vector<Spec> &list, const Entry &e, File file_of) {
  std::erase_if(list,
                [&](const Spec &spec) { return spec.name == e.key && file_of(spec) != e.file; });
}

// "P2", "DG0" -> order; that of "FV" and "R" is 0.
int order_of(const std::string &element) {
  const std::size_t digit = element.find_first_of("0123456789");
  return digit == std::string::npos ? 0 : std::stoi(element.substr(digit));
}

// One side of bounds: open where it is infinite on the side `open_sign`.
std::optional<SourceText> bound_of(const Entry &e, double open_sign) {
  const std::optional<double> number = number_in(*e.value);
  if (number && std::isinf(*number) && *number * open_sign > 0)
    return {};
  return math_of(e);
}

std::vector<std::optional<SourceText>> bounds_of(const Entry &e, double open_sign) {
  if (!e.value->is_array())
    return {bound_of(e, open_sign)};
  std::vector<std::optional<SourceText>> bounds;
  for (std::size_t i = 0; i < e.value->as_array()->size(); ++i)
    bounds.push_back(bound_of(element_of(e, i), open_sign));
  return bounds;
}

void read_bounds(std::vector<BoundsSpec> &all, const std::string &field, const Entry &e) {
  if (e.value->as_array()->size() != 2)
    throw Error(ErrorKind::input, {.what = "bounds are a lower and an upper one",
                                   .where = e.where(),
                                   .found = fmt::format("{} values", e.value->as_array()->size()),
                                   .allowed = "[lower, upper]; -inf or inf where a side is open"});
  BoundsSpec &bounds = named(all, &BoundsSpec::field, field);
  bounds.place = e.where();
  bounds.lower = bounds_of(element_of(e, 0), -1);
  bounds.upper = bounds_of(element_of(e, 1), 1);
}

void read_field(std::vector<FieldSpec> &fields, const Entry &e) {
  FieldSpec &field = named(fields, &FieldSpec::name, e.key);
  field.place = e.where();
  if (const auto element = child_of(e, "element"))
    field.order = order_of(text_of(*element));
  const auto shape = child_of(e, "shape");
  if (!shape)
    return;
  if (shape->value->is_integer())
    field.shape = {integer_of(*shape)};
  else
    field.shape = text_of(*shape) == "vector" ? Shape{0} : Shape{};
}

// "all", or several regions with "all" among them, are all cells.
void read_cells(FieldSpec &field, const Entry &e) {
  field.cells = texts_of(e);
  if (field.cells.empty())
    throw Error(ErrorKind::input, {.what = "a field that is unknown in no region",
                                   .where = e.where(),
                                   .allowed = "names of regions, \"all\""});
  if (std::find(field.cells.begin(), field.cells.end(), "all") != field.cells.end())
    field.cells.clear();
  std::sort(field.cells.begin(), field.cells.end());
  field.cells.erase(std::unique(field.cells.begin(), field.cells.end()), field.cells.end());
}

Declaration shape_key() {
  Declaration d = declare_key("shape", type_text | type_integer,
                              "`vector` has the mesh's dimension; or a number of components");
  d.default_text = "\"scalar\"";
  d.allowed = {"scalar", "vector"};
  d.range.at_least = 1;
  d.range.at_most = 64;
  return d;
}

Declaration fields_table(Case &c) {
  Declaration element = declare_key(
      "element", type_text,
      "Lagrange element of that order on whatever cells the mesh has; `DG`: discontinuous, in "
      "weak forms and conservation laws; `FV`: cell-centred finite volumes, of conservation laws; "
      "`R`: one value, or one of each component, for the whole domain, in weak forms");
  element.default_text = "\"P1\"";
  element.allowed = field_elements();
  Declaration bounds = declare_key(
      "bounds", type_maths,
      "`[lower, upper]`: the field stays between them at its nodes; numbers or expressions of "
      "place and time, `-inf` and `inf` where a side is open; of a vector one for all components, "
      "or an "
      "array of one each");
  Declaration cells = declare_key(
      "cells", type_text | type_texts,
      "of weak forms: the regions in which the field is unknown; elsewhere it is not there, and "
      "results are NaN. Terms of integrals over `all` are integrated where all of their fields "
      "are; a group that an integral, a condition or a functional names lies there. In integrals "
      "over inner facets the field needs no minus() or plus() where it is on one side only");
  cells.default_text = "\"all\"";
  Declaration field =
      declare_table("<field>", "an unknown field", {element, shape_key(), bounds, cells});
  field.read = [&c](const Entry &e) {
    read_field(c.form.fields, e);
    if (const auto element = child_of(e, "element"))
      set_element(named(c.form.fields, &FieldSpec::name, e.key), text_of(*element));
    if (const auto bounds = child_of(e, "bounds"))
      read_bounds(c.bounds, e.key, *bounds);
    if (const auto cells = child_of(e, "cells"))
      read_cells(named(c.form.fields, &FieldSpec::name, e.key), *cells);
  };
  return declare_table("fields", "The fields that are solved for.", {field});
}

// The path that a text of a file of the case names, relative to that file.
std::string path_of(const Case &c, const Entry &text) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(is_of_command_line(text) ? c.file : text.file).parent_path();
  return (folder / text_of(text)).lexically_normal().string();
}

// Keys of values that a file of fields gives.
std::vector<Declaration> field_file_keys() {
  return {
      declare_key("file", type_text,
                  "instead of an expression: `fields.pvd`, whose last time it is, or a .vtu or "
                  ".pvtu file, of another program too. Its mesh and elements may be others: nodes "
                  "take the value there, those a hair outside of the file's mesh that of its "
                  "nearest cell"),
      declare_key("field", type_text, "with `file`: the name there; default: the same")};
}

ValueSpec value_from_file(const Case &c, const Entry &e, const Entry &file) {
  const auto name = child_of(e, "field");
  return {.name = e.key,
          .value = {.text = {}, .file = file.file, .line = file.line, .key = file.path},
          .file = path_of(c, file),
          .name_in_file = name ? text_of(*name) : e.key};
}

void read_auxiliary(Case &c, const Entry &e) {
  const auto value = child_of(e, "value");
  const auto file = child_of(e, "file");
  if (value && file)
    throw Error(ErrorKind::input, {.what = "an auxiliary field with a value, and read from a file",
                                   .where = e.where(),
                                   .found = "both",
                                   .allowed = "one of value, file",
                                   .remedy = "leave one out"});
  if (!value && !file)
    throw Error(ErrorKind::input, {.what = "an auxiliary field without a value",
                                   .where = e.where(),
                                   .allowed = "one of value, file",
                                   .remedy = "add value = \"expression\""});
  if (!child_of(e, "element"))
    named(c.form.auxiliary, &FieldSpec::name, e.key).order = 0;
  read_field(c.form.auxiliary, e);
  named(c.auxiliary_values, &ValueSpec::name, e.key) =
      file ? value_from_file(c, e, *file) : ValueSpec{.name = e.key, .value = math_of(*value)};
}

Declaration auxiliary_table(Case &c) {
  Declaration element = declare_key("element", type_text, "`DG0` and `FV`: constant in each cell");
  element.default_text = "\"DG0\"";
  element.allowed = {"DG0", "FV", "P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8"};
  element.later = {"DG1", "DG2", "DG3", "DG4", "DG5", "DG6", "DG7", "DG8", "DG9"};
  Declaration field = declare_table(
      "<field>", "a known field",
      {element, shape_key(),
       declare_key("value", type_math,
                   "its values: an expression of place; a node where it jumps takes the value of "
                   "the first cell in the order of the mesh file")});
  for (Declaration &key : field_file_keys())
    field.children.push_back(std::move(key));
  field.read = [&c](const Entry &e) { read_auxiliary(c, e); };
  return declare_table("auxiliary", "Known fields, evaluated once at their nodes.", {field});
}

// The keys of a value that a file gives.
std::vector<Declaration> tabulated_keys() {
  Declaration kind = declare_key("kind", type_text | type_math,
                                 "`cubic`: monotone where the rows are, with a continuous slope");
  kind.default_text = "\"linear\"";
  kind.allowed = {"linear", "cubic"};
  Declaration outside =
      declare_key("outside", type_text | type_math,
                  "before the first row and beyond the last: `error`: a result that needs it is "
                  "not one, `constant`: the value there, `linear`: along the slope there");
  outside.default_text = "\"error\"";
  outside.allowed = {"error", "constant", "linear"};
  return {declare_key("table", type_text | type_math,
                      "instead of a value: a CSV file of arguments, ascending, and values, 2 to "
                      "256 rows; its first line may name the columns"),
          declare_key("of", type_math,
                      "with `table`: the argument, an expression of fields, place and time"),
          kind, outside,
          declare_key("columns", type_texts | type_math,
                      "names of two columns of the file; default: the first two")};
}

// Else `table` is the name of a group.
bool is_tabulated(const Entry &e) {
  const auto table = child_of(e, "table");
  return table && table->value->is_string() &&
         (child_of(e, "of") || text_of(*table).ends_with(".csv"));
}

// The value of a parameter, everywhere or in the group of that name.
SourceText read_value(const Case &c, ParameterSpec &spec, const std::string &group,
                      const Entry &e) {
  if (!e.value->is_table())
    return math_of(e);
  const auto table = child_of(e, "table"), of = child_of(e, "of");
  if (!table || !of)
    throw Error(ErrorKind::input, {.what = "a value from a file needs `table` and `of`",
                                   .where = e.where(),
                                   .remedy = "write { table = \"k.csv\", of = \"T\" }"});
  const auto text = [&](const char *key, const char *otherwise) {
    const auto entry = child_of(e, key);
    return entry ? text_of(*entry) : std::string(otherwise);
  };
  const auto columns = child_of(e, "columns");
  const std::vector<std::string> names = columns ? texts_of(*columns) : std::vector<std::string>{};
  if (columns && names.size() != 2)
    throw Error(ErrorKind::input, {.what = "a table has two columns",
                                   .where = columns->where(),
                                   .found = fmt::format("{} names", names.size()),
                                   .allowed = "[\"argument\", \"value\"]"});
  TabulatedFunction function = read_tabulated_function(path_of(c, *table), names, table->where());
  function.cubic = text("kind", "linear") == "cubic";
  const std::string outside = text("outside", "error");
  function.outside = outside == "constant" ? OutsideTable::constant
                     : outside == "linear" ? OutsideTable::linear
                                           : OutsideTable::error;
  spec.tables[group] = std::move(function);
  return math_of(*of);
}

Declaration parameters_table(Case &c) {
  Declaration parameter =
      declare_key("<parameter>", type_math | type_table,
                  "a constant, an expression of place and other parameters, one for each group, or "
                  "a file that tabulates it");
  parameter.children = tabulated_keys();
  parameter.children.push_back(declare_key("<group>", type_math | type_table,
                                           "its value in that region or facet group, or as above"));
  parameter.children.back().children = tabulated_keys();
  parameter.read = [&c](const Entry &e) {
    drop_from_other_files(c.form.definitions, e,
                          [](const DefinitionSpec &d) { return d.value.file; });
    ParameterSpec &spec = named(c.form.parameters, &ParameterSpec::name, e.key);
    spec = {.name = e.key};
    if (!e.value->is_table() || is_tabulated(e)) {
      spec.value = read_value(c, spec, "", e);
      return;
    }
    for (const Entry &group : entries_of(*e.value->as_table(), &e))
      spec.by_group[group.key] = read_value(c, spec, group.key, group);
  };
  return declare_table("parameters", "Names for known values, usable in every expression.",
                       {parameter});
}

Declaration definitions_table(Case &c) {
  Declaration definition = declare_key("<name>", type_math, "a named expression, fields allowed");
  definition.read = [&c](const Entry &e) {
    drop_from_other_files(c.form.parameters, e, [](const ParameterSpec &p) {
      return p.value ? p.value->file : p.by_group.empty() ? "" : p.by_group.begin()->second.file;
    });
    named(c.form.definitions, &DefinitionSpec::name, e.key).value = math_of(e);
  };
  return declare_table("definitions", "Names for expressions of fields and parameters.",
                       {definition});
}

using IntegralList = std::vector<IntegralSpec> FormSpec::*;

// The integrals over one domain: `cells.all = "..."`.
Declaration integrals(Case &c, IntegralList into, std::string key, Domain domain,
                      std::string description) {
  const bool named = domain == Domain::edges || domain == Domain::points;
  Declaration integrand =
      declare_key("<group>", type_math,
                  named ? "the integrand over that group, in which fields have no gradients"
                        : "the integrand over that group; `all` for every one");
  integrand.read = [&c, into, domain](const Entry &e) {
    IntegralSpec spec{.domain = domain, .groups = {e.key}, .integrand = math_of(e)};
    if (e.key == "all" && (domain == Domain::edges || domain == Domain::points))
      throw Error(ErrorKind::input, {.what = "an integral over all edges, or a load at all points",
                                     .where = e.where(),
                                     .allowed = "the name of a curve or of a point",
                                     .remedy = "name one: Physical Curve or Physical Point in a "
                                               ".geo file, or [mesh] groups"});
    if (e.key == "all" || (domain == Domain::facets && e.key == "boundary"))
      spec.groups.clear();
    auto &list = c.form.*into;
    const auto same = std::find_if(list.begin(), list.end(), [&](const IntegralSpec &other) {
      return other.domain == spec.domain && other.groups == spec.groups;
    });
    if (same == list.end())
      list.push_back(std::move(spec));
    else
      *same = std::move(spec);
  };
  return declare_table(std::move(key), std::move(description), {integrand});
}

Declaration quadrature_key(Case &c) {
  Declaration key = declare_key(
      "quadrature", type_integer | type_text,
      "instead of what the integrands want: the degree in each direction (on triangles and "
      "tetrahedra the total one) that is integrated exactly; or `gauss_lobatto`, on quadrilaterals "
      "and hexahedra: as many Gauss-Lobatto points along a line as elements of order p have nodes, "
      "p + 1, exact to degree 2p - 1 only");
  key.range = {.at_least = 0, .at_most = most_quadrature_degree};
  key.allowed = {"gauss_lobatto"};
  key.read = [&c](const Entry &e) {
    c.form.quadrature = {.place = e.where()};
    if (e.value->is_integer())
      c.form.quadrature.degree = integer_of(e);
    else
      c.form.quadrature.gauss_lobatto = true;
  };
  return key;
}

// Integrals over all domains.
std::vector<Declaration> all_integrals(Case &c, IntegralList into) {
  return {integrals(c, into, "cells", Domain::cells, "integrals over cells, by region"),
          integrals(c, into, "facets", Domain::facets, "integrals over boundary facets, by group"),
          integrals(c, into, "interior", Domain::interior,
                    "integrals over facets between two cells, by group"),
          integrals(c, into, "edges", Domain::edges,
                    "in 3D: integrals along named curves, such as loads and springs by length"),
          integrals(c, into, "points", Domain::points,
                    "at named points, such as forces and springs: the integrand is added up")};
}

Declaration weak_form_table(Case &c) {
  std::vector<Declaration> keys = all_integrals(c, &FormSpec::integrals);
  keys.push_back(declare_table(
      "explicit",
      "Terms of the same sum that [time] takes explicitly, at states already known: "
      "`explicit.cells.all = \"...\"`. The systems of the steps are those of the other terms, "
      "which may be linear and symmetric then; steps are limited by what is explicit. Schemes: "
      "`theta`, `bdf2`, `dirk2`, `dirk3`",
      all_integrals(c, &FormSpec::explicit_integrals)));
  keys.push_back(quadrature_key(c));
  return declare_table(
      "weak_form",
      "The sum of all integrals vanishes for every test function. A key that a physics file also "
      "has replaces the one there.",
      std::move(keys));
}

// C text, with the line where the text itself begins: one below the value where it is in triple
// quotes with a line end after them.
SourceText c_text_of(const Entry &e) {
  SourceText text = math_of(e);
  const toml::source_region &place = e.value->source();
  const auto line_ends = std::count(text.text.begin(), text.text.end(), '\n');
  if (static_cast<int>(place.end.line) - static_cast<int>(place.begin.line) > line_ends)
    ++text.line;
  return text;
}

Declaration pointwise_table(Case &c) {
  Declaration language =
      declare_key("language", type_text, "of f0 and f1; for C text see [c_text.md](c_text.md)");
  language.default_text = "\"expression\"";
  language.allowed = {"expression", "c"};
  Declaration field = declare_table(
      "<field>", "the pointwise functions of that field",
      {declare_key("f0", type_math, "what multiplies the test function"),
       declare_key("f1", type_math, "what multiplies the test function's gradient"), language});
  field.read = [&c](const Entry &e) {
    PointwiseSpec &spec = named(c.form.pointwise, &PointwiseSpec::field, e.key);
    spec = {.field = e.key};
    if (const auto written_in = child_of(e, "language"))
      spec.c_text = text_of(*written_in) == "c";
    const auto text_at = [&](const Entry &text) {
      return spec.c_text ? c_text_of(text) : math_of(text);
    };
    if (const auto f0 = child_of(e, "f0"))
      spec.f0 = text_at(*f0);
    if (const auto f1 = child_of(e, "f1"))
      spec.f1 = text_at(*f1);
    if (!spec.f0 && !spec.f1)
      throw Error(ErrorKind::input, {.what = "a field needs f0 or f1", .where = e.where()});
  };
  return declare_table(
      "pointwise",
      "Instead of `weak_form.cells`: the sum of f0·test + f1:grad(test), integrated, vanishes.",
      {field});
}

// "u[0]" -> ("u", 0); "u" -> ("u", -1).
void split_component(const Entry &e, DirichletSpec &spec) {
  const std::size_t bracket = e.key.find('[');
  spec.field = e.key.substr(0, bracket);
  if (bracket == std::string::npos)
    return;
  const std::string digits = e.key.substr(bracket + 1, e.key.size() - bracket - 2);
  const bool is_index = e.key.back() == ']' && !digits.empty() && digits.size() < 4 &&
                        std::all_of(digits.begin(), digits.end(),
                                    [](unsigned char digit) { return std::isdigit(digit); });
  if (!is_index)
    throw Error(ErrorKind::input, {.what = "neither a field nor a component of one",
                                   .where = e.where(),
                                   .found = describe(toml::value<std::string>(e.key)),
                                   .allowed = "u or \"u[0]\""});
  spec.component = std::stoi(digits);
}

Declaration dirichlet_table(Case &c) {
  Declaration group = declare_table(
      "<group>", "a facet group, else a named curve, else a named point",
      {declare_key("<field>", type_math,
                   "the value that the field takes there; `\"u[0]\"` for one component")});
  group.read = [&c](const Entry &e) {
    std::erase_if(c.dirichlet, [&](const DirichletSpec &spec) { return spec.group == e.key; });
    for (const Entry &value : entries_of(*e.value->as_table(), &e)) {
      DirichletSpec spec{.group = e.key, .value = math_of(value)};
      split_component(value, spec);
      c.dirichlet.push_back(std::move(spec));
    }
  };
  return declare_table("dirichlet",
                       "Prescribed values. Where groups meet, the later line wins, with a notice.",
                       {group});
}

Declaration initial_table(Case &c) {
  Declaration field =
      declare_key("<field>", type_math | type_table,
                  "its value, an expression of place, or a file; `\"dt(u)\"` for the velocity "
                  "of a field u that the weak form has `dt(dt(u))` of");
  field.children = field_file_keys();
  field.read = [&c](const Entry &e) {
    const bool of_rate = e.key.starts_with("dt(") && e.key.ends_with(")");
    const std::string name = of_rate ? e.key.substr(3, e.key.size() - 4) : e.key;
    std::erase_if(c.initial, [&](const ValueSpec &known) {
      return known.name == name && known.of_rate == of_rate;
    });
    ValueSpec &spec = c.initial.emplace_back();
    if (!e.value->is_table()) {
      spec = {.name = name, .value = math_of(e), .of_rate = of_rate};
      return;
    }
    const auto file = child_of(e, "file");
    if (!file)
      throw Error(ErrorKind::input, {.what = "an initial value without an expression or a file",
                                     .where = e.where(),
                                     .remedy = "write an expression, or { file = \"...\" }"});
    spec = value_from_file(c, e, *file);
    spec.name = name;
    spec.of_rate = of_rate;
  };
  return declare_table("initial",
                       "The state at the start, or where Newton's method starts; fields not named "
                       "start at zero and at rest, or where an earlier stage left them.",
                       {field});
}

TiedSpec::Turn read_turn(const Entry &e) {
  TiedSpec::Turn turn;
  const auto angle = child_of(e, "angle");
  if (!angle)
    throw Error(ErrorKind::input, {.what = "a rotation without an angle",
                                   .where = e.where(),
                                   .remedy = "write rotation = { angle = 90 }"});
  turn.angle = real_of(*angle);
  if (const auto axis = child_of(e, "axis"))
    turn.axis = reals_of(*axis);
  if (const auto origin = child_of(e, "origin"))
    turn.origin = reals_of(*origin);
  return turn;
}

TiedSpec read_tied(const Entry &e) {
  const auto groups = child_of(e, "groups");
  const std::vector<std::string> names = groups ? texts_of(*groups) : std::vector<std::string>{};
  if (names.size() != 2 || names[0] == names[1])
    throw Error(ErrorKind::input, {.what = "two groups of facets are tied to one another",
                                   .where = groups ? groups->where() : e.where(),
                                   .found = groups ? join_names(names) : "",
                                   .allowed = "the names of two groups",
                                   .remedy = "write groups = [\"left\", \"right\"]"});
  TiedSpec tied{.first = names[0], .second = names[1], .place = e.where()};
  if (const auto rotation = child_of(e, "rotation"))
    tied.rotation = read_turn(*rotation);
  if (const auto jump = child_of(e, "jump"))
    for (const Entry &value : entries_of(*jump->value->as_table(), &*jump))
      tied.jump[value.key] = math_of(value);
  return tied;
}

Declaration tied_key(Case &c) {
  Declaration groups = declare_key("groups", type_texts, "two groups of facets on the boundary");
  Declaration jump = declare_table(
      "jump", "what fields are more on the second group",
      {declare_key("<field>", type_math, "an expression of place; of vectors one of vectors")});
  Declaration rotation = declare_table(
      "rotation",
      "the second group is the first turned; vectors turn with it. Without it the second is the "
      "first moved, by as much as it is away",
      {declare_key("angle", type_real, "in degrees"),
       declare_key("axis", type_reals, "in 3D; default: `[0, 0, 1]`"),
       declare_key("origin", type_reals, "a point on the axis; default: the origin")});
  Declaration tied = declare_key(
      "tied", type_tables,
      "pairs of groups, `[[tied]]` each, on which continuous fields are the same: sides of a "
      "periodic domain, or parts that were meshed apart. Their facets need not match: fields on "
      "the group of more nodes are the projection of those on the other");
  tied.children = {groups, jump, rotation};
  tied.read = [&c](const Entry &e) {
    c.tied.clear();
    for (std::size_t i = 0; i < e.value->as_array()->size(); ++i)
      c.tied.push_back(read_tied(element_of(e, i)));
  };
  return tied;
}

Declaration means_table(std::vector<MeanSpec> &means) {
  Declaration field =
      declare_key("<field>", type_real | type_reals, "its mean; of a vector, each component's");
  field.read = [&means](const Entry &e) {
    MeanSpec &mean = named(means, &MeanSpec::field, e.key);
    mean.values = e.value->is_array() ? reals_of(e) : std::vector<double>{real_of(e)};
    mean.place = e.where();
  };
  return declare_table("mean",
                       "Means over the mesh of fields that the equations say nothing of but for a "
                       "constant, such as a pressure between walls; 0 where nothing is said.",
                       {field});
}

} // namespace

const std::vector<std::string> &field_elements() {
  static const std::vector<std::string> names = {"P1",  "P2",  "P3",  "P4",  "P5",  "P6",  "P7",
                                                 "P8",  "DG0", "DG1", "DG2", "DG3", "DG4", "DG5",
                                                 "DG6", "DG7", "DG8", "DG9", "FV",  "R"};
  return names;
}

void set_element(FieldSpec &field, const std::string &element) {
  field.order = order_of(element);
  field.finite_volume = element == "FV";
  field.discontinuous = field.finite_volume || element.starts_with("DG");
  field.whole_domain = element == "R";
}

std::vector<Declaration> problem_declarations(Case &c) {
  std::vector<Declaration> tables = {
      parameters_table(c),  fields_table(c),    auxiliary_table(c), definitions_table(c),
      weak_form_table(c),   pointwise_table(c), dirichlet_table(c), initial_table(c),
      means_table(c.means), tied_key(c),
  };
  for (auto &table : tables)
    table.in_physics = true;
  return tables;
}

} // namespace weft
