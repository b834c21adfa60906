#include "support/case_text.h"

#include <sstream>

namespace weft {
namespace {

TEST(CaseReference, FileIsUpToDate) {
  std::ifstream file(WEFT_SOURCE_DIR "/docs/reference/case.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(text.str() == case_reference_markdown())
      << "docs/reference/case.md is not what the reader declares; regenerate it with\n"
         "  weft reference > docs/reference/case.md";
}

TEST(CaseReference, DefaultsComeFromTheCase) {
  const std::string page = case_reference_markdown();
  EXPECT_TRUE(contains(page, "| `max_iterations` | whole number | `10000` |"));
  EXPECT_TRUE(contains(page, "| `newton.max_iterations` | whole number | `50` |"));
  EXPECT_TRUE(contains(page, "f64, f32"));
  EXPECT_TRUE(contains(page, "not yet: DG1"));
}

} // namespace
} // namespace weft
