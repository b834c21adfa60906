#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "form/expression/syntax.h"

namespace weft {

namespace {

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool in_name(char c) {
  return starts_name(c) || is_digit(c);
}

// The whole character that starts at `at`, which may be several bytes of UTF-8.
Span character_at(std::string_view text, int at) {
  int end = at + 1;
  while (end < static_cast<int>(text.size()) && (text[end] & 0xC0) == 0x80)
    ++end;
  return {at, end};
}

Token number_at(const SourceText &source, int begin) {
  const char *text = source.text.data();
  double value = 0;
  const auto [stop, error] = std::from_chars(text + begin, text + source.text.size(), value);
  const Span span{begin, static_cast<int>(stop - text)};
  if (error != std::errc())
    fail_at(source, span, "a number outside the range of double precision");
  if (span.end < static_cast<int>(source.text.size()) && in_name(*stop))
    fail_at(source, {begin, span.end + 1}, "a number runs into a name", "",
            "write the product with *");
  return {TokenKind::number, std::string_view(text + begin, stop), value, span};
}

// Length of the operator or bracket at the front of `rest`; 0 when there is none.
int symbol_length(std::string_view rest) {
  for (const std::string_view two : {"**", "<=", ">=", "==", "!="})
    if (rest.starts_with(two))
      return 2;
  return std::string_view("+-*/^<>()[],").find(rest.front()) != std::string_view::npos ? 1 : 0;
}

} // namespace

void fail_at(const SourceText &source, Span span, std::string what, std::string allowed,
             std::string remedy) {
  const std::string &text = source.text;
  const int size = static_cast<int>(text.size());
  const int begin = std::clamp(span.begin, 0, size), end = std::clamp(span.end, begin, size);
  const auto line = std::count(text.begin(), text.begin() + begin, '\n');
  const auto line_start = begin == 0 ? std::string::npos : text.rfind('\n', begin - 1);
  const int column =
      begin - (line_start == std::string::npos ? 0 : static_cast<int>(line_start) + 1);
  std::string where = source.where();
  if (!where.empty())
    where += ", ";
  if (line > 0)
    where += fmt::format("line {} of the text, ", line + 1);
  where += fmt::format("column {}", column + 1);
  constexpr int longest = 80;
  std::string found = text.substr(begin, std::min(end - begin, longest));
  if (end - begin > longest)
    found += " ...";
  throw Error(ErrorKind::input, {.what = std::move(what),
                                 .where = std::move(where),
                                 .found = std::move(found),
                                 .allowed = std::move(allowed),
                                 .remedy = std::move(remedy)});
}

std::vector<Token> tokenise(const SourceText &source) {
  const std::string_view text = source.text;
  const int size = static_cast<int>(text.size());
  std::vector<Token> tokens;
  for (int at = 0; at < size;) {
    const char c = text[at];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at;
      continue;
    }
    Token token{TokenKind::symbol, {}, 0, {at, at}};
    if (is_digit(c) || (c == '.' && at + 1 < size && is_digit(text[at + 1]))) {
      token = number_at(source, at);
    } else if (starts_name(c)) {
      int end = at;
      while (end < size && in_name(text[end]))
        ++end;
      token = {TokenKind::name, text.substr(at, end - at), 0, {at, end}};
    } else if (const int length = symbol_length(text.substr(at)); length > 0) {
      token.text = text.substr(at, length);
      token.span.end = at + length;
      if (token.text == "**")
        token.text = "^";
    } else {
      fail_at(source, character_at(text, at), "a character that expressions do not have",
              c == '=' ? "== compares" : "numbers, names, + - * / ^ < <= > >= == != ( ) [ ] ,");
    }
    tokens.push_back(token);
    at = token.span.end;
  }
  tokens.push_back({TokenKind::end, "", 0, {size, size}});
  return tokens;
}

} // namespace weft
