// The expression language as text: tokens and the syntax tree. No names are looked up here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/source_text.h"

namespace weft {

// Part of an expression's text: [begin, end).
struct Span {
  int begin = 0;
  int end = 0;
};

enum class TokenKind { number, name, symbol, end };

struct Token {
  TokenKind kind;
  std::string_view text; // of the source; "^" also for "**"
  double value = 0;      // number
  Span span;
};

// Errors (input): characters and numbers that the language does not have.
std::vector<Token> tokenise(const SourceText &source);

enum class SyntaxKind {
  number,
  name,
  call,   // text(children...)
  unary,  // text: - + not
  binary, // text: + - * / ^ < <= > >= == != and or
  index,  // children[0][children[1], ...]
  list,   // [children...]
};

struct SyntaxNode {
  SyntaxKind kind;
  std::string text;
  double value = 0; // number
  std::vector<SyntaxNode> children;
  Span span;
  int depth = 1; // levels of nodes, this one included
};

// Deeper expressions are refused, so that recursion over a tree is safe.
constexpr int max_expression_depth = 400;

// From weakest to strongest: or; and; not; comparisons (not chained); + -; * /; unary -;
// ^ (to the right, -x^2 = -(x^2)); [index].
// Errors (input): what is not an expression, with the place and what was expected.
SyntaxNode parse(const SourceText &source);

// An input error at a place of an expression: where() with the column, and the text found there.
[[noreturn]] void fail_at(const SourceText &source, Span span, std::string what,
                          std::string allowed = "", std::string remedy = "");

} // namespace weft
