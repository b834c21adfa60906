// C text as a tree, by recursive descent: what the grammar does not name is refused.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "base/names.h"
#include "form/expression/shape.h"
#include "form/weak_form/c_expressions.h"
#include "form/weak_form/c_syntax.h"
#include "form/weak_form/form.h"

namespace weft {

namespace {

class CParser : private CExpressionParser {
public:
  CParser(const SourceText &source, const CNames &names) : CExpressionParser(source, names) {}

  CProgram program() {
    open_scope();
    while (!at_end())
      program_.body.push_back(statement());
    return std::move(program_);
  }

private:
  CStatement statement() {
    const Nested nested(*this);
    CStatement s{.place = here().place};
    const std::string &word = here().text;
    if (here().kind == CToken::Kind::end)
      fail_here("a statement was expected", "a statement");
    if (take(";"))
      return s;
    if (word == "}")
      fail_here("a } that closes nothing", "as many } as {");
    if (is("{"))
      return block();
    if (is("if"))
      return condition();
    if (is("for"))
      return loop();
    if (is("else"))
      fail_here("an else without an if", "if (...) ... else ...");
    if (is("break") || is("continue"))
      return leave();
    if (take("return")) {
      s.kind = CStatement::Kind::finish;
      if (!is(";"))
        fail_here("a value that is returned", "return;",
                  fmt::format("assign it to {}", names_.result));
      expect(";");
      return s;
    }
    CStatement simple = starts_declaration() ? declaration() : assignment();
    expect(";");
    return simple;
  }

  CStatement block() {
    CStatement s{.kind = CStatement::Kind::block, .place = here().place};
    expect("{");
    open_scope();
    while (!is("}")) {
      if (at_end())
        fail(s.place, "a { that nothing closes", "{", "as many } as {");
      s.statements.push_back(statement());
    }
    close_scope();
    expect("}");
    return s;
  }

  // What depends on if and for: no declaration, as in C.
  CStatement dependent() {
    if (starts_declaration())
      fail_here("a declaration that nothing can use", "a statement, or a block in { }");
    open_scope();
    CStatement s = statement();
    close_scope();
    return s;
  }

  CStatement condition() {
    CStatement s{.kind = CStatement::Kind::condition, .place = here().place};
    expect("if");
    expect("(");
    s.expressions.push_back(expression());
    expect(")");
    s.statements.push_back(dependent());
    if (take("else"))
      s.statements.push_back(dependent());
    return s;
  }

  CStatement loop() {
    CStatement s{.kind = CStatement::Kind::loop, .place = here().place};
    expect("for");
    expect("(");
    open_scope();
    CStatement start = starts_declaration() ? declaration() : assignment();
    const int counter = counter_of(start);
    expect(";");
    if (is(";"))
      fail_here("a loop without a condition", "for (int i = 0; i < 10; ++i)");
    s.expressions.push_back(expression());
    expect(";");
    CStatement step = assignment();
    if (step.expressions[0].variable != counter ||
        (step.op != "++" && step.op != "--" && step.op != "+=" && step.op != "-="))
      fail(step.place, "a loop whose step does not count", source_line(step.place),
           fmt::format("++{0}, --{0}, {0} += 2, {0} -= 2", variable(counter).name));
    expect(")");
    s.statements = {std::move(start), std::move(step)};
    counters_.push_back(counter);
    ++loops_;
    s.statements.push_back(dependent());
    --loops_;
    counters_.pop_back();
    close_scope();
    return s;
  }

  // The whole number that a loop's first part sets.
  int counter_of(const CStatement &start) {
    const bool declares = start.kind == CStatement::Kind::declaration;
    const int counter = declares && start.declarators.size() == 1 ? start.declarators[0].variable
                        : start.kind == CStatement::Kind::assignment && start.op == "=" &&
                                start.expressions.size() == 2
                            ? start.expressions[0].variable
                            : -1;
    if (counter < 0 || variable(counter).type != CType::integer ||
        !variable(counter).shape.empty() || variable(counter).constant ||
        (declares && !start.declarators[0].initial))
      fail(start.place, "a loop without a counter", source_line(start.place),
           "for (int i = 0; i < 10; ++i), or i = 0 of an int that is declared before");
    return counter;
  }

  CStatement leave() {
    CStatement s{.kind = is("break") ? CStatement::Kind::leave : CStatement::Kind::next,
                 .place = here().place};
    if (loops_ == 0)
      fail_here("it is in no loop", "in the body of a for");
    ++at_;
    expect(";");
    return s;
  }

  bool starts_declaration() const { return is("const") || c_type_named(here().text); }
  CStatement declaration() {
    CStatement s{.kind = CStatement::Kind::declaration, .place = here().place};
    bool constant = take("const");
    const std::optional<CType> type = c_type_named(here().text);
    if (!type)
      fail_here("not a type of C text", "real, double, float, int, bool");
    ++at_;
    constant = take("const") || constant;
    do
      s.declarators.push_back(declarator(*type, constant));
    while (take(","));
    return s;
  }

  CDeclarator declarator(CType type, bool constant) {
    if (is("*"))
      fail_here("a pointer", "variables, and arrays of constant size");
    const CToken name = next();
    if (name.kind != CToken::Kind::name)
      fail(name.place, "a name was expected", name.text, "the name of a variable");
    if (is("("))
      fail_here("a function", "variables, and arrays of constant size",
                "write its statements where they are needed");
    CVariable declared{.type = type, .constant = constant};
    while (take("["))
      declared.shape.push_back(extent(name));
    count_elements(name, declared.shape);
    CDeclarator d{.variable = declare(name, declared)};
    if (take("=")) {
      unset_ = d.variable;
      d.initial = declared.shape.empty() ? CInitial{converted(expression(), type), {}}
                                         : initial_list(declared, 0);
      unset_ = -1;
    } else if (constant) {
      fail(name.place, "a constant without a value", name.text, "const int n = 3;");
    }
    if (constant && type == CType::integer && declared.shape.empty())
      variable(d.variable).value = constant_of(*d.initial->value);
    return d;
  }

  int extent(const CToken &array) {
    const CPlace place = here().place;
    const CExpression size = expression();
    expect("]");
    const std::optional<int> value = constant_of(size);
    if (!value || *value < 1)
      fail(place, fmt::format("the size of the array {} is not known, or not positive", array.text),
           value ? std::to_string(*value) : source_line(place),
           "a whole number of constants: 3, dim, 2*dim + 1, a const int");
    return *value;
  }

  void count_elements(const CToken &array, const Shape &shape) {
    constexpr std::size_t most_indices = 3;
    if (shape.size() > most_indices)
      fail(array.place, "an array with too many indices", std::to_string(shape.size()),
           fmt::format("at most {}", most_indices), "compute one index from several");
    std::int64_t elements = shape.empty() ? 0 : 1;
    for (const int extent : shape)
      elements = std::min<std::int64_t>(elements * extent, c_limits::array_elements + 1);
    array_elements_ += elements;
    if (array_elements_ > c_limits::array_elements)
      fail(array.place, "arrays that are too large", fmt::format("with {}", array.text),
           fmt::format("at most {} elements in all arrays of a text", c_limits::array_elements));
  }

  CInitial initial_list(const CVariable &array, std::size_t level) {
    const Nested nested(*this);
    if (!take("{"))
      fail_here("an array needs a list of values", "{1, 2}, or no value for zeros");
    CInitial list;
    const bool rows = is("{");
    std::int64_t most = 1;
    for (std::size_t i = level; i < (rows ? level + 1 : array.shape.size()); ++i)
      most *= array.shape[i];
    if (rows && level + 1 == array.shape.size())
      fail_here("too many { }", fmt::format("lists of {} levels", array.shape.size()));
    do {
      if (is("}") && !list.list.empty())
        break; // a comma at the end
      if (static_cast<std::int64_t>(list.list.size()) == most)
        fail_here("too many values", fmt::format("at most {}", most));
      if (rows)
        list.list.push_back(initial_list(array, level + 1));
      else
        list.list.push_back({converted(expression(), array.type), {}});
    } while (take(","));
    expect("}");
    return list;
  }

  // Assignments, also several in a row, ++ and --.
  CStatement assignment() {
    CStatement s{.place = here().place};
    if (is("++") || is("--")) {
      s.kind = CStatement::Kind::increment;
      s.op = next().text;
      s.expressions.push_back(target());
    } else {
      if (here().kind != CToken::Kind::name)
        fail_here("a statement was expected",
                  "a declaration, an assignment, if, for, break, continue, return");
      if (after().text == "(")
        fail_here("a call that stands alone", "a call as a part of an assignment");
      s.expressions.push_back(target());
      s.op = here().text;
      if (take("++") || take("--"))
        s.kind = CStatement::Kind::increment;
      else
        finish_assignment(s);
    }
    if (s.kind == CStatement::Kind::increment && s.expressions[0].type == CType::boolean)
      fail(s.place, fmt::format("{} of a bool", s.op), source_line(s.place), "true and false");
    return s;
  }

  void finish_assignment(CStatement &s) {
    s.kind = CStatement::Kind::assignment;
    const bool compound = is("+=") || is("-=") || is("*=") || is("/=") || is("%=");
    if (!compound && !is("="))
      fail_here("an assignment was expected", "= += -= *= /= %= ++ --");
    ++at_;
    while (!compound && is_target_before_equals()) {
      s.expressions.push_back(target());
      expect("=");
    }
    const CType type = s.expressions[0].type;
    for (const CExpression &t : s.expressions)
      if (t.type != type)
        fail(t.place, "variables of several types in one assignment", to_string(t.type),
             to_string(type), "assign them one after the other");
    const CPlace place = here().place;
    CExpression value = expression();
    if (compound && is_whole(type) && (!is_whole(value.type) || type == CType::boolean))
      fail(place, fmt::format("{} of {} to {}", s.op, to_string(value.type), to_string(type)),
           source_line(place), "whole numbers to an int", "write the cast: k = (int)(k*1.5)");
    if (s.op == "%=" && !is_whole(type))
      fail(place, "a remainder of real numbers", source_line(place), "% of whole numbers",
           "use fmod");
    s.expressions.push_back(compound ? std::move(value) : converted(std::move(value), type));
  }

  // `a[i] = b = 0`: whether another target follows.
  bool is_target_before_equals() const {
    if (here().kind != CToken::Kind::name)
      return false;
    std::size_t i = at_ + 1;
    for (int open = 0; i < tokens_.size(); ++i) {
      open += tokens_[i].text == "[";
      if (open == 0)
        break;
      open -= tokens_[i].text == "]";
      if (tokens_[i].text == ";")
        return false;
    }
    return i < tokens_.size() && tokens_[i].text == "=";
  }

  CExpression target() {
    if (here().kind != CToken::Kind::name)
      fail_here("only variables can be set", "a variable, or an element of an array");
    CExpression e = element();
    const CVariable &v = variable(e.variable);
    if (std::find(counters_.begin(), counters_.end(), e.variable) != counters_.end())
      fail(e.place, "a loop that changes its own counter", v.name, "only its step counts",
           "use a variable of another name, or break");
    if (v.constant || v.kind == CVariable::Kind::input || v.kind == CVariable::Kind::dimension)
      fail(e.place, "a constant that is set", v.name,
           fmt::format("{} and variables of the text that are not const", names_.result));
    return e;
  }

  int loops_ = 0; // around
  std::int64_t array_elements_ = 0;
};

} // namespace

CProgram parse_c(const SourceText &source, const CNames &names) {
  return CParser(source, names).program();
}

} // namespace weft
