// The CUDA text compiles with NVRTC: no GPU is needed for that.
#include "device/cuda/nvrtc.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "device/dialect.h"
#include "support/need_nvrtc.h"

namespace weft {
namespace {

class NvrtcTest : public testing::Test {
protected:
  void SetUp() override { need_nvrtc(); }
  static std::string head(const char *precision) {
    return "#define WEFT_LANES 1\n#define WEFT_REAL_" + std::string(precision) + "\n" +
           dialect_text("cuda");
  }
};

// Every name of the dialect, none of which may be missing.
const std::string all_names = R"(
WEFT_CONSTANT real table[2] = {1, 2};
WEFT_FUNCTION lane functions(lane a, lane b) {
  lane c = lane_fma(a, b, lane_splat(table[1]));
  c += lane_sqrt(a) + lane_exp(a) + lane_log(a) + lane_sin(a) + lane_cos(a) + lane_tan(a);
  c += lane_asin(a) + lane_acos(a) + lane_atan(a) + lane_sinh(a) + lane_cosh(a) + lane_tanh(a);
  c += lane_abs(a) + lane_floor(a) + lane_sign(a) + lane_pow(a, b) + lane_atan2(a, b);
  c += lane_min(a, b) + lane_max(a, b);
  const mask m = mask_or(mask_and(lane_lt(a, b), lane_le(a, b)),
                         mask_not(mask_or(lane_gt(a, b), lane_ge(a, b))));
  return lane_select(mask_and(m, mask_or(lane_eq(a, b), lane_ne(a, b))), a, c);
}
WEFT_KERNEL(all_names, const WEFT_GLOBAL real *WEFT_RESTRICT in,
            const WEFT_GLOBAL u16 *WEFT_RESTRICT ids, WEFT_GLOBAL real *WEFT_RESTRICT out, i64 n) {
  WEFT_LOCAL_ARRAY(real, shared, 64);
  WEFT_PRIVATE real own[4];
  WEFT_LOCAL real *mine = shared + weft_local_id();
  lane rows[4];
  lane_gather4(in, ids, rows);
  lane_gather4_strided(in, 5, ids, rows);
  lane_scatter_add4(out, ids, rows);
  lane_store_private(rows[0], own);
  lane_store_local(lane_load_private(own), mine);
  weft_barrier();
  lane v = lane_load_local(mine);
  WEFT_UNROLL for (i32 k = 0; k < 4; ++k)
    lane_set(v, 0, lane_get(v, 0) + lane_get(rows[k], 0));
  WEFT_NO_UNROLL for (i64 i = 0; i < n; ++i)
    v = functions(v, lane_load(in + weft_group_size() * weft_group_id() + i % weft_num_groups()));
  lane_store(v, out);
  lane_store_stream(v, out + 1);
}
)";

TEST_F(NvrtcTest, DialectCompiles) {
  for (const char *precision : {"F64", "F32"}) {
    const std::string binary = compile_cuda_text(head(precision) + all_names, "sm_90");
    EXPECT_EQ(binary.substr(1, 3), "ELF");
    const std::string ptx = compile_cuda_text(head(precision) + all_names, "compute_80");
    EXPECT_NE(ptx.find(".visible .entry all_names("), std::string::npos);
    EXPECT_EQ(ptx.find(precision == std::string("F32") ? "sqrt.rn.f64" : "sqrt.rn.f32"),
              std::string::npos);
  }
}

TEST_F(NvrtcTest, ErrorsShowTheLine) {
  const std::string text = head("F64") + "WEFT_KERNEL(k, WEFT_GLOBAL real *x) {\n  x[0] = y;\n}\n";
  try {
    compile_cuda({.name = "residual", .text = text}, "sm_90");
    FAIL() << "compiled";
  } catch (const Error &error) {
    const std::string message = error.what();
    EXPECT_EQ(error.kind(), ErrorKind::invariant);
    EXPECT_NE(message.find("|   x[0] = y;"), std::string::npos) << message;
    EXPECT_NE(message.find("identifier \"y\" is undefined"), std::string::npos) << message;
  }
}

TEST_F(NvrtcTest, MoreThanOneLaneIsRefused) {
  EXPECT_THROW(
      compile_cuda_text("#define WEFT_LANES 4\n#define WEFT_REAL_F64\n" + dialect_text("cuda")),
      Error);
}

TEST_F(NvrtcTest, KnowsItsArchitectures) {
  const std::vector<int> known = nvrtc_architectures();
  EXPECT_NE(std::find(known.begin(), known.end(), 90), known.end());
  EXPECT_FALSE(nvrtc_version().empty());
}

} // namespace
} // namespace weft
