#include "form/weak_form/c_lexer.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <string_view>

#include "base/error.h"

namespace weft {

namespace {

constexpr std::string_view allowed_characters =
    "names, numbers, + - * / % < > = ! && || ? : ( ) [ ] { } ; , and comments";
constexpr std::string_view allowed_statements =
    "declarations, assignments, if, for, break, continue, return";

// Words that mean something to C, C++, OpenCL C or CUDA C++, and what they would do.
struct ReservedWords {
  const char *what;
  std::string_view allowed;
  std::vector<std::string_view> words;
};

const std::vector<ReservedWords> &reserved_words() {
  static const std::vector<ReservedWords> groups = {
      {"assembly", allowed_statements, {"asm"}},
      {"a loop that is not counted, or a jump",
       "for (int i = 0; i < 10 && condition; ++i), with break, continue and return",
       {"while", "do", "goto", "switch", "case", "default"}},
      {"a type or a property of one",
       "real, double, float, int, bool and arrays of them, const",
       {"void",      "char",    "short",    "long",     "unsigned", "signed",   "size_t",
        "typedef",   "struct",  "union",    "enum",     "sizeof",   "typeof",   "static",
        "extern",    "inline",  "register", "volatile", "restrict", "auto",     "half",
        "uchar",     "ushort",  "uint",     "ulong",    "alignas",  "alignof",  "decltype",
        "constexpr", "mutable", "wchar_t",  "char8_t",  "char16_t", "char32_t", "thread_local"}},
      {"a word of OpenCL C",
       allowed_statements,
       {"kernel", "global", "local", "constant", "generic", "pipe", "read_only", "write_only",
        "read_write", "event_t", "sampler_t", "vec_step"}},
      {"a word of C++",
       allowed_statements,
       {"class", "template", "typename", "namespace", "using", "new", "delete", "this", "operator",
        "try", "catch", "throw", "static_cast", "const_cast", "dynamic_cast", "reinterpret_cast",
        "nullptr", "static_assert", "typeid"}},
  };
  return groups;
}

// A character that starts nothing that C text may have, and what it would start.
const char *meaning_of(char c) {
  switch (c) {
  case '#':
    return "a line for the preprocessor";
  case '"':
  case '\'':
    return "a string or a character";
  case '\\':
    return "a backslash";
  case '&':
    return "an address, or an operation on bits";
  case '|':
  case '^':
  case '~':
    return "an operation on bits";
  case '.':
    return "a member";
  default:
    return "a character that C text does not have";
  }
}

bool c_starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool c_is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool c_in_name(char c) {
  return c_starts_name(c) || c_is_digit(c);
}

class CLexer {
public:
  explicit CLexer(const SourceText &source) : source_(source), text_(source.text) {}

  std::vector<CToken> tokens() {
    if (text_.size() > c_limits::text_bytes)
      fail("C text that is too long", fmt::format("{} bytes", text_.size()),
           fmt::format("at most {} bytes", c_limits::text_bytes));
    std::vector<CToken> tokens;
    for (skip(); at_ < text_.size(); skip())
      tokens.push_back(next());
    tokens.push_back({CToken::Kind::end, "the end of the text", place()});
    return tokens;
  }

private:
  char here(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool starts(std::string_view part) const { return text_.substr(at_).starts_with(part); }
  CPlace place() const { return {line_, static_cast<int>(at_ - line_start_) + 1}; }

  [[noreturn]] void fail(std::string what, std::string found, std::string allowed,
                         std::string remedy = "") const {
    fail_in_c(source_, place(), std::move(what), std::move(found), std::move(allowed),
              std::move(remedy));
  }

  // What is here, for a message: other bytes than printable ASCII as their codes.
  std::string shown(std::size_t length) const {
    std::string result;
    for (const char c : text_.substr(at_, length))
      result += c >= ' ' && c <= '~' ? std::string(1, c)
                                     : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    return result;
  }

  void advance() {
    if (text_[at_++] == '\n') {
      ++line_;
      line_start_ = at_;
    }
  }

  // White space and comments.
  void skip() {
    while (at_ < text_.size()) {
      const char c = here();
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
        advance();
      else if (starts("//"))
        skip_comment("\n");
      else if (starts("/*"))
        skip_comment("*/");
      else
        return;
    }
  }

  void skip_comment(std::string_view end) {
    const CPlace begin = place();
    at_ += 2;
    while (at_ < text_.size() && !starts(end)) {
      const char c = here();
      if (c == '\\' && (here(1) == '\n' || starts("\\\r\n")))
        fail("a comment that goes on over the end of its line", "\\",
             "comments without a backslash at the end of a line");
      if ((c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
        fail("a control character in a comment", shown(1), "text");
      advance();
    }
    if (at_ < text_.size())
      at_ += end == "\n" ? 0 : end.size();
    else if (end == "*/")
      fail_in_c(source_, begin, "a comment that does not end", "/*", "/* ... */");
  }

  CToken next() {
    const char c = here();
    if (c_starts_name(c))
      return name();
    if (c_is_digit(c) || (c == '.' && c_is_digit(here(1))))
      return number();
    return symbol();
  }

  CToken take(CToken::Kind kind, std::size_t length) {
    CToken token{kind, std::string(text_.substr(at_, length)), place()};
    at_ += length;
    return token;
  }

  CToken name() {
    std::size_t length = 0;
    while (c_in_name(here(length)))
      ++length;
    const std::string_view word = text_.substr(at_, length);
    for (const ReservedWords &group : reserved_words())
      if (std::find(group.words.begin(), group.words.end(), word) != group.words.end())
        fail(group.what, std::string(word), std::string(group.allowed));
    const bool of_compilers =
        word.find("__") != std::string_view::npos ||
        (word[0] == '_' && word.size() > 1 && word[1] >= 'A' && word[1] <= 'Z');
    if (of_compilers || word.starts_with("WEFT_") || word.starts_with("weft_") ||
        word.starts_with("lane_"))
      fail(of_compilers ? "a name that belongs to compilers" : "a name that belongs to Weft",
           std::string(word),
           "names without __ that do not start with weft_, WEFT_, lane_, or _ and a capital",
           "choose another name");
    constexpr std::size_t longest = 100;
    if (length > longest)
      fail("a name that is too long", shown(longest) + " ...",
           fmt::format("at most {} characters", longest), "choose a shorter name");
    return take(CToken::Kind::name, length);
  }

  // As C cuts numbers: 1.5e-3x is one token, and wrong.
  CToken number() {
    std::size_t length = 0;
    while (c_in_name(here(length)) || here(length) == '.' ||
           (length > 0 && (here(length) == '+' || here(length) == '-') &&
            (here(length - 1) == 'e' || here(length - 1) == 'E')))
      ++length;
    const std::string text(text_.substr(at_, length));
    constexpr std::size_t longest = 64;
    const std::string digits = text.substr(0, text.find_first_not_of("0123456789"));
    if (digits == text) {
      int value = 0;
      const auto [stop, error] = std::from_chars(text.data(), text.data() + length, value);
      if (error == std::errc() && (text == "0" || text[0] != '0'))
        return take(CToken::Kind::whole, length);
      fail("not a whole number that C text may have", text.substr(0, longest),
           "decimal digits without a leading 0, up to 2147483647");
    }
    std::string_view rest = text;
    if (rest.ends_with('f') || rest.ends_with('F'))
      rest.remove_suffix(1);
    double value = 0;
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    const bool is_real = rest.find_first_of(".eE") != std::string_view::npos;
    if (error != std::errc() || stop != rest.data() + rest.size() || !is_real || length > longest)
      fail("not a number that C text may have", text.substr(0, longest), "12, 1.5, 1e-3, 2.0f");
    return take(CToken::Kind::real, length);
  }

  CToken symbol() {
    for (const std::string_view other : {"%:", "<:", ":>", "<%", "%>", "??"})
      if (starts(other))
        fail(other == "??" ? "a trigraph" : "a digraph", std::string(other),
             std::string(allowed_characters), "write the character itself");
    for (const std::string_view other : {"<<", ">>", "->"})
      if (starts(other))
        fail(other == "->" ? "a pointer" : "an operation on bits", std::string(other),
             std::string(allowed_characters));
    for (const std::string_view two :
         {"++", "--", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%="})
      if (starts(two))
        return take(CToken::Kind::symbol, 2);
    if (here() != '\0' &&
        std::string_view("+-*/%<>=!?:()[]{};,").find(here()) != std::string_view::npos)
      return take(CToken::Kind::symbol, 1);
    std::size_t length = 1; // the whole character, of several bytes in UTF-8
    while ((here(length) & 0xC0) == 0x80)
      ++length;
    fail(meaning_of(here()), shown(length), std::string(allowed_characters));
  }

  const SourceText &source_;
  const std::string_view text_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 0;
};

} // namespace

std::vector<CToken> tokenise_c(const SourceText &source) {
  return CLexer(source).tokens();
}

void fail_in_c(const SourceText &source, CPlace place, std::string what, std::string found,
               std::string allowed, std::string remedy) {
  SourceText at = source;
  if (at.line > 0)
    at.line += place.line;
  remedy += remedy.empty() ? "" : "; ";
  remedy += "docs/reference/c_text.md says what C text may be; --trust takes all of C, of authors "
            "you know";
  throw Error(ErrorKind::input, {.what = "C text: " + std::move(what),
                                 .where = fmt::format("{}, column {}", at.where(), place.column),
                                 .found = std::move(found),
                                 .allowed = std::move(allowed),
                                 .remedy = std::move(remedy)});
}

} // namespace weft
