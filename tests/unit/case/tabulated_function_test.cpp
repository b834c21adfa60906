// Tables in files: what is read, and what is said of those that are none.
#include "case/tabulated_function.h"

#include <fstream>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/temporary_folder.h"

namespace weft {
namespace {

TabulatedFunction read_table_text(const std::string &text,
                                  const std::vector<std::string> &columns = {}) {
  const TemporaryFolder folder;
  const std::string path = folder.file("k.csv");
  std::ofstream(path) << text;
  return read_tabulated_function(path, columns, "case.toml:4: [parameters] k.table");
}

TEST(TabulatedFunctionFile, FieldsHeadersAndComments) {
  for (const char *text :
       {"0,1\n1,3\n5,2\n", "# of the data sheet\nT, k\n0, 1 # cold\n\n1, 3\n5, 2",
        "0 1\n1 3\n5 2\n", "0;1\r\n1;3\r\n5;2\r\n", "\"T\"\t\"k\"\n0\t1\n1\t3\n5\t2\n",
        "0, 1, 7\n1, 3, 7\n+5e0, 2, 7\n"}) {
    const TabulatedFunction f = read_table_text(text);
    EXPECT_EQ(f.at, (std::vector<double>{0, 1, 5})) << text;
    EXPECT_EQ(f.values, (std::vector<double>{1, 3, 2})) << text;
  }
  const TabulatedFunction named = read_table_text("rho, T, k\n7, 0, 1\n8, 2, 3\n", {"T", "rho"});
  EXPECT_EQ(named.at, (std::vector<double>{0, 2}));
  EXPECT_EQ(named.values, (std::vector<double>{7, 8}));
}

void expect_refusal(const std::string &text, const std::string &said,
                    const std::vector<std::string> &columns = {}) {
  try {
    read_table_text(text, columns);
    ADD_FAILURE() << text;
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("case.toml:4"), std::string::npos);
  }
}

TEST(TabulatedFunctionFile, WhatIsNone) {
  expect_refusal("", "too few rows");
  expect_refusal("T, k\n0, 1\n", "1 rows of numbers");
  expect_refusal("0, 1\n1, x\n", "k.csv:2");
  expect_refusal("0, 1\n1\n", "column 2");
  expect_refusal("0, 1\n1, nan\n", "not a number");
  expect_refusal("0, 1\n1, 1e999\n", "not a number");
  expect_refusal("0, 1\n2, 1\n2, 3\n", "do not ascend");
  expect_refusal("T, k\n0, 1\n1, 1\n", "found:   q", {"T", "q"});
  expect_refusal("0, 1\n1, 1\n", "no names", {"T", "k"});
  std::string many;
  for (int i = 0; i <= 256; ++i)
    many += std::to_string(i) + ", 1\n";
  expect_refusal(many, "too many rows");
  EXPECT_THROW(read_tabulated_function("no/such.csv", {}, "case.toml:4"), Error);
}

} // namespace
} // namespace weft
