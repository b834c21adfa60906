#include "base/names.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Names, NearestIsWhatWasMeant) {
  EXPECT_EQ(nearest_name("rnu", {"new", "run"}), "run"); // letters that change places
  EXPECT_EQ(nearest_name("cgg", {"gmres", "cg"}), "cg");
  EXPECT_EQ(nearest_name("tolerence", {"tolerance", "method"}), "tolerance");
  EXPECT_EQ(nearest_name("multigird", {"multigrid"}), "multigrid");
}

TEST(Names, ShortNamesThatShareNothingAreNotNear) {
  EXPECT_EQ(nearest_name("lu", {"cg", "gmres"}), "");
  EXPECT_EQ(nearest_name("amg", {"adi", "ilu"}), "");
  EXPECT_EQ(nearest_name("temperature", {"u", "pressure"}), "");
}

} // namespace
} // namespace weft
