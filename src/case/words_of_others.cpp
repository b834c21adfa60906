#include "case/words_of_others.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace weft {

namespace {

struct Word {
  const char *key;
  const char *text; // small letters and digits alone
  const char *remedy;
};

constexpr const char *direct = "write method = \"direct\": the factorisation that suits the matrix";
constexpr const char *multigrid =
    "write preconditioner = \"multigrid\": smoothed aggregation where the mesh gives no levels";
constexpr const char *midpoint = "write scheme = \"theta\": with its default theta = 0.5 the "
                                 "midpoint rule, for linear forms the "
                                 "same";
constexpr const char *backward_euler = "write scheme = \"theta\" and theta = 1";
constexpr const char *adaptive =
    "write scheme = \"ssprk3\" and adaptive = { tolerance = 1e-4 }; weak forms: scheme = \"bdf2\"";
constexpr const char *symmetric_indefinite =
    "leave method out: what suits an indefinite matrix is chosen; by hand it is \"gmres\"";

constexpr std::array words = {
    Word{"method", "lu", direct},
    Word{"method", "cholesky", direct},
    Word{"method", "ldlt", direct},
    Word{"method", "mumps", direct},
    Word{"method", "umfpack", direct},
    Word{"method", "superlu", direct},
    Word{"method", "pardiso", direct},
    Word{"method", "sparselu", direct},
    Word{"method", "preonly", direct},
    Word{"method", "minres", symmetric_indefinite},
    Word{"method", "conjugategradient", "write method = \"cg\""},
    Word{"method", "pcg", "write method = \"cg\""},
    Word{"method", "fgmres", "write method = \"gmres\": it is flexible where that is needed"},
    Word{"method", "multigrid",
         "write preconditioner = \"multigrid\"; method = \"defect_correction\" iterates with it"},
    Word{"preconditioner", "amg", multigrid},
    Word{"preconditioner", "gamg", multigrid},
    Word{"preconditioner", "boomeramg", "write preconditioner = \"hypre\""},
    Word{"preconditioner", "lu", "write preconditioner = \"direct\", or method = \"direct\""},
    Word{"preconditioner", "fieldsplit", "write preconditioner = \"blocks\""},
    Word{"preconditioner", "ic", "write preconditioner = \"ilu\""},
    Word{"preconditioner", "icc", "write preconditioner = \"ilu\""},
    Word{"preconditioner", "diagonal", "write preconditioner = \"jacobi\""},
    Word{"scheme", "cranknicolson", midpoint},
    Word{"scheme", "midpoint", midpoint},
    Word{"scheme", "trapezoidal", midpoint},
    Word{"scheme", "impliciteuler", backward_euler},
    Word{"scheme", "backwardeuler", backward_euler},
    Word{"scheme", "bdf1", backward_euler},
    Word{"scheme", "bdf", "write scheme = \"bdf2\""},
    Word{"scheme", "expliciteuler", "write scheme = \"euler\""},
    Word{"scheme", "forwardeuler", "write scheme = \"euler\""},
    Word{"scheme", "rk45", adaptive},
    Word{"scheme", "dopri5", adaptive},
};

} // namespace

std::string remedy_for_word_of_others(const std::string &key, const std::string &text) {
  std::string plain;
  for (const unsigned char c : text)
    if (std::isalnum(c))
      plain += static_cast<char>(std::tolower(c));
  const auto *word = std::find_if(words.begin(), words.end(),
                                  [&](const Word &w) { return key == w.key && plain == w.text; });
  return word == words.end() ? "" : word->remedy;
}

} // namespace weft
