#include "form/weak_form/c_expressions.h"

#include <cstdint>
#include <fmt/format.h>
#include <limits>

#include "base/names.h"
#include "form/expression/shape.h"
#include "form/weak_form/form.h"

namespace weft {

namespace {

using Kind = CExpression::Kind;

// Type of an operation on both.
CType common_type(CType a, CType b) {
  if (is_whole(a) && is_whole(b))
    return CType::integer;
  if (is_whole(a) || a == b)
    return b;
  if (is_whole(b))
    return a;
  return a == CType::double_precision || b == CType::double_precision ? CType::double_precision
                                                                      : CType::real;
}

std::optional<int> in_int(std::int64_t value) {
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max())
    return {};
  return static_cast<int>(value);
}

} // namespace

std::optional<CType> c_type_named(const std::string &word) {
  for (const CType type : {CType::boolean, CType::integer, CType::real, CType::single_precision,
                           CType::double_precision})
    if (word == to_string(type))
      return type;
  return {};
}

CExpressionParser::Nested::Nested(CExpressionParser &parser) : parser_(parser) {
  if (++parser_.depth_ > c_limits::nesting)
    parser_.fail_here("C text that is nested too deeply",
                      fmt::format("at most {} levels", c_limits::nesting),
                      "give parts of it names");
}

void CExpressionParser::fail(CPlace place, std::string what, std::string found, std::string allowed,
                             std::string remedy) const {
  fail_in_c(source_, place, std::move(what), std::move(found), std::move(allowed),
            std::move(remedy));
}

void CExpressionParser::fail_here(std::string what, std::string allowed, std::string remedy) const {
  fail(here().place, std::move(what), here().text, std::move(allowed), std::move(remedy));
}

void CExpressionParser::expect(const char *text) {
  if (take(text))
    return;
  const std::string &found = here().text;
  if (found == "=" || (found.size() == 2 && found[1] == '=' && c_strength(found) == 0))
    fail_here("an assignment inside an expression", fmt::format("{} here", text),
              "let assignments stand alone; == compares");
  if (found == "++" || found == "--")
    fail_here(fmt::format("{} inside an expression", found), fmt::format("{} here", text),
              fmt::format("let {} stand alone", found));
  fail_here("something else was expected", fmt::format("{} here", text));
}

void CExpressionParser::close_scope() {
  visible_.resize(scopes_.back());
  scopes_.pop_back();
}

int CExpressionParser::declare(const CToken &name, CVariable declared) {
  const std::string &text = name.text;
  if (text == names_.result || text == "f0" || text == "f1" || text == "dim" ||
      c_type_named(text) || text == "const" || text == "true" || text == "false" || text == "if" ||
      text == "else" || text == "for" || text == "break" || text == "continue" || text == "return")
    fail(name.place, "a name with a meaning of its own", text, "other names",
         "choose another name");
  if (find_c_function(text) != nullptr)
    fail(name.place, "a variable with the name of a function", text, "other names",
         "choose another name");
  for (std::size_t i = scopes_.back(); i < visible_.size(); ++i)
    if (variable(visible_[i]).name == text)
      fail(name.place, "a name that is declared twice", text, "once in a block",
           "choose another name");
  for (const int counter : counters_) // C has it, C++ has not
    if (variable(counter).name == text)
      fail(name.place, "a variable with the name of a loop's counter around it", text,
           "other names", "choose another name");
  declared.name = text;
  program_.variables.push_back(std::move(declared));
  visible_.push_back(static_cast<int>(program_.variables.size()) - 1);
  return visible_.back();
}

int CExpressionParser::find(const CToken &name) {
  for (std::size_t i = visible_.size(); i-- > 0;)
    if (variable(visible_[i]).name == name.text)
      return visible_[i];
  CVariable given{.kind = CVariable::Kind::input, .name = name.text, .constant = true};
  if (name.text == names_.result) {
    given.kind = CVariable::Kind::result;
    given.shape = names_.result_shape;
    given.constant = false;
  } else if (name.text == "dim") {
    given.kind = CVariable::Kind::dimension;
    given.type = CType::integer;
    given.value = names_.dim;
  } else if (const auto shape = names_.find(name.text)) {
    given.shape = *shape;
  } else {
    fail_unknown(name);
  }
  program_.variables.push_back(std::move(given));
  const int index = static_cast<int>(program_.variables.size()) - 1;
  visible_.insert(visible_.begin(), index);
  for (std::size_t &begin : scopes_)
    ++begin;
  return index;
}

void CExpressionParser::fail_unknown(const CToken &name) {
  std::vector<std::string> known = names_.known;
  known.insert(known.end(), {names_.result, "dim"});
  for (const int index : visible_)
    known.push_back(variable(index).name);
  const bool called = after().text == "(";
  if (called)
    known = c_function_names();
  const std::string nearest = nearest_name(name.text, known);
  fail(name.place, called ? "a function that C text may not call" : "an unknown name", name.text,
       called ? join_names(known)
              : "variables of the text, names of the case that have a value in cells",
       nearest.empty() ? "" : fmt::format("did you mean {}?", nearest));
}

CExpression CExpressionParser::made_of(CExpression e, std::vector<CExpression> operands) const {
  for (const CExpression &operand : operands)
    e.depth = std::max(e.depth, operand.depth + 1);
  if (e.depth > c_limits::operands)
    fail(e.place, "too many operands in a row", source_line(e.place),
         fmt::format("at most {}", c_limits::operands), "give parts of it names");
  e.operands = std::move(operands);
  return e;
}

CExpression CExpressionParser::expression() {
  const Nested nested(*this);
  CExpression condition = binary(1);
  if (!take("?"))
    return condition;
  CExpression then = expression();
  expect(":");
  CExpression otherwise = expression();
  return made({.kind = Kind::conditional,
               .type = common_type(then.type, otherwise.type),
               .place = condition.place},
              std::move(condition), std::move(then), std::move(otherwise));
}

CExpression CExpressionParser::binary(int least) {
  CExpression left = unary();
  while (true) {
    const int found = here().kind == CToken::Kind::symbol ? c_strength(here().text) : 0;
    if (found < least || found == 0)
      return left;
    const std::string op = next().text;
    CExpression right = binary(found + 1);
    const CType type = found <= 4 ? CType::integer : common_type(left.type, right.type);
    if (op == "%" && !is_whole(type))
      fail(left.place, "a remainder of real numbers", op, "% of whole numbers", "use fmod");
    left = made({.kind = Kind::binary, .type = type, .place = left.place, .text = op},
                std::move(left), std::move(right));
  }
}

CExpression CExpressionParser::unary() {
  const CToken first = here();
  if (is("-") || is("+") || is("!")) {
    const Nested nested(*this);
    ++at_;
    CExpression of = unary();
    const CType type = first.text == "!" || is_whole(of.type) ? CType::integer : of.type;
    return made({.kind = Kind::unary, .type = type, .place = first.place, .text = first.text},
                std::move(of));
  }
  if (is("++") || is("--"))
    fail_here(fmt::format("{} inside an expression", first.text), "a value",
              fmt::format("let {} stand alone", first.text));
  if (is("*"))
    fail_here("a pointer", "a value");
  if (is("(") && c_type_named(after().text)) {
    const Nested nested(*this);
    ++at_;
    const CType type = *c_type_named(next().text);
    if (is("*"))
      fail_here("a cast to a pointer", "(real), (double), (float), (int), (bool)");
    expect(")");
    return cast(unary(), type);
  }
  return primary();
}

CExpression CExpressionParser::primary() {
  const CToken first = here();
  switch (first.kind) {
  case CToken::Kind::whole:
    ++at_;
    return {.place = first.place, .text = first.text, .value = std::stoi(first.text)};
  case CToken::Kind::real: {
    ++at_;
    const bool single = first.text.ends_with('f') || first.text.ends_with('F');
    return {.type = single ? CType::single_precision : CType::double_precision,
            .place = first.place,
            .text = first.text};
  }
  case CToken::Kind::name:
    if (first.text == "true" || first.text == "false") {
      ++at_;
      const int value = first.text == "true";
      return {.place = first.place, .text = std::to_string(value), .value = value};
    }
    if (after().text == "(" && find_c_function(first.text) != nullptr)
      return call();
    return element();
  default:
    break;
  }
  if (take("(")) {
    CExpression e = expression();
    expect(")");
    return e;
  }
  if (is("{"))
    fail_here("a list inside an expression", "a value", "lists are values of new arrays only");
  fail_here("a value was expected", "a number, a name, a call, or ( )");
}

CExpression CExpressionParser::element() {
  const CToken name = here();
  if (after().text == "(" && !is_visible(name.text))
    fail_unknown(name);
  const int index = find(name);
  ++at_;
  const CVariable v = variable(index);
  if (is("("))
    fail_here(fmt::format("{} is not a function", name.text), "an operator, ; or )");
  if (index == unset_)
    fail(name.place, "a variable in its own first value", name.text, "what is set before");
  std::vector<CExpression> indices;
  while (take("[")) {
    indices.push_back(expression());
    if (!is_whole(indices.back().type))
      fail(indices.back().place,
           fmt::format("an index of {} that is not a whole number", name.text),
           to_string(indices.back().type), "an int", "write the cast: a[(int)x]");
    expect("]");
  }
  if (indices.size() != v.shape.size())
    fail(name.place, fmt::format("{} is {}", name.text, shape_text(v.shape)),
         fmt::format("{} indices", indices.size()), fmt::format("{} indices", v.shape.size()),
         "take one element after the other");
  return made_of({.kind = Kind::element, .type = v.type, .place = name.place, .variable = index},
                 std::move(indices));
}

std::string CExpressionParser::shape_text(const Shape &shape) {
  return shape.size() > 2 ? "an array of 3 indices" : to_string(shape);
}

CExpression CExpressionParser::call() {
  const CToken name = next();
  const CFunction &f = *find_c_function(name.text);
  expect("(");
  std::vector<CExpression> arguments;
  if (!is(")"))
    do
      arguments.push_back(expression());
    while (take(","));
  expect(")");
  if (static_cast<int>(arguments.size()) != f.arguments)
    fail(name.place, fmt::format("{} with the wrong number of arguments", f.name),
         std::to_string(arguments.size()), std::to_string(f.arguments));
  return call_of(f, name.place, std::move(arguments));
}

CExpression CExpressionParser::call_of(const CFunction &f, CPlace place,
                                       std::vector<CExpression> arguments) const {
  bool all_whole = true, all_same = true;
  for (const CExpression &argument : arguments) {
    all_whole = all_whole && is_whole(argument.type);
    all_same = all_same && argument.type == arguments[0].type;
  }
  if (f.of == CFunction::Of::wholes && !all_whole)
    fail(place, fmt::format("{} of a real number", f.name), to_string(arguments[0].type), "an int",
         fmt::format("use f{}", f.name));
  const bool whole = all_whole && (f.of == CFunction::Of::wholes || f.of == CFunction::Of::both);
  const CType of = whole                                      ? CType::integer
                   : all_same && !is_whole(arguments[0].type) ? arguments[0].type
                                                              : CType::real;
  for (CExpression &argument : arguments)
    if (argument.type != of)
      argument = cast(std::move(argument), of);
  return made_of({.kind = Kind::call,
                  .type = f.of == CFunction::Of::reals_to_truth ? CType::integer : of,
                  .place = place,
                  .text = f.name},
                 std::move(arguments));
}

CExpression CExpressionParser::cast(CExpression value, CType type) const {
  const CPlace place = value.place;
  return made({.kind = Kind::cast, .type = type, .place = place}, std::move(value));
}

CExpression CExpressionParser::converted(CExpression value, CType type) const {
  return type == CType::integer && !is_whole(value.type) ? cast(std::move(value), type) : value;
}

std::optional<int> CExpressionParser::constant_of(const CExpression &e) const {
  if (e.kind == Kind::number)
    return is_whole(e.type) ? std::optional(e.value) : std::nullopt;
  if (e.kind == Kind::element)
    return program_.variables[e.variable].value;
  std::vector<std::int64_t> of;
  for (const CExpression &operand : e.operands) {
    const std::optional<int> value = constant_of(operand);
    if (!value)
      return {};
    of.push_back(*value);
  }
  if (e.kind == Kind::unary && e.text != "!")
    return in_int(e.text == "-" ? -of[0] : of[0]);
  if (e.kind != Kind::binary)
    return {};
  if (e.text == "+" || e.text == "-")
    return in_int(e.text == "+" ? of[0] + of[1] : of[0] - of[1]);
  if (e.text == "*")
    return in_int(of[0] * of[1]);
  if ((e.text == "/" || e.text == "%") && of[1] != 0)
    return in_int(e.text == "/" ? of[0] / of[1] : of[0] % of[1]);
  return {};
}

std::string CExpressionParser::source_line(CPlace place) const {
  std::size_t begin = 0;
  for (int line = 0; line < place.line; ++line)
    begin = source_.text.find('\n', begin) + 1;
  begin += place.column - 1;
  constexpr std::size_t longest = 60;
  const std::size_t end = std::min(source_.text.find('\n', begin), begin + longest);
  return source_.text.substr(begin, end - begin);
}

int c_strength(const std::string &op) {
  if (op == "||")
    return 1;
  if (op == "&&")
    return 2;
  if (op == "==" || op == "!=")
    return 3;
  if (op == "<" || op == ">" || op == "<=" || op == ">=")
    return 4;
  if (op == "+" || op == "-")
    return 5;
  return op == "*" || op == "/" || op == "%" ? 6 : 0;
}

} // namespace weft
