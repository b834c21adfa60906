// The diffusion kernels of finite volumes as plain C++: under the sanitizers, and their costs by
// closed formulas against what is counted.
#include "device/host/host_device.h"
#include "support/expect_counted.h"
#include "support/fv_diffusion_case.h"

namespace weft {
namespace {

TEST(FvDiffusionHost, AgreesWithThePlainLoopUnderTheSanitizers) {
  for (const bool gpu : {false, true}) {
    const auto device =
        open_host_device({.sanitize = sanitizers_run(), .gpu = gpu, .reverse = true});
    expect_fv_variants(*device, fv_matrix(597, 4), fv_variants(!gpu));
    for (const std::int64_t rows : {1, 31})
      expect_fv_variants(*device, fv_matrix(rows, 6), {{.form = FvForm::plain, .index_bits = 16}});
  }
}

TEST(FvDiffusionHost, CostsWhatIsCounted) {
  for (const bool gpu : {false, true}) {
    const auto device = open_host_device({.count = true, .gpu = gpu});
    const auto expect = [&](const EllpackMatrix &matrix, const FvDiffusionSettings &settings) {
      FvDiffusion op(*device, matrix, settings);
      SCOPED_TRACE(fv_text(op.settings()));
      take_counted_costs(*device);
      fv_product(*device, op, fv_vector(matrix));
      const NamedCost cost = op.cost();
      expect_counted(take_counted_costs(*device), {{cost.name, cost.cost}});
    };
    for (const FvDiffusionSettings &settings : fv_variants(!gpu))
      expect(fv_matrix(597, 4), settings);
    expect(fv_of_mesh(fv_box("prism", 3, {3, 3, 2})).matrix, {});
  }
}

// On whole lane groups, with 32-bit indices and no prefetch, the count is that of Langguth, Wu,
// Chai, Cai 2013.
TEST(FvDiffusionHost, CostsThePapersCountOfATetrahedron) {
  EllpackMatrix matrix = fv_matrix(640, 4);
  matrix.num_ghosts = 0;
  for (std::int32_t &index : matrix.index)
    index %= 640;
  const auto device = open_host_device();
  const FvDiffusion op(*device, matrix,
                       {.form = FvForm::plain, .lanes = 8, .index_bits = 32, .ahead = 0});
  EXPECT_EQ(op.cost().cost.bytes(), 64.0 * 640);
  EXPECT_EQ(op.cost().cost.operations.flops(), 11.0 * 640);
  EXPECT_EQ(fv_required_bytes(matrix, Precision::f64), 64.0 * 640);
  EXPECT_EQ(fv_required_flops(matrix), 11.0 * 640);
}

} // namespace
} // namespace weft
