// Damaged and made-up C text is taken or refused; nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "base/error.h"
#include "form/weak_form/c_syntax.h"

namespace weft {
namespace {

const std::vector<std::string> &seeds() {
  static const std::vector<std::string> texts = {
      "for (int k = 0; k < dim; ++k)\n  for (int d = 0; d < dim; ++d)\n"
      "    f1[k][d] = 2*T*grad_u[k][d] + (k == d ? x : 0);\n",
      "int i = (int)floor(T/0.5);\nif (i < 0) i = 0;\nif (i > 6) i = 6;\n"
      "const real table[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n"
      "f1[0][0] = table[i] + (T - i)*(table[i + 1] - table[i]);\n",
      "real r = 1, m[2][2] = {{1, 0}, {0, 1}};\n"
      "for (int it = 0; it < 20 && fabs(r) > 1e-10; ++it) {\n  r -= (r*r - T)/(2*r);\n"
      "  if (isnan(r)) break;\n  m[it % 2][1] = r;\n}\nf1[0][1] = m[0][0] = r; // done\nreturn;\n",
      "/* a */ bool on = T > 1 || !(x <= 2); int n = on; n += 3; n *= 2; n = n/3 % 2;\n"
      "f1[n][0] = pow(T, 2) + max(n, 1) + min(T, x) - abs(n - 4); { real T = 1; f1[0][0] += T; }\n",
  };
  return texts;
}

const std::vector<std::string> &pieces() {
  static const std::vector<std::string> texts = {
      "f1",   "T",     "u",  "grad_u", "dim", "int ",     "real ",  "const ", "bool ", "for (",
      "if (", "else ", "{",  "}",      "(",   ")",        "[",      "]",      ";",     ",",
      "=",    "==",    "+=", "++",     "--",  "+",        "-",      "*",      "/",     "%",
      "<",    ">=",    "!",  "&&",     "||",  "?",        ":",      "0",      "1",     "7",
      "1.5",  "1e9",   "i",  "break;", "sin", "continue", "return", "(int)",  "max(",  "2147483647",
      "#",    "\\\n",  "\"", "asm",    "&",   "/*",       "//",     "\n",     " ",     "\xc3\xa9"};
  return texts;
}

// Whether it is taken.
bool takes(const std::string &text) {
  const SourceText source{.text = text, .file = "case.toml", .line = 1, .key = "[pointwise] u.f1"};
  const auto find = [](const std::string &name) -> std::optional<Shape> {
    if (name == "T" || name == "x")
      return Shape{};
    if (name == "u")
      return Shape{2};
    return name == "grad_u" ? std::optional(Shape{2, 2}) : std::nullopt;
  };
  try {
    const CProgram program = parse_c(
        source,
        {.result = "f1", .result_shape = {2, 2}, .dim = 2, .find = find, .known = {"T", "u"}});
    check_c_ranges(source, program);
    return true;
  } catch (const Error &error) {
    if (error.kind() != ErrorKind::input)
      ADD_FAILURE() << error.what() << "\nof the text\n" << text;
    return false;
  }
}

class CTextFuzz {
public:
  int below(std::size_t n) { return static_cast<int>(random_() % n); }
  const std::string &one_of(const std::vector<std::string> &list) {
    return list[below(list.size())];
  }

  std::string damaged(std::string text) {
    for (int edits = 1 + below(4); edits > 0 && !text.empty(); --edits) {
      const int at = below(text.size());
      switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, 1 + below(12));
        break;
      case 2:
        text.insert(at, one_of(pieces()));
        break;
      case 3:
        text = text.substr(0, at);
        break;
      case 4: {
        const std::string part = text.substr(below(text.size()), 1 + below(30));
        text.insert(at, part);
        break;
      }
      default:
        text.replace(at, 1, one_of(pieces()));
      }
    }
    return text;
  }

  std::string made_up() {
    std::string text;
    for (int count = below(60); count > 0; --count)
      text += one_of(pieces()) + (below(3) == 0 ? " " : "");
    return text;
  }

private:
  std::mt19937 random_{7};
};

TEST(CTextFuzz, DamagedAndMadeUpTextsGiveAResultOrAMessage) {
  const char *longer = std::getenv("WEFT_TEST_ALL");
  const int rounds = longer && *longer ? 60000 : 4000;
  CTextFuzz fuzz;
  for (const std::string &seed : seeds())
    EXPECT_TRUE(takes(seed)) << seed;
  int taken = 0;
  for (int round = 0; round < rounds; ++round)
    taken += takes(round % 3 == 0 ? fuzz.made_up() : fuzz.damaged(fuzz.one_of(seeds())));
  EXPECT_GT(taken, rounds / 50);
  EXPECT_LT(taken, rounds / 2);
}

} // namespace
} // namespace weft
