#include "mesh/gmsh/geo_tokens.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace weft {

namespace {

// gmsh ends longer ones in the middle.
constexpr std::size_t longest_text = 500;
// gmsh reads lines in parts of 8 kB, and loops go back to the beginning of a part.
constexpr std::size_t longest_line = 2000, longest_word = 200;

// Longer ones first.
constexpr std::string_view long_signs[] = {"...", "::", "||", "&&", "++", "--", "==", "!=",
                                           "<=",  ">=", ">>", "<<", "+=", "-=", "*=", "/="};
constexpr std::string_view short_signs = ";,()[]{}.=+-*/%^!<>?:#~&|";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool begins_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}
bool is_control(char c) {
  return (static_cast<unsigned char>(c) < ' ' && !is_space(c)) || c == 0x7f;
}

class Reader {
public:
  explicit Reader(std::string_view text) : text_(text) {}

  GeoTokens read() {
    while (result_.complaint.line == 0 && at_ < text_.size())
      read_next();
    return std::move(result_);
  }

private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void complain(const char *what, std::string found) {
    result_.complaint = {line_, what, std::move(found)};
  }
  void add(GeoToken::Kind kind, std::size_t length) {
    result_.all.push_back({kind, text_.substr(at_, length), line_});
    at_ += length;
  }

  void read_next() {
    const char c = peek();
    if (is_control(c))
      complain("a character that no text has", fmt::format("byte {}", static_cast<int>(c)));
    else if (is_space(c))
      pass_space();
    else if (c == '/' && peek(1) == '/')
      at_ = std::min(text_.find('\n', at_), text_.size());
    else if (c == '/' && peek(1) == '*')
      pass_comment();
    else if (c == '"' || c == '\'')
      read_text(c);
    else if (begins_word(c))
      read_word();
    else if (is_digit(c) || (c == '.' && is_digit(peek(1))))
      read_number();
    else
      read_sign();
  }

  void pass_space() {
    line_ += peek() == '\n';
    ++at_;
  }
  void pass_comment() {
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos)
      return complain("a comment that does not end", "/*");
    line_ += static_cast<int>(std::count(text_.begin() + at_, text_.begin() + end, '\n'));
    at_ = end + 2;
  }
  void read_text(char quote) {
    const std::size_t end = text_.find(quote, ++at_);
    const std::string_view inner = text_.substr(at_, end - at_);
    const auto odd = std::find_if(inner.begin(), inner.end(), [](char c) {
      return is_control(c) || c == '\n' || c == '\r' || c == '\f';
    });
    if (end == std::string_view::npos || odd != inner.end())
      return complain("a text that does not end on its line",
                      fmt::format("{}{}", quote,
                                  inner.substr(0, std::min<std::size_t>(odd - inner.begin(), 40))));
    if (inner.size() > longest_text)
      return complain("a text that is too long", fmt::format("{} bytes", inner.size()));
    add(GeoToken::Kind::text, inner.size());
    ++at_;
  }
  void read_word() {
    std::size_t length = 1;
    while (begins_word(peek(length)) || is_digit(peek(length)))
      ++length;
    if (length > longest_word)
      return complain("a word that is too long", fmt::format("{} letters", length));
    add(GeoToken::Kind::word, length);
  }
  void read_number() {
    std::size_t length = 0;
    const auto pass_digits = [&] {
      while (is_digit(peek(length)))
        ++length;
    };
    pass_digits();
    if (peek(length) == '.' && peek(length + 1) != '.') { // 1...3 is a range
      ++length;
      pass_digits();
    }
    const char e = peek(length);
    const std::size_t sign = peek(length + 1) == '+' || peek(length + 1) == '-' ? 1 : 0;
    if ((e == 'e' || e == 'E') && is_digit(peek(length + 1 + sign))) {
      length += 1 + sign;
      pass_digits();
    }
    if (length > longest_word)
      return complain("a number that is too long", fmt::format("{} digits", length));
    add(GeoToken::Kind::number, length);
  }
  void read_sign() {
    for (const std::string_view sign : long_signs)
      if (text_.substr(at_).starts_with(sign))
        return add(GeoToken::Kind::sign, sign.size());
    if (short_signs.find(peek()) == std::string_view::npos)
      return complain("a character that the language does not have outside of quotes",
                      begins_word(peek()) || peek() > 0 ? std::string(1, peek()) : "not ASCII");
    add(GeoToken::Kind::sign, 1);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  GeoTokens result_;
};

} // namespace

GeoTokens geo_tokens(std::string_view text) {
  return Reader(text).read();
}

std::string geo_text(const std::vector<GeoToken> &tokens,
                     const std::map<std::size_t, std::string> &instead) {
  std::string out;
  int line = 1;
  std::size_t begin = 0; // of the line
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const GeoToken &token = tokens[i];
    for (; line < token.line; ++line) {
      out += '\n';
      begin = out.size();
    }
    if (out.size() - begin > longest_line) { // ends gmsh's line, but counts for none
      out += '\r';
      begin = out.size();
    }
    if (token.kind != GeoToken::Kind::text) {
      out += token.text;
      out += ' ';
      continue;
    }
    const auto other = instead.find(i);
    const std::string_view text = other == instead.end() ? token.text : other->second;
    const char quote = text.find('"') == std::string_view::npos ? '"' : '\'';
    out += fmt::format("        {}{}{}        ", quote, text, quote);
  }
  return out + '\n';
}

} // namespace weft
