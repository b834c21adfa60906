#include "kernel/dg_functions.h"

#include <fmt/format.h>

#include "base/error.h"
#include "form/reciprocals.h"
#include "kernel/pointwise_text.h"

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
    fluxes();
    facet_flux("weft_numerical_flux", law_.numerical_flux, true, functions_.numerical_flux);
    boundaries("weft_boundary_flux", false);
    if (law_.viscous)
      boundaries("weft_boundary_outer", true);
    finish();
    crossing_rate();
    if (!law_.positive.outputs.empty())
      positive();
    return std::move(functions_);
  }

private:
  // Names of symbols; `m` holds the values of the cell, `p` those of the neighbour.
  std::string name(const Symbol &s) const {
    const char *array = s.side == Side::plus ? "p" : "m";
    switch (s.kind) {
    case SymbolKind::field:
      return fmt::format("{}[{}]", array, first_component(law_.fields, s.index) + s.component);
    case SymbolKind::field_gradient:
      return fmt::format("{}[{}]", array,
                         values_.components +
                             (first_component(law_.fields, s.index) + s.component) * law_.dim +
                             s.direction);
    case SymbolKind::auxiliary:
      return fmt::format("{}[{}]", array,
                         values_.components + values_.gradients +
                             first_component(law_.auxiliary, s.index) + s.component);
    case SymbolKind::coordinate:
      return fmt::format("x{}", s.component);
    case SymbolKind::time:
      return "time";
    case SymbolKind::normal:
      return fmt::format("facet->normal[{}]", s.component);
    case SymbolKind::penalty:
      return "facet->penalty";
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
    functions_.text += text.text();
  }

  // The normal flux, from both sides' values or from the cell's alone.
  void facet_flux(const std::string &function_name, const PointwiseFunction &function,
                  bool both_sides, Operations &operations) {
    LaneText text(spec_.precision);
    text.open(fmt::format("WEFT_FUNCTION void {}({}, {}, i32 node, WEFT_PRIVATE const lane *m, {}"
                          "WEFT_PRIVATE lane *flux) {{",
                          function_name, cell_parameter, facet_parameter,
                          both_sides ? "WEFT_PRIVATE const lane *p, " : ""));
    const auto out = body(text, function, "node", "t", true);
    for (std::size_t k = 0; k < out.size(); ++k)
      text.line(fmt::format("flux[{}] = {};", k, out[k]));
    text.close();
    operations = text.operations();
    functions_.text += text.text();
  }

  // Replaces `values` in the lanes whose facets have a boundary condition.
  void boundaries(const std::string &function_name, bool outer) {
    for (std::size_t b = 0; b < law_.boundaries.size(); ++b) {
      auto &operations = outer ? functions_.boundary_outer : functions_.boundary_flux;
      facet_flux(fmt::format("{}_{}", function_name, b),
                 outer ? law_.boundaries[b].outer : law_.boundaries[b].flux, false,
                 operations.emplace_back());
    }
    LaneText text(spec_.precision);
    text.open(fmt::format("WEFT_FUNCTION void {}({}, {}, i32 node, i32 present, lane which, "
                          "WEFT_PRIVATE const lane *m, WEFT_PRIVATE lane *values) {{",
                          function_name, cell_parameter, facet_parameter));
    text.line("lane given[WEFT_COMPONENTS];");
    for (std::size_t b = 0; b < law_.boundaries.size(); ++b) {
      text.open(fmt::format("if (present >> {} & 1) {{", b));
      text.line(fmt::format("{}_{}(cell, facet, node, m, given);", function_name, b));
      text.line(fmt::format("const mask here = lane_eq(which, lane_splat({}));", b));
      text.line("WEFT_UNROLL for (i32 k = 0; k < WEFT_COMPONENTS; ++k)");
      text.line("  values[k] = lane_select(here, given[k], values[k]);");
      text.close();
    }
    text.close();
    functions_.text += text.text();
  }

  // Rates of change from what the cell and its facets gave: divided by the volume ratio, with the
  // source, divided by the capacity.
  void finish() {
    LaneText text(spec_.precision);
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
    functions_.text += text.text();
  }

  // One over the longest stable step, but for the CFL number.
  void crossing_rate() {
    LaneText text(spec_.precision);
    text.open(fmt::format("WEFT_FUNCTION lane weft_crossing_rate({}, i32 node, lane size) {{",
                          cell_parameter));
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
    // Values that are not finite and enter no speed are found too.
    text.line("lane check = lane_splat(0);");
    text.line(
        "WEFT_UNROLL for (i32 k = 0; k < WEFT_COMPONENTS; ++k) check = check + (m[k] - m[k]);");
    text.line("return rate + check;");
    text.count().additions += 2 * values_.components + 1;
    text.close();
    functions_.crossing_rate = text.operations();
    functions_.text += text.text();
  }

  // Quantities that the limiter keeps positive, of a state.
  void positive() {
    LaneText text(spec_.precision);
    text.open(
        fmt::format("WEFT_FUNCTION void weft_positive({}, i32 node, WEFT_PRIVATE const lane *m, "
                    "WEFT_PRIVATE lane *quantities) {{",
                    cell_parameter));
    const auto out = body(text, law_.positive, "node", "t");
    for (std::size_t e = 0; e < out.size(); ++e)
      text.line(fmt::format("quantities[{}] = {};", e, out[e]));
    text.close();
    functions_.text += text.text();
  }

  const DgKernelSpec &spec_;
  const ConservationLaw &law_;
  DgValues values_;
  DgFunctions functions_;
};

} // namespace

DgValues dg_values(const ConservationLaw &law) {
  return {.components = law.num_components,
          .gradients = law.viscous ? law.num_components * law.dim : 0,
          .known = first_component(law.auxiliary, static_cast<int>(law.auxiliary.size()))};
}

DgFunctions print_dg_functions(const DgKernelSpec &spec) {
  return Printer(spec).print();
}

} // namespace weft
