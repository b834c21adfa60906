#include "run/settings/stop_condition.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/error.h"
#include "base/names.h"
#include "base/number.h"
#include "form/expression/expression.h"
#include "op/evaluate/field_values.h"

namespace weft {

namespace {

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Whether a name stands in a text, alone.
bool names(const std::string &text, const std::string &name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end])))
      return true;
  }
  return false;
}

// A number or a list, as expressions have it.
std::string text_of(const std::vector<double> &values) {
  std::string list;
  for (const double value : values)
    list += (list.empty() ? "" : ", ") + format_real(value);
  return values.size() == 1 ? list : "[" + list + "]";
}

} // namespace

StopCondition::StopCondition(const Case &c) : text_(*c.time->stop), evaluated_(c) {
  std::erase_if(evaluated_.functionals, [&](const FunctionalSpec &functional) {
    return !names(text_.text, functional.name);
  });
  if (!evaluated_.functionals.empty() || names(text_.text, "t"))
    return;
  std::vector<std::string> known;
  for (const FunctionalSpec &functional : c.functionals)
    known.push_back(functional.name);
  known.emplace_back("t");
  throw Error(ErrorKind::input, {.what = "a condition to stop on that nothing changes",
                                 .where = text_.where(),
                                 .found = text_.text,
                                 .allowed = "[functionals] and t: " + join_names(known)});
}

bool StopCondition::holds(const Discretisation &d, const std::vector<double> &state) const {
  FormSpec spec{.dim = d.mesh->dim};
  bool finite = true;
  for (const FunctionalValue &value : functionals(evaluated_, d, state)) {
    for (const double component : value.values)
      finite = finite && std::isfinite(component);
    ParameterSpec parameter{.name = value.name};
    parameter.value = SourceText{
        .text = text_of(value.values), .file = text_.file, .line = text_.line, .key = text_.key};
    spec.parameters.push_back(std::move(parameter));
  }
  if (!finite)
    return false;
  SourceText text = text_; // a condition is no value of its own
  text.text = "where(" + text.text + ", 1, 0)";
  const Expression expression = make_expression(spec, text, Shape{}, false, false);
  std::vector<std::vector<double>> outputs;
  const std::vector<double> time = {d.time};
  evaluate(
      expression.function, 1,
      [&](const Symbol &symbol) -> std::span<const double> {
        if (symbol.kind != SymbolKind::time)
          throw Error(ErrorKind::input, {.what = "a condition to stop on that depends on place",
                                         .where = text_.where(),
                                         .found = text_.text,
                                         .allowed = "[functionals] and t"});
        return time;
      },
      outputs);
  return outputs[0][0] > 0.5;
}

} // namespace weft
