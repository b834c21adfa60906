// What is taken as a matrix of a caller's, what is copied of it, and what is refused.
#include "api/callers_matrix.h"

#include <cmath>
#include <gtest/gtest.h>

#include "base/error.h"

namespace weft {
namespace {

using Rows = std::vector<std::int32_t>;
using Values = std::vector<double>;

struct Arrays {
  Rows row_start, columns;
  Values values;
  CsrMatrix csr() const {
    return {.num_rows = row_start.size() - 1,
            .row_start = row_start,
            .columns = columns,
            .values = values};
  }
};

//  4 -1  0
// -1  4 -1
//  0 -1  4
Arrays three_rows() {
  return {{0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {4, -1, -1, 4, -1, -1, 4}};
}

Rows columns_of(const CallersMatrix &matrix) {
  const CsrColumns &columns = matrix.pattern()->columns;
  return {columns.begin(), columns.end()};
}

Values copy_of(std::span<const double> values) {
  return {values.begin(), values.end()};
}

TEST(CallersMatrix, SeesSortedRowsWhereTheyLie) {
  const Arrays a = three_rows();
  CallersMatrix matrix(a.csr(), 1);
  EXPECT_FALSE(matrix.is_copy());
  EXPECT_EQ(matrix.pattern()->columns.data(), a.columns.data());
  EXPECT_EQ(matrix.take_values(a.values).data(), a.values.data());
  EXPECT_EQ(matrix.pattern()->row_start, (std::vector<std::int64_t>{0, 2, 5, 7}));
  EXPECT_TRUE(matrix.is_symmetric());
  EXPECT_EQ(matrix.bytes_of_copies(), 4 * sizeof(std::int64_t)); // row starts
}

// Row 1 is unsorted, row 2 has its diagonal in two parts.
TEST(CallersMatrix, SortsAndAddsInACopy) {
  const Arrays a = {{0, 2, 5, 8}, {0, 1, 2, 0, 1, 1, 2, 2}, {4, -1, -1, -2, 4, -1, 3, 1}};
  CallersMatrix matrix(a.csr(), 1);
  EXPECT_TRUE(matrix.is_copy());
  EXPECT_EQ(columns_of(matrix), (Rows{0, 1, 0, 1, 2, 1, 2}));
  EXPECT_EQ(copy_of(matrix.take_values(a.values)), (Values{4, -1, -2, 4, -1, -1, 4}));
  EXPECT_FALSE(matrix.is_symmetric());
  const Values doubled = {8, -2, -2, -2, 8, -2, 6, 2};
  EXPECT_EQ(copy_of(matrix.take_values(doubled)), (Values{8, -2, -2, 8, -2, -2, 8}));
  EXPECT_TRUE(matrix.is_symmetric());
}

// Two nodes of two unknowns; the second node's rows have entries of their own alone.
TEST(CallersMatrix, FillsBlocksInACopy) {
  const Arrays a = {{0, 3, 4, 6, 7}, {0, 1, 2, 1, 0, 2, 3}, {5, 1, 2, 6, 3, 7, 8}};
  CallersMatrix matrix(a.csr(), 2);
  EXPECT_TRUE(matrix.is_copy());
  EXPECT_EQ(columns_of(matrix), (Rows{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_EQ(copy_of(matrix.take_values(a.values)),
            (Values{5, 1, 2, 0, 0, 6, 0, 0, 3, 0, 7, 0, 0, 0, 0, 8}));
  CallersMatrix by_unknowns(a.csr(), 1);
  EXPECT_FALSE(by_unknowns.is_copy());
}

TEST(CallersMatrix, SeesWholeBlocksWhereTheyLie) {
  const Arrays a = {{0, 4, 8, 10, 12}, {0, 1, 2, 3, 0, 1, 2, 3, 2, 3, 2, 3}, Values(12, 1.)};
  EXPECT_FALSE(CallersMatrix(a.csr(), 2).is_copy());
  EXPECT_FALSE(CallersMatrix(a.csr(), 1).is_copy());
  EXPECT_TRUE(CallersMatrix(a.csr(), 4).is_copy());
}

TEST(CallersMatrix, SymmetricButForRounding) {
  Arrays a = three_rows();
  CallersMatrix matrix(a.csr(), 1);
  a.values[1] = -1 - 1e-14;
  matrix.take_values(a.values);
  EXPECT_TRUE(matrix.is_symmetric());
  a.values[1] = -1 - 1e-8;
  matrix.take_values(a.values);
  EXPECT_FALSE(matrix.is_symmetric());
  // An entry without its partner.
  const Arrays one_sided = {{0, 2, 3}, {0, 1, 1}, {1, 0.1, 1}};
  CallersMatrix upper(one_sided.csr(), 1);
  upper.take_values(one_sided.values);
  EXPECT_FALSE(upper.is_symmetric());
  const Arrays lower_sided = {{0, 1, 3}, {0, 0, 1}, {1, 0, 1}}; // of a zero
  CallersMatrix lower(lower_sided.csr(), 1);
  lower.take_values(lower_sided.values);
  EXPECT_TRUE(lower.is_symmetric());
}

TEST(CallersMatrix, RefusesWhatIsNoMatrix) {
  const auto refused = [](const Arrays &a, const char *what, const char *where) {
    try {
      CallersMatrix(a.csr(), 1).take_values(a.values);
      ADD_FAILURE() << "not refused: " << what;
    } catch (const Error &error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_EQ(error.diagnostic().what, what);
      EXPECT_EQ(error.diagnostic().where, where);
      EXPECT_FALSE(error.diagnostic().found.empty());
    }
  };
  Arrays a = three_rows();
  a.row_start = {1, 2, 5, 7};
  refused(a, "the first row does not begin with the first entry", "CsrMatrix::row_start[0]");
  a.row_start = {0, 5, 2, 7};
  refused(a, "a row that ends before it begins", "CsrMatrix::row_start[2]");
  a = three_rows();
  a.columns.pop_back();
  refused(a, "an array of the wrong size", "CsrMatrix::columns");
  a = three_rows();
  a.values.push_back(1);
  refused(a, "an array of the wrong size", "CsrMatrix::values");
  a = three_rows();
  a.columns[4] = 3;
  refused(a, "a column that is none of the matrix", "CsrMatrix::columns[4], in row 1");
  a.columns[4] = -1;
  refused(a, "a column that is none of the matrix", "CsrMatrix::columns[4], in row 1");
  a = three_rows();
  a.columns[6] = 0;
  refused(a, "a row without an entry on the diagonal", "row 2");
  a = three_rows();
  a.values[2] = NAN;
  refused(a, "an entry of the matrix that is not finite", "CsrMatrix::values[2], row 1, column 0");
  a = three_rows();
  a.values[3] = 0;
  refused(a, "a diagonal entry that is not positive", "row 1");
  a.values[3] = -4;
  refused(a, "a diagonal entry that is not positive", "row 1");
  refused({{0}, {}, {}}, "a matrix of that size", "CsrMatrix::num_rows");

  const Arrays good = three_rows();
  CsrMatrix more_rows = good.csr();
  more_rows.num_rows = 4;
  EXPECT_THROW(CallersMatrix(more_rows, 1), Error);
  EXPECT_THROW(CallersMatrix(good.csr(), 2), Error);
  EXPECT_THROW(CallersMatrix(good.csr(), 0), Error);
}

} // namespace
} // namespace weft
