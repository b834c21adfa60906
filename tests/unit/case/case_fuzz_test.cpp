// Mutated case files: either a case or an error, never a crash or a hang.
#include "support/case_text.h"

#include <random>
#include <sstream>

namespace weft {
namespace {

std::vector<std::string> seeds() {
  std::vector<std::string> texts = {
      small_case, small_law + "[boundary.x0]\nouter = { p = 0, v = \"-minus(v)\" }\n"
                              "[numerical_fluxes.mine]\nevery = \"dot(avg(flux), n)\"\n"};
  for (const char *name : {"heat_sink", "bracket", "nafems_le1", "nonlinear_heat", "poisson_mms"}) {
    std::ifstream file(std::string(WEFT_SOURCE_DIR "/cases/") + name + "/case.toml");
    std::stringstream text;
    text << file.rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

// One of: a byte changed, removed or inserted; a piece removed, doubled or moved; cut short.
void mutate(std::string &text, std::mt19937 &random) {
  static const std::string interesting = "[]{}\"'=.,#\n\\\0\xff 0e-_inf";
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  const std::size_t at = below(text.size());
  const std::size_t length = below(std::min<std::size_t>(text.size() - at, 40));
  switch (below(7)) {
  case 0:
    text.resize(at);
    break;
  case 1:
    text.erase(at, length);
    break;
  case 2:
    text.insert(below(text.size()), text.substr(at, length));
    break;
  case 3:
    if (at < text.size())
      text[at] = interesting[below(interesting.size())];
    break;
  case 4:
    text.insert(at, 1, interesting[below(interesting.size())]);
    break;
  case 5:
    if (at < text.size())
      text[at] = static_cast<char>(random());
    break;
  default:
    text.insert(at, std::string(below(300), interesting[below(interesting.size())]));
  }
}

TEST(CaseFuzz, MutatedCasesGiveACaseOrAnError) {
  const CaseFolder folder;
  const auto texts = seeds();
  std::mt19937 random(20240607);
  int read = 0, refused = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::string text = texts[trial % texts.size()];
    for (unsigned mutations = 1 + random() % 4; mutations > 0; --mutations)
      mutate(text, random);
    try {
      read_case(folder.write("case.toml", text));
      ++read;
    } catch (const Error &e) {
      EXPECT_NE(e.kind(), ErrorKind::invariant) << text;
      ++refused;
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 1000);
}

TEST(CaseFuzz, DeepNestingIsRefused) {
  std::string keys = "a", arrays = "k = ", inline_tables = "k = ";
  for (int i = 0; i < 20000; ++i) {
    keys += ".a";
    arrays += "[";
    inline_tables += "{a=";
  }
  EXPECT_EQ(error_of(keys + " = 1").kind(), ErrorKind::input);
  EXPECT_EQ(error_of("[" + keys + "]").kind(), ErrorKind::input);
  EXPECT_EQ(error_of(arrays).kind(), ErrorKind::input);
  EXPECT_EQ(error_of(inline_tables).kind(), ErrorKind::input);
}

TEST(CaseFuzz, LargeFileIsRefused) {
  EXPECT_TRUE(contains(error_of(std::string(2 << 20, ' ')).what(), "too large"));
}

} // namespace
} // namespace weft
