// Every name of kernels/dialect/README.md, in each dialect, against C++'s own mathematics.
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <numeric>

#include "device/device.h"
#include "device/dialect.h"
#include "device/host/host_device.h"
#include "device/open/open_device.h"

namespace weft {
namespace {

struct Setting {
  std::string backend;
  int lanes;
  bool f64;
};

std::string name_of(const testing::TestParamInfo<Setting> &info) {
  return fmt::format("{}_{}_lanes{}", info.param.backend, info.param.f64 ? "f64" : "f32",
                     info.param.lanes);
}

std::string head_of(const Setting &s) {
  return fmt::format("#define WEFT_LANES {}\n#define WEFT_REAL_{}\n", s.lanes,
                     s.f64 ? "F64" : "F32") +
         dialect_text(s.backend);
}

struct Function {
  std::string expression; // of lanes a and b
  std::function<double(double, double)> expected;
};

const std::vector<Function> functions = {
    {"a + b", [](double a, double b) { return a + b; }},
    {"a - b", [](double a, double b) { return a - b; }},
    {"a * b", [](double a, double b) { return a * b; }},
    {"a / b", [](double a, double b) { return a / b; }},
    {"-a", [](double a, double) { return -a; }},
    {"lane_splat(0.5) * a", [](double a, double) { return 0.5 * a; }},
    {"lane_fma(a, b, a)", [](double a, double b) { return a * b + a; }},
    {"lane_sqrt(lane_abs(a))", [](double a, double) { return std::sqrt(std::abs(a)); }},
    {"lane_exp(a)", [](double a, double) { return std::exp(a); }},
    {"lane_log(lane_abs(a))", [](double a, double) { return std::log(std::abs(a)); }},
    {"lane_sin(a)", [](double a, double) { return std::sin(a); }},
    {"lane_cos(a)", [](double a, double) { return std::cos(a); }},
    {"lane_tan(a)", [](double a, double) { return std::tan(a); }},
    {"lane_asin(lane_splat(0.5) * b)", [](double, double b) { return std::asin(0.5 * b); }},
    {"lane_acos(lane_splat(0.5) * b)", [](double, double b) { return std::acos(0.5 * b); }},
    {"lane_atan(a)", [](double a, double) { return std::atan(a); }},
    {"lane_sinh(a)", [](double a, double) { return std::sinh(a); }},
    {"lane_cosh(a)", [](double a, double) { return std::cosh(a); }},
    {"lane_tanh(a)", [](double a, double) { return std::tanh(a); }},
    {"lane_floor(a)", [](double a, double) { return std::floor(a); }},
    {"lane_sign(a)", [](double a, double) { return double((a > 0) - (a < 0)); }},
    {"lane_pow(lane_abs(a), b)", [](double a, double b) { return std::pow(std::abs(a), b); }},
    {"lane_atan2(a, b)", [](double a, double b) { return std::atan2(a, b); }},
    {"lane_min(a, b)", [](double a, double b) { return std::min(a, b); }},
    {"lane_max(a, b)", [](double a, double b) { return std::max(a, b); }},
    {"lane_select(lane_lt(a, b), a, b)", [](double a, double b) { return a < b ? a : b; }},
    {"lane_select(lane_le(a, b), a, b)", [](double a, double b) { return a <= b ? a : b; }},
    {"lane_select(lane_gt(a, b), a, b)", [](double a, double b) { return a > b ? a : b; }},
    {"lane_select(lane_ge(a, b), a, b)", [](double a, double b) { return a >= b ? a : b; }},
    {"lane_select(lane_eq(a, b), lane_splat(1), lane_splat(2))",
     [](double a, double b) { return a == b ? 1.0 : 2.0; }},
    {"lane_select(lane_ne(a, b), lane_splat(1), lane_splat(2))",
     [](double a, double b) { return a != b ? 1.0 : 2.0; }},
    {"lane_select(mask_and(lane_gt(a, lane_splat(0)), lane_gt(b, lane_splat(0))), a, b)",
     [](double a, double b) { return a > 0 && b > 0 ? a : b; }},
    {"lane_select(mask_or(lane_gt(a, lane_splat(0)), lane_gt(b, lane_splat(0))), a, b)",
     [](double a, double b) { return a > 0 || b > 0 ? a : b; }},
    {"lane_select(mask_not(lane_gt(a, lane_splat(0))), a, b)",
     [](double a, double b) { return !(a > 0) ? a : b; }},
};

const std::string test_kernels = R"(
WEFT_KERNEL(nan_kept, const WEFT_GLOBAL real *A, WEFT_GLOBAL real *out) {
  const lane a = lane_load(A);
  lane_store(lane_select(lane_ne(a, a), lane_splat(1), lane_splat(0)), out);
  lane_store(a - a, out + WEFT_LANES);
}

WEFT_CONSTANT real offset[2] = {100, 200};

WEFT_KERNEL(memories, const WEFT_GLOBAL real *WEFT_RESTRICT in, WEFT_GLOBAL real *WEFT_RESTRICT out,
            i32 first) {
  WEFT_LOCAL_ARRAY(real, shared, 2 * WEFT_LANES);
  real own[2 * WEFT_LANES];
  const lane v = lane_load(in + first);
  lane reversed = lane_splat(0);
  WEFT_UNROLL for (i32 l = 0; l < WEFT_LANES; ++l)
    lane_set(reversed, l, lane_get(v, WEFT_LANES - 1 - l));
  lane_store_private(reversed, own + 1);
  lane_store_local(lane_load_private(own + 1) + lane_splat(offset[0]), shared + 1);
  lane_store_stream(lane_load_local(shared + 1), out);
  // with an index only known at run time
  lane turned = v;
  WEFT_NO_UNROLL for (i32 l = 0; l < WEFT_LANES; ++l)
    lane_set(turned, (l + first) % WEFT_LANES, lane_get(v, l));
  lane_store(turned + lane_splat(offset[1]), out + WEFT_LANES);
}

WEFT_KERNEL(gather, const WEFT_GLOBAL real *in, const WEFT_GLOBAL u16 *ids, WEFT_GLOBAL real *out) {
  lane columns[4];
  lane_gather4(in, ids, columns);
  for (i32 k = 0; k < 4; ++k)
    lane_store(columns[k], out + k * WEFT_LANES);
  real own[4 * WEFT_LANES];
  i32 own_ids[WEFT_LANES];
  for (i32 i = 0; i < 4 * WEFT_LANES; ++i)
    own[i] = 2 * in[i];
  for (i32 l = 0; l < WEFT_LANES; ++l)
    own_ids[l] = WEFT_LANES - 1 - l;
  lane_gather4(own, own_ids, columns);
  for (i32 k = 0; k < 4; ++k)
    lane_store(columns[k], out + (4 + k) * WEFT_LANES);
}

WEFT_KERNEL(scatter, const WEFT_GLOBAL real *in, const WEFT_GLOBAL u16 *ids,
            WEFT_GLOBAL real *sums) {
  lane columns[4];
  lane_gather4_strided(in + 1, 5, ids, columns);
  lane_scatter_add4(sums, ids, columns);
}

WEFT_KERNEL(transpose, const WEFT_GLOBAL real *in, WEFT_GLOBAL real *out) {
  lane rows[WEFT_LANES];
  WEFT_UNROLL for (i32 k = 0; k < WEFT_LANES; ++k) rows[k] = lane_load(in + k * WEFT_LANES);
  lane_transpose(rows);
  WEFT_UNROLL for (i32 k = 0; k < WEFT_LANES; ++k) lane_store(rows[k], out + k * WEFT_LANES);
}

WEFT_FUNCTION void add_pair(WEFT_LOCAL real *values, i32 to, i32 from) {
  values[to] += values[from];
}

WEFT_KERNEL(group_sum, const WEFT_GLOBAL real *in, WEFT_GLOBAL real *out) {
  WEFT_LOCAL_ARRAY(real, values, 64);
  const i32 i = weft_local_id();
  values[i] = in[weft_group_id() * weft_group_size() + i];
  weft_barrier();
  for (i32 width = weft_group_size() / 2; width > 0; width /= 2) {
    if (i < width)
      add_pair(values, i, i + width);
    weft_barrier();
  }
  if (i == 0)
    out[weft_group_id()] = values[0] + 1000 * weft_num_groups();
}
)";

constexpr int function_values = 512; // arguments that each function is tried with

std::string functions_kernel() {
  std::string text = "WEFT_KERNEL(functions, const WEFT_GLOBAL real *A, const WEFT_GLOBAL real *B,"
                     " WEFT_GLOBAL real *out) {\n  const i32 i = weft_group_id();\n"
                     "  const lane a = lane_load(A + i * WEFT_LANES);\n"
                     "  const lane b = lane_load(B + i * WEFT_LANES);\n"
                     "  out += i * WEFT_LANES;\n";
  for (std::size_t f = 0; f < functions.size(); ++f)
    text +=
        fmt::format("  lane_store({}, out + {});\n", functions[f].expression, f * function_values);
  return text + "}\n";
}

// One device and one program for all tests of a setting.
struct Prepared {
  std::unique_ptr<Device> device;
  Program program;
};

std::map<std::string, Prepared> prepared_by_head;

Prepared &prepared(const Setting &setting) {
  Prepared &entry = prepared_by_head[head_of(setting)];
  if (!entry.device) {
    entry.device = setting.backend == "host" ? open_host_device({.sanitize = sanitizers_run()})
                                             : open_device(setting.backend);
    entry.program = entry.device->build(
        {"dialect_test",
         head_of(setting) + functions_kernel() + test_kernels,
         {"functions", "nan_kept", "memories", "gather", "scatter", "transpose", "group_sum"}});
  }
  return entry;
}

class Dialect : public testing::TestWithParam<Setting> {
public:
  static void TearDownTestSuite() { prepared_by_head.clear(); }

protected:
  void launch(const std::string &kernel, Launch size,
              const std::vector<KernelArgument> &arguments) {
    device().launch(prepared(GetParam()).program, kernel, size, arguments);
  }
  Device &device() { return *prepared(GetParam()).device; }
  int lanes() const { return GetParam().lanes; }
  double tolerance() const { return GetParam().f64 ? 1e-14 : 2e-6; }

  Buffer upload_reals(const std::vector<double> &values) {
    if (GetParam().f64)
      return upload(device(), values, "test input");
    return upload(device(), std::vector<float>(values.begin(), values.end()), "test input");
  }
  Buffer allocate_reals(std::size_t count) {
    return device().allocate(count * (GetParam().f64 ? 8 : 4), "test output");
  }
  std::vector<double> download_reals(const Buffer &buffer, std::size_t count) {
    std::vector<double> values(count);
    if (GetParam().f64) {
      device().read(buffer, values.data(), count * sizeof(double));
      return values;
    }
    std::vector<float> singles(count);
    device().read(buffer, singles.data(), count * sizeof(float));
    return {singles.begin(), singles.end()};
  }
};

TEST_P(Dialect, FunctionsAgreeWithC) {
  // Ordinary values with zeros, equal pairs and large arguments strewn in: a vector library may
  // spoil the neighbours of a special case.
  std::vector<double> a(function_values), b(function_values);
  for (int i = 0; i < function_values; ++i) {
    a[i] = static_cast<float>(1.3 * std::sin(2.1 * i + 0.4));
    b[i] = i % 5 == 2 ? a[i] : static_cast<float>(1.7 * std::cos(3.7 * i));
    if (i % 7 == 4)
      a[i] = 0;
    if (i % 31 == 11)
      a[i] = static_cast<float>(20 * a[i]);
  }
  const Buffer out = allocate_reals(functions.size() * function_values);
  launch("functions", {function_values / lanes(), 1}, {upload_reals(a), upload_reals(b), out});
  const std::vector<double> result = download_reals(out, functions.size() * function_values);
  for (std::size_t f = 0; f < functions.size(); ++f)
    for (int i = 0; i < function_values; ++i) {
      const double expected = functions[f].expected(a[i], b[i]);
      const double got = result[f * function_values + i];
      if (std::isinf(expected))
        EXPECT_EQ(got, expected) << functions[f].expression;
      else
        EXPECT_NEAR(got, expected, tolerance() * std::max(1.0, std::abs(expected)))
            << functions[f].expression << " at a=" << a[i] << " b=" << b[i];
    }
}

TEST_P(Dialect, NanIsKept) {
  const Buffer out = allocate_reals(2 * lanes());
  const std::vector<double> nan(lanes(), std::numeric_limits<double>::quiet_NaN());
  launch("nan_kept", {}, {upload_reals(nan), out});
  const std::vector<double> result = download_reals(out, 2 * lanes());
  for (int l = 0; l < lanes(); ++l) {
    EXPECT_EQ(result[l], 1.0);
    EXPECT_TRUE(std::isnan(result[lanes() + l]));
  }
}

// Loads, stores and element access in every address space: each lane is reversed on the way.
TEST_P(Dialect, LanesMoveThroughAllMemories) {
  const int first = 3;
  std::vector<double> in(lanes() + first);
  std::iota(in.begin(), in.end(), 0.0);
  const Buffer out = allocate_reals(2 * lanes());
  launch("memories", {}, {upload_reals(in), out, std::int32_t{first}});
  const std::vector<double> result = download_reals(out, 2 * lanes());
  for (int l = 0; l < lanes(); ++l) {
    EXPECT_EQ(result[l], 100 + in[first + lanes() - 1 - l]);
    EXPECT_EQ(result[lanes() + (l + first) % lanes()], 200 + in[first + l]);
  }
}

// From global memory with 16-bit ids, and from private memory with 32-bit ids.
TEST_P(Dialect, GatherTransposesRowsOfFour) {
  std::vector<double> in(4 * 40);
  std::iota(in.begin(), in.end(), 0.0);
  std::vector<std::uint16_t> ids(lanes());
  for (int l = 0; l < lanes(); ++l)
    ids[l] = static_cast<std::uint16_t>((7 * l + 3) % 40);
  const Buffer out = allocate_reals(8 * lanes());
  launch("gather", {}, {upload_reals(in), upload(device(), ids, "ids"), out});
  const std::vector<double> result = download_reals(out, 8 * lanes());
  for (int k = 0; k < 4; ++k)
    for (int l = 0; l < lanes(); ++l) {
      EXPECT_EQ(result[k * lanes() + l], in[4 * ids[l] + k]);
      EXPECT_EQ(result[(4 + k) * lanes() + l], 2 * in[4 * (lanes() - 1 - l) + k]);
    }
}

// Rows lie five apart, and several lanes add to the same one.
TEST_P(Dialect, ScatterAddsRowsOfFour) {
  constexpr int rows = 10;
  std::vector<double> in(5 * rows + 1);
  std::iota(in.begin(), in.end(), 0.0);
  std::vector<std::uint16_t> ids(lanes());
  std::vector<double> sums(4 * rows, 100);
  for (int l = 0; l < lanes(); ++l)
    ids[l] = static_cast<std::uint16_t>(3 * l % 7);
  const Buffer out = upload_reals(sums);
  launch("scatter", {}, {upload_reals(in), upload(device(), ids, "ids"), out});
  for (int l = 0; l < lanes(); ++l)
    for (int k = 0; k < 4; ++k)
      sums[4 * ids[l] + k] += in[1 + 5 * ids[l] + k];
  EXPECT_EQ(download_reals(out, 4 * rows), sums);
}

TEST_P(Dialect, LanesAreTransposed) {
  std::vector<double> in(lanes() * lanes());
  std::iota(in.begin(), in.end(), 0.0);
  const Buffer out = allocate_reals(in.size());
  launch("transpose", {}, {upload_reals(in), out});
  const std::vector<double> result = download_reals(out, in.size());
  for (int k = 0; k < lanes(); ++k)
    for (int l = 0; l < lanes(); ++l)
      EXPECT_EQ(result[k * lanes() + l], in[l * lanes() + k]);
}

// A tree sum of each group's values: needs the barrier and memory shared by the group.
TEST_P(Dialect, GroupsReduceThroughLocalMemory) {
  constexpr int groups = 7, size = 64;
  std::vector<double> in(groups * size);
  std::vector<double> sums(groups, 1000.0 * groups);
  for (int i = 0; i < groups * size; ++i) {
    in[i] = i % 13;
    sums[i / size] += in[i];
  }
  const Buffer out = allocate_reals(groups);
  launch("group_sum", {groups, size}, {upload_reals(in), out});
  EXPECT_EQ(download_reals(out, groups), sums);
}

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const char *backend : {"opencl", "host"})
    for (const int lanes : {1, 4, 8, 16})
      for (const bool f64 : {true, false})
        all.push_back({backend, lanes, f64});
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, Dialect, testing::ValuesIn(settings()), name_of);

} // namespace
} // namespace weft
