#include "case/words_of_others.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace weft {

namespace {

struct Words {
  const char *key;
  std::string_view texts; // small letters and digits alone, a space around each
  const char *remedy;
};

constexpr std::array words = {
    Words{"method", " lu cholesky ldlt mumps umfpack superlu pardiso sparselu preonly ",
          "write method = \"direct\": the factorisation that suits the matrix"},
    Words{"method", " minres ",
          "leave method out: what suits an indefinite matrix is chosen; by hand it is \"gmres\""},
    Words{"method", " pcg conjugategradient ", "write method = \"cg\""},
    Words{"method", " fgmres ", "write method = \"gmres\": it is flexible where that is needed"},
    Words{"method", " multigrid ",
          "write preconditioner = \"multigrid\"; method = \"defect_correction\" iterates with it"},
    Words{"preconditioner", " amg gamg ",
          "write preconditioner = \"multigrid\": smoothed aggregation where the mesh gives no "
          "levels"},
    Words{"preconditioner", " boomeramg ", "write preconditioner = \"hypre\""},
    Words{"preconditioner", " lu ", "write preconditioner = \"direct\", or method = \"direct\""},
    Words{"preconditioner", " fieldsplit ", "write preconditioner = \"blocks\""},
    Words{"preconditioner", " ic icc ", "write preconditioner = \"ilu\""},
    Words{"preconditioner", " diagonal ", "write preconditioner = \"jacobi\""},
    Words{"scheme", " cranknicolson midpoint trapezoidal ",
          "write scheme = \"theta\": with its default theta = 0.5 the midpoint rule, for linear "
          "forms the same"},
    Words{"scheme", " impliciteuler backwardeuler bdf1 ", "write scheme = \"theta\" and theta = 1"},
    Words{"scheme", " bdf ", "write scheme = \"bdf2\""},
    Words{"scheme", " expliciteuler forwardeuler ", "write scheme = \"euler\""},
    Words{"scheme", " rk45 dopri5 ",
          "write scheme = \"ssprk3\" and adaptive = { tolerance = 1e-4 }; weak forms: scheme = "
          "\"bdf2\""},
};

} // namespace

std::string remedy_for_word_of_others(const std::string &key, const std::string &text) {
  std::string plain = " ";
  for (const unsigned char c : text)
    if (std::isalnum(c))
      plain += static_cast<char>(std::tolower(c));
  plain += " ";
  const auto *found = std::find_if(words.begin(), words.end(), [&](const Words &w) {
    return key == w.key && w.texts.find(plain) != std::string_view::npos;
  });
  return found == words.end() ? "" : found->remedy;
}

} // namespace weft
