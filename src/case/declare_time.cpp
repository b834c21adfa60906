// [time]: transient problems.
#include <fmt/format.h>

#include "base/error.h"
#include "base/number.h"
#include "case/bindings.h"
#include "case/case_declarations.h"

namespace weft {

namespace {

// A key whose value is read by the table, with the default that the table's reader starts from.
Declaration key_with_default(std::string key, unsigned types, std::string default_text,
                             std::string description, Range range = {}) {
  Declaration d = declare_key(std::move(key), types, std::move(description));
  d.default_text = std::move(default_text);
  d.range = range;
  return d;
}

double number_of(const Entry &table, const char *key, double otherwise) {
  const auto entry = child_of(table, key);
  return entry ? real_of(*entry) : otherwise;
}

TimeSpec read_time(const Entry &e) {
  TimeSpec spec;
  const auto step = child_of(e, "step"), cfl = child_of(e, "cfl");
  if (!child_of(e, "end"))
    throw Error(ErrorKind::input, {.what = "[time] without `end`",
                                   .where = e.where(),
                                   .remedy = "add end = 10.0, and step = 0.1 for weak forms"});
  if (step && cfl)
    throw Error(
        ErrorKind::input,
        {.what = "a step and a CFL number", .where = cfl->where(), .remedy = "keep one of them"});
  const auto scheme = child_of(e, "scheme");
  spec.scheme = scheme ? text_of(*scheme) : ""; // the default depends on the equations
  spec.place = e.where();
  if (const auto theta = child_of(e, "theta")) {
    if (spec.scheme != "theta")
      throw Error(ErrorKind::input, {.what = "theta belongs to the scheme `theta`",
                                     .where = theta->where(),
                                     .remedy = "add scheme = \"theta\", or leave theta out"});
    spec.theta = real_of(*theta);
  }
  if (const auto radius = child_of(e, "spectral_radius")) {
    if (!spec.scheme.empty() && spec.scheme != "generalised_alpha")
      throw Error(ErrorKind::input,
                  {.what = "spectral_radius belongs to the scheme `generalised_alpha`",
                   .where = radius->where(),
                   .found = "scheme = \"" + spec.scheme + "\"",
                   .remedy = "leave spectral_radius out, or the scheme"});
    spec.spectral_radius = real_of(*radius);
  }
  if (const auto stop = child_of(e, "stop"))
    spec.stop = math_of(*stop);
  spec.start = number_of(e, "start", spec.start);
  spec.end = number_of(e, "end", spec.end);
  spec.step = number_of(e, "step", spec.step);
  spec.cfl = number_of(e, "cfl", spec.cfl);
  if (!(spec.end > spec.start))
    throw Error(ErrorKind::input, {.what = "the end of the time is not after its start",
                                   .where = child_of(e, "end")->where(),
                                   .found = format_real(spec.end),
                                   .allowed = "> " + format_real(spec.start)});
  if (const auto adaptive = child_of(e, "adaptive")) {
    const auto tolerance = child_of(*adaptive, "tolerance");
    if (!tolerance)
      throw Error(ErrorKind::input, {.what = "adaptive steps without a tolerance",
                                     .where = adaptive->where(),
                                     .remedy = "write adaptive = { tolerance = 1e-4 }"});
    spec.tolerance = real_of(*tolerance);
    spec.max_step = number_of(*adaptive, "max_step", spec.max_step);
  }
  spec.rush_larsen = child_of(e, "reactions").has_value();
  if (const auto substeps = child_of(e, "substeps"))
    spec.substeps = integer_of(*substeps);
  return spec;
}

} // namespace

Declaration time_declaration(Case &c) {
  const TimeSpec standard;
  Declaration scheme = key_with_default(
      "scheme", type_text, "",
      "implicit: `bdf2` (default of weak forms) damps, `theta` with 0.5 keeps what oscillates; "
      "`dirk2`, `dirk3`, `dirk4`: diagonally implicit Runge-Kutta schemes of these orders, which "
      "damp; `generalised_alpha` of order 2, of weak forms (default of those with `dt(dt())`); "
      "explicit, of conservation laws alone: `lsrk4` (their default) of order 4 in 5 stages, "
      "`rk4`, `ssprk3` of order 3, the one for shocks and adaptive steps, `euler` of order 1, for "
      "diffusion, whose stable steps are short at any rate");
  scheme.allowed = {
      "theta",  "bdf2", "generalised_alpha", "dirk2", "dirk3", "dirk4", "lsrk4", "rk4",
      "ssprk3", "euler"};
  Declaration adaptive = declare_table(
      "adaptive", "steps as long as a tolerance allows",
      {key_with_default("tolerance", type_real, "",
                        "of a step's error, in the mean, relative to the field's largest value",
                        {.above = 0, .at_most = 0.1}),
       key_with_default("max_step", type_real, "", "longest step; default: no limit",
                        {.above = 0})});
  Declaration reactions = key_with_default(
      "reactions", type_text, "",
      "of conservation laws: sources are split from the rest of the law (Strang) and integrated "
      "node by node, half a step before and half a step after it; `rush_larsen`: exponential steps "
      "of order 2, stable for stiff decay");
  reactions.allowed = {"rush_larsen"};
  Declaration time = declare_table(
      "time",
      "Transient problems: weak forms with `dt()`, and conservation laws. A weak form without "
      "`dt()` is solved at the end of each step, with what depends on `t` as it is then "
      "(quasi-static); no scheme is named. Steps end at the times of output.",
      {scheme,
       key_with_default("theta", type_real, format_real(standard.theta),
                        "of `theta`: 0.5 the midpoint rule, of order 2; 1 backward Euler",
                        {.at_least = 0.5, .at_most = 1}),
       key_with_default("spectral_radius", type_real, format_real(standard.spectral_radius),
                        "of `generalised_alpha`: what is left, after each step, of frequencies far "
                        "too high for it; 1 keeps all energy, 0 damps most",
                        {.at_least = 0, .at_most = 1}),
       key_with_default("start", type_real, format_real(standard.start), "first time"),
       key_with_default("end", type_real, "", "last time"),
       key_with_default("step", type_real, "",
                        "length of a step at most; adaptive: about that of the first steps; "
                        "explicit schemes: default as long as they are stable, by the eigenvalues "
                        "of the rate",
                        {.above = 0}),
       key_with_default("cfl", type_real, "",
                        "of conservation laws, in place of `step`: steps of this share of the "
                        "shortest cell length / (wave speed (2 order + 1)); too large a share is "
                        "told",
                        {.above = 0}),
       key_with_default("stop", type_math, "",
                        "a condition on [functionals] by their names and on `t`, looked at after "
                        "each step: `\"T_max > 400\"`; the run ends where it holds"),
       adaptive, reactions,
       key_with_default("substeps", type_integer, "",
                        "splits sources off as `reactions` does, and integrates them in so many "
                        "steps each time: explicit ones (midpoint rule) without `reactions`",
                        {.at_least = 1, .at_most = 10000})});
  time.read = [&c](const Entry &e) { c.time = read_time(e); };
  return time;
}

} // namespace weft
