#include "kernel/text/c_statements.h"

#include <fmt/format.h>

#include "base/names.h"

namespace weft {

namespace {

// How strongly an expression holds together; those of a stronger one need no brackets.
int strength_of(const CExpression &e) {
  switch (e.kind) {
  case CExpression::Kind::conditional:
    return 0;
  case CExpression::Kind::unary:
    return 7;
  case CExpression::Kind::binary:
    return c_strength(e.text);
  default:
    return 8;
  }
}

class CStatementPrinter {
public:
  explicit CStatementPrinter(const CProgram &program) : program_(program) {}

  std::string print() {
    for (const CStatement &s : program_.body)
      print(s);
    return text_;
  }

private:
  void print(const CStatement &s) {
    begin(s.place);
    switch (s.kind) {
    case CStatement::Kind::empty:
      text_ += ";";
      return;
    case CStatement::Kind::block:
      print_block(s.statements);
      return;
    case CStatement::Kind::declaration:
    case CStatement::Kind::assignment:
    case CStatement::Kind::increment:
      text_ += simple(s) + ";";
      return;
    case CStatement::Kind::condition:
      text_ += fmt::format("if ({})", expression(s.expressions[0]));
      print_dependent(s.statements[0], s.statements.size() > 1);
      if (s.statements.size() > 1) {
        text_ += " else";
        print_dependent(s.statements[1], false);
      }
      return;
    case CStatement::Kind::loop:
      text_ += fmt::format("for ({}; {}; {})", simple(s.statements[0]),
                           expression(s.expressions[0]), simple(s.statements[1]));
      print_dependent(s.statements[2], false);
      return;
    case CStatement::Kind::leave:
      text_ += "break;";
      return;
    case CStatement::Kind::next:
      text_ += "continue;";
      return;
    case CStatement::Kind::finish:
      text_ += "return;";
      return;
    }
  }

  // The lines up to the statement's own, or a space after what stands in it.
  void begin(CPlace place) {
    if (line_ == place.line && !text_.empty() && text_.back() != '\n')
      text_ += ' ';
    for (; line_ < place.line; ++line_)
      text_ += '\n';
    if (text_.empty() || text_.back() == '\n')
      text_.append(2 * depth_, ' ');
  }

  void print_block(const std::vector<CStatement> &statements) {
    text_ += "{";
    ++depth_;
    for (const CStatement &s : statements)
      print(s);
    --depth_;
    text_ += " }";
  }

  // What depends on if and for. `before_else`: an if in it shall not take the else that follows.
  void print_dependent(const CStatement &s, bool before_else) {
    const bool open = s.kind == CStatement::Kind::condition || s.kind == CStatement::Kind::loop;
    if (before_else && open) {
      text_ += " ";
      print_block({s});
      return;
    }
    ++depth_;
    print(s);
    --depth_;
  }

  std::string simple(const CStatement &s) const {
    if (s.kind == CStatement::Kind::increment)
      return s.op + expression(s.expressions[0]);
    if (s.kind == CStatement::Kind::declaration)
      return declaration(s);
    std::string text = expression(s.expressions[0]);
    for (std::size_t i = 1; i < s.expressions.size(); ++i)
      text += fmt::format(" {} {}", s.op, expression(s.expressions[i]));
    return text;
  }

  std::string declaration(const CStatement &s) const {
    std::vector<std::string> declared;
    const CVariable &first = program_.variables[s.declarators[0].variable];
    for (const CDeclarator &d : s.declarators) {
      const CVariable &v = program_.variables[d.variable];
      std::string text = c_name(v.name);
      for (const int extent : v.shape)
        text += fmt::format("[{}]", extent);
      declared.push_back(fmt::format(
          "{} = {}", text, d.initial ? initial(*d.initial) : (v.shape.empty() ? "0" : "{0}")));
    }
    return fmt::format("{}{} {}", first.constant ? "const " : "", to_string(first.type),
                       join_names(declared));
  }

  std::string initial(const CInitial &value) const {
    if (value.value)
      return expression(*value.value);
    std::vector<std::string> parts;
    for (const CInitial &part : value.list)
      parts.push_back(initial(part));
    return "{" + join_names(parts) + "}";
  }

  std::string expression(const CExpression &e) const {
    switch (e.kind) {
    case CExpression::Kind::number:
      return e.text;
    case CExpression::Kind::element:
      return element(e);
    case CExpression::Kind::unary:
      return fmt::format("{}{}", e.text, operand(e, 0, 8));
    case CExpression::Kind::binary: {
      const int strength = strength_of(e);
      return fmt::format("{} {} {}", operand(e, 0, strength), e.text, operand(e, 1, strength + 1));
    }
    case CExpression::Kind::conditional:
      return fmt::format("{} ? {} : {}", operand(e, 0, 1), operand(e, 1, 0), operand(e, 2, 0));
    case CExpression::Kind::call:
    case CExpression::Kind::cast:
      break;
    }
    std::vector<std::string> arguments;
    for (const CExpression &argument : e.operands)
      arguments.push_back(expression(argument));
    if (e.kind == CExpression::Kind::call) // OpenCL's abs() is unsigned
      return fmt::format("{}{}({}){}", e.text == "abs" ? "((int)" : "", e.text,
                         join_names(arguments), e.text == "abs" ? ")" : "");
    if (e.type == CType::integer && !is_whole(e.operands[0].type))
      return fmt::format("weft_c_int({})", arguments[0]);
    return fmt::format("(({})({}))", to_string(e.type), arguments[0]);
  }

  // In brackets where it holds together less strongly than `least`.
  std::string operand(const CExpression &e, int i, int least) const {
    const std::string text = expression(e.operands[i]);
    return strength_of(e.operands[i]) < least ? "(" + text + ")" : text;
  }

  std::string element(const CExpression &e) const {
    const CVariable &v = program_.variables[e.variable];
    const bool own = v.kind == CVariable::Kind::local || v.kind == CVariable::Kind::input;
    std::string text = own ? c_name(v.name) : v.name;
    for (const CExpression &index : e.operands)
      text += fmt::format("[{}]", expression(index));
    return text;
  }

  const CProgram &program_;
  std::string text_;
  int line_ = 0;
  std::size_t depth_ = 0;
};

} // namespace

std::string c_name(const std::string &name) {
  return "c_" + name;
}

std::string c_helpers() {
  // What a real number outside of int becomes is undefined in C: here the nearest int, and of NaN
  // the lowest.
  return "WEFT_FUNCTION int weft_c_int(real x) {\n"
         "  return x >= (real)2147483648.0f ? 2147483647\n"
         "         : x > (real)-2147483648.0f ? (int)x : -2147483647 - 1;\n"
         "}\n";
}

std::string print_c_statements(const CProgram &program) {
  return CStatementPrinter(program).print();
}

} // namespace weft
