#include "mesh/gmsh/geo_check.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <optional>

#include "base/error.h"
#include "mesh/gmsh/geo_words.h"

namespace weft {

namespace {

using Kind = GeoToken::Kind;

constexpr std::size_t none = static_cast<std::size_t>(-1);

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool assigns(std::string_view sign) {
  return is_one_of(sign, {"=", "+=", "-=", "*=", "/=", "++", "--"});
}

// Branches, loops and macros that are not run are skipped by gmsh until it finds one of these, by
// letters: inside of names and texts, too.
bool ends_skipping(std::string_view text, bool in_macro) {
  const auto is_letter = [&](std::size_t i) {
    return i < text.size() && (std::isalpha(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  for (const std::string_view word : {"ElseIf", "Else", "EndIf", "EndFor", "Return"})
    if (word != "Return" || in_macro)
      for (auto at = text.find(word); at != none; at = text.find(word, at + 1))
        if (!is_letter(at + word.size()))
          return true;
  return false;
}

// A conversion of printf() that gmsh's numbers do not fit.
std::optional<std::string> wrong_conversion(std::string_view format) {
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%')
      continue;
    const std::size_t begin = i++;
    while (i < format.size() && std::string_view("-+ #0123456789.").find(format[i]) != none)
      ++i;
    if (i == format.size() || std::string_view("%eEfFgGdiu").find(format[i]) == none)
      return std::string(format.substr(begin, i + 1 - begin));
  }
  return std::nullopt;
}

class Checker {
public:
  Checker(const std::vector<GeoToken> &tokens, const std::string &file)
      : tokens_(tokens), file_(file), match_(tokens.size(), none), free_(tokens.size(), false) {
    match_brackets();
    find_statements();
  }

  GeoScript check() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == Kind::word)
        check_word(i);
      else if (tokens_[i].kind == Kind::text)
        check_text(i);
      else if (is_sign(i, ">>") || is_sign(i, "<<"))
        refuse(i, fmt::format("{}, which appends to files", tokens_[i].text));
    }
    return std::move(script_);
  }

private:
  bool is_sign(std::size_t i, std::string_view sign) const {
    return i < tokens_.size() && tokens_[i].kind == Kind::sign && tokens_[i].text == sign;
  }
  bool is_kind(std::size_t i, Kind kind) const {
    return i < tokens_.size() && tokens_[i].kind == kind;
  }
  bool opens(std::size_t i) const { return is_sign(i, "(") || is_sign(i, "["); }
  [[noreturn]] void refuse(std::size_t i, const std::string &what) const {
    refuse_geo(file_, tokens_[i].line, "a geometry without trust may not use " + what);
  }

  void match_brackets() {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (opens(i) || is_sign(i, "{")) {
        open.push_back(i);
      } else if (!open.empty() && ((is_sign(i, ")") && is_sign(open.back(), "(")) ||
                                   (is_sign(i, "]") && is_sign(open.back(), "[")) ||
                                   (is_sign(i, "}") && is_sign(open.back(), "{")))) {
        match_[open.back()] = i;
        open.pop_back();
      }
    }
  }
  // Where a bracket at i ends. What depends on it has to be whole; the rest is left to gmsh.
  std::size_t match_of(std::size_t i) const {
    if (match_[i] == none)
      refuse(i, fmt::format("'{}' without its end", tokens_[i].text));
    return match_[i];
  }
  // Numbers of the next ';' and of the next text, or function that gives one, from each token on.
  void find_statements() {
    semicolon_.assign(tokens_.size() + 1, tokens_.size());
    text_ = semicolon_;
    for (std::size_t i = tokens_.size(); i-- > 0;) {
      semicolon_[i] = is_sign(i, ";") ? i : semicolon_[i + 1];
      const GeoRole role = is_kind(i, Kind::word) ? geo_role(tokens_[i].text) : GeoRole::unknown;
      const bool gives_text = is_kind(i, Kind::text) || role == GeoRole::text_function ||
                              role == GeoRole::format_function;
      text_[i] = gives_text ? i : text_[i + 1];
    }
  }

  void check_text(std::size_t i) {
    if (i == 0)
      refuse(i, "a text at its beginning");
    if (ends_skipping(tokens_[i].text, in_macro_))
      refuse(i, fmt::format("the text '{}', in which gmsh may find a word of its own",
                            tokens_[i].text));
    const GeoToken &before = tokens_[i - 1];
    if (free_[i] ||
        (before.kind == Kind::sign && is_one_of(before.text, {"(", "[", "{", ",", "=", "+="})))
      return;
    if (before.kind == Kind::word && i < attributes_end_ && is_attribute(before.text))
      return;
    if (before.kind == Kind::word && geo_role(before.text) == GeoRole::entity)
      return; // Volume "*"
    refuse(i, fmt::format("a text after '{}'", before.text));
  }

  void check_word(std::size_t i) {
    const std::string_view word = tokens_[i].text;
    const GeoRole role = geo_role(word);
    if (role != GeoRole::flow && ends_skipping(word, true))
      refuse(i, fmt::format("the name {}, in which gmsh may find a word of its own", word));
    if (role == GeoRole::refused)
      refuse(i, fmt::format("{}: {}", word, reason_to_refuse(word)));
    if (i > 0 && is_sign(i - 1, "."))
      return; // of an option, which check_option() has seen
    if (free_[i] || (i < attributes_end_ && is_attribute(word)) ||
        (i < view_end_ && is_view_element(word)))
      return;
    switch (role) {
    case GeoRole::free:
    case GeoRole::entity:
    case GeoRole::text_function:
      return;
    case GeoRole::format_function:
      return check_format(i);
    case GeoRole::print:
      check_format(i);
      if (!is_sign(match_of(i + 1) + 1, ";"))
        refuse(i, fmt::format("{} into a file", word));
      return;
    case GeoRole::flow:
      return check_flow(i);
    case GeoRole::file:
      return add_reference(i, i + 1, ";");
    case GeoRole::shape_file:
      if (!opens(i + 1))
        refuse(i, fmt::format("{} without a name in quotes", word));
      return add_reference(i, i + 2, tokens_[i + 1].text == "(" ? ")" : "]");
    case GeoRole::options:
      return is_sign(i + 1, ".") ? check_option(i, i + 1) : check_category(i);
    case GeoRole::view:
      return check_view(i);
    case GeoRole::field:
      return check_field(i);
    case GeoRole::color:
      if (is_kind(i + 1, Kind::word))
        free_[i + 1] = true;
      return;
    case GeoRole::named:
      if (is_kind(i + 1, Kind::text))
        free_[i + 1] = true;
      return;
    case GeoRole::definition:
      return check_definition(i);
    case GeoRole::question:
      if (opens(i + 1) && is_kind(i + 2, Kind::word))
        free_[i + 2] = geo_role(tokens_[i + 2].text) == GeoRole::unknown;
      return;
    default:
      return check_name(i);
    }
  }

  // A plain text as format, with conversions of numbers alone.
  void check_format(std::size_t i) {
    const std::string_view word = tokens_[i].text;
    if (!opens(i + 1) || !is_kind(i + 2, Kind::text))
      refuse(i, fmt::format("{} without a format in quotes", word));
    if (const auto wrong = wrong_conversion(tokens_[i + 2].text))
      refuse(i, fmt::format("the conversion '{}' in {}", *wrong, word));
  }

  void check_flow(std::size_t i) {
    const std::string_view word = tokens_[i].text;
    if (i < attributes_end_)
      refuse(i, fmt::format("'{}' as an attribute", word));
    if (word == "Return")
      in_macro_ = false;
    if (!is_one_of(word, {"Macro", "Function", "Call"}))
      return;
    in_macro_ = in_macro_ || word != "Call";
    if (!is_kind(i + 1, Kind::text) &&
        !(is_kind(i + 1, Kind::word) && geo_role(tokens_[i + 1].text) == GeoRole::unknown))
      refuse(i, fmt::format("{} without a plain name", word));
    if (word == "Call" && !is_sign(i + 2, ";"))
      refuse(i, "Call of a computed name");
    free_[i + 1] = true;
  }

  void add_reference(std::size_t command, std::size_t name, std::string_view end) {
    if (!is_kind(name, Kind::text) || !is_sign(name + 1, end))
      refuse(command, fmt::format("{} with anything but one name of a file in quotes",
                                  tokens_[command].text));
    free_[name] = true;
    script_.references.push_back({name, std::string(tokens_[name].text), tokens_[name].line,
                                  tokens_[command].text == "Include"});
  }

  // From the point behind a category: "Mesh.Algorithm = 6", "Geometry.Color.Points = Orange".
  void check_option(std::size_t category, std::size_t point) {
    std::string name(tokens_[category].text);
    std::size_t next = point;
    bool is_color = false;
    for (; is_sign(next, ".") && is_kind(next + 1, Kind::word); next += 2) {
      name += fmt::format(".{}", tokens_[next + 1].text);
      is_color = is_color || tokens_[next + 1].text == "Color";
    }
    if (!is_kind(next, Kind::sign) || !assigns(tokens_[next].text))
      return;
    const std::size_t end = semicolon_[next];
    if (text_[next] < end && !is_text_option(name))
      refuse(category, fmt::format("a text for the option {}", name));
    if (is_color && is_kind(next + 1, Kind::word))
      free_[next + 1] = true;
  }

  // Without a point: "Mesh 3;", "Coherence Mesh;", "Background Mesh View[0];".
  void check_category(std::size_t i) {
    if (tokens_[i].text != "Mesh" && !(i > 0 && may_follow(tokens_[i - 1].text, tokens_[i].text)))
      check_name(i);
  }

  void check_view(std::size_t i) {
    if (is_kind(i + 1, Kind::text) && is_sign(i + 2, "{")) {
      free_[i + 1] = true;
      view_end_ = std::max(view_end_, match_of(i + 2));
    } else if (is_sign(i + 1, ".")) {
      check_option(i, i + 1);
    } else if (is_sign(i + 1, "[") && is_sign(match_of(i + 1) + 1, ".")) {
      check_option(i, match_of(i + 1) + 1);
    }
  }

  // "Field[1] = Threshold;", "Field[1].InField = 2;", "Background Field = 1;".
  void check_field(std::size_t i) {
    if (!is_sign(i + 1, "["))
      return;
    const std::size_t next = match_of(i + 1) + 1;
    if (is_sign(next, "=") && is_kind(next + 1, Kind::word)) {
      if (!is_field_type(tokens_[next + 1].text))
        refuse(next + 1, fmt::format("fields of the kind {}", tokens_[next + 1].text));
      free_[next + 1] = true;
    } else if (is_sign(next, ".") && is_kind(next + 1, Kind::word)) {
      const std::string_view option = tokens_[next + 1].text;
      for (const char *part : {"File", "Command"})
        if (option.find(part) != none)
          refuse(next + 1, fmt::format("the option {} of a field", option));
    }
  }

  void check_definition(std::size_t i) {
    if (!opens(i + 1))
      refuse(i, fmt::format("{} without brackets", tokens_[i].text));
    const std::size_t end = match_of(i + 1);
    attributes_end_ = std::max(attributes_end_, end);
    if (!is_one_of(tokens_[i].text, {"DefineConstant", "UndefineConstant"}))
      return;
    // Names of its own stand at the beginning and behind commas.
    for (std::size_t k = i + 2; k < end; ++k) {
      if (is_kind(k, Kind::word) && (k == i + 2 || is_sign(k - 1, ",")))
        define(k);
      if (opens(k) || is_sign(k, "{"))
        k = match_of(k);
    }
  }

  void define(std::size_t i) {
    if (geo_role(tokens_[i].text) == GeoRole::unknown)
      script_.defined.emplace(tokens_[i].text, tokens_[i].line);
  }

  // Whether a value is given to the name at i: "a =", "a[0] +=", "a~{i}() =", "For a In".
  bool is_defined_here(std::size_t i) const {
    std::size_t next = i + 1;
    for (int groups = 0; groups < 4; ++groups) {
      next += is_sign(next, "~");
      if (!opens(next) && !is_sign(next, "{"))
        break;
      if (match_[next] == none)
        return false;
      next = match_[next] + 1;
    }
    if (is_kind(next, Kind::sign) && assigns(tokens_[next].text))
      return true;
    return i > 0 && tokens_[i - 1].text == "For" && is_kind(next, Kind::word) &&
           tokens_[next].text == "In";
  }

  void check_name(std::size_t i) {
    const std::string_view name = tokens_[i].text;
    const std::string_view before = i > 0 && is_kind(i - 1, Kind::word) ? tokens_[i - 1].text : "";
    if (may_follow(before, name) || (is_infix(name) && i > 0 && is_sign(i - 1, "}")))
      return;
    if (is_sign(i + 1, "{")) {
      if (!may_open_brace(name))
        refuse(i, fmt::format("the command {}, which is none of those that are known", name));
      return;
    }
    if (is_sign(i + 1, "."))
      refuse(i, fmt::format("the options of {}", name));
    const bool word_follows = is_kind(i + 1, Kind::word) && !is_infix(tokens_[i + 1].text) &&
                              !(i < attributes_end_ && is_attribute(tokens_[i + 1].text));
    if (word_follows || is_kind(i + 1, Kind::text) || is_kind(i + 1, Kind::number))
      refuse(i, fmt::format("the command {}, which is none of those that are known", name));
    if (is_defined_here(i))
      define(i);
    else
      script_.used.emplace(name, tokens_[i].line);
  }

  const std::vector<GeoToken> &tokens_;
  const std::string &file_;
  std::vector<std::size_t> match_;                // of opening brackets
  std::vector<std::size_t> semicolon_, text_;     // see find_statements()
  std::vector<bool> free_;                        // looked at already
  std::size_t attributes_end_ = 0, view_end_ = 0; // of the brackets that were opened last
  bool in_macro_ = false;
  GeoScript script_;
};

} // namespace

void refuse_geo(const std::string &file, int line, const std::string &what,
                const std::string &found) {
  throw Error(ErrorKind::input,
              {.what = what,
               .where = fmt::format("{}:{}", file, line),
               .found = found,
               .allowed = "what makes shapes and meshes of them (SECURITY.md)",
               .remedy =
                   "change the geometry, or say --trust if you know its author: it may then run "
                   "programs and write files"});
}

GeoScript check_geo(const std::vector<GeoToken> &tokens, const std::string &file) {
  return Checker(tokens, file).check();
}

} // namespace weft
