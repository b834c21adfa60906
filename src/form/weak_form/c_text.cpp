#include "form/weak_form/c_text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "base/error.h"
#include "form/expression/c_names.h"
#include "form/weak_form/c_syntax.h"

namespace weft {

namespace {

// What a name of the case is in the expression language: `grad(T)` for grad_T; empty where the
// case has no such name, or none with a value in a cell.
std::string expression_of(const NameTable &names, const std::string &name, int dim) {
  switch (names.find(name).kind) {
  case NameKind::value:
    return name == "n" || (name == "z" && dim < 3) ? "" : name;
  case NameKind::field:
  case NameKind::auxiliary:
  case NameKind::parameter:
  case NameKind::definition:
    return name;
  case NameKind::function:
  case NameKind::law:
    return "";
  case NameKind::unknown:
    break;
  }
  constexpr std::string_view prefix = "grad_";
  if (!name.starts_with(prefix))
    return "";
  const std::string of = name.substr(prefix.size());
  const NameKind kind = names.find(of).kind;
  return kind == NameKind::field || kind == NameKind::auxiliary ? "grad(" + of + ")" : "";
}

void check_not_reserved(const NameTable &names, const std::string &name, const SourceText &text) {
  constexpr const char *reserved[] = {"f0", "f1", "dim", "real"};
  if (std::find(std::begin(reserved), std::end(reserved), name) != std::end(reserved) &&
      names.find(name).kind != NameKind::unknown)
    throw Error(ErrorKind::input,
                {.what = fmt::format("`{}` has a meaning of its own in C text", name),
                 .where = text.where(),
                 .found = "a name of the case",
                 .remedy = "give it another name in the case"});
}

} // namespace

namespace {

// Reads the texts of a form, and collects the names of the case that they use.
class CTextReader {
public:
  CTextReader(const FormSpec &spec, Elaborator &elaborator) : spec_(spec), elaborator_(elaborator) {
    for (const auto *fields : {&spec.fields, &spec.auxiliary})
      for (const FieldSpec &field : *fields)
        known_.insert(known_.end(), {field.name, "grad_" + field.name});
    for (const ParameterSpec &parameter : spec.parameters)
      known_.push_back(parameter.name);
    for (const DefinitionSpec &definition : spec.definitions)
      known_.push_back(definition.name);
  }

  std::optional<CTextPart> read(const std::optional<SourceText> &source, const FieldSpec &field,
                                bool gradient) {
    if (!source)
      return {};
    const std::vector<std::string> words = names_in_c_text(source->text);
    for (const std::string &word : words)
      check_not_reserved(elaborator_.names(), word, *source);
    CTextPart part{*source, nullptr};
    if (spec_.trust) {
      for (const std::string &word : words)
        input(word, *source);
      return part;
    }
    Shape shape = field.shape;
    if (gradient)
      shape.push_back(spec_.dim);
    CProgram program =
        parse_c(*source, {.result = gradient ? "f1" : "f0",
                          .result_shape = shape,
                          .dim = spec_.dim,
                          .find = [&](const std::string &name) { return input(name, *source); },
                          .known = known_});
    check_c_ranges(*source, program);
    part.program = std::make_shared<const CProgram>(std::move(program));
    return part;
  }

  CText result; // its values are not complete before finish()
  void finish() { result.values = extract(elaborator_.graph(), values_); }

private:
  // The shape of a value of the case, which becomes an input; none where it has no such name.
  std::optional<Shape> input(const std::string &name, const SourceText &place) {
    for (const CTextInput &known : result.inputs)
      if (known.name == name)
        return known.shape;
    SourceText expression = place;
    expression.text = expression_of(elaborator_.names(), name, spec_.dim);
    if (expression.text.empty())
      return {};
    const Tensor value = elaborator_.evaluate(expression, {.place = {}, .fields = true});
    result.inputs.push_back({name, value.shape});
    values_.insert(values_.end(), value.components.begin(), value.components.end());
    return value.shape;
  }

  const FormSpec &spec_;
  Elaborator &elaborator_;
  std::vector<NodeId> values_;
  std::vector<std::string> known_; // names of the case
};

} // namespace

CText make_c_text(const FormSpec &spec, Elaborator &elaborator) {
  CTextReader reader(spec, elaborator);
  for (const PointwiseSpec &pointwise : spec.pointwise) {
    if (!pointwise.c_text)
      continue;
    const auto field = std::find_if(spec.fields.begin(), spec.fields.end(),
                                    [&](const auto &f) { return f.name == pointwise.field; });
    reader.result.functions.push_back({.field = static_cast<int>(field - spec.fields.begin()),
                                       .shape = field->shape,
                                       .f0 = reader.read(pointwise.f0, *field, false),
                                       .f1 = reader.read(pointwise.f1, *field, true)});
  }
  reader.finish();
  return std::move(reader.result);
}

} // namespace weft
