// The CUDA back end on the stand-ins, and the stand-ins themselves: each of the faults that they
// are there to find is one here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "base/error.h"
#include "device/cuda/cuda_driver.h"
#include "device/cuda/nvrtc.h"
#include "device/device.h"
#include "device/open/open_device.h"

namespace weft {
namespace {

enum : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  invalid_context = 201,
  no_binary_for_gpu = 209,
  invalid_handle = 400,
  not_found = 500,
  illegal_address = 700,
  launch_failed = 719,
  capture_unsupported = 900,
  capture_invalidated = 901,
};

const bool two_devices =
    setenv("WEFT_STAND_IN_DEVICES", "2", 1) == 0; // before the driver is opened

constexpr const char *text = R"CUDA(
extern "C" __global__ void add(const double *__restrict__ from, double *to, long long size, double by) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    to[i] = from[i] + by;
}
// The sum of a block, the last one of which has fewer numbers than threads.
extern "C" __global__ void sum(const double *from, double *to) {
  __shared__ double part[64];
  part[threadIdx.x] = from[blockIdx.x * blockDim.x + threadIdx.x];
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
  }
  __syncthreads();
  if (threadIdx.x == 0)
    to[blockIdx.x] = part[0];
}
extern "C" __global__ void left_in_shared(double *to) {
  __shared__ double part[4];
  to[blockIdx.x] = part[threadIdx.x];
  part[threadIdx.x] = 1;
}
extern "C" __global__ void half_waits(double *to) {
  if (threadIdx.x % 2)
    __syncthreads();
  to[threadIdx.x] = 1;
}
)CUDA";

// The driver's calls, in a context of the first device and with the program above.
class StandIn : public testing::Test {
protected:
  StandIn() {
    EXPECT_EQ(cuda->cuDevicePrimaryCtxRetain(&context, 0), success);
    EXPECT_EQ(cuda->cuCtxSetCurrent(context), success);
    EXPECT_EQ(cuda->cuStreamCreate(&stream, 1), success);
    EXPECT_EQ(cuda->cuModuleLoadData(&module, image.data()), success);
  }
  ~StandIn() override {
    for (const CudaAddress address : memory)
      cuda->cuMemFree_v2(address);
    cuda->cuModuleUnload(module);
    cuda->cuStreamDestroy_v2(stream);
    EXPECT_EQ(cuda->cuDevicePrimaryCtxRelease_v2(0), success);
  }

  CudaAddress allocate(std::size_t bytes) {
    CudaAddress address = 0;
    EXPECT_EQ(cuda->cuMemAlloc_v2(&address, bytes), success);
    memory.push_back(address);
    return address;
  }
  void write(CudaAddress to, const std::vector<double> &values) {
    EXPECT_EQ(cuda->cuMemcpyHtoDAsync_v2(to, values.data(), 8 * values.size(), stream), success);
    EXPECT_EQ(cuda->cuStreamSynchronize(stream), success);
  }
  std::vector<double> read(CudaAddress from, std::size_t size) {
    std::vector<double> values(size);
    EXPECT_EQ(cuda->cuMemcpyDtoHAsync_v2(values.data(), from, 8 * size, stream), success);
    EXPECT_EQ(cuda->cuStreamSynchronize(stream), success);
    return values;
  }
  template <typename... Argument>
  int launch(const char *name, unsigned groups, unsigned group_size, Argument... argument) {
    CudaFunction function = nullptr;
    EXPECT_EQ(cuda->cuModuleGetFunction(&function, module, name), success);
    void *arguments[] = {&argument...};
    return cuda->cuLaunchKernel(function, groups, 1, 1, group_size, 1, 1, 0, stream, arguments,
                                nullptr);
  }

  static inline const CudaDriver *cuda = cuda_driver();
  static inline const std::string image = compile_cuda_text(text);
  CudaContext context = nullptr;
  CudaStream stream = nullptr;
  CudaModule module = nullptr;
  std::vector<CudaAddress> memory;
};

TEST_F(StandIn, WhatIsAskedOfAStreamIsDoneWhenItIsWaitedFor) {
  const CudaAddress from = allocate(24), to = allocate(24);
  write(from, {1, 2, 3});
  EXPECT_EQ(launch("add", 2, 2, from, to, 3LL, 0.5), success);
  std::vector<double> values(3);
  EXPECT_EQ(cuda->cuMemcpyDtoHAsync_v2(values.data(), to, 24, stream), success);
  EXPECT_EQ(values, std::vector<double>(3, 0.0));
  EXPECT_EQ(cuda->cuStreamSynchronize(stream), success);
  EXPECT_EQ(values, (std::vector<double>{1.5, 2.5, 3.5}));
}

TEST_F(StandIn, ThreadsOfABlockWaitForEachOther) {
  std::vector<double> values(128, 1.0);
  values[100] = 10;
  const CudaAddress from = allocate(8 * 128), to = allocate(16);
  write(from, values);
  EXPECT_EQ(launch("sum", 2, 64, from, to), success);
  EXPECT_EQ(read(to, 2), (std::vector<double>{64, 73}));
}

TEST_F(StandIn, NewMemoryAndSharedMemoryOfEveryBlockAreNotNumbers) {
  const CudaAddress to = allocate(24);
  EXPECT_TRUE(std::isnan(read(to, 3)[2]));
  EXPECT_EQ(launch("left_in_shared", 3, 1, to), success);
  for (const double value : read(to, 3))
    EXPECT_TRUE(std::isnan(value));
}

TEST_F(StandIn, ABarrierThatNotAllReachSpoilsTheContext) {
  const CudaAddress to = allocate(32);
  EXPECT_EQ(launch("half_waits", 1, 4, to), success);
  EXPECT_EQ(cuda->cuStreamSynchronize(stream), launch_failed);
  CudaAddress other = 0;
  EXPECT_EQ(cuda->cuMemAlloc_v2(&other, 8), launch_failed);
  EXPECT_EQ(cuda->cuStreamSynchronize(stream), launch_failed);
}

TEST_F(StandIn, TheHostsAccessToMemoryOfADeviceEndsTheProgram) {
  const CudaAddress from = allocate(4096);
  EXPECT_DEATH(std::printf("%g", *reinterpret_cast<volatile double *>(from)),
               "the host, outside kernels, accesses a device's memory");
}

TEST_F(StandIn, AKernelsAccessPastTheEndEndsTheProgram) {
  const CudaAddress from = allocate(4096), to = allocate(4096);
  EXPECT_DEATH(
      {
        launch("add", 40, 32, from, to, 1200LL, 0.5);
        cuda->cuStreamSynchronize(stream);
      },
      "the kernel add accesses a device's memory");
}

TEST_F(StandIn, AddressesAreOfThisDeviceAndAlive) {
  const CudaAddress from = allocate(24);
  double host = 0;
  EXPECT_EQ(launch("add", 1, 1, from, &host, 1LL, 0.5), illegal_address);
  EXPECT_EQ(cuda->cuMemcpyHtoDAsync_v2(from, &host, 32, stream), invalid_value);
  EXPECT_EQ(cuda->cuMemcpyDtoDAsync_v2(from + 8, from, 16, stream), invalid_value);
  EXPECT_EQ(cuda->cuMemFree_v2(from + 8), invalid_value);
  EXPECT_EQ(cuda->cuMemsetD8Async(from, 0, 24, stream), success);
  EXPECT_EQ(cuda->cuMemFree_v2(from), illegal_address); // the stream needs it
  EXPECT_EQ(cuda->cuStreamSynchronize(stream), success);
  EXPECT_EQ(cuda->cuMemFree_v2(from), success);
  EXPECT_EQ(cuda->cuMemFree_v2(from), invalid_value);
  EXPECT_EQ(launch("add", 1, 1, from, from, 1LL, 0.5), illegal_address);
  memory.clear();
}

TEST_F(StandIn, SizesHandlesAndContextsAreLookedAt) {
  const CudaAddress to = allocate(24);
  EXPECT_EQ(launch("half_waits", 1, 1025, to), invalid_value);
  EXPECT_EQ(launch("half_waits", 0, 1, to), invalid_value);
  CudaFunction function = nullptr;
  EXPECT_EQ(cuda->cuModuleGetFunction(&function, module, "nothing"), not_found);
  CudaAddress address = 0;
  EXPECT_EQ(cuda->cuMemAlloc_v2(&address, 0), invalid_value);
  EXPECT_EQ(cuda->cuMemAlloc_v2(&address, std::size_t{1} << 40), out_of_memory);
  std::thread([&] { // contexts are a thread's
    EXPECT_EQ(cuda->cuMemAlloc_v2(&address, 8), invalid_context);
    EXPECT_EQ(cuda->cuStreamSynchronize(stream), invalid_context);
  })
      .join();
  CudaContext other = nullptr;
  EXPECT_EQ(cuda->cuDevicePrimaryCtxRetain(&other, 1), success);
  EXPECT_EQ(cuda->cuCtxSetCurrent(other), success);
  EXPECT_EQ(cuda->cuStreamSynchronize(stream), invalid_handle);
  EXPECT_EQ(cuda->cuMemFree_v2(to), invalid_value);
  EXPECT_EQ(cuda->cuModuleUnload(module), invalid_handle);
  EXPECT_EQ(cuda->cuCtxSetCurrent(context), success);
  EXPECT_EQ(cuda->cuDevicePrimaryCtxRelease_v2(1), success);
}

TEST_F(StandIn, ImagesAreForTheDevice) {
  CudaModule other = nullptr;
  EXPECT_EQ(cuda->cuModuleLoadData(&other, compile_cuda_text(text, "sm_80").data()),
            no_binary_for_gpu);
  EXPECT_EQ(cuda->cuModuleLoadData(&other, compile_cuda_text(text, "compute_80").data()), success);
  EXPECT_EQ(cuda->cuModuleUnload(other), success);
}

TEST_F(StandIn, NothingIsUnloadedThatAStreamNeeds) {
  const CudaAddress to = allocate(32);
  EXPECT_EQ(launch("half_waits", 1, 1, to), success);
  EXPECT_DEATH(cuda->cuModuleUnload(module),
               "a module is unloaded whose kernel a stream has still");
  EXPECT_EQ(cuda->cuStreamSynchronize(stream), success);
}

TEST_F(StandIn, WhatIsCapturedIsDoneWhenItsGraphIsLaunched) {
  const CudaAddress from = allocate(24), to = allocate(24);
  write(from, {1, 2, 3});
  write(to, {0, 0, 0});
  EXPECT_EQ(cuda->cuStreamBeginCapture_v2(stream, CudaCapture::relaxed), success);
  EXPECT_EQ(cuda->cuStreamBeginCapture_v2(stream, CudaCapture::relaxed), invalid_value);
  EXPECT_EQ(launch("add", 2, 2, from, to, 3LL, 0.5), success);
  EXPECT_EQ(cuda->cuMemcpyDtoDAsync_v2(from, to, 24, stream), success);
  CudaGraph graph = nullptr;
  EXPECT_EQ(cuda->cuStreamEndCapture(stream, &graph), success);
  EXPECT_EQ(read(to, 3), (std::vector<double>{0, 0, 0}));
  CudaGraphExec executable = nullptr;
  EXPECT_EQ(cuda->cuGraphInstantiateWithFlags(&executable, graph, 0), success);
  EXPECT_EQ(cuda->cuGraphDestroy(graph), success);
  EXPECT_EQ(cuda->cuGraphDestroy(graph), invalid_value);
  for (int time = 0; time < 3; ++time)
    EXPECT_EQ(cuda->cuGraphLaunch(executable, stream), success);
  EXPECT_EQ(read(to, 3), (std::vector<double>{2.5, 3.5, 4.5}));
  EXPECT_EQ(cuda->cuMemFree_v2(from), success);
  memory = {to};
  EXPECT_EQ(cuda->cuGraphLaunch(executable, stream), illegal_address);
  EXPECT_EQ(cuda->cuGraphExecDestroy(executable), success);
  EXPECT_EQ(cuda->cuGraphLaunch(executable, stream), invalid_handle);
}

TEST_F(StandIn, WaitingSpoilsACapture) {
  const CudaAddress to = allocate(8);
  CudaGraph graph = nullptr;
  EXPECT_EQ(cuda->cuStreamEndCapture(stream, &graph), invalid_value);
  EXPECT_EQ(cuda->cuStreamBeginCapture_v2(stream, CudaCapture::relaxed), success);
  EXPECT_EQ(cuda->cuStreamSynchronize(stream), capture_unsupported);
  EXPECT_EQ(cuda->cuMemsetD8Async(to, 0, 8, stream), capture_invalidated);
  EXPECT_EQ(cuda->cuStreamEndCapture(stream, &graph), capture_invalidated);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(cuda->cuMemsetD8Async(to, 0, 8, stream), success);
  EXPECT_EQ(read(to, 1).front(), 0);
}

TEST_F(StandIn, CompilesWhatItKnows) {
  EXPECT_THROW(compile_cuda_text("extern \"C\" __global__ void f() { asm(\"nanosleep.u32 %0;\" : "
                                 "\"=r\"(x) : \"r\"(y)); }"),
               Error);
  EXPECT_THROW(compile_cuda_text(text, "sm_10"), Error);
  try {
    compile_cuda_text("extern \"C\" __global__ void f() { wrong(); }");
    FAIL();
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("'wrong' was not declared"), std::string::npos)
        << error.what();
  }
}

const ProgramSource program = {.name = "test", .text = text, .kernels = {"add", "half_waits"}};

std::vector<double> plus_one(Device &device, const Program &built, double value) {
  const Buffer from = device.allocate(8, "from"), to = device.allocate(8, "to");
  device.write(from, &value, 8, 0);
  device.launch(built, "add", {.groups = 1, .group_size = 32}, {from, to, std::int64_t{1}, 1.0});
  device.read(to, &value, 8, 0);
  return {value};
}

TEST(CudaBackEnd, SeveralDevicesAndThreadsTakeTurns) {
  const std::vector<std::unique_ptr<Device>> devices = [] {
    std::vector<std::unique_ptr<Device>> both;
    both.push_back(open_device("cuda:0"));
    both.push_back(open_device("cuda:1"));
    return both;
  }();
  std::vector<Program> programs;
  for (const auto &device : devices)
    programs.push_back(device->build(program));
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(plus_one(*devices[i % 2], programs[i % 2], i).front(), i + 1);
  // Each call of a thread that has no context yet.
  std::thread([&] { EXPECT_EQ(plus_one(*devices[1], programs[1], 5).front(), 6); }).join();
  const Buffer to = devices[0]->allocate(8, "to");
  std::thread([&] {
    devices[0]->launch(programs[0], "half_waits", {.groups = 1, .group_size = 1}, {to});
    devices[0]->finish();
  }).join();
}

// A program may go while its kernel is under way, and memory when a buffer goes.
TEST(CudaBackEnd, WhatIsUnderWayIsWaitedFor) {
  const std::unique_ptr<Device> device = open_device("cuda");
  Program built = device->build(program);
  {
    const Buffer to = device->allocate(8, "to");
    device->launch(built, "half_waits", {.groups = 1, .group_size = 1}, {to});
  }
  built.reset();
}

// The recording keeps what its kernels need.
TEST(CudaBackEnd, WorkIsRecordedAndReplayed) {
  const std::unique_ptr<Device> device = open_device("cuda:0");
  const Buffer sum = device->allocate(8, "sum");
  Recording recording;
  {
    const Program built = device->build(program);
    const Buffer one = device->allocate(8, "one");
    const double value = 1;
    device->write(one, &value, 8, 0);
    ASSERT_TRUE(device->records());
    recording = device->record([&] {
      EXPECT_FALSE(device->records());
      device->launch(built, "add", {.groups = 1, .group_size = 32},
                     {one, sum, std::int64_t{1}, 2.5});
      device->copy(sum, one, 8, 0, 0);
    });
    ASSERT_NE(recording, nullptr);
  }
  const Buffer other = device->allocate(8, "in place of what was let go");
  device->fill_zero(other, 8, 0);
  for (int time = 0; time < 3; ++time)
    device->replay(recording);
  double value = 0;
  device->read(sum, &value, 8, 0);
  EXPECT_EQ(value, 8.5);
  recording.reset();
}

TEST(CudaBackEnd, WorkThatWaitsOrFailsIsNotRecorded) {
  const std::unique_ptr<Device> device = open_device("cuda:0");
  const Buffer buffer = device->allocate(8, "a number");
  double value = 1;
  device->write(buffer, &value, 8, 0);
  EXPECT_EQ(device->record([&] {
    device->fill_zero(buffer, 8, 0);
    device->read(buffer, &value, 8, 0);
  }),
            nullptr);
  EXPECT_THROW(
      device->record([&] { device->build({.name = "wrong", .text = "void", .kernels = {}}); }),
      Error);
  // Memory that is given back to the driver is waited for.
  EXPECT_EQ(device->record([&] {
    device->allocate(std::size_t{1} << 30, "more than is kept");
    device->fill_zero(buffer, 8, 0);
  }),
            nullptr);
  ASSERT_TRUE(device->records());
  device->read(buffer, &value, 8, 0);
  EXPECT_EQ(value, 1);
}

TEST(CudaBackEnd, AFailureOfAKernelIsToldAndEndsNothingElse) {
  const std::unique_ptr<Device> device = open_device("cuda:0");
  const Program built = device->build(program);
  const Buffer to = device->allocate(std::size_t{1} << 30, "to"); // more than is kept
  device->launch(built, "half_waits", {.groups = 1, .group_size = 4}, {to});
  try {
    device->finish();
    FAIL() << "no failure";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("CUDA_ERROR_LAUNCH_FAILED"), std::string::npos)
        << error.what();
  }
}

TEST(CudaBackEnd, DevicesAreListedAndFoundByName) {
  std::vector<std::string> selectors;
  for (const DeviceInfo &info : list_devices())
    selectors.push_back(info.selector);
  EXPECT_NE(std::find(selectors.begin(), selectors.end(), "cuda:0"), selectors.end());
  EXPECT_NE(std::find(selectors.begin(), selectors.end(), "cuda:1"), selectors.end());
  EXPECT_EQ(open_device("for a GPU")->info().selector, "cuda:0");
  try {
    open_device("cuda:7");
    FAIL() << "no failure";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("cuda:1 (stand-in for a GPU)"), std::string::npos)
        << error.what();
  }
}

} // namespace
} // namespace weft
