// The experiments of weft bench linalg at small sizes: times are only asked to be there.
#include "bench/linalg/bench_linalg.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <unistd.h>

#include "base/precision_name.h"
#include "bench/linalg/linalg_blas.h"
#include "device/open/open_device.h"

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
    for (const auto &[index, value] : entries)
      EXPECT_DOUBLE_EQ(entries.at({index.second, index.first}), value);
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

// As Goeddeke 2004 counts: 2m - 1 operations, a number read and one written.
TEST(BenchLinalg, HornerKnowsWhatItDoes) {
  const std::unique_ptr<Device> device = open_device("opencl");
  for (const Precision precision : {Precision::f64, Precision::f16})
    for (const int degree : {1, 8}) {
      const LinalgBlock block = make_horner_block(*device, precision, 1000, degree);
      EXPECT_EQ(block.flops, (2 * degree - 1) * 1000);
      EXPECT_EQ(block.bytes, 2.0 * static_cast<double>(size_bytes(precision)) * 1000);
      block.work();
      device->finish();
    }
}

// The system's BLAS does the same as the blocks it stands beside.
TEST(BenchLinalg, RoutinesOfABlas) {
  EXPECT_EQ(BlasLibrary::open(1, {"libweft-has-no-such.so"}), nullptr);
  EXPECT_EQ(BlasLibrary::open(1, {"libm.so.6"}), nullptr); // no BLAS
  const std::shared_ptr<const BlasLibrary> library = BlasLibrary::open(2);
  if (!library)
    GTEST_SKIP() << "no BLAS library is installed here";
  EXPECT_NE(library->name().find("thread"), std::string::npos);
  const LinalgMatrices matrices = make_linalg_matrices(1000);
  const HostMatrix bands = compressed_rows(matrices.bands);
  const auto x = [](std::int64_t i) { return 0.01 * static_cast<double>(i % 101) - 0.5; };
  for (const Precision precision : {Precision::f64, Precision::f32})
    for (const char *name : {"axpy", "axpy_entries", "dot", "norm", "largest", "band9"}) {
      SCOPED_TRACE(std::string(name) + " " + to_string(precision));
      const LinalgCase c{
          .block = name, .storage = precision, .vectors = precision, .unknowns = 1000};
      const std::optional<BlasRun> run = make_blas_run(library, c, matrices);
      ASSERT_TRUE(run.has_value());
      run->block.work();
      std::vector<double> expected;
      double sum = 0, largest = 0;
      for (std::int64_t i = 0; i < run->block.unknowns; ++i) {
        sum += x(i) * x(i);
        largest = std::max(largest, std::abs(x(i)));
        expected.push_back(*name == 'a' ? x(i) + (c.block == "axpy" ? 0x1p-10 : x(i)) * x(i) : 0.0);
        for (int e = bands.row_start[i]; c.block == "band9" && e < bands.row_start[i + 1]; ++e)
          expected[i] += bands.values[e] * x(bands.columns[e]);
      }
      if (c.block == "dot" || c.block == "norm" || c.block == "largest")
        expected = {c.block == "dot" ? sum : c.block == "norm" ? std::sqrt(sum) : largest};
      const std::vector<double> got = run->result();
      ASSERT_EQ(got.size(), expected.size());
      for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(got[i], expected[i], precision == Precision::f64 ? 1e-12 : 2e-4) << i;
      // The same operations and no fewer bytes than the block beside it.
      if (precision == Precision::f64) {
        const std::unique_ptr<Device> device = open_device("opencl");
        const LinalgBlock own = make_linalg_block(*device, c, matrices);
        EXPECT_EQ(run->block.unknowns, own.unknowns);
        EXPECT_EQ(run->block.flops, own.flops);
      }
    }
  EXPECT_FALSE(make_blas_run(library, {.block = "csr", .unknowns = 1000}, matrices).has_value());
  EXPECT_FALSE(
      make_blas_run(
          library,
          {.block = "axpy", .storage = Precision::f16, .vectors = Precision::f16, .unknowns = 1000},
          matrices)
          .has_value());
}

// In 16 bits Jacobi gains a few digits and no more; as the inner solver of defect correction it
// takes the residual as far down as f64 does, on Goeddeke's problem in as many iterations. Where
// f64 is spared the smooth errors, those that come from rounding the entries cost more; with a
// raised diagonal a few corrections at most.
TEST(BenchLinalg, JacobiIn16BitsAloneAndCorrected) {
  const std::unique_ptr<Device> device = open_device("opencl");
  LinalgOptions options;
  options.width = 49;
  options.repeats = 3;
  LinalgResult result;
  result.jacobi = bench_jacobi(*device, options);
  ASSERT_EQ(jacobi_stencils().size(), 3u);
  EXPECT_EQ(jacobi_stencils()[0].shift, 0); // Goeddeke's comes first
  EXPECT_TRUE(jacobi_stencils()[0].random);
  EXPECT_EQ(jacobi_stencils()[2].name, "shifted diagonal (5%)");
  ASSERT_EQ(result.jacobi.results.size(), 24u);
  ASSERT_EQ(result.jacobi.histories.size(), 24u);
  EXPECT_NE(jacobi_title(jacobi_stencils()[2], 49).find("diagonal times 1.05"), std::string::npos);
  for (const JacobiStencil &stencil : jacobi_stencils()) {
    SCOPED_TRACE(stencil.name);
    std::map<std::string, JacobiResult> results;
    for (const JacobiResult &r : result.jacobi.results)
      if (r.problem == stencil.name)
        results[r.method] = r;
    ASSERT_EQ(results.size(), 8u);
    EXPECT_TRUE(results["f64 Jacobi"].reached);
    EXPECT_EQ(results["f64 Jacobi"].of_f64, 1);
    for (const char *precision : {"f16", "bf16"}) {
      const std::string jacobi = std::string(precision) + " Jacobi";
      EXPECT_FALSE(results[jacobi].reached);
      EXPECT_GT(results[jacobi].residual, 1e-4);
      EXPECT_LT(results[jacobi].residual, 0.1);
      for (const char *where : {"host", "device"}) {
        const JacobiResult &r = results[jacobi + ", f64 update on the " + where];
        EXPECT_TRUE(r.reached) << where;
        EXPECT_LE(r.residual, result.jacobi.target);
        if (stencil.random) {
          EXPECT_NEAR(r.of_f64, 1, 0.1) << where;
        } else if (stencil.shift > 0) {
          EXPECT_LE(r.iterations,
                    results["f64 Jacobi"].iterations + 4 * result.jacobi.iterations_a_step)
              << where;
        } else {
          EXPECT_GT(r.of_f64, 1.5) << where;
        }
        EXPECT_GT(r.seconds, 0);
      }
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
  EXPECT_EQ(lines, 1 + 24);
  EXPECT_TRUE(std::filesystem::exists(folder / "linalg_histories.csv"));
  std::filesystem::remove_all(folder);
}

} // namespace
} // namespace weft
