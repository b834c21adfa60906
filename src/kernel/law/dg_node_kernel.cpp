#include "kernel/law/dg_node_kernel.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/embedded.h"
#include "base/error.h"
#include "device/dialect.h"
#include "form/graph/reciprocals.h"
#include "kernel/cell/integral_kernel.h"
#include "kernel/text/pointwise_text.h"

namespace weft {

namespace {

int components_before(const std::vector<FieldSpec> &fields, std::size_t index) {
  int sum = 0;
  for (std::size_t f = 0; f < index; ++f)
    sum += fields[f].components();
  return sum;
}

// What the functions of a kernel read.
struct NodeInputs {
  int dim = 2;
  const std::vector<FieldSpec> &fields;
  const std::vector<FieldSpec> &auxiliary;
  std::size_t parameters = 0;
  std::vector<const PointwiseFunction *> functions;

  bool use(SymbolKind kind) const {
    return std::any_of(functions.begin(), functions.end(),
                       [&](const PointwiseFunction *f) { return f->uses(kind); });
  }
  int components() const { return components_before(fields, fields.size()); }
  int known() const {
    return use(SymbolKind::auxiliary) ? components_before(auxiliary, auxiliary.size()) : 0;
  }
};

// Fields of Side::plus are in `others`, all others in `own`.
std::string node_symbol(const NodeInputs &in, const Symbol &s) {
  switch (s.kind) {
  case SymbolKind::field:
    return fmt::format("{}[{}]", s.side == Side::plus ? "others" : "own",
                       components_before(in.fields, s.index) + s.component);
  case SymbolKind::auxiliary:
    return fmt::format("place->known[{}]", components_before(in.auxiliary, s.index) + s.component);
  case SymbolKind::coordinate:
    return fmt::format("place->x[{}]", s.component);
  case SymbolKind::time:
    return "place->time";
  case SymbolKind::cell_parameter:
    return fmt::format("place->parameters[{}]", s.component);
  case SymbolKind::cell_size:
    return "place->size";
  default:
    throw Error(ErrorKind::unsupported,
                {.what = "gradients, or values of facets, at the nodes of a conservation law",
                 .where = "[conservation_law], [first_times]",
                 .allowed = "fields, parameters, auxiliary fields, place and time"});
  }
}

std::vector<std::string> print_at_node(LaneText &text, const NodeInputs &in,
                                       const PointwiseFunction &function,
                                       const std::string &prefix) {
  return print_pointwise(
      text, with_shared_reciprocals(function), [&](const Symbol &s) { return node_symbol(in, s); },
      prefix);
}

std::string constants(const DgNodeSpec &spec, const NodeInputs &in, const std::string &name) {
  std::string text;
  const auto define = [&](const char *key, const auto &value) {
    text += fmt::format("#define {} {}\n", key, value);
  };
  define("WEFT_KERNEL_NAME", name);
  define("WEFT_DIM", in.dim);
  define("WEFT_NODES", spec.num_nodes);
  define("WEFT_STATE_BY_CELL", spec.state_by_cell ? 1 : 0);
  define("WEFT_COMPONENTS", in.components());
  define("WEFT_KNOWN", in.known());
  define("WEFT_CELL_PARAMETERS", in.use(SymbolKind::cell_parameter) ? in.parameters : 0);
  define("WEFT_USES_COORDINATES", in.use(SymbolKind::coordinate) ? 1 : 0);
  define("WEFT_USES_CELL_SIZE", in.use(SymbolKind::cell_size) ? 1 : 0);
  return text;
}

// An argument: its type, as text, and its name.
using Argument = std::pair<std::string, std::string>;
const std::string read_reals = "WEFT_GLOBAL const real *WEFT_RESTRICT ";
const std::string written_reals = "WEFT_GLOBAL real *WEFT_RESTRICT ";

std::vector<Argument> common_arguments(const NodeInputs &in, bool writes_state) {
  std::vector<Argument> arguments = {{"const i32 ", "num_nodes"},
                                     {"const i32 ", "nodes_per_item"},
                                     {"const i32 ", "first_unit"},
                                     {"const real ", "time"},
                                     {writes_state ? written_reals : read_reals, "q"}};
  const std::pair<bool, const char *> arrays[] = {
      {in.known() > 0, "known"},
      {in.use(SymbolKind::coordinate), "coordinates"},
      {in.use(SymbolKind::cell_size), "cell_size"},
      {in.use(SymbolKind::cell_parameter), "cell_table"}};
  for (const auto &[is_used, name] : arrays)
    if (is_used)
      arguments.emplace_back(read_reals, name);
  if (in.use(SymbolKind::cell_parameter))
    arguments.emplace_back("WEFT_GLOBAL const i32 *WEFT_RESTRICT ", "cell_class");
  return arguments;
}

// `body`: the functions and the kernel.
DgNodeKernel join(const DgNodeSpec &spec, const NodeInputs &in, const std::string &what,
                  const std::vector<Argument> &arguments, const std::string &body,
                  const std::string &backend) {
  DgNodeKernel kernel;
  kernel.name = fmt::format("dg_{}_{}_{}_p{}_{}", what, spec.form_name, to_string(spec.cell),
                            spec.order, to_string(spec.precision));
  kernel.place_values = in.known() + (in.use(SymbolKind::coordinate) ? in.dim : 0);
  kernel.parameters = in.use(SymbolKind::cell_parameter) ? static_cast<int>(in.parameters) : 0;
  kernel.reads_cell_size = in.use(SymbolKind::cell_size);
  std::string declarations, names;
  for (const auto &[type, name] : arguments) {
    const char *separator = kernel.arguments.empty() ? "" : ", ";
    declarations += separator + type + name;
    names += separator + name;
    kernel.arguments.push_back(name);
  }
  kernel.text = fmt::format("// {}: generated by Weft, lanes={}\n", kernel.name, spec.lanes) +
                program_head(backend, spec.precision, spec.lanes) +
                constants(spec, in, kernel.name) + "#define WEFT_ARGUMENTS " + declarations +
                "\n#define WEFT_NAMES " + names + "\n" + embedded_text("kernels/dg/node.kernel") +
                body;
  return kernel;
}

// weft_advance: next[k] = own[k] + (exp(slope step) - 1)/slope rate[k], or with the midpoint rule
// own[k] + step rate[k].
LaneText print_advance(const DgNodeSpec &spec, const NodeInputs &in, const LawReactions &reactions,
                       bool rush_larsen) {
  LaneText text(spec.precision);
  text.line("WEFT_FUNCTION void weft_advance(WEFT_PRIVATE const weft_place *place, lane step,");
  text.line("                                WEFT_PRIVATE const lane *start,");
  text.open("                                WEFT_PRIVATE const lane *others, "
            "WEFT_PRIVATE lane *next) {");
  text.line(fmt::format("WEFT_PRIVATE const lane *own = {};", rush_larsen ? "start" : "others"));
  const auto rate = print_at_node(text, in, reactions.rate, "r");
  const auto slope = rush_larsen ? print_at_node(text, in, reactions.slope, "s") : rate;
  for (int k = 0; k < reactions.num_components; ++k) {
    if (reactions.rate.output_is_zero(k)) {
      text.line(fmt::format("next[{0}] = start[{0}];", k));
      continue;
    }
    std::string length = "step";
    if (rush_larsen && !reactions.slope.output_is_zero(k)) {
      length = fmt::format("step * weft_growth(step * {})", slope[k]);
      // Of weft_growth the series, the exponential and the quotient, all done.
      text.count().multiply_adds += 13;
      text.count().multiplications += 2 + 13;
      text.count().additions += 1;
      text.count().divisions += 1;
      text.count().simple += 1;
      text.count().functions["exp"] += 1;
    }
    text.line(fmt::format("next[{0}] = lane_fma({1}, {2}, start[{0}]);", k, length, rate[k]));
    text.count().multiply_adds += 1;
  }
  text.close();
  return text;
}

} // namespace

DgNodeKernel make_reaction_kernel(const DgNodeSpec &spec, const LawReactions &reactions,
                                  bool rush_larsen, const std::string &backend) {
  NodeInputs in{reactions.dim,
                reactions.fields,
                reactions.auxiliary,
                reactions.cell_table.size(),
                {&reactions.rate}};
  if (rush_larsen)
    in.functions.push_back(&reactions.slope);
  std::vector<Argument> arguments = common_arguments(in, true);
  arguments.insert(arguments.end(), {{"const real ", "h"}, {"const i32 ", "substeps"}});
  const LaneText advance = print_advance(spec, in, reactions, rush_larsen);
  DgNodeKernel kernel = join(spec, in, "react", arguments,
                             (rush_larsen ? embedded_text("kernels/dg/growth.kernel") : "") +
                                 advance.text() + embedded_text("kernels/dg/node_react.kernel"),
                             backend);
  kernel.operations = 2.0 * advance.operations();
  return kernel;
}

DgNodeKernel make_first_times_kernel(const DgNodeSpec &spec, const NodeExpressions &expressions,
                                     const std::string &backend) {
  const NodeInputs in{expressions.dim,
                      expressions.fields,
                      expressions.auxiliary,
                      expressions.cell_table.size(),
                      {&expressions.function}};
  std::vector<Argument> arguments = common_arguments(in, false);
  arguments.insert(
      arguments.end(),
      {{"const real ", "before"}, {written_reals, "values"}, {written_reals, "first_times"}});
  LaneText text(spec.precision);
  text.line("WEFT_FUNCTION void weft_expressions(WEFT_PRIVATE const weft_place *place,");
  text.open("                                    WEFT_PRIVATE const lane *own, "
            "WEFT_PRIVATE lane *now) {");
  const auto out = print_at_node(text, in, expressions.function, "v");
  for (std::size_t e = 0; e < out.size(); ++e)
    text.line(fmt::format("now[{}] = {};", e, out[e]));
  text.close();
  DgNodeKernel kernel = join(spec, in, "first_times", arguments,
                             fmt::format("#define WEFT_EXPRESSIONS {}\n", out.size()) +
                                 text.text() + embedded_text("kernels/dg/node_first_times.kernel"),
                             backend);
  kernel.operations = text.operations();
  return kernel;
}

} // namespace weft
