// [load]: stationary problems whose load is brought up in steps.
#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "base/number.h"
#include "case/bindings.h"
#include "case/case_declarations.h"

namespace weft {

namespace {

constexpr double first_step_share = 0.1; // of the range

LoadSpec read_load(const Entry &e) {
  const auto parameter = child_of(e, "parameter");
  if (!parameter)
    throw Error(ErrorKind::input,
                {.what = "[load] without `parameter`",
                 .where = e.where(),
                 .remedy = "name the parameter that loads or prescribed values depend on: "
                           "parameter = \"s\", to = 1.0"});
  const auto number = [&](const char *key, double otherwise) {
    const auto entry = child_of(e, key);
    return entry ? real_of(*entry) : otherwise;
  };
  LoadSpec load{.parameter = text_of(*parameter), .place = e.where()};
  load.from = number("from", 0);
  load.to = number("to", 1);
  load.step = number("step", first_step_share * (load.to - load.from));
  if (const auto arc = child_of(e, "arc_length"))
    load.arc_length = arc->value->as_boolean()->get();
  if (!(load.to > load.from))
    throw Error(ErrorKind::input, {.what = "the end of the load is not above its start",
                                   .where = e.where(),
                                   .found = fmt::format("from {} to {}", format_real(load.from),
                                                        format_real(load.to)),
                                   .remedy = "give the load itself the sign: \"-s*p\""});
  return load;
}

} // namespace

Declaration load_declaration(Case &c) {
  const auto key = [](const char *name, unsigned types, const char *standard,
                      const char *description, Range range = {}) {
    Declaration d = declare_key(name, types, description);
    d.default_text = standard;
    d.range = range;
    return d;
  };
  Declaration load = declare_table(
      "load",
      "Stationary problems whose load is brought up in steps, each from the solution of the one "
      "before. Steps grow where Newton's method finds it easy and are cut back where it fails. "
      "Fields, functionals and checkpoints are written step by step, with the parameter in the "
      "place of time.",
      {key("parameter", type_text, "",
           "its name in expressions; a parameter of the case of that name gives way to it"),
       key("from", type_real, "0", "its value at the start, where `[initial]` is the state"),
       key("to", type_real, "1", "its value at the end"),
       key("step", type_real, "", "the first step; default: a tenth of the range", {.above = 0}),
       key("arc_length", type_boolean, "false",
           "steps along the path of load and solution, on through limit points, where the load "
           "turns; it ends where the load comes to its end")});
  load.read = [&c](const Entry &e) { c.load = read_load(e); };
  return load;
}

void apply_load(Case &c) {
  if (!c.load)
    return;
  const LoadSpec &load = *c.load;
  if (c.time || c.form.law)
    throw Error(ErrorKind::input,
                {.what = c.time ? "[load] beside [time]" : "load steps of a conservation law",
                 .where = load.place,
                 .remedy = "keep one of them: [load] is for stationary weak forms"});
  std::erase_if(c.form.parameters,
                [&](const ParameterSpec &parameter) { return parameter.name == load.parameter; });
  std::erase_if(c.form.definitions,
                [&](const DefinitionSpec &spec) { return spec.name == load.parameter; });
  // Expressions see it where they would see the time.
  c.form.definitions.push_back(
      {load.parameter, {.text = "t", .file = c.file, .line = 0, .key = "[load] parameter"}});
  c.time = TimeSpec{.scheme = "load",
                    .place = load.place,
                    .start = load.from,
                    .end = load.to,
                    .step = load.step,
                    .parameter = load.parameter,
                    .arc_length = load.arc_length};
}

} // namespace weft
