// The search space of the diffusion kernels: what it holds can be run, and is found again.
#include "op/fv_tuning.h"

#include <gtest/gtest.h>
#include <set>

#include "device/fv_diffusion_case.h"
#include "device/host_device.h"

namespace weft {
namespace {

TEST(FvTuning, VariantsAreWhatTheirSettingsSay) {
  for (const bool gpu : {false, true}) {
    const auto device = open_host_device({.gpu = gpu});
    const DeviceInfo &info = device->info();
    const EllpackMatrix matrix = fv_matrix(597, 4);
    const std::vector<Variant> all = candidates(fv_diffusion_space(info, Precision::f64));
    ASSERT_GT(all.size(), 10u);
    std::set<std::string> different;
    for (const Variant &variant : all) {
      const FvDiffusionSettings settings =
          with_fv_choices(fv_settings_of(variant, Precision::f64, info), matrix, info);
      EXPECT_EQ(variant_of(settings, info), variant);
      different.insert(fv_text(settings) + " " + std::to_string(*settings.group_size));
    }
    EXPECT_EQ(different.size(), all.size());
  }
}

} // namespace
} // namespace weft
