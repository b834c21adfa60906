// What the check of ranges takes is run here, statement by statement, with values of all kinds: no
// index may leave its array, no whole number its type, and every run ends.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "base/error.h"
#include "form/weak_form/c_syntax.h"

namespace weft {
namespace {

struct Fault {
  std::string what;
};

// Runs a program as C would.
class CRun {
public:
  CRun(const CProgram &program, std::mt19937 &random) : program_(program), random_(random) {
    for (const CVariable &v : program.variables) {
      std::size_t size = 1;
      for (const int extent : v.shape)
        size *= extent;
      values_.emplace_back(size, v.value.value_or(0));
      if (v.kind == CVariable::Kind::input)
        for (double &value : values_.back())
          value = any_number();
    }
  }

  void run() { all(program_.body); }

private:
  enum class Way { on, leave, next, finish };

  double any_number() {
    const double edges[] = {0, -0.0, 1, -1, 2.5, 1e300, -1e300, 3e9, std::nan(""), INFINITY, 7, -8};
    return random_() % 2 ? edges[random_() % std::size(edges)]
                         : std::uniform_real_distribution<double>(-12, 12)(random_);
  }

  Way all(const std::vector<CStatement> &statements) {
    for (const CStatement &s : statements)
      if (const Way way = one(s); way != Way::on)
        return way;
    return Way::on;
  }

  Way one(const CStatement &s) {
    if (++operations_ > c_limits::operations)
      throw Fault{"it does not end"};
    switch (s.kind) {
    case CStatement::Kind::block:
      return all(s.statements);
    case CStatement::Kind::declaration:
      for (const CDeclarator &d : s.declarators)
        declare(d);
      return Way::on;
    case CStatement::Kind::assignment:
      assign(s);
      return Way::on;
    case CStatement::Kind::increment: {
      double &target = place(s.expressions[0]);
      target = fit(s.expressions[0].type, target + (s.op == "++" ? 1 : -1));
      return Way::on;
    }
    case CStatement::Kind::condition:
      if (value(s.expressions[0]) != 0)
        return one(s.statements[0]);
      return s.statements.size() > 1 ? one(s.statements[1]) : Way::on;
    case CStatement::Kind::loop:
      for (one(s.statements[0]); value(s.expressions[0]) != 0; one(s.statements[1])) {
        const Way way = one(s.statements[2]);
        if (way == Way::leave)
          break;
        if (way == Way::finish)
          return way;
      }
      return Way::on;
    case CStatement::Kind::leave:
      return Way::leave;
    case CStatement::Kind::next:
      return Way::next;
    case CStatement::Kind::finish:
      return Way::finish;
    case CStatement::Kind::empty:
      break;
    }
    return Way::on;
  }

  void declare(const CDeclarator &d) {
    std::vector<double> &all = values_[d.variable];
    std::fill(all.begin(), all.end(), 0);
    const CVariable &v = program_.variables[d.variable];
    if (d.initial)
      fill(*d.initial, v.type, all, 0, all.size(), v.shape, 0);
  }
  void fill(const CInitial &initial, CType type, std::vector<double> &all, std::size_t begin,
            std::size_t size, const Shape &shape, std::size_t level) {
    if (initial.value) {
      all.at(begin) = fit(type, value(*initial.value));
      return;
    }
    const bool rows = initial.list[0].list.size() > 0;
    const std::size_t part = rows ? size / shape[level] : 1;
    for (std::size_t i = 0; i < initial.list.size(); ++i)
      fill(initial.list[i], type, all, begin + i * part, part, shape, level + 1);
  }

  void assign(const CStatement &s) {
    const CExpression &right = s.expressions.back();
    for (std::size_t i = s.expressions.size() - 1; i-- > 0;) {
      const CExpression &target = s.expressions[i];
      const double operand = value(right);
      double &to = place(target);
      to = s.op == "=" ? fit(target.type, operand)
                       : fit(target.type,
                             binary(s.op.substr(0, 1), to, operand, target.type == CType::integer));
    }
  }

  static double fit(CType type, double value) {
    if (type == CType::boolean)
      return value != 0;
    if (type == CType::integer &&
        !(value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max()))
      throw Fault{"a whole number leaves int"};
    return value;
  }

  double &place(const CExpression &e) {
    const CVariable &v = program_.variables[e.variable];
    std::size_t at = 0;
    for (std::size_t i = 0; i < e.operands.size(); ++i) {
      const double index = value(e.operands[i]);
      if (!(index >= 0 && index < v.shape[i]))
        throw Fault{"an index leaves " + v.name};
      at = at * v.shape[i] + static_cast<std::size_t>(index);
    }
    return values_[e.variable].at(at);
  }

  double binary(const std::string &op, double a, double b, bool whole) {
    if (op == "+" || op == "-" || op == "*")
      return op == "+" ? a + b : op == "-" ? a - b : a * b;
    if (!whole)
      return a / b;
    if (b == 0)
      throw Fault{"a division by zero"};
    const double quotient = fit(CType::integer, std::trunc(a / b));
    return op == "/" ? quotient : a - b * quotient;
  }

  double value(const CExpression &e) {
    if (++operations_ > 3 * c_limits::operations)
      throw Fault{"it does not end"};
    const auto of = [&](std::size_t i) { return value(e.operands[i]); };
    switch (e.kind) {
    case CExpression::Kind::number:
      return is_whole(e.type) ? e.value : std::strtod(e.text.c_str(), nullptr);
    case CExpression::Kind::element:
      return place(e);
    case CExpression::Kind::unary:
      return e.text == "!" ? of(0) == 0 : fit(e.type, e.text == "-" ? -of(0) : of(0));
    case CExpression::Kind::conditional:
      return of(0) != 0 ? of(1) : of(2);
    case CExpression::Kind::cast:
      return cast(e.type, of(0), is_whole(e.operands[0].type));
    case CExpression::Kind::call:
      return call(e);
    case CExpression::Kind::binary:
      break;
    }
    if (e.text == "&&")
      return of(0) != 0 && of(1) != 0;
    if (e.text == "||")
      return of(0) != 0 || of(1) != 0;
    const double a = of(0), b = of(1);
    if (e.text == "<" || e.text == ">")
      return e.text == "<" ? a < b : a > b;
    if (e.text == "<=" || e.text == ">=")
      return e.text == "<=" ? a <= b : a >= b;
    if (e.text == "==" || e.text == "!=")
      return (a == b) == (e.text == "==");
    return fit(e.type, binary(e.text, a, b, is_whole(e.type)));
  }

  // As weft_c_int() in kernels.
  static double cast(CType type, double value, bool whole) {
    if (type != CType::integer || whole)
      return fit(type, value);
    return value >= 2147483648.0   ? 2147483647
           : value > -2147483648.0 ? std::trunc(value)
                                   : -2147483648.0;
  }

  double call(const CExpression &e) {
    std::vector<double> of;
    for (const CExpression &argument : e.operands)
      of.push_back(value(argument));
    if (e.text == "min" || e.text == "max")
      return e.text == "min" ? std::min(of[0], of[1]) : std::max(of[0], of[1]);
    if (e.text == "abs")
      return fit(e.type, std::abs(of[0]));
    return e.text == "isnan" ? std::isnan(of[0]) : std::floor(of[0]);
  }

  const CProgram &program_;
  std::mt19937 &random_;
  std::vector<std::vector<double>> values_;
  std::int64_t operations_ = 0;
};

// Texts of the grammar, which often index and count.
class Writer {
public:
  explicit Writer(std::mt19937 &random) : random_(random) {}

  std::string text() {
    std::string result = "int i = 0, j = (int)T, k = 2; int a[4] = {0, 3, 1}; real b[3][2];\n";
    depth_ = 0;
    for (int n = 2 + below(6); n > 0; --n)
      result += statement();
    return result;
  }

private:
  int below(int n) { return static_cast<int>(random_() % n); }
  std::string one_of(std::initializer_list<const char *> list) {
    return list.begin()[below(list.size())];
  }
  std::string counter() { return "c" + std::to_string(below(std::max(1, loops_))); }
  std::string variable() {
    return loops_ > 0 && below(3) == 0 ? counter() : one_of({"i", "j", "k"});
  }

  std::string whole() {
    if (++depth_ > 4) {
      --depth_;
      return below(2) ? variable() : std::to_string(below(5));
    }
    std::string result;
    switch (below(12)) {
    case 0:
      result = "(" + whole() + one_of({" + ", " - ", "*", "/", "%"}) + whole() + ")";
      break;
    case 1:
      result = "(" + condition() + " ? " + whole() + " : " + whole() + ")";
      break;
    case 2:
      result = "a[" + whole() + "]";
      break;
    case 3:
      result = one_of({"min(", "max("}) + whole() + ", " + whole() + ")";
      break;
    case 4:
      result = one_of({"(int)T", "(int)u[1]", "abs(i)", "-k", "!j", "(int)(bool)T", "(k > 1)"});
      break;
    default:
      result = below(2) ? variable() : std::to_string(below(5));
    }
    --depth_;
    return result;
  }

  std::string condition() {
    const std::string compared =
        whole() + one_of({" < ", " <= ", " > ", " >= ", " == ", " != "}) + whole();
    switch (below(7)) {
    case 0:
      return compared + one_of({" && ", " || "}) + variable() + one_of({" < ", " >= "}) +
             std::to_string(below(4));
    case 1:
      return "!(" + compared + ")";
    case 2:
      return one_of({"T > 0", "isnan(T)", "u[0] < T"});
    case 3:
      return variable() + " >= 0 && " + variable() + " < " + std::to_string(1 + below(4));
    default:
      return compared;
    }
  }

  std::string statement() {
    if (++depth_ > 3) {
      --depth_;
      return assignment();
    }
    std::string result;
    switch (below(9)) {
    case 0:
    case 1:
      result = "if (" + condition() + ") { " + statement() + statement() + "}" +
               (below(2) ? " else { " + statement() + "}" : "") + "\n";
      break;
    case 2:
    case 3: {
      const std::string c = "c" + std::to_string(loops_++);
      const bool up = below(3) > 0;
      result =
          "for (int " + c + " = " + (up ? "0" : "3") + "; " +
          (up ? c + " < " + (below(8) ? std::to_string(1 + below(5)) : whole()) : c + " >= 0") +
          (below(4) ? "" : " && T > 0") + "; " + (up ? "++" : "--") + c + ") { " + statement() +
          statement() +
          (below(4) ? ""
                    : "if (" + condition() + ") " + one_of({"break; ", "continue; ", "return; "})) +
          "}\n";
      --loops_;
      break;
    }
    default:
      result = assignment();
    }
    --depth_;
    return result;
  }

  std::string assignment() {
    switch (below(6)) {
    case 0:
      return "a[" + whole() + "] = " + whole() + "; ";
    case 1:
      return "b[" + whole() + "][" + whole() + "] = u[" + whole() + "]; ";
    case 2:
      return one_of({"++i; ", "--k; ", "j--; ", "i += 2; ", "k = j = 1; ", "k %= 3; ", "j /= k; "});
    case 3: {
      const std::string v = one_of({"i", "j", "k"});
      return "if (" + v + " < 0) " + v + " = 0; if (" + v + " > 2) " + v + " = 2; ";
    }
    default:
      return one_of({"i", "j", "k"}) + " = " + whole() + "; ";
    }
  }

  std::mt19937 &random_;
  int depth_ = 0, loops_ = 0;
};

TEST(CTextRanges, WhatIsTakenStaysInsideAndEnds) {
  const char *longer = std::getenv("WEFT_TEST_ALL");
  const int rounds = longer && *longer ? 60000 : 3000;
  std::mt19937 random(11);
  const auto find = [](const std::string &name) -> std::optional<Shape> {
    return name == "T"   ? std::optional(Shape{})
           : name == "u" ? std::optional(Shape{2})
                         : std::nullopt;
  };
  int taken = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = Writer(random).text();
    const SourceText source{.text = text, .file = "case.toml", .line = 1, .key = "u.f1"};
    CProgram program;
    try {
      program = parse_c(source,
                        {.result = "f1", .result_shape = {2}, .dim = 2, .find = find, .known = {}});
      check_c_ranges(source, program);
    } catch (const Error &error) {
      ASSERT_EQ(error.kind(), ErrorKind::input) << error.what();
      continue;
    }
    ++taken;
    try {
      for (int run = 0; run < 5; ++run)
        CRun(program, random).run();
    } catch (const Fault &fault) {
      FAIL() << fault.what << " in\n" << text;
    }
  }
  EXPECT_GT(taken, rounds / 20);
}

} // namespace
} // namespace weft
