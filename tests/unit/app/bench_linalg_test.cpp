// The experiments of weft bench linalg at small sizes: times are only asked to be there.
#include "app/bench_linalg.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <unistd.h>

namespace weft {
namespace {

TEST(BenchLinalg, MatricesAreWhatTheySay) {
  const LinalgMatrices m = make_linalg_matrices(1000);
  EXPECT_EQ(m.bands.size(), 31 * 31);
  ASSERT_EQ(m.sparse.num_rows(), 1000);
  // Symmetric, and 15 entries in rows that no boundary cuts.
  const HostMatrix bands = compressed_rows(m.bands);
  for (const HostMatrix *matrix : {&bands, &m.sparse}) {
    std::map<std::pair<int, int>, double> entries;
    int longest = 0;
    for (int row = 0; row < matrix->num_rows(); ++row) {
      longest = std::max(longest, matrix->row_start[row + 1] - matrix->row_start[row]);
      for (int e = matrix->row_start[row]; e < matrix->row_start[row + 1]; ++e) {
        entries[{row, matrix->columns[e]}] = matrix->values[e];
        EXPECT_TRUE(e == matrix->row_start[row] || matrix->columns[e - 1] < matrix->columns[e]);
      }
    }
    EXPECT_EQ(longest, matrix == &bands ? 9 : 15);
    for (const auto &[place, value] : entries)
      EXPECT_DOUBLE_EQ(entries.at({place.second, place.first}), value);
  }
}

// Goeddeke's counts: 2N, 18N; and no less memory than the vectors and the matrix take.
TEST(BenchLinalg, BlocksKnowWhatTheyDo) {
  const std::unique_ptr<Device> device = open_device("opencl");
  const LinalgMatrices matrices = make_linalg_matrices(1000);
  for (const std::string &name : linalg_block_names())
    for (const int systems : {1, 4}) {
      const LinalgCase c{.block = name,
                         .storage = Precision::f16,
                         .vectors = Precision::f16,
                         .systems = systems,
                         .unknowns = 1000 * systems};
      const LinalgBlock block = make_linalg_block(*device, c, matrices);
      SCOPED_TRACE(name);
      const double unknowns = static_cast<double>(block.unknowns);
      EXPECT_EQ(block.unknowns, (name == "band9" ? 961 : 1000) * systems);
      if (name == "axpy" || name == "dot") {
        EXPECT_EQ(block.flops, 2 * unknowns);
      }
      if (name == "band9") {
        EXPECT_EQ(block.flops, 18 * unknowns);
      }
      EXPECT_GE(block.bytes, 2 * unknowns);
      block.work();
      device->finish();
    }
}

// In 16 bits Jacobi gains a few digits and no more; as the inner solver of defect correction it
// takes the residual as far down as f64 does, in as many iterations but for those that the last
// correction does too many.
TEST(BenchLinalg, JacobiIn16BitsAloneAndCorrected) {
  const std::unique_ptr<Device> device = open_device("opencl");
  LinalgOptions options;
  options.width = 65;
  options.repeats = 3;
  LinalgResult result;
  result.jacobi = bench_jacobi(*device, options);
  std::map<std::string, JacobiResult> results;
  for (const JacobiResult &r : result.jacobi.results)
    results[r.method] = r;
  ASSERT_EQ(results.size(), 8u);
  EXPECT_TRUE(results["f64 Jacobi"].reached);
  for (const char *precision : {"f16", "bf16"}) {
    const std::string jacobi = std::string(precision) + " Jacobi";
    EXPECT_FALSE(results[jacobi].reached);
    EXPECT_GT(results[jacobi].residual, 1e-4);
    EXPECT_LT(results[jacobi].residual, 0.1);
    for (const char *where : {"host", "device"}) {
      const JacobiResult &r = results[jacobi + ", f64 update on the " + where];
      EXPECT_TRUE(r.reached) << where;
      EXPECT_LE(r.residual, result.jacobi.target);
      EXPECT_LE(r.iterations, 1.5 * results["f64 Jacobi"].iterations) << where;
      EXPECT_GT(r.seconds, 0);
    }
  }
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("weft-linalg-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  write_linalg_csv((folder / "linalg.csv").string(), result);
  std::ifstream table(folder / "linalg_jacobi.csv");
  std::string line;
  int lines = 0;
  while (std::getline(table, line))
    ++lines;
  EXPECT_EQ(lines, 1 + 8);
  EXPECT_TRUE(std::filesystem::exists(folder / "linalg_histories.csv"));
  std::filesystem::remove_all(folder);
}

} // namespace
} // namespace weft
