// The README says what is: its table of what works, and the case file it shows.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "app/support_table.h"

namespace weft {
namespace {

std::string read_source(const std::string &path) {
  std::ifstream file(std::string(WEFT_SOURCE_DIR) + "/" + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Readme, TableOfWhatWorksIsTrue) {
  EXPECT_NE(read_source("README.md").find(support_table_markdown()), std::string::npos)
      << "put the output of `weft reference --support` into README.md:\n"
      << support_table_markdown();
}

TEST(Readme, ShowsTheHeatSinksCaseFile) {
  const std::string text = read_source("cases/heat_sink/case.toml");
  ASSERT_FALSE(text.empty());
  EXPECT_NE(read_source("README.md").find(text), std::string::npos)
      << "README.md must show cases/heat_sink/case.toml as it is";
}

} // namespace
} // namespace weft
