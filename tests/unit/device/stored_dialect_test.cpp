// Numbers of each precision read into and written from lanes of either `real`, in each dialect that
// runs here, against the host's conversions.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <map>

#include "base/stored_numbers.h"
#include "device/cuda/nvrtc.h"
#include "device/device.h"
#include "device/dialect.h"
#include "device/host/host_device.h"
#include "device/open/open_device.h"
#include "support/need_nvrtc.h"

namespace weft {
namespace {

const Precision precisions[] = {Precision::f64, Precision::f32, Precision::f16, Precision::bf16};

std::string program_text(const std::string &backend, int lanes, bool f64) {
  std::string text =
      fmt::format("#define WEFT_LANES {}\n#define WEFT_REAL_{}\n", lanes, f64 ? "F64" : "F32") +
      dialect_text(backend) + stored_dialect_text(backend);
  for (const Precision p : precisions)
    text += fmt::format(R"(
#define WEFT_VALUE {0}
// Ways to read: a lane, its entries by numbers, one by one; out[3][n].
WEFT_KERNEL(read_{0}, i64 n, WEFT_GLOBAL const WEFT_VALUE *in, WEFT_GLOBAL const i32 *index,
            WEFT_GLOBAL real *out) {{
  const i64 i = (i64)weft_group_id() * WEFT_LANES;
  lane v;
  lane_store(lane_load_as(WEFT_VALUE, in + i), out + i);
  lane_gather_as(WEFT_VALUE, in, index + i, v);
  lane_store(v, out + n + i);
  for (i32 l = 0; l < WEFT_LANES; ++l)
    out[2 * n + i + l] = real_load_as(WEFT_VALUE, in + i + l);
}}
// Ways to write: past the caches, a lane at any index (one further), one by one.
WEFT_KERNEL(write_{0}, i64 n, WEFT_GLOBAL const real *in, WEFT_GLOBAL WEFT_VALUE *out) {{
  const i64 i = (i64)weft_group_id() * WEFT_LANES;
  const lane v = lane_load(in + i);
  lane_store_stream_as(WEFT_VALUE, v, out + i);
  lane_store_as(WEFT_VALUE, v, out + n + 1 + i);
  for (i32 l = 0; l < WEFT_LANES; ++l)
    real_store_as(WEFT_VALUE, in[i + l], out + 2 * n + 1 + i + l);
}}
#undef WEFT_VALUE
)",
                        to_string(p));
  return text;
}

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const Precision p : precisions) {
    names.push_back("read_" + to_string(p));
    names.push_back("write_" + to_string(p));
  }
  return names;
}

// Numbers of 16 bits, their neighbours' middles, those beside them, and what no precision has: a
// whole number of lanes.
std::vector<double> numbers_to_round(double (*value)(std::uint16_t)) {
  std::vector<double> numbers;
  for (int bits = 0; bits < 65536; bits += 7) {
    const double low = value(static_cast<std::uint16_t>(bits));
    const double high = value(static_cast<std::uint16_t>(bits + 1));
    if (!std::isfinite(low))
      continue;
    const double middle = std::isfinite(high) ? (low + high) / 2 : 1.001 * low;
    for (const double v : {low, middle, std::nextafter(middle, 0.0), std::nextafter(middle, high),
                           double(std::nextafter(float(middle), 0.F))})
      numbers.push_back(v);
  }
  for (const double v : {1e300, -1e300, 1e39, 3.4e38, 65519.9, 65520.0, -1e-300, 1e-45, -0.0,
                         std::numeric_limits<double>::infinity()})
    numbers.push_back(v);
  numbers.push_back(std::numeric_limits<double>::quiet_NaN());
  numbers.resize((numbers.size() + 15) / 16 * 16, 1.0 / 3);
  return numbers;
}

void expect_same(const std::vector<double> &got, std::size_t first,
                 const std::vector<double> &expected) {
  ASSERT_LE(first + expected.size(), got.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double value = got[first + i];
    if (std::isnan(expected[i]))
      ASSERT_TRUE(std::isnan(value)) << i;
    else
      ASSERT_TRUE(value == expected[i] && std::signbit(value) == std::signbit(expected[i]))
          << i << ": " << value << " instead of " << expected[i];
  }
}

struct StoredSetting {
  std::string backend;
  int lanes;
  bool f64;
};

class StoredDialect : public testing::TestWithParam<StoredSetting> {
protected:
  void SetUp() override {
    const auto &[backend, lanes, f64] = GetParam();
    device_ =
        backend == "host" ? open_host_device({.sanitize = sanitizers_run()}) : open_device(backend);
    real_ = f64 ? Precision::f64 : Precision::f32;
    program_ =
        device_->build({"stored_dialect_test", program_text(backend, lanes, f64), kernel_names()});
  }
  Buffer buffer(const std::vector<double> &values, Precision p) {
    return upload(*device_, stored_numbers(values, p), "test input");
  }
  std::vector<double> values(const Buffer &from, Precision p) {
    std::vector<std::byte> bytes(from->bytes);
    device_->read(from, bytes.data(), bytes.size());
    return numbers_of_stored(bytes, p);
  }
  // What `values` become in precision p.
  static std::vector<double> rounded(const std::vector<double> &values, Precision p) {
    return numbers_of_stored(stored_numbers(values, p), p);
  }
  Launch groups(std::size_t count) const {
    return {static_cast<std::int64_t>(count) / GetParam().lanes, 1};
  }

  std::unique_ptr<Device> device_;
  Program program_;
  Precision real_ = Precision::f64;
};

TEST_P(StoredDialect, Reads) {
  for (const Precision p : precisions) {
    SCOPED_TRACE(to_string(p));
    std::vector<double> numbers(65536);
    for (std::size_t bits = 0; bits < numbers.size(); ++bits)
      numbers[bits] = p == Precision::bf16 ? bf16_value(static_cast<std::uint16_t>(bits))
                                           : f16_value(static_cast<std::uint16_t>(bits));
    if (size_bytes(p) > 2)
      for (double &number : numbers)
        number /= 3;
    numbers = rounded(numbers, p);
    const auto n = static_cast<std::int64_t>(numbers.size());
    std::vector<std::int32_t> index(n);
    std::vector<double> picked(n);
    for (std::int64_t i = 0; i < n; ++i) {
      index[i] = static_cast<std::int32_t>(40503 * i % n);
      picked[i] = numbers[index[i]];
    }
    const Buffer out = device_->allocate(3 * n * size_bytes(real_), "test output");
    device_->launch(program_, "read_" + to_string(p), groups(n),
                    {n, buffer(numbers, p), upload(*device_, index, "index"), out});
    const std::vector<double> got = values(out, real_);
    expect_same(got, 0, rounded(numbers, real_));
    expect_same(got, n, rounded(picked, real_));
    expect_same(got, 2 * n, rounded(numbers, real_));
  }
}

TEST_P(StoredDialect, WritesAreRoundedOnce) {
  for (const Precision p : precisions) {
    SCOPED_TRACE(to_string(p));
    const std::vector<double> numbers =
        rounded(numbers_to_round(p == Precision::bf16 ? bf16_value : f16_value), real_);
    const auto n = static_cast<std::int64_t>(numbers.size());
    const std::uint64_t bytes = (3 * n + 1) * size_bytes(p);
    const Buffer out = device_->allocate(bytes, "test output");
    device_->fill_zero(out, bytes);
    device_->launch(program_, "write_" + to_string(p), groups(n), {n, buffer(numbers, real_), out});
    const std::vector<double> got = values(out, p), expected = rounded(numbers, p);
    expect_same(got, 0, expected);
    expect_same(got, n + 1, expected);
    expect_same(got, 2 * n + 1, expected);
  }
}

const StoredSetting stored_settings[] = {
    {"opencl", 1, true},  {"opencl", 1, false}, {"opencl", 8, true}, {"opencl", 16, false},
    {"opencl", 4, false}, {"host", 1, true},    {"host", 8, false}};

INSTANTIATE_TEST_SUITE_P(All, StoredDialect, testing::ValuesIn(stored_settings),
                         [](const auto &info) {
                           return fmt::format("{}_{}_lanes{}", info.param.backend,
                                              info.param.f64 ? "f64" : "f32", info.param.lanes);
                         });

TEST(StoredDialectInCuda, Compiles) {
  need_nvrtc();
  for (const bool f64 : {true, false}) {
    const std::string ptx = compile_cuda_text(program_text("cuda", 1, f64), "compute_80");
    EXPECT_NE(ptx.find(f64 ? "cvt.rn.f16.f64" : "cvt.rn.f16.f32"), std::string::npos);
    EXPECT_NE(ptx.find(f64 ? "cvt.f64.f16" : "cvt.f32.f16"), std::string::npos);
  }
}

} // namespace
} // namespace weft
