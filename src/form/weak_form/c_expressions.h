// Expressions of C text, and the names that they use, by recursive descent.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "form/weak_form/c_lexer.h"
#include "form/weak_form/c_syntax.h"

namespace weft {

std::optional<CType> c_type_named(const std::string &word);

class CExpressionParser {
protected:
  CExpressionParser(const SourceText &source, const CNames &names)
      : names_(names), tokens_(tokenise_c(source)), source_(source) {}

  // Tokens.
  const CToken &here() const { return tokens_[at_]; }
  const CToken &after() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  bool at_end() const { return here().kind == CToken::Kind::end; }
  bool is(const char *text) const {
    return here().kind != CToken::Kind::end && here().text == text;
  }
  bool take(const char *text) {
    if (!is(text))
      return false;
    ++at_;
    return true;
  }
  CToken next() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }

  [[noreturn]] void fail(CPlace place, std::string what, std::string found, std::string allowed,
                         std::string remedy = "") const;
  [[noreturn]] void fail_here(std::string what, std::string allowed, std::string remedy = "") const;
  void expect(const char *text);

  // A level of nesting, of which there are so few that neither this parser nor a compiler recurses
  // too deeply.
  class Nested {
  public:
    explicit Nested(CExpressionParser &parser);
    ~Nested() { --parser_.depth_; }
    Nested(const Nested &) = delete;
    Nested &operator=(const Nested &) = delete;

  private:
    CExpressionParser &parser_;
  };

  // Names.
  void open_scope() { scopes_.push_back(visible_.size()); }
  void close_scope();
  CVariable &variable(int index) { return program_.variables[index]; }
  int declare(const CToken &name, CVariable declared);
  // Names that the text has not declared come before all scopes.
  int find(const CToken &name);
  bool is_visible(const std::string &name) const {
    return std::any_of(visible_.begin(), visible_.end(),
                       [&](int index) { return program_.variables[index].name == name; });
  }
  [[noreturn]] void fail_unknown(const CToken &name);

  // Expressions.
  // What is made from others; as deep as the deepest of them, and one more.
  template <typename... Operands> CExpression made(CExpression e, Operands &&...operands) const {
    std::vector<CExpression> all;
    (all.push_back(std::move(operands)), ...);
    return made_of(std::move(e), std::move(all));
  }
  CExpression made_of(CExpression e, std::vector<CExpression> operands) const;
  CExpression expression();
  CExpression binary(int least);
  CExpression unary();
  CExpression primary();
  CExpression element();
  static std::string shape_text(const Shape &shape);
  CExpression call();
  // Types of arguments and of the result. Real functions take all arguments in one precision: a
  // compiler would not know which of its functions is meant.
  CExpression call_of(const CFunction &f, CPlace place, std::vector<CExpression> arguments) const;
  CExpression cast(CExpression value, CType type) const;
  // As C converts by itself; real numbers to whole ones with a cast that says so.
  CExpression converted(CExpression value, CType type) const;
  // A whole number that is known before the text runs.
  std::optional<int> constant_of(const CExpression &e) const;
  // The line of the text at a place, for messages.
  std::string source_line(CPlace place) const;

  const CNames &names_;
  const std::vector<CToken> tokens_;
  std::size_t at_ = 0;
  CProgram program_;          // its statements are read by who derives from this
  std::vector<int> counters_; // of the loops around
  int unset_ = -1;            // a variable whose first value is being read

private:
  const SourceText &source_;
  int depth_ = 0;
  std::vector<int> visible_;        // variables, innermost last
  std::vector<std::size_t> scopes_; // where each begins in visible_
};

} // namespace weft
