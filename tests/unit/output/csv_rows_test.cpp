// Tables read again as they were written.
#include "output/csv_rows.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "output/kernel_rows.h"
#include "support/temporary_folder.h"

namespace weft {
namespace {

TEST(CsvRows, ReadWhatWasWritten) {
  const TemporaryFolder folder;
  const std::vector<nlohmann::ordered_json> rows = {
      {{"name", "staged, \"all\""}, {"seconds", 1.25e-7}, {"cells", 3}, {"bound", nullptr}},
      {{"name", "two\nlines"}, {"seconds", -2.0}, {"cells", 4}, {"bound", true}}};
  write_rows_csv(folder.file("rows.csv"), rows);
  const auto read = read_rows_csv(folder.file("rows.csv"));
  ASSERT_EQ(read.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const auto &[key, value] : rows[i].items())
      EXPECT_EQ(read[i].at(key), value) << key;
  EXPECT_FALSE(read[0].at("processor").get<std::string>().empty());
}

TEST(CsvRows, SaysWhichLineIsWrong) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("rows.csv")) << "a,b\n1,2\n\"x\ny\",2\n1,2,3\n";
  try {
    read_rows_csv(folder.file("rows.csv"));
    FAIL() << "read";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_NE(std::string(error.what()).find("rows.csv:5"), std::string::npos) << error.what();
  }
  EXPECT_THROW(read_rows_csv(folder.file("none.csv")), Error);
}

} // namespace
} // namespace weft
