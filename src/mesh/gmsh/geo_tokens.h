// A script in Gmsh's language as a sequence of words, numbers, texts and signs.
//
// Source: Gmsh reference manual, chapter "Gmsh scripting language".
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

struct GeoToken {
  enum class Kind { word, number, text, sign };
  Kind kind;
  std::string_view text; // of texts without the quotes
  int line;              // from 1
};

// What is wrong with a script, and where; no more was read.
struct GeoComplaint {
  int line = 0; // 0: nothing is wrong
  std::string what, found;
};

// The tokens are views of the text.
struct GeoTokens {
  std::vector<GeoToken> all;
  GeoComplaint complaint;
};

// Comments are left out. Complains of what gmsh itself does not read in the same way everywhere:
// control characters, texts that do not end on their line or are longer than 500 bytes, signs that
// the language does not have.
GeoTokens geo_tokens(std::string_view text);

// The same script written anew, each token on its line, so that gmsh sees the tokens that were
// looked at and nothing else: without comments, and with space around texts, since gmsh skips
// branches that are not taken by looking for words a few characters at a time. `instead`: what
// texts are replaced with, by number of the token.
std::string geo_text(const std::vector<GeoToken> &tokens,
                     const std::map<std::size_t, std::string> &instead);

} // namespace weft
