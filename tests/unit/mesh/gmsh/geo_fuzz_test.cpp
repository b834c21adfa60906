// Scripts of Gmsh's language, mutated: each is refused as wrong input, or what gmsh would get of it
// holds none of the words that run programs or write files, and reads as the same tokens again.
// Mutations are deterministic; run under the sanitizers too (WEFT_SANITIZE).
#include <algorithm>
#include <random>

#include "mesh/gmsh/geo_check.h"
#include "mesh/gmsh/geo_words.h"
#include "support/mesh_files.h"

namespace weft {
namespace {

using Random = std::mt19937;

const char *const fragments[] = {"SystemCall \"touch x\";",
                                 "System",
                                 "Save \"x\";",
                                 "Printf(\"x\") > \"y\";",
                                 ">>",
                                 "> \"y\"",
                                 "Merge ",
                                 "Include \"a.geo\";",
                                 "OnelabRun(\"x\");",
                                 "EndIf",
                                 "Else",
                                 "If (0)",
                                 "Macro A",
                                 "Return",
                                 "EndFor",
                                 "For i In {1:0}",
                                 "Call A;",
                                 "\"",
                                 "'",
                                 "/*",
                                 "*/",
                                 "//",
                                 "{",
                                 "}",
                                 "(",
                                 ")",
                                 "[",
                                 "]",
                                 ";",
                                 "\n",
                                 "\r",
                                 ".",
                                 "...",
                                 "~{1}",
                                 "%n",
                                 "S2N[\"System\"]",
                                 "Str[\"x\"]",
                                 "Field[1] = ",
                                 "Solver.",
                                 "General.",
                                 " = ",
                                 "DefineConstant[",
                                 "Name \"x\"",
                                 "GmshOption ",
                                 "View \"x\" {",
                                 "1e999",
                                 "::",
                                 "Plugin(X).Run;",
                                 "StringToName",
                                 "\0",
                                 "\x80",
                                 "$",
                                 "Sprintf(",
                                 "Geometry.OCCTargetUnit = "};

std::vector<std::string> seeds() {
  std::vector<std::string> texts;
  const std::filesystem::path root = WEFT_SOURCE_DIR;
  for (const char *folder : {"cases", "tests/data/geometry"})
    for (const auto &entry : std::filesystem::recursive_directory_iterator(root / folder))
      if (entry.path().extension() == ".geo" || entry.path().extension() == ".pos") {
        std::ifstream in(entry.path(), std::ios::binary);
        texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
      }
  std::sort(texts.begin(), texts.end());
  return texts;
}

std::string mutated(std::string text, Random &random) {
  const auto below = [&](std::size_t bound) { return random() % std::max<std::size_t>(bound, 1); };
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
    const std::size_t at = below(text.size()), length = std::min(below(40), text.size() - at);
    switch (below(5)) {
    case 0:
      text.insert(at, fragments[below(std::size(fragments))]);
      break;
    case 1:
      text.erase(at, length);
      break;
    case 2:
      if (!text.empty())
        text[at] = static_cast<char>(random());
      break;
    case 3:
      text.insert(below(text.size()), text.substr(at, length));
      break;
    default:
      text.replace(at, length, fragments[below(std::size(fragments))]);
    }
  }
  return text;
}

bool same(const std::vector<GeoToken> &a, const std::vector<GeoToken> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const GeoToken &x, const GeoToken &y) {
                      return x.kind == y.kind && x.text == y.text && x.line == y.line;
                    });
}

TEST(GeoFuzz, WhatPassesIsHarmless) {
  const std::vector<std::string> texts = seeds();
  ASSERT_GT(texts.size(), 15u);
  Random random(29);
  int passed = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string text = mutated(texts[i % texts.size()], random);
    const GeoTokens tokens = geo_tokens(text);
    if (tokens.complaint.line > 0)
      continue;
    try {
      check_geo(tokens.all, "part.geo");
    } catch (const Error &error) {
      EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
      continue;
    }
    ++passed;
    const std::string copy = geo_text(tokens.all, {});
    const GeoTokens again = geo_tokens(copy);
    EXPECT_EQ(again.complaint.line, 0) << text;
    EXPECT_TRUE(same(tokens.all, again.all)) << text;
    for (const GeoToken &token : again.all)
      if (token.kind == GeoToken::Kind::word) {
        EXPECT_NE(geo_role(token.text), GeoRole::refused) << token.text << "\n" << text;
      }
    // However gmsh skips: what follows a word that ends it is never the inside of a text.
    for (const char *word : {"EndIf", "Else", "EndFor"})
      for (auto at = copy.find(word); at != std::string::npos; at = copy.find(word, at + 1)) {
        const auto line = copy.rfind('\n', at);
        const std::string before = copy.substr(line + 1, at - line - 1);
        const bool in_text = std::count(before.begin(), before.end(), '"') % 2 != 0;
        const char next = copy[at + std::string(word).size()];
        EXPECT_TRUE(!in_text || std::isalpha(static_cast<unsigned char>(next)) || next == '_')
            << copy.substr(at, 40);
      }
  }
  EXPECT_GT(passed, 300);
}

} // namespace
} // namespace weft
