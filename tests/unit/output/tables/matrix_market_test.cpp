// Matrices and vectors as Matrix Market files.
#include "output/tables/matrix_market.h"

#include <fstream>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/temporary_folder.h"

namespace weft {
namespace {

// [2 -1 0; -1 2 1/3; 0 1/3 1e-300]
HostMatrix small_matrix() {
  return {.row_start = {0, 2, 5, 7},
          .columns = {0, 1, 0, 1, 2, 1, 2},
          .values = {2, -1, -1, 2, 1. / 3, 1. / 3, 1e-300}};
}

class MatrixMarket : public testing::Test {
protected:
  std::string path(const std::string &name) const { return folder_.file(name); }
  std::string write(const std::string &text) const {
    std::ofstream(path("given.mtx")) << text;
    return path("given.mtx");
  }
  // The message that reading gives.
  std::string message(const std::string &text) const {
    try {
      read_matrix_market(write(text));
    } catch (const Error &error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      return error.what();
    }
    return "read without an error";
  }

  TemporaryFolder folder_;
};

TEST_F(MatrixMarket, HeaderAndEntriesOfASymmetricMatrix) {
  write_matrix_market(path("a.mtx"), small_matrix(), true, "of a test");
  EXPECT_EQ(folder_.read("a.mtx"), "%%MatrixMarket matrix coordinate real symmetric\n"
                                   "% of a test\n"
                                   "3 3 5\n"
                                   "1 1 2\n"
                                   "2 1 -1\n"
                                   "2 2 2\n"
                                   "3 2 0.3333333333333333\n"
                                   "3 3 1e-300\n");
}

TEST_F(MatrixMarket, HeaderOfAVector) {
  write_matrix_market(path("b.mtx"), std::vector<double>{1, -0.1}, "right-hand side");
  EXPECT_EQ(folder_.read("b.mtx"), "%%MatrixMarket matrix array real general\n"
                                   "% right-hand side\n"
                                   "2 1\n"
                                   "1\n"
                                   "-0.1\n");
}

TEST_F(MatrixMarket, RoundTripKeepsAllBits) {
  const HostMatrix matrix = small_matrix();
  for (const bool symmetric : {false, true}) {
    write_matrix_market(path("a.mtx"), matrix, symmetric, "");
    const HostMatrix read = read_matrix_market(path("a.mtx"));
    EXPECT_EQ(read.row_start, matrix.row_start);
    EXPECT_EQ(read.columns, matrix.columns);
    EXPECT_EQ(read.values, matrix.values);
  }
  const std::vector<double> vector = {0.1, -2e-308, 3, 1e300};
  write_matrix_market(path("b.mtx"), vector, "");
  EXPECT_EQ(read_matrix_market_vector(path("b.mtx")), vector);
}

TEST_F(MatrixMarket, EntriesInAnyOrderAreRead) {
  const HostMatrix read = read_matrix_market(write("%%MatrixMarket matrix coordinate real general\n"
                                                   "% a comment\n%another\n"
                                                   " 2 2   3\n2 2 4e0\r\n1 2 -2\n2 1 3\n"));
  EXPECT_EQ(read.row_start, (std::vector<std::int32_t>{0, 1, 3}));
  EXPECT_EQ(read.columns, (std::vector<std::int32_t>{1, 0, 1}));
  EXPECT_EQ(read.values, (std::vector<double>{-2, 3, 4}));
}

TEST_F(MatrixMarket, WrongFilesAreNamed) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  const auto expect_in = [&](const std::string &text, const std::string &part) {
    EXPECT_NE(message(text).find(part), std::string::npos) << message(text);
  };
  expect_in("", "given.mtx:1");
  expect_in("%%MatrixMarket matrix coordinate complex general\n1 1 0\n", "coordinate real general");
  expect_in(head + "2 3 0\n", "not square");
  expect_in(head + "2 2 2\n1 1 1\n", "a row is missing");
  expect_in(head + "2 2 1\n1 3 1\n", "given.mtx:3");
  expect_in(head + "2 2 1\n0 1 1\n", "out of range");
  expect_in(head + "2 2 1\n1 1 x\n", "a value is missing or not a number");
  expect_in(head + "2 2 2\n1 1 1\n1 1 2\n", "given twice");
  expect_in(head + "2 2 1\n1 1 1\n2 2 2\n", "more in the file");
  expect_in(head + "2 2 99999999999\n", "out of range");
  EXPECT_THROW(read_matrix_market(path("missing.mtx")), Error);
}

} // namespace
} // namespace weft
