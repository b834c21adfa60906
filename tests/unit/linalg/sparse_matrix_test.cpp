// Products with sparse matrices on a device against plain loops; what they cost against what is
// counted.
#include "linalg/sparse_matrix.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "base/error.h"
#include "device/host/host_device.h"
#include "device/open/open_device.h"
#include "linalg/sell_layout.h"
#include "support/expect_counted.h"

namespace weft {
namespace {

double value_at(std::int64_t index) {
  return std::sin(1.0 + 0.37 * static_cast<double>(index));
}

// Rows of 0 to 11 neighbours beside the diagonal; some rows reach over the whole matrix.
std::shared_ptr<const CsrPattern> uneven_pattern(std::int64_t num_rows) {
  auto pattern = std::make_shared<CsrPattern>();
  pattern->num_rows = num_rows;
  pattern->row_start = {0};
  std::vector<std::int32_t> columns;
  for (std::int64_t row = 0; row < num_rows; ++row) {
    const std::int64_t neighbours = row * 7 % 12, step = row % 50 == 3 ? num_rows / 12 : 1;
    for (std::int64_t k = -6; k < 6; ++k) {
      const std::int64_t column = row + k * std::max<std::int64_t>(1, step);
      if (column == row || (k < neighbours - 6 && column >= 0 && column < num_rows))
        columns.push_back(static_cast<std::int32_t>(column));
    }
    pattern->row_start.push_back(static_cast<std::int64_t>(columns.size()));
  }
  pattern->columns = std::move(columns);
  return pattern;
}

void set_values(Device &device, SparseMatrix &matrix) {
  Vector values{matrix.values(), matrix.pattern().num_entries(), matrix.precision()};
  std::vector<double> numbers(values.size);
  for (std::int64_t e = 0; e < values.size; ++e)
    numbers[e] = value_at(e);
  set_vector(device, values, numbers);
  matrix.values_changed();
}

void expect_product(Device &device, std::int64_t num_rows, MatrixFormat format,
                    Precision precision) {
  SCOPED_TRACE(to_string(format) + " " + to_string(precision) + " " + std::to_string(num_rows));
  const auto pattern = uneven_pattern(num_rows);
  SparseMatrix matrix(device, pattern, precision, false, format);
  set_values(device, matrix);
  ASSERT_EQ(matrix.format(), format);
  Vector x = make_vector(device, num_rows, precision, "x");
  Vector y = make_vector(device, num_rows, precision, "y");
  Vector d = make_vector(device, num_rows, precision, "d");
  std::vector<double> numbers(num_rows);
  for (std::int64_t i = 0; i < num_rows; ++i)
    numbers[i] = std::cos(0.3 * static_cast<double>(i));
  set_vector(device, x, numbers);
  matrix.apply(x, y);
  matrix.diagonal(d);
  const std::vector<double> product = get_vector(device, y), diagonal = get_vector(device, d);
  const double tolerance = precision == Precision::f64 ? 1e-13 : 1e-5;
  for (std::int64_t row = 0; row < num_rows; ++row) {
    double sum = 0;
    for (std::int64_t e = pattern->row_start[row]; e < pattern->row_start[row + 1]; ++e)
      sum += value_at(e) * numbers[pattern->columns[e]];
    ASSERT_NEAR(product[row], sum, tolerance) << row;
    ASSERT_NEAR(diagonal[row], value_at(pattern->place(row, static_cast<std::int32_t>(row))),
                tolerance);
  }
  const HostMatrix host = matrix.host();
  EXPECT_TRUE(std::ranges::equal(host.columns, pattern->columns));
  EXPECT_EQ(host.num_rows(), num_rows);
  EXPECT_NEAR(host.values.back(), value_at(pattern->num_entries() - 1), tolerance);
}

TEST(SparseMatrix, ProductsInBothFormats) {
  const std::unique_ptr<Device> device = open_device("opencl");
  for (const MatrixFormat format : {MatrixFormat::csr, MatrixFormat::sell})
    for (const Precision precision : {Precision::f64, Precision::f32})
      for (const std::int64_t rows : {1, 31, 597})
        expect_product(*device, rows, format, precision);
}

TEST(SparseMatrix, ColumnsOf16BitsAndOf32) {
  const std::unique_ptr<Device> device = open_device("opencl");
  constexpr std::int64_t rows = 100001;
  const SellLayout layout = make_sell_layout(*uneven_pattern(rows), 8, 256, 8);
  EXPECT_GT(layout.columns16.size(), 4 * layout.columns32.size());
  EXPECT_GT(layout.columns32.size(), 0u);
  expect_product(*device, rows, MatrixFormat::sell, Precision::f64);
}

// Kernels take rows that follow one another from a slice's first and last.
TEST(SparseMatrix, RowsOfASliceAscend) {
  constexpr std::int64_t rows = 1999;
  constexpr int slice = 16;
  const SellLayout layout = make_sell_layout(*uneven_pattern(rows), slice, 256, 0);
  std::vector<int> found(layout.num_slices * slice, 0);
  for (std::int64_t s = 0; s < layout.num_slices; ++s) {
    const std::uint16_t *of_slice = layout.rows.data() + s * slice;
    EXPECT_TRUE(std::is_sorted(of_slice, of_slice + slice)) << "slice " << s;
    for (int r = 0; r < slice; ++r)
      ++found[s * slice / 256 * 256 + of_slice[r]];
  }
  EXPECT_EQ(found, std::vector<int>(found.size(), 1));
}

// No line of so few slices is forgotten: every line of x is prefetched once, but for those that the
// first slices read, which nobody runs ahead of.
TEST(SparseMatrix, EveryLineIsFetchedAheadOnce) {
  constexpr std::int64_t rows = 1999;
  constexpr int slice = 8, line = 16;
  const auto pattern = uneven_pattern(rows);
  const SellLayout layout = make_sell_layout(*pattern, slice, 256, line);
  ASSERT_GT(layout.num_slices, sell_slices_ahead);
  std::vector<int> found(rows / line + 1, 0);
  for (std::int64_t s = 0; s < layout.num_slices; ++s) {
    std::set<std::int32_t> read;
    for (int r = 0; r < slice; ++r) {
      const std::int64_t row = s * slice / 256 * 256 + layout.rows[s * slice + r];
      if (row < rows)
        for (std::int64_t e = pattern->row_start[row]; e < pattern->row_start[row + 1]; ++e)
          read.insert(pattern->columns[e] / line);
    }
    const std::int32_t begin = layout.slices[s * sell_slice_entries + 3];
    const std::int32_t end = layout.slices[(s + 1) * sell_slice_entries + 3];
    for (std::int32_t t = begin; t < end; ++t) {
      EXPECT_EQ(layout.touched[t] % line, 0);
      EXPECT_TRUE(read.contains(layout.touched[t] / line)) << "slice " << s;
    }
    for (const std::int32_t l : read) {
      const bool listed = std::find(layout.touched.begin() + begin, layout.touched.begin() + end,
                                    l * line) != layout.touched.begin() + end;
      EXPECT_EQ(listed, s >= sell_slices_ahead && found[l] == 0) << "slice " << s;
      found[l] = 1;
    }
  }
  EXPECT_TRUE(make_sell_layout(*pattern, slice, 256, 0).touched.empty());
}

// Values and columns of another's lie where they are, and the product is that of a copy.
TEST(SparseMatrix, SeesValuesOfAnother) {
  const std::unique_ptr<Device> device = open_device("opencl");
  const std::shared_ptr<const CsrPattern> owned = uneven_pattern(3000);
  const auto seen = std::make_shared<const CsrPattern>(
      CsrPattern{.num_rows = owned->num_rows,
                 .row_start = owned->row_start,
                 .columns = CsrColumns::view({owned->columns.data(), owned->columns.size()})});
  EXPECT_EQ(seen->columns.data(), owned->columns.data());
  std::vector<double> values(owned->num_entries());
  for (std::size_t e = 0; e < values.size(); ++e)
    values[e] = value_at(static_cast<std::int64_t>(e));
  SparseMatrix copy(*device, owned, Precision::f64, false);
  set_values(*device, copy);
  SparseMatrix view(*device, seen, values, false);
  EXPECT_EQ(view.host_values().get(), values.data());
  EXPECT_EQ(view.format(), copy.format());
  std::vector<double> numbers(owned->num_rows);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = value_at(static_cast<std::int64_t>(7 * i));
  Vector x = make_vector(*device, owned->num_rows, Precision::f64, "x");
  Vector y = make_vector(*device, owned->num_rows, Precision::f64, "y");
  set_vector(*device, x, numbers);
  copy.apply(x, y);
  const std::vector<double> expected = get_vector(*device, y);
  view.apply(x, y);
  EXPECT_EQ(get_vector(*device, y), expected);

  std::vector<double> halves = values;
  for (double &value : halves)
    value /= 2;
  view.see_values(halves, true);
  EXPECT_TRUE(view.symmetric());
  view.apply(x, y);
  const std::vector<double> halved = get_vector(*device, y);
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(halved[i], expected[i] / 2) << i; // exact: powers of 2
}

TEST(SparseMatrix, TakesTheFormatOfFewerBytes) {
  const std::unique_ptr<Device> device = open_device("opencl");
  SparseMatrix even(*device, uneven_pattern(5000), Precision::f64, false);
  EXPECT_EQ(even.format(), MatrixFormat::sell);
  // One row of a slice is full, the others have an entry: slices would be all zeros.
  auto arrow = std::make_shared<CsrPattern>();
  arrow->num_rows = 300;
  arrow->row_start = {0};
  std::vector<std::int32_t> columns;
  for (std::int32_t row = 0; row < 300; ++row) {
    for (std::int32_t column = 0; column < 300; ++column)
      if (column == row || row == 150)
        columns.push_back(column);
    arrow->row_start.push_back(static_cast<std::int64_t>(columns.size()));
  }
  arrow->columns = std::move(columns);
  EXPECT_EQ(SparseMatrix(*device, arrow, Precision::f64, false).format(), MatrixFormat::csr);
}

TEST(SparseMatrix, CostsAreWhatIsCounted) {
  for (const bool gpu : {false, true})
    for (const MatrixFormat format : {MatrixFormat::csr, MatrixFormat::sell}) {
      SCOPED_TRACE(to_string(format));
      const auto device = open_host_device({.count = true, .gpu = gpu});
      SparseMatrix matrix(*device, uneven_pattern(333), Precision::f64, false, format);
      Vector x = make_vector(*device, 333, Precision::f64, "x");
      Vector y = make_vector(*device, 333, Precision::f64, "y");
      set_vector(*device, x, std::vector<double>(333, 1.0));
      take_counted_costs(*device);
      set_values(*device, matrix);
      matrix.apply(x, y);
      matrix.diagonal(y);
      std::vector<NamedCost> costs = matrix.change_costs();
      for (const auto &more : {matrix.apply_costs(), matrix.diagonal_costs()})
        costs.insert(costs.end(), more.begin(), more.end());
      expect_counted(take_counted_costs(*device), by_name(costs));
    }
}

TEST(SparseMatrix, NamesOfFormats) {
  EXPECT_EQ(matrix_format_from_name("sell"), MatrixFormat::sell);
  EXPECT_THROW(matrix_format_from_name("coo"), Error);
}

} // namespace
} // namespace weft
