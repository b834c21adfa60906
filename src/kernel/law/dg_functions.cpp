#include "kernel/law/dg_functions.h"

#include <fmt/format.h>

#include "base/error.h"
#include "form/graph/reciprocals.h"
#include "kernel/text/pointwise_text.h"

namespace weft {

namespace {

constexpr const char *cell_parameter = "WEFT_PRIVATE const weft_cell *cell";
constexpr const char *facet_parameter = "WEFT_PRIVATE const weft_facet *facet";

[[noreturn]] void refuse(const char *what) {
  throw Error(ErrorKind::unsupported, {.what = what,
                                       .where = "[conservation_law]",
                                       .remedy = "write it with fields, parameters and place"});
}

// The first component of a field in a point's values, of all fields before it.
int first_component(const std::vector<FieldSpec> &fields, int index) {
  int first = 0;
  for (int i = 0; i < index; ++i)
    first += fields[i].components();
  return first;
}

class Printer {
public:
  explicit Printer(const DgKernelSpec &spec)
      : spec_(spec), law_(*spec.law), values_(dg_values(law_)) {}

  DgFunctions print() {
    if (!law_.finite_volume)
      fluxes();
    facet_flux("weft_numerical_flux", law_.numerical_flux, true, functions_.numerical_flux);
    boundaries("weft_boundary_flux", false);
    if (law_.finite_volume ? law_.cell_gradients : law_.viscous)
      boundaries("weft_boundary_outer", true);
    finish();
    if (law_.finite_volume)
      crossing_of_finite_volumes();
    else
      crossing_rate();
    if (!law_.positive.outputs.empty())
      positive();
    return std::move(functions_);
  }

private:
  int gradient_of(const Symbol &s) const {
    return values_.gradient_of[first_component(law_.fields, s.index) + s.component];
  }

  // Names of symbols; `m` holds the values of the cell, `p` those of the neighbour.
  std::string name(const Symbol &s) const {
    const char *array = s.side == Side::plus ? "p" : "m";
    switch (s.kind) {
    case SymbolKind::field:
      return fmt::format("{}[{}]", array, first_component(law_.fields, s.index) + s.component);
    case SymbolKind::field_gradient:
      return fmt::format("{}[{}]", array,
                         values_.components + gradient_of(s) * law_.dim + s.direction);
    case SymbolKind::limiter:
      return fmt::format("{}[{}]", array, values_.components + values_.gradients + gradient_of(s));
    case SymbolKind::auxiliary:
      return fmt::format("{}[{}]", array,
                         values_.total() - values_.known +
                             first_component(law_.auxiliary, s.index) + s.component);
    case SymbolKind::coordinate:
      return fmt::format("x{}", s.component);
    case SymbolKind::time:
      return "time";
    case SymbolKind::normal:
      return fmt::format("facet->normal[{}]", s.component);
    case SymbolKind::penalty:
      return "facet->penalty";
    case SymbolKind::facet_offset:
      return fmt::format("facet->{}_offset[{}]", s.side == Side::plus ? "plus" : "minus",
                         s.component);
    case SymbolKind::cell_parameter:
      return fmt::format("{}parameters[{}]", s.side == Side::plus ? "facet->plus_" : "cell->",
                         s.component);
    case SymbolKind::facet_parameter:
      return fmt::format("facet->parameters[{}]", s.component);
    case SymbolKind::cell_size:
      if (s.side == Side::plus)
        refuse("cell_size of the other side of a facet");
      return "cell->size";
    default:
      refuse("a gradient of a known field, or a time derivative, in a conservation law");
    }
  }

  // Place and time where the function asks for them.
  void inputs(LaneText &text, const PointwiseFunction &function, const char *node,
              bool on_facet) const {
    if (function.uses(SymbolKind::time))
      text.line("const lane time = lane_splat(cell->time);");
    for (int d = 0; d < law_.dim; ++d)
      for (const Symbol &s : function.symbols)
        if (s.kind == SymbolKind::coordinate && s.component == d) {
          if (on_facet && spec_.operators->element.order == 0)
            text.line(fmt::format("const lane x{0} = facet->middle[{0}];", d));
          else if (on_facet && spec_.operators->entries() > 1)
            text.line(fmt::format("const lane x{0} = lane_load(cell->facet_coordinates + ({1} * "
                                  "WEFT_DIM + {0}) * WEFT_LANES);",
                                  d, node));
          else
            text.line(fmt::format("const lane x{0} = lane_load(cell->coordinates + ({0} * "
                                  "WEFT_NODES + {1}) * WEFT_LANES);",
                                  d, node));
          break;
        }
  }

  std::vector<std::string> body(LaneText &text, const PointwiseFunction &function, const char *node,
                                const std::string &prefix, bool on_facet = false) const {
    inputs(text, function, node, on_facet);
    return print_pointwise(
        text, with_shared_reciprocals(function), [&](const Symbol &s) { return name(s); }, prefix);
  }

  // f[direction][component]: contravariant fluxes at a node.
  void fluxes() {
    LaneText text(spec_.precision);
    text.line("// f[direction][component]: contravariant fluxes at a node.");
    text.open(
        fmt::format("WEFT_FUNCTION void weft_node_flux({}, i32 node, WEFT_PRIVATE lane *f) {{",
                    cell_parameter));
    text.line("lane m[WEFT_VALUES];");
    text.line("weft_load_point(cell, node, 0, m);");
    const auto out = body(text, law_.flux, "node", "t");
    for (int r = 0; r < law_.dim; ++r)
      for (int d = 0; d < law_.dim; ++d)
        text.line(fmt::format("const lane a{0}{1} = weft_metric(cell, node, {2});", r, d,
                              r * law_.dim + d));
    for (int r = 0; r < law_.dim; ++r)
      for (int k = 0; k < values_.components; ++k) {
        std::string sum;
        for (int d = 0; d < law_.dim; ++d) {
          const int output = k * law_.dim + d;
          if (law_.flux.output_is_zero(output))
            continue;
          sum = sum.empty() ? fmt::format("a{}{} * {}", r, d, out[output])
                            : fmt::format("lane_fma(a{}{}, {}, {})", r, d, out[output], sum);
          if (sum.starts_with("lane_fma"))
            text.count().multiply_adds += 1;
          else
            text.count().multiplications += 1;
        }
        text.line(fmt::format("f[{} * WEFT_COMPONENTS + {}] = {};", r, k,
                              sum.empty() ? text.constant(0) : sum));
      }
    text.close();
    functions_.flux = text.operations();
    functions_.text += "\n" + text.text();
  }

  // The normal flux, from both sides' values or from the cell's alone.
  void facet_flux(const std::string &function_name, const PointwiseFunction &function,
                  bool both_sides, Operations &operations) {
    LaneText text(spec_.precision);
    text.line(both_sides
                  ? "// The numerical flux along the normal, from values m of the cell, p of the "
                    "neighbour."
                  : "// What a boundary condition makes of values m of the cell.");
    text.open(fmt::format("WEFT_FUNCTION void {}({}, {}, i32 node, WEFT_PRIVATE const lane *m, {}"
                          "WEFT_PRIVATE lane *flux) {{",
                          function_name, cell_parameter, facet_parameter,
                          both_sides ? "WEFT_PRIVATE const lane *p, " : ""));
    const auto out = body(text, function, "node", "t", true);
    for (std::size_t k = 0; k < out.size(); ++k)
      text.line(fmt::format("flux[{}] = {};", k, out[k]));
    text.close();
    operations = text.operations();
    functions_.text += "\n" + text.text();
  }

  // Replaces `values` in the lanes whose facets have a boundary condition; with states outside of
  // finite volumes those that are samples of gradients.
  void boundaries(const std::string &function_name, bool outer) {
    const auto is_used = [&](std::size_t b) {
      return !outer || !law_.finite_volume || is_sampled(law_, static_cast<int>(b));
    };
    for (std::size_t b = 0; b < law_.boundaries.size(); ++b) {
      auto &operations = outer ? functions_.boundary_outer : functions_.boundary_flux;
      if (!is_used(b)) {
        operations.emplace_back();
        continue;
      }
      facet_flux(fmt::format("{}_{}", function_name, b),
                 outer ? law_.boundaries[b].outer : law_.boundaries[b].flux, false,
                 operations.emplace_back());
    }
    LaneText text(spec_.precision);
    text.line(outer ? "// Puts the state outside in place of `values` in lanes on the boundary."
                    : "// Puts the boundary's flux in place of `values` in lanes on the boundary.");
    text.open(fmt::format("WEFT_FUNCTION void {}({}, {}, i32 node, i32 present, lane which, "
                          "WEFT_PRIVATE const lane *m, WEFT_PRIVATE lane *values) {{",
                          function_name, cell_parameter, facet_parameter));
    text.line("lane given[WEFT_COMPONENTS];");
    for (std::size_t b = 0; b < law_.boundaries.size(); ++b) {
      if (!is_used(b))
        continue;
      text.open(fmt::format("if (present >> {} & 1) {{", b));
      text.line(fmt::format("{}_{}(cell, facet, node, m, given);", function_name, b));
      text.line(fmt::format("const mask here = lane_eq(which, lane_splat({}));", b));
      text.line("WEFT_UNROLL for (i32 k = 0; k < WEFT_COMPONENTS; ++k)");
      text.line("  values[k] = lane_select(here, given[k], values[k]);");
      text.close();
    }
    text.close();
    functions_.text += "\n" + text.text();
  }

  // Rates of change from what the cell and its facets gave: divided by the volume ratio, with the
  // source, divided by the capacity.
  void finish() {
    LaneText text(spec_.precision);
    text.line("// Rates of change of what cell and facets gave: volume, source, capacity.");
    text.open(
        fmt::format("WEFT_FUNCTION void weft_finish({}, i32 node, WEFT_PRIVATE lane *rate) {{",
                    cell_parameter));
    if (!spec_.affine) {
      text.line("const lane per_volume = weft_per_volume(cell, node);");
      for (int k = 0; k < values_.components; ++k)
        text.line(fmt::format("rate[{0}] = rate[{0}] * per_volume;", k));
      text.count().multiplications += values_.components;
    }
    bool source = false, capacity = false;
    for (int k = 0; k < values_.components; ++k) {
      source = source || !law_.source.output_is_zero(k);
      const Node &node = law_.capacity.nodes[law_.capacity.outputs[k]];
      capacity = capacity || node.op != Op::constant || node.value != 1;
    }
    if (source || capacity) {
      text.line("lane m[WEFT_VALUES];");
      text.line("weft_load_point(cell, node, 0, m);");
    }
    if (source) {
      text.open("{");
      const auto out = body(text, law_.source, "node", "s");
      for (int k = 0; k < values_.components; ++k)
        if (!law_.source.output_is_zero(k)) {
          text.line(fmt::format("rate[{0}] = rate[{0}] + {1};", k, out[k]));
          text.count().additions += 1;
        }
      text.close();
    }
    if (capacity) {
      text.open("{");
      const auto out = body(text, law_.capacity, "node", "c");
      for (int k = 0; k < values_.components; ++k) {
        const Node &node = law_.capacity.nodes[law_.capacity.outputs[k]];
        if (node.op == Op::constant && node.value == 1)
          continue;
        text.line(fmt::format("rate[{0}] = rate[{0}] / {1};", k, out[k]));
        text.count().divisions += 1;
      }
      text.close();
    }
    text.close();
    functions_.finish = text.operations();
    functions_.text += "\n" + text.text();
  }

  // One over the longest stable step, but for the CFL number.
  void crossing_rate() {
    LaneText text(spec_.precision);
    text.line("// One over the longest stable step at a node, but for the CFL number.");
    text.open(fmt::format("WEFT_FUNCTION lane weft_crossing_rate({}, i32 node, WEFT_ARGUMENTS) {{",
                          cell_parameter));
    text.line("const lane size = cell->length;");
    text.line("lane m[WEFT_VALUES];");
    text.line("weft_load_point(cell, node, 0, m);");
    const double modes = 2 * spec_.operators->element.order + 1;
    text.line("lane rate = lane_splat(0);");
    text.open("{");
    const auto speed = body(text, law_.wave_speed, "node", "t");
    text.line(fmt::format("rate = lane_abs({}) * {} / size;", speed[0], text.constant(modes)));
    text.count() += {.multiplications = 1, .divisions = 1, .simple = 1};
    text.close();
    if (law_.viscous) {
      text.open("{");
      const auto diffusivity = body(text, law_.diffusivity, "node", "d");
      text.line(fmt::format("rate = rate + lane_abs({}) * {} / (size * size);", diffusivity[0],
                            text.constant(modes * modes)));
      text.count() += {.additions = 1, .multiplications = 2, .divisions = 1, .simple = 1};
      text.close();
    }
    return_checked(text);
    functions_.crossing_rate = text.operations();
    functions_.crossing += "\n" + text.text();
  }

  // The end of a function: `rate`, or NaN. Values that are not finite and enter no speed are found
  // too.
  void return_checked(LaneText &text) const {
    text.line("lane check = lane_splat(0);");
    text.line(
        "WEFT_UNROLL for (i32 k = 0; k < WEFT_COMPONENTS; ++k) check = check + (m[k] - m[k]);");
    text.line("return rate + check;");
    text.count().additions += 2 * values_.components + 1;
    text.close();
  }

  // What leaves a cell in a unit of time, as a fraction of what it holds: by waves through half of
  // its surface, and of the component of which most is exchanged by diffusion.
  void crossing_of_finite_volumes() {
    LaneText text(spec_.precision);
    text.line("// What leaves a cell in a unit of time, as a fraction of what it holds.");
    text.open(fmt::format("WEFT_FUNCTION lane weft_whole_crossing_rate({}, WEFT_PRIVATE const lane "
                          "*m, lane surface, WEFT_PRIVATE const lane *exchange) {{",
                          cell_parameter));
    const auto speed = body(text, law_.wave_speed, "0", "t");
    text.line(
        fmt::format("lane rate = lane_abs({}) * surface * {};", speed[0], text.constant(0.5)));
    text.count() += {.multiplications = 2, .simple = 1};
    if (has_diffusion(law_)) {
      text.open("{");
      const auto capacity = body(text, law_.capacity, "0", "c");
      text.line(fmt::format("lane most = exchange[0] / {};", capacity[0]));
      for (int k = 1; k < values_.components; ++k)
        text.line(fmt::format("most = lane_max(most, exchange[{}] / {});", k, capacity[k]));
      text.line("rate = rate + most;");
      text.count() += {.additions = 1,
                       .divisions = double(values_.components),
                       .simple = double(values_.components - 1)};
      text.close();
    }
    return_checked(text);
    functions_.crossing_rate = text.operations();
    functions_.crossing += "\n" + text.text();
    if (!has_diffusion(law_))
      return;
    PointwiseFunction of_plus = law_.conormal;
    for (Symbol &s : of_plus.symbols)
      if (s.side == Side::minus && s.kind != SymbolKind::cell_size)
        s.side = Side::plus;
    conormal("weft_conormal_minus", law_.conormal, "m");
    conormal("weft_conormal_plus", of_plus, "p");
  }

  // slope[component]: n.K n of one side of a facet.
  void conormal(const std::string &function_name, const PointwiseFunction &function,
                const char *array) {
    LaneText text(spec_.precision);
    text.line("// slope[component]: n.K n of one side of a facet.");
    text.open(fmt::format("WEFT_FUNCTION void {}({}, {}, i32 node, WEFT_PRIVATE const lane *{}, "
                          "WEFT_PRIVATE lane *slope) {{",
                          function_name, cell_parameter, facet_parameter, array));
    const auto out = body(text, function, "node", "t", true);
    for (int k = 0; k < values_.components; ++k) {
      std::string sum;
      for (int d = 0; d < law_.dim; ++d) {
        const int output = k * law_.dim + d;
        if (function.output_is_zero(output))
          continue;
        const bool is_first = sum.empty();
        sum = is_first ? fmt::format("{} * facet->normal[{}]", out[output], d)
                       : fmt::format("lane_fma({}, facet->normal[{}], {})", out[output], d, sum);
        (is_first ? text.count().multiplications : text.count().multiply_adds) += 1;
      }
      text.line(fmt::format("slope[{}] = {};", k,
                            sum.empty() ? text.constant(0) : "lane_abs(" + sum + ")"));
      text.count().simple += sum.empty() ? 0 : 1;
    }
    text.close();
    functions_.conormal += text.operations();
    functions_.crossing += "\n" + text.text();
  }

  // Quantities that the limiter keeps positive, of a state.
  void positive() {
    LaneText text(spec_.precision);
    text.line("// quantities[.]: what the law keeps positive, of values m.");
    text.open(
        fmt::format("WEFT_FUNCTION void weft_positive({}, i32 node, WEFT_PRIVATE const lane *m, "
                    "WEFT_PRIVATE lane *quantities) {{",
                    cell_parameter));
    const auto out = body(text, law_.positive, "node", "t");
    for (std::size_t e = 0; e < out.size(); ++e)
      text.line(fmt::format("quantities[{}] = {};", e, out[e]));
    text.close();
    functions_.positive = text.operations();
    functions_.text += "\n" + text.text();
  }

  const DgKernelSpec &spec_;
  const ConservationLaw &law_;
  DgValues values_;
  DgFunctions functions_;
};

} // namespace

DgFunctions print_dg_functions(const DgKernelSpec &spec) {
  return Printer(spec).print();
}

} // namespace weft
