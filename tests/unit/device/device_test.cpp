#include "device/device.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>

#include "base/error.h"
#include "device/dialect.h"
#include "device/host/host_device.h"
#include "device/open/open_device.h"
#include "device/recent_programs.h"

namespace weft {
namespace {

const std::string head = "#define WEFT_LANES 1\n#define WEFT_REAL_F64\n";

std::unique_ptr<Device> open_backend(const std::string &backend) {
  return backend == "host" ? open_host_device({.sanitize = sanitizers_run()})
                           : open_device(backend);
}

// The message of the error that `action` throws, which must be of that kind.
template <typename Action> std::string error_of(ErrorKind kind, const Action &action) {
  try {
    action();
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return "";
}

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(Devices, ListSaysWhatOneNeedsToKnow) {
  const std::vector<DeviceInfo> devices = list_devices();
  ASSERT_FALSE(devices.empty());
  const DeviceInfo &first = devices.front();
  EXPECT_EQ(first.selector, "opencl:0");
  EXPECT_FALSE(first.name.empty());
  EXPECT_FALSE(first.driver.empty());
  EXPECT_TRUE(std::none_of(devices.begin(), devices.end(), [](const DeviceInfo &d) {
    return d.architecture.empty() || d.vendor.empty();
  }));
  EXPECT_EQ(first.identity.size(), 32u);
  EXPECT_GT(first.memory_bytes, 0u);
  EXPECT_GT(first.max_allocation_bytes, 0u);
  EXPECT_LE(first.max_allocation_bytes, first.memory_bytes);
  EXPECT_GT(first.compute_units, 0);
  EXPECT_GT(first.max_work_group, 0);
  EXPECT_TRUE(std::none_of(devices.begin(), devices.end(), [](const DeviceInfo &d) {
    return d.core_cache_bytes > d.last_cache_bytes;
  }));
  EXPECT_TRUE(std::none_of(devices.begin(), devices.end(),
                           [](const DeviceInfo &d) { return d.backend == "host"; }));
}

TEST(Devices, BuildEqualTextsOnce) {
  const auto device = open_device("");
  const auto text = [](int number) {
    return head + dialect_text("opencl") +
           "WEFT_KERNEL(set, WEFT_GLOBAL real *x) { x[0] = " + std::to_string(number) + "; }\n";
  };
  const Program first = device->build({"set", text(1), {"set"}});
  EXPECT_EQ(device->build({"set", text(1), {"set"}}), first);
  EXPECT_NE(device->build({"set", text(2), {"set"}}), first);
}

TEST(Devices, ForgetProgramsNotAskedForTheLongest) {
  RecentPrograms programs(2);
  int made = 0;
  const auto get = [&](const std::string &name) {
    return programs.get({name, name, {}}, [&] {
      ++made;
      return std::make_shared<ProgramImpl>();
    });
  };
  const Program a = get("a"), b = get("b");
  EXPECT_EQ(get("a"), a);
  get("c"); // b goes
  EXPECT_EQ(get("a"), a);
  EXPECT_EQ(made, 3);
  EXPECT_NE(get("b"), b);
  EXPECT_EQ(made, 4);
}

TEST(Devices, AreFoundBySelectorAndByName) {
  const std::string name = open_device("")->info().name;
  EXPECT_EQ(open_device("opencl")->info().selector, "opencl:0");
  EXPECT_EQ(open_device("opencl:0")->info().name, name);
  std::string part = name.substr(0, 7);
  std::transform(part.begin(), part.end(), part.begin(), ::toupper);
  EXPECT_EQ(open_device(part)->info().name, name);
}

TEST(Devices, AnUnknownOneListsThoseThereAre) {
  for (const char *selector : {"opencl:7", "cuda:99", "no such name"}) {
    const std::string text = error_of(ErrorKind::system, [&] { open_device(selector); });
    EXPECT_CONTAINS(text, selector);
    EXPECT_CONTAINS(text, "opencl:0 (");
  }
}

class EachBackend : public testing::TestWithParam<const char *> {
protected:
  std::unique_ptr<Device> device_ = open_backend(GetParam());
};
INSTANTIATE_TEST_SUITE_P(All, EachBackend, testing::Values("opencl", "host"),
                         [](const auto &info) { return std::string(info.param); });

TEST_P(EachBackend, BuffersMoveBytes) {
  std::vector<std::int32_t> values(1000);
  std::iota(values.begin(), values.end(), 0);
  const Buffer a = upload(*device_, values, "a");
  const Buffer b = device_->allocate(4000, "b");
  device_->fill_zero(b, 4000);
  device_->copy(a, b, 400, 40, 80);        // values 10..109 to 20..
  device_->fill_zero(b, 12, 80);           // but the first three
  device_->write(b, values.data(), 4, 88); // the third is value 0, too
  device_->write(b, values.data() + 7, 4, 92);
  std::vector<std::int32_t> result(1000);
  device_->read(b, result.data(), 4000);
  std::vector<std::int32_t> expected(1000, 0);
  for (int i = 0; i < 100; ++i)
    expected[20 + i] = 10 + i;
  expected[20] = expected[21] = expected[22] = 0;
  expected[23] = 7;
  EXPECT_EQ(result, expected);
  std::int32_t one = 0;
  device_->read(a, &one, 4, 4 * 999);
  EXPECT_EQ(one, 999);
}

TEST_P(EachBackend, KernelsReadWhatTheHostShares) {
  constexpr std::int32_t n = 100000;
  std::vector<double> values(n + 1);
  std::iota(values.begin(), values.end(), 0.);
  const Program program = device_->build(
      {"twice",
       head + dialect_text(GetParam()) +
           "WEFT_KERNEL(twice, i32 n, WEFT_GLOBAL const real *x, WEFT_GLOBAL real *y) {\n"
           "  for (i32 i = 0; i < n; ++i) y[i] = 2*x[i];\n}\n",
       {"twice"}});
  const Buffer y = device_->allocate(n * sizeof(double), "y");
  device_->launch(program, "twice", {},
                  {n, device_->share(&values[1], n * sizeof(double), "x"), y});
  std::fill(values.begin(), values.end(), -1.); // the shared buffer is gone: nothing reads it now
  std::vector<double> result(n);
  device_->read(y, result.data(), n * sizeof(double));
  for (std::int32_t i = 0; i < n; ++i)
    ASSERT_EQ(result[i], 2. * (i + 1));
}

TEST_P(EachBackend, ArraysThatAreGivenUpAreUploaded) {
  for (const std::size_t count : {0u, 3u, 1000000u}) { // the last one need not be copied
    HostArray<std::int32_t> values(count);
    std::iota(values.begin(), values.end(), 5);
    const std::vector<std::int32_t> expected = values;
    std::vector<std::int32_t> found(count);
    const Buffer buffer = upload(*device_, std::move(values), "an array");
    device_->read(buffer, found.data(), count * sizeof(std::int32_t));
    EXPECT_EQ(found, expected);
  }
}

TEST_P(EachBackend, LoadingAKernelDoesNotRunIt) {
  const Program program =
      device_->build({"set",
                      head + dialect_text(device_->info().backend) +
                          "WEFT_KERNEL(set, WEFT_GLOBAL real *x) { x[0] = 7; }\n",
                      {"set"}});
  const Buffer x = upload(*device_, std::vector<double>{3}, "x");
  const auto value = [&] {
    double now = 0;
    device_->read(x, &now, sizeof now);
    return now;
  };
  device_->load(program, "set", {1, 1});
  EXPECT_EQ(value(), 3);
  device_->launch(program, "set", {1, 1}, {x});
  EXPECT_EQ(value(), 7);
}

TEST_P(EachBackend, AnAccessBeyondTheBufferIsAnError) {
  const Buffer buffer = device_->allocate(100, "small");
  char bytes[8] = {};
  error_of(ErrorKind::invariant, [&] { device_->write(buffer, bytes, 8, 96); });
  error_of(ErrorKind::invariant, [&] { device_->read(buffer, bytes, 8, 96); });
  error_of(ErrorKind::invariant, [&] { device_->fill_zero(buffer, 101); });
}

TEST_P(EachBackend, EmptyBuffersAreValid) {
  const Buffer buffer = upload(*device_, std::vector<double>{}, "nothing");
  ASSERT_NE(buffer, nullptr);
  device_->fill_zero(buffer, 0);
  device_->read(buffer, nullptr, 0);
  const Program program =
      device_->build({"touch",
                      head + dialect_text(GetParam()) +
                          "WEFT_KERNEL(touch, WEFT_GLOBAL real *x, i32 n) { if (n > 0) x[0] = 1; }",
                      {"touch"}});
  device_->launch(program, "touch", {}, {buffer, std::int32_t{0}});
  device_->launch(program, "touch", {.groups = 0}, {buffer, std::int32_t{1}});
  device_->finish();
  EXPECT_EQ(buffer->bytes, 0u);
}

TEST_P(EachBackend, MemoryIsCounted) {
  const std::uint64_t before = device_->allocated_bytes();
  Buffer a = device_->allocate(1 << 20, "a");
  {
    const Buffer b = device_->allocate(2 << 20, "b");
    EXPECT_EQ(device_->allocated_bytes(), before + (3 << 20));
  }
  EXPECT_EQ(device_->allocated_bytes(), before + (1 << 20));
  EXPECT_EQ(device_->peak_allocated_bytes(), before + (3 << 20));
  a.reset();
  EXPECT_EQ(device_->allocated_bytes(), before);
}

TEST_P(EachBackend, ABufferMayOutliveItsDevice) {
  Buffer buffer = device_->allocate(1 << 20, "survivor");
  device_.reset();
  EXPECT_EQ(buffer->bytes, std::uint64_t{1} << 20);
  buffer.reset();
}

TEST_P(EachBackend, BuildErrorsShowKernelLinesAndLog) {
  const std::string text = head + dialect_text(GetParam()) +
                           "WEFT_KERNEL(broken, WEFT_GLOBAL real *x) {\n"
                           "  x[0] = no_such_name;\n}\n";
  const std::string message = error_of(ErrorKind::invariant, [&] {
    device_->build({"residual_broken", text, {"broken"}});
  });
  const auto line = 1 + std::count(text.begin(), text.begin() + text.find("no_such_name"), '\n');
  EXPECT_CONTAINS(message, "kernel 'residual_broken' does not compile");
  EXPECT_CONTAINS(message, "> " + std::string(line < 100 ? "   " : "  ") + std::to_string(line) +
                               " |   x[0] = no_such_name;");
  EXPECT_CONTAINS(message, "compiler's log:");
  EXPECT_CONTAINS(message, "declared"); // what the compilers say is not there
}

TEST_P(EachBackend, FaultsInTheUsersTextNameTheCaseFile) {
  const std::string text = head + dialect_text(GetParam()) +
                           "WEFT_FUNCTION real source(real x) {\n#line 12 \"case.toml\"\n"
                           "  return y;\n}\n#line 100 \"generated\"\n"
                           "WEFT_KERNEL(k, WEFT_GLOBAL real *x) { x[0] = source(x[1]); }\n";
  const std::string message = error_of(ErrorKind::input, [&] {
    device_->build({"residual", text, {"k"}});
  });
  EXPECT_CONTAINS(message, "case.toml:12: the C text of kernel 'residual' does not compile");
}

TEST_P(EachBackend, LaunchMistakesAreErrors) {
  const Program program =
      device_->build({"pair",
                      head + dialect_text(GetParam()) +
                          "WEFT_KERNEL(pair, WEFT_GLOBAL real *x, i32 n) { x[0] = n; }",
                      {"pair"}});
  const Buffer x = device_->allocate(8, "x");
  const auto wrong = [&](const char *kernel, std::vector<KernelArgument> arguments) {
    return error_of(ErrorKind::invariant, [&] { device_->launch(program, kernel, {}, arguments); });
  };
  EXPECT_CONTAINS(wrong("pear", {x, std::int32_t{1}}), "has no kernel 'pear'");
  EXPECT_CONTAINS(wrong("pair", {x}), "'pair'");
  EXPECT_CONTAINS(wrong("pair", {x, std::int32_t{1}, std::int32_t{1}}), "'pair'");
}

// Threads with a device each run one kernel on grids of different sizes: see PoclTurn. In each
// round the grid of one of them is larger than all before, so that PoCL keeps the kernel once more
// while it is under way.
TEST(Devices, OfSeveralThreadsRunOneKernelOnGridsOfAllSizes) {
  constexpr int num_threads = 5, num_rounds = 100, group_size = 8;
  std::vector<std::unique_ptr<Device>> devices;
  for (int t = 0; t < num_threads; ++t)
    devices.push_back(open_device("opencl:0"));
  std::barrier round(num_threads);
  std::atomic<int> wrong = 0;
  const auto run = [&](int t) {
    Device &device = *devices[t];
    const Program program =
        device.build({"count",
                      head + dialect_text("opencl") +
                          "WEFT_KERNEL(count, const i32 n, WEFT_GLOBAL real *x) {\n"
                          "  real sum = 0;\n"
                          "  for (i32 k = 0; k < n; ++k) sum += x[0];\n"
                          "  x[1 + weft_group_id()*weft_group_size() + weft_local_id()] = sum;\n"
                          "}\n",
                      {"count"}});
    for (int k = 0; k < num_rounds; ++k) {
      const bool grows = t == 0;
      const int groups = grows ? 10 + k : 1 + t;
      const std::int32_t count = grows ? 1 : 50000;
      std::vector<double> values(1 + groups * group_size, 1.);
      const Buffer x = upload(device, values, "x");
      round.arrive_and_wait();
      if (grows)
        std::this_thread::sleep_for(std::chrono::microseconds(10 * k));
      device.launch(program, "count", {groups, group_size}, {count, x});
      device.read(x, values.data(), values.size() * sizeof(double));
      wrong += int(std::count_if(values.begin() + 1, values.end(),
                                 [&](double value) { return value != count; }));
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < num_threads; ++t)
    threads.emplace_back(run, t);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Memory, TooLargeAProblemIsRefusedBeforeItStarts) {
  const auto device = open_device("");
  const std::uint64_t limit = device->info().max_allocation_bytes;
  const std::string one_buffer =
      error_of(ErrorKind::system, [&] { device->allocate(limit + 1, "coordinates of the nodes"); });
  EXPECT_CONTAINS(one_buffer, "coordinates of the nodes");
  EXPECT_CONTAINS(one_buffer, "one buffer");
  EXPECT_EQ(device->allocated_bytes(), 0u);
}

TEST(HostDevice, ABarrierThatSomePassByIsAnError) {
  const auto device = open_backend("host");
  const Program program =
      device->build({"divergent",
                     head + dialect_text("host") +
                         "WEFT_KERNEL(divergent, WEFT_GLOBAL real *x) {\n"
                         "  if (weft_local_id() > 0) weft_barrier();\n  x[0] = 1;\n}",
                     {"divergent"}});
  const Buffer x = device->allocate(8, "x");
  const std::string message = error_of(ErrorKind::invariant, [&] {
    device->launch(program, "divergent", {3, 4}, {x});
  });
  EXPECT_CONTAINS(message, "barrier");
  EXPECT_CONTAINS(message, "kernel 'divergent', group 0");
  device->launch(program, "divergent", {3, 1}, {x});
}

TEST(HostDevice, ArgumentsOfTheWrongTypeAreErrors) {
  const auto device = open_backend("host");
  const Program program = device->build(
      {"scale",
       head + dialect_text("host") + "WEFT_KERNEL(scale, WEFT_GLOBAL real *x, real s, i64 n) {}",
       {"scale"}});
  const Buffer x = device->allocate(8, "x");
  const std::string message = error_of(ErrorKind::invariant, [&] {
    device->launch(program, "scale", {}, {x, 1.0f, std::int64_t{1}});
  });
  EXPECT_CONTAINS(message, "found:   pfl");
  EXPECT_CONTAINS(message, "allowed: pdl");
}

TEST(HostDevice, UnsetMemoryIsNan) {
  const auto device = open_backend("host");
  const Buffer buffer = device->allocate(8, "unset");
  double value = 0;
  device->read(buffer, &value, 8);
  EXPECT_TRUE(value != value);
}

TEST(HostDevice, RunsInBothOrders) {
  const std::string text = head + dialect_text("host") +
                           "WEFT_KERNEL(last, WEFT_GLOBAL real *x) {\n"
                           "  x[0] = weft_group_size() * weft_group_id() + weft_local_id();\n}";
  for (const bool reverse : {false, true}) {
    const auto device = open_host_device({.sanitize = sanitizers_run(), .reverse = reverse});
    const Program program = device->build({"last", text, {"last"}});
    const Buffer x = device->allocate(8, "x");
    device->launch(program, "last", {3, 4}, {x});
    double value = -1;
    device->read(x, &value, 8);
    EXPECT_EQ(value, reverse ? 0 : 11);
  }
}

// By hand: each lane does 1 fma, 1 subtraction, 1 division, a root, a maximum and an exponential;
// the scalar 1 product. Of x, four of five reals are read and written; of y, the first is written
// and then read, the second read by its index in `places`; z is written past the caches.
TEST(HostDevice, CountsOperationsAndBytes) {
  for (const char *precision : {"F64", "F32"}) {
    const auto device = open_host_device({.sanitize = sanitizers_run(), .count = true});
    const Program program = device->build(
        {"counted",
         "#define WEFT_LANES 4\n#define WEFT_REAL_" + std::string(precision) + "\n" +
             dialect_text("host") +
             "WEFT_CONSTANT real table[2] = {0.5, 2};\n"
             "WEFT_KERNEL(counted, WEFT_GLOBAL real *x, real s, WEFT_GLOBAL real *y,\n"
             "            WEFT_GLOBAL const u16 *places, WEFT_GLOBAL real *z) {\n"
             "  lane a = lane_load(x);\n"
             "  a = lane_fma(a, a, lane_splat(s * table[1])) - lane_splat(1);\n"
             "  a = lane_max(lane_sqrt(a), -a) / lane_select(lane_lt(a, lane_splat(0)), a, a);\n"
             "  lane_store(a, x);\n"
             "  y[0] = y[places[1]];\n"
             "  lane_store_stream(lane_exp(lane_splat(y[0])), z);\n"
             "}",
         {"counted"}});
    const bool f64 = precision == std::string("F64");
    const auto reals = [&](const std::vector<double> &values) {
      return f64 ? upload(*device, values, "reals")
                 : upload(*device, std::vector<float>(values.begin(), values.end()), "reals");
    };
    const Buffer x = reals({1, 2, 3, 4, 5}), y = reals({6, 0}), z = reals({0, 0, 0, 0});
    const Buffer places = upload(*device, std::vector<std::uint16_t>{0, 1}, "places");
    const KernelArgument s = f64 ? KernelArgument(2.0) : KernelArgument(2.0f);
    device->launch(program, "counted", {}, {x, s, y, places, z});
    const KernelCost cost = take_counted_costs(*device).at("counted");
    EXPECT_EQ(cost.operations.additions, 4);
    EXPECT_EQ(cost.operations.multiplications, 1);
    EXPECT_EQ(cost.operations.multiply_adds, 4);
    EXPECT_EQ(cost.operations.divisions, 4);
    EXPECT_EQ(cost.operations.roots, 4);
    EXPECT_EQ(cost.operations.simple, 4);
    EXPECT_EQ(cost.operations.functions, (std::map<std::string, double>{{"exp", 4}}));
    EXPECT_EQ(cost.operations.flops(), 29);
    const double real = f64 ? 8 : 4;
    EXPECT_EQ(cost.bytes_read, (4 + 1) * real + 2);
    EXPECT_EQ(cost.bytes_written, (4 + 1) * real);
    EXPECT_EQ(cost.bytes_streamed, 4 * real);
    EXPECT_EQ(cost.launches, 1);
    EXPECT_TRUE(take_counted_costs(*device).empty());
    double first = 0;
    float single = 0;
    if (f64)
      device->read(x, &first, 8);
    else
      device->read(x, &single, 4);
    EXPECT_DOUBLE_EQ(f64 ? first : single, 0.5); // sqrt(1 + 4 - 1) / 4
  }
}

TEST(HostDevice, SanitizersFindAnOverrun) {
  if (!sanitizers_run())
    GTEST_SKIP() << "this build runs no AddressSanitizer: configure with -DWEFT_SANITIZE=ON";
  const auto device = open_backend("host");
  const Program program =
      device->build({"overrun",
                     head + dialect_text("host") +
                         "WEFT_KERNEL(overrun, WEFT_GLOBAL real *x, i32 i) { x[i] = 1; }",
                     {"overrun"}});
  const Buffer x = device->allocate(24, "x");
  device->launch(program, "overrun", {}, {x, std::int32_t{2}});
  EXPECT_DEATH(device->launch(program, "overrun", {}, {x, std::int32_t{3}}),
               "heap-buffer-overflow");
}

} // namespace
} // namespace weft
