// The diffusion kernels of finite volumes against plain loops, in every variant.
#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "support/fv_diffusion_case.h"
#include "support/test_device.h"

namespace weft {
namespace {

TEST(FvDiffusion, AgreesWithThePlainLoopOnEveryCellType) {
  const std::vector<FvDiffusionSettings> variants = {
      {.form = FvForm::plain, .index_bits = 32}, {.form = FvForm::staged}, {}};
  for (const char *cell : {"triangle", "quadrilateral"})
    expect_fv_variants(test_device(), fv_of_mesh(fv_box(cell, 2, {9, 7, 1}, 0.1)).matrix, variants);
  for (const char *cell : {"tetrahedron", "pyramid", "prism", "hexahedron"})
    expect_fv_variants(test_device(), fv_of_mesh(fv_box(cell, 3, {4, 3, 4}, 0.1)).matrix, variants);
}

TEST(FvDiffusion, EveryVariantAgreesWithThePlainLoopOnAwkwardSizes) {
  const std::vector<FvDiffusionSettings> variants = fv_variants(test_device().info().is_cpu);
  for (const std::int64_t rows : {1, 31, 597})
    expect_fv_variants(test_device(), fv_matrix(rows, 4), variants);
}

// Slices whose rows reach further than 16 bits beside others that do not.
TEST(FvDiffusion, MixesIndicesOf16And32Bits) {
  const EllpackMatrix matrix = fv_matrix(200000, 4);
  const std::vector<double> x = fv_vector(matrix), expected = reference::differences(matrix, x);
  for (const int slice : {16, 64}) {
    FvDiffusion op(test_device(), matrix,
                   {.form = FvForm::plain, .slice = slice, .index_bits = 16});
    EXPECT_LT(difference(fv_product(test_device(), op, x), expected), 1e-14);
  }
}

TEST(FvDiffusion, DeclinesWhatItCannotDo) {
  const EllpackMatrix matrix = fv_matrix(597, 4);
  const auto what = [&](const FvDiffusionSettings &settings) -> std::string {
    try {
      FvDiffusion op(test_device(), matrix, settings);
    } catch (const Error &error) {
      EXPECT_EQ(error.kind(), ErrorKind::unsupported);
      return error.diagnostic().where;
    }
    return "nothing";
  };
  EXPECT_EQ(what({.precision = Precision::f16}), "precision");
  EXPECT_EQ(what({.lanes = 3}), "lanes");
  EXPECT_EQ(what({.lanes = 1, .slice = 0}), "slice");
  EXPECT_EQ(what({.form = FvForm::plain, .index_bits = 8}), "index_bits");
  EXPECT_EQ(what({.form = FvForm::staged, .lanes = 1, .slice = 4, .block_rows = 6}), "block_rows");
}

// Blocks of rows that read all over the matrix have more indices than 16 bits tell apart.
TEST(FvDiffusion, DeclinesStagesThatDoNotFit) {
  EllpackMatrix matrix{.num_rows = 120000, .width = 2};
  for (std::int64_t row = 0; row < matrix.num_rows; ++row)
    for (const std::int64_t step : {50000, 70000}) {
      matrix.index.push_back(static_cast<std::int32_t>((row + step) % matrix.num_rows));
      matrix.value.push_back(1);
    }
  try {
    FvDiffusion op(test_device(), matrix, {.form = FvForm::staged, .block_rows = 32768});
    FAIL() << "accepted";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    EXPECT_EQ(error.diagnostic().where, "block_rows");
  }
}

// An explicit Euler step with as large a step as the diagonal allows: no value leaves the range of
// those before it, and, no value being prescribed, none is lost.
TEST(FvDiffusion, KeepsTheMaximumPrincipleAndTheSum) {
  const Mesh mesh = fv_box("tetrahedron", 3, {5, 4, 5});
  const FvCoefficients c = make_fv_coefficients(mesh, make_cell_graph(mesh));
  ASSERT_EQ(c.num_negative, 0);
  double largest = 0;
  for (std::int64_t row = 0; row < c.matrix.num_rows; ++row)
    largest = std::max(largest,
                       std::accumulate(c.matrix.value.begin() + row * c.matrix.width,
                                       c.matrix.value.begin() + (row + 1) * c.matrix.width, 0.0));
  FvDiffusion op(test_device(), c.matrix, {});
  std::vector<double> x(c.matrix.num_rows);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = i % 3 == 0 ? 1 : 0;
  const auto amount = [&] { return std::inner_product(x.begin(), x.end(), c.volume.begin(), 0.0); };
  const double before = amount();
  for (int step = 0; step < 20; ++step) {
    const std::vector<double> y = fv_product(test_device(), op, x);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] += y[i] / largest;
    const auto [low, high] = std::minmax_element(x.begin(), x.end());
    ASSERT_GE(*low, -1e-14);
    ASSERT_LE(*high, 1 + 1e-14);
  }
  EXPECT_NEAR(amount(), before, 1e-13);
}

} // namespace
} // namespace weft
