// C text cut into tokens, and characters and words that safe C text does not have.
#pragma once

#include <string>
#include <vector>

#include "form/weak_form/c_syntax.h"

namespace weft {

struct CToken {
  enum class Kind { end, name, whole, real, symbol } kind = Kind::end;
  std::string text;
  CPlace place;
};

// The last token is `end`. Comments are left out. Errors (input): a character, number or word that
// C text may not have.
std::vector<CToken> tokenise_c(const SourceText &source);

} // namespace weft
