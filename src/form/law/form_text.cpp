#include "form/law/form_text.h"

#include <fmt/format.h>
#include <vector>

#include "base/names.h"
#include "base/number.h"
#include "form/graph/hessian_entries.h"
#include "form/graph/operation.h"

namespace weft {

namespace {

// An expression's text, and how tightly it binds: operands that bind less get brackets.
enum Binding { binds_truth, binds_comparison, binds_sum, binds_product, binds_sign, binds_atom };
struct Text {
  std::string text;
  Binding binding = binds_atom;
};

std::string at_least(Binding binding, const Text &operand) {
  return operand.binding < binding ? "(" + operand.text + ")" : operand.text;
}

Text infix(const char *op, Binding binding, const Text &a, const Text &b) {
  // The right operand binds tighter, as operators group to the left.
  return {at_least(binding, a) + op + at_least(static_cast<Binding>(binding + 1), b), binding};
}

Text operation_text(Op op, const std::vector<Text> &a) {
  switch (op) {
  case Op::add:
    return infix(" + ", binds_sum, a[0], a[1]);
  case Op::sub:
    return infix(" - ", binds_sum, a[0], a[1]);
  case Op::mul:
    return infix("*", binds_product, a[0], a[1]);
  case Op::div:
    return infix("/", binds_product, a[0], a[1]);
  case Op::neg:
    return {"-" + at_least(binds_sign, a[0]), binds_sign};
  case Op::less:
    return infix(" < ", binds_comparison, a[0], a[1]);
  case Op::less_equal:
    return infix(" <= ", binds_comparison, a[0], a[1]);
  case Op::equal:
    return infix(" == ", binds_comparison, a[0], a[1]);
  case Op::logical_and:
    return infix(" and ", binds_truth, a[0], a[1]);
  case Op::logical_or:
    return infix(" or ", binds_truth, a[0], a[1]);
  case Op::logical_not:
    return {"not (" + a[0].text + ")", binds_truth};
  default:
    break;
  }
  std::vector<std::string> arguments;
  for (const Text &argument : a)
    arguments.push_back(argument.text);
  return {fmt::format("{}({})", name_of(op), join_names(arguments))};
}

std::string indexed(const std::string &text, const Shape &shape, int component) {
  return shape.empty() ? text : fmt::format("{}[{}]", text, component);
}

std::string gradient_text(const std::string &of, const Shape &shape, const Symbol &s) {
  return shape.empty() ? fmt::format("grad({})[{}]", of, s.direction)
                       : fmt::format("grad({})[{}, {}]", of, s.component, s.direction);
}

// "grad(grad(u))[0, 1]"
std::string hessian_text(const Form &form, const std::string &of, const Shape &shape,
                         const Symbol &s) {
  const std::array<int, 2> along = hessian_directions(form.dim, s.direction);
  return shape.empty()
             ? fmt::format("grad(grad({}))[{}, {}]", of, along[0], along[1])
             : fmt::format("grad(grad({}))[{}, {}, {}]", of, s.component, along[0], along[1]);
}

// The names of the outputs, in their order.
std::vector<std::string> output_names(const Form &form, Domain domain) {
  std::vector<std::string> names;
  const auto add_side = [&](const std::string &side) {
    for (const FieldSpec &field : form.fields) {
      const std::string of = side.empty() ? field.name : side + "(" + field.name + ")";
      for (int k = 0; k < field.components(); ++k)
        names.push_back(indexed("f0(" + of + ")", field.shape, k));
      for (int k = 0; k < field.components(); ++k)
        for (int d = 0; d < form.dim; ++d)
          names.push_back(field.shape.empty() ? fmt::format("f1({})[{}]", of, d)
                                              : fmt::format("f1({})[{}, {}]", of, k, d));
    }
  };
  if (domain != Domain::interior) {
    add_side("");
  } else {
    add_side("minus");
    add_side("plus");
  }
  // Where there are second derivatives.
  for (const char *side : {"minus", "plus"})
    for (const FieldSpec &field : form.fields) {
      const std::string of =
          domain == Domain::interior ? fmt::format("{}({})", side, field.name) : field.name;
      for (int k = 0; k < field.components(); ++k)
        for (int entry = 0; entry < num_hessian_entries(form.dim); ++entry) {
          const std::array<int, 2> along = hessian_directions(form.dim, entry);
          names.push_back(field.shape.empty()
                              ? fmt::format("f2({})[{}, {}]", of, along[0], along[1])
                              : fmt::format("f2({})[{}, {}, {}]", of, k, along[0], along[1]));
        }
    }
  return names;
}

std::string function_text(const Form &form, const PointwiseFunction &function,
                          const std::vector<std::string> &names) {
  const std::vector<int> uses = count_uses(function);
  std::vector<Text> texts;
  std::string lines;
  int num_values = 0;
  for (std::size_t i = 0; i < function.nodes.size(); ++i) {
    const Node &node = function.nodes[i];
    if (node.op == Op::constant) {
      texts.push_back({format_real(node.value), node.value < 0 ? binds_sign : binds_atom});
      continue;
    }
    if (node.op == Op::symbol) {
      texts.push_back({symbol_text(form, function.symbols[node.symbol])});
      continue;
    }
    std::vector<Text> operands;
    for (int k = 0; k < num_operands(node.op); ++k)
      operands.push_back(texts[node.operand[k]]);
    texts.push_back(operation_text(node.op, operands));
    if (uses[i] > 1) {
      const std::string name = fmt::format("v{}", ++num_values);
      lines += fmt::format("    {} = {}\n", name, texts.back().text);
      texts.back() = {name};
    }
  }
  for (std::size_t o = 0; o < function.outputs.size(); ++o)
    if (!function.output_is_zero(static_cast<int>(o)))
      lines += fmt::format("    {} = {}\n", names[o], texts[function.outputs[o]].text);
  return lines.empty() ? "    0\n" : lines;
}

const char *domain_name(Domain domain) {
  switch (domain) {
  case Domain::cells:
    return "cells";
  case Domain::facets:
    return "facets";
  case Domain::interior:
    return "interior facets";
  case Domain::edges:
    return "edges";
  case Domain::points:
    break;
  }
  return "points";
}

std::string table_text(const char *title, const std::vector<TableEntry> &table) {
  std::string lines;
  for (const TableEntry &entry : table) {
    std::vector<std::string> values;
    for (const auto &[group, value] : entry.by_group)
      values.push_back(fmt::format("{} = {}", group, value));
    if (entry.otherwise)
      values.push_back(fmt::format("elsewhere {}", *entry.otherwise));
    lines += fmt::format("  {}: {}\n", entry.name, join_names(values));
  }
  return lines.empty() ? "" : std::string(title) + "\n" + lines;
}

// dt(u) or dt(dt(u)).
std::string rate_text(const Symbol &s, const std::string &name) {
  return s.order == 2 ? "dt(dt(" + name + "))" : "dt(" + name + ")";
}

// The shift of the derivative times the direction.
std::string shifted_text(const Symbol &s, const std::string &name) {
  return (s.order == 2 ? "(s2*d(" : "(s*d(") + name + "))";
}

} // namespace

std::string symbol_text(const Form &form, const Symbol &s) {
  const auto field = [&](const std::vector<FieldSpec> &fields) -> const FieldSpec & {
    return fields.at(s.index);
  };
  std::string text;
  switch (s.kind) {
  case SymbolKind::field:
    text = indexed(field(form.fields).name, field(form.fields).shape, s.component);
    break;
  case SymbolKind::field_gradient:
    text = gradient_text(field(form.fields).name, field(form.fields).shape, s);
    break;
  case SymbolKind::field_hessian:
    text = hessian_text(form, field(form.fields).name, field(form.fields).shape, s);
    break;
  case SymbolKind::field_rate:
    text = indexed(rate_text(s, field(form.fields).name), field(form.fields).shape, s.component);
    break;
  case SymbolKind::field_rate_gradient:
    text = gradient_text(rate_text(s, field(form.fields).name), field(form.fields).shape, s);
    break;
  case SymbolKind::field_rate_hessian:
    text = hessian_text(form, rate_text(s, field(form.fields).name), field(form.fields).shape, s);
    break;
  case SymbolKind::direction:
    text = indexed("d(" + field(form.fields).name + ")", field(form.fields).shape, s.component);
    break;
  case SymbolKind::direction_gradient:
    text = gradient_text("d(" + field(form.fields).name + ")", field(form.fields).shape, s);
    break;
  case SymbolKind::direction_hessian:
    text = hessian_text(form, "d(" + field(form.fields).name + ")", field(form.fields).shape, s);
    break;
  case SymbolKind::direction_rate:
    text = indexed(shifted_text(s, field(form.fields).name), field(form.fields).shape, s.component);
    break;
  case SymbolKind::direction_rate_gradient:
    text = gradient_text(shifted_text(s, field(form.fields).name), field(form.fields).shape, s);
    break;
  case SymbolKind::direction_rate_hessian:
    text =
        hessian_text(form, shifted_text(s, field(form.fields).name), field(form.fields).shape, s);
    break;
  case SymbolKind::rate_offset:
    text =
        indexed("offset(" + field(form.fields).name + ")", field(form.fields).shape, s.component);
    break;
  case SymbolKind::rate_offset_gradient:
    text = gradient_text("offset(" + field(form.fields).name + ")", field(form.fields).shape, s);
    break;
  case SymbolKind::rate_offset_hessian:
    text =
        hessian_text(form, "offset(" + field(form.fields).name + ")", field(form.fields).shape, s);
    break;
  case SymbolKind::inverse_jacobian:
    text = fmt::format("inverse_jacobian[{}, {}]", s.component, s.direction);
    break;
  case SymbolKind::map_hessian:
    text = fmt::format("map_hessian[{}, {}]", s.component, s.direction);
    break;
  case SymbolKind::penalty:
    text = "penalty";
    break;
  case SymbolKind::facet_offset:
    text = fmt::format("facet_offset[{}]", s.component);
    break;
  case SymbolKind::limiter:
    text =
        indexed("limiter(" + field(form.fields).name + ")", field(form.fields).shape, s.component);
    break;
  case SymbolKind::shift:
    text = "s";
    break;
  case SymbolKind::test:
    text = indexed("test(" + field(form.fields).name + ")", field(form.fields).shape, s.component);
    break;
  case SymbolKind::test_gradient:
    text = gradient_text("test(" + field(form.fields).name + ")", field(form.fields).shape, s);
    break;
  case SymbolKind::test_hessian:
    text = hessian_text(form, "test(" + field(form.fields).name + ")", field(form.fields).shape, s);
    break;
  case SymbolKind::auxiliary:
    text = indexed(field(form.auxiliary).name, field(form.auxiliary).shape, s.component);
    break;
  case SymbolKind::auxiliary_gradient:
    text = gradient_text(field(form.auxiliary).name, field(form.auxiliary).shape, s);
    break;
  case SymbolKind::auxiliary_hessian:
    text = hessian_text(form, field(form.auxiliary).name, field(form.auxiliary).shape, s);
    break;
  case SymbolKind::coordinate:
    text = std::string(1, static_cast<char>('x' + s.component));
    break;
  case SymbolKind::time:
    text = "t";
    break;
  case SymbolKind::normal:
    text = fmt::format("n[{}]", s.component);
    break;
  case SymbolKind::cell_size:
    text = "cell_size";
    break;
  case SymbolKind::cell_parameter:
    text = "{" + form.cell_table.at(s.component).name + "}";
    break;
  case SymbolKind::facet_parameter:
    text = "{" + form.facet_table.at(s.component).name + "}";
    break;
  }
  if (s.side == Side::none)
    return text;
  return (s.side == Side::minus ? "minus(" : "plus(") + text + ")";
}

namespace {

// "flux(u)[0, 1]": of each component of the fields, and of each direction.
std::vector<std::string> names_by_component(const Form &form, const std::string &of,
                                            bool by_direction) {
  std::vector<std::string> names;
  for (const FieldSpec &field : form.fields)
    for (int k = 0; k < field.components(); ++k)
      for (int d = 0; d < (by_direction ? form.dim : 1); ++d) {
        std::vector<std::string> indices;
        if (!field.shape.empty())
          indices.push_back(fmt::to_string(k));
        if (by_direction)
          indices.push_back(fmt::to_string(d));
        const std::string name = of + "(" + field.name + ")";
        names.push_back(indices.empty() ? name : name + "[" + join_names(indices) + "]");
      }
  return names;
}

std::string law_function_text(const Form &form, const std::string &title,
                              const PointwiseFunction &function,
                              const std::vector<std::string> &names) {
  return fmt::format("{}, {} operations\n", title, count_flops(function)) +
         function_text(form, function, names);
}

} // namespace

std::string finite_volume_text(const ConservationLaw &law) {
  std::string text = "finite volumes: ";
  text += law.linear_reconstruction ? "linear reconstruction, limiter " + law.limiter
                                    : "means of cells on facets";
  if (!law.conormal.outputs.empty())
    text += law.two_point ? "; two-point diffusion" : "; corrected diffusion";
  return text;
}

std::string law_text(const ConservationLaw &law, const Form &form) {
  std::string text = law.linear ? "linear" : "non-linear";
  text += law.viscous ? ", with second derivatives\n" : "\n";
  if (law.finite_volume)
    text += finite_volume_text(law) + "\n";
  const auto add = [&](const std::string &title, const PointwiseFunction &function,
                       const std::vector<std::string> &names) {
    if (!function.outputs.empty())
      text += law_function_text(form, title, function, names);
  };
  add("flux in cells", law.flux, names_by_component(form, "flux", true));
  add("source in cells", law.source, names_by_component(form, "source", false));
  add("capacity in cells", law.capacity, names_by_component(form, "capacity", false));
  add("wave speed in cells", law.wave_speed, {"wave_speed"});
  add("diffusivity in cells", law.diffusivity, {"diffusivity"});
  add("conormal on facets", law.conormal, names_by_component(form, "conormal", true));
  const std::vector<std::string> facet_names = names_by_component(form, "normal_flux", false);
  add("facets between cells", law.numerical_flux, facet_names);
  for (const BoundaryCondition &boundary : law.boundaries)
    add("boundary " + (boundary.groups.empty() ? "all" : join_names(boundary.groups)),
        boundary.flux, facet_names);
  return text + table_text("by region", form.cell_table) +
         table_text("by facet group", form.facet_table);
}

std::string form_text(const Form &form) {
  std::string text = fmt::format("{}, {}\n", form.linear ? "linear" : "non-linear",
                                 form.symmetric ? "symmetric" : "not symmetric");
  for (const FormIntegral &integral : form.integrals) {
    const std::vector<std::string> names = output_names(form, integral.domain);
    text += fmt::format("{} ({})\n", domain_name(integral.domain),
                        integral.all ? "all" : join_names(integral.groups));
    text += fmt::format("  residual, {} operations\n", count_flops(integral.residual));
    text += function_text(form, integral.residual, names);
    text += fmt::format("  linearised, {} operations\n", count_flops(integral.linearised));
    text += function_text(form, integral.linearised, names);
  }
  for (const CTextFunction &function : form.c_text.functions)
    for (const auto &[name, part] : {std::pair{"f0", &function.f0}, std::pair{"f1", &function.f1}})
      if (*part)
        text +=
            fmt::format("{}({}) in C\n{}\n", name, form.fields[function.field].name, (*part)->text);
  text += table_text("by region", form.cell_table);
  text += table_text("by facet group", form.facet_table);
  return text;
}

} // namespace weft
