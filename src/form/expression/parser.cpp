#include <algorithm>
#include <fmt/format.h>

#include "form/expression/syntax.h"

namespace weft {

namespace {

constexpr int max_nesting = 100; // of brackets and prefixes: each costs several calls

class Parser {
public:
  explicit Parser(const SourceText &source) : source_(source), tokens_(tokenise(source)) {}

  SyntaxNode whole() {
    if (peek().kind == TokenKind::end)
      fail_at(source_, {}, "an expression is missing");
    SyntaxNode node = disjunction();
    if (peek().kind != TokenKind::end)
      unexpected("an operator or the end");
    return node;
  }

private:
  const Token &peek() const { return tokens_[at_]; }
  bool next_is(std::string_view text) const {
    return peek().kind != TokenKind::number && peek().text == text && !text.empty();
  }
  bool accept(std::string_view text) {
    if (!next_is(text))
      return false;
    ++at_;
    return true;
  }
  int end_of_last() const { return at_ == 0 ? 0 : tokens_[at_ - 1].span.end; }

  [[noreturn]] void unexpected(const std::string &expected) {
    const bool ended = peek().kind == TokenKind::end;
    fail_at(source_, peek().span,
            ended ? "the expression ends too early" : "this does not belong here",
            expected + " expected");
  }
  void expect(std::string_view text) {
    if (!accept(text))
      unexpected(fmt::format("'{}'", text));
  }

  SyntaxNode finish(SyntaxNode node) {
    for (const SyntaxNode &child : node.children)
      node.depth = std::max(node.depth, child.depth + 1);
    if (node.depth > max_expression_depth)
      too_deep(node.span);
    return node;
  }
  [[noreturn]] void too_deep(Span span) {
    fail_at(source_, span, "the expression is nested too deeply",
            fmt::format("{} brackets or {} operations in a row", max_nesting, max_expression_depth),
            "give parts of it a name in [definitions]");
  }

  SyntaxNode binary(std::string_view op, SyntaxNode left, SyntaxNode right) {
    SyntaxNode node{SyntaxKind::binary, std::string(op)};
    node.span = {left.span.begin, right.span.end};
    node.children.push_back(std::move(left));
    node.children.push_back(std::move(right));
    return finish(std::move(node));
  }

  SyntaxNode unary(const Token &op, SyntaxNode operand) {
    SyntaxNode node{SyntaxKind::unary, std::string(op.text)};
    node.span = {op.span.begin, operand.span.end};
    node.children.push_back(std::move(operand));
    return finish(std::move(node));
  }

  // One level of operators that group to the left: operand (op operand)*
  SyntaxNode left_to_right(std::initializer_list<std::string_view> operators,
                           SyntaxNode (Parser::*operand)()) {
    SyntaxNode left = (this->*operand)();
    for (;;) {
      const auto op = std::find_if(operators.begin(), operators.end(),
                                   [&](std::string_view o) { return next_is(o); });
      if (op == operators.end())
        return left;
      ++at_;
      SyntaxNode right = (this->*operand)();
      left = binary(*op, std::move(left), std::move(right));
    }
  }

  SyntaxNode disjunction() { return left_to_right({"or"}, &Parser::conjunction); }
  SyntaxNode conjunction() { return left_to_right({"and"}, &Parser::negation); }
  SyntaxNode sum() { return left_to_right({"+", "-"}, &Parser::product); }
  SyntaxNode product() { return left_to_right({"*", "/"}, &Parser::prefixed); }

  // Runs `parse_part` one bracket or prefix further in.
  SyntaxNode nested(SyntaxNode (Parser::*parse_part)()) {
    if (++nesting_ > max_nesting)
      too_deep(peek().span);
    SyntaxNode node = (this->*parse_part)();
    --nesting_;
    return node;
  }

  SyntaxNode negation() {
    const Token op = peek();
    if (accept("not"))
      return unary(op, nested(&Parser::negation));
    return comparison();
  }

  SyntaxNode comparison() {
    static constexpr std::string_view operators[] = {"<", "<=", ">", ">=", "==", "!="};
    const auto next = [&] {
      return std::find_if(std::begin(operators), std::end(operators),
                          [&](std::string_view o) { return next_is(o); });
    };
    SyntaxNode left = sum();
    const auto op = next();
    if (op == std::end(operators))
      return left;
    ++at_;
    SyntaxNode node = binary(*op, std::move(left), sum());
    if (next() != std::end(operators))
      fail_at(source_, peek().span, "comparisons do not chain", "", "write a < b and b < c");
    return node;
  }

  SyntaxNode prefixed() {
    const Token op = peek();
    if (accept("-") || accept("+"))
      return unary(op, nested(&Parser::prefixed));
    return power();
  }

  SyntaxNode power() {
    SyntaxNode base = indexed();
    if (!accept("^"))
      return base;
    return binary("^", std::move(base), nested(&Parser::prefixed)); // 2^-1, 2^3^2 = 2^9
  }

  SyntaxNode indexed() {
    SyntaxNode node = primary();
    while (next_is("[")) {
      SyntaxNode index{SyntaxKind::index, "[]"};
      index.span.begin = node.span.begin;
      index.children.push_back(std::move(node));
      ++at_;
      arguments(index, "]");
      index.span.end = end_of_last();
      node = finish(std::move(index));
    }
    return node;
  }

  // a, b, c and the closing bracket; at least one.
  void arguments(SyntaxNode &node, std::string_view closing) {
    do
      node.children.push_back(nested(&Parser::disjunction));
    while (accept(","));
    expect(closing);
  }

  SyntaxNode primary() {
    const Token token = peek();
    SyntaxNode node{SyntaxKind::number, std::string(token.text), token.value};
    node.span = token.span;
    if (token.kind == TokenKind::number) {
      ++at_;
      return node;
    }
    if (accept("(")) {
      node = nested(&Parser::disjunction);
      expect(")");
      return node;
    }
    if (accept("[")) {
      node.kind = SyntaxKind::list;
      arguments(node, "]");
    } else if (token.kind == TokenKind::name && token.text != "and" && token.text != "or" &&
               token.text != "not") {
      ++at_;
      node.kind = SyntaxKind::name;
      if (!accept("("))
        return node;
      node.kind = SyntaxKind::call;
      arguments(node, ")");
    } else {
      unexpected("a number, a name, '(' or '['");
    }
    node.span.end = end_of_last();
    return finish(std::move(node));
  }

  const SourceText &source_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

} // namespace

SyntaxNode parse(const SourceText &source) {
  return Parser(source).whole();
}

} // namespace weft
