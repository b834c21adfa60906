// Generated texts compared with the files beside this one, without the dialect. When they change on
// purpose: WEFT_WRITE_GOLDEN=1 ctest --test-dir build -R golden, then look at the difference.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/embedded.h"
#include "device/host_device.h"
#include "device/kernel_case.h"

namespace weft {
namespace {

// A device whose programs are only kept as texts.
class TextDevice : public Device {
public:
  TextDevice() : info_(host_->info()) { info_.backend = "opencl"; }
  const DeviceInfo &info() const override { return info_; }
  Buffer allocate(std::uint64_t bytes, const char *purpose) override {
    return host_->allocate(bytes, purpose);
  }
  std::uint64_t allocated_bytes() const override { return host_->allocated_bytes(); }
  std::uint64_t peak_allocated_bytes() const override { return host_->peak_allocated_bytes(); }
  void write(const Buffer &to, const void *from, std::uint64_t bytes,
             std::uint64_t offset) override {
    host_->write(to, from, bytes, offset);
  }
  void read(const Buffer &from, void *to, std::uint64_t bytes, std::uint64_t offset) override {
    host_->read(from, to, bytes, offset);
  }
  void copy(const Buffer &from, const Buffer &to, std::uint64_t bytes, std::uint64_t from_offset,
            std::uint64_t to_offset) override {
    host_->copy(from, to, bytes, from_offset, to_offset);
  }
  void fill_zero(const Buffer &buffer, std::uint64_t bytes, std::uint64_t offset) override {
    host_->fill_zero(buffer, bytes, offset);
  }
  Program build(const ProgramSource &) override { return {}; }
  void launch(const Program &, const std::string &, Launch,
              const std::vector<KernelArgument> &) override {}
  void finish() override {}

private:
  std::unique_ptr<Device> host_ = open_host_device();
  DeviceInfo info_;
};

void expect_golden(const std::string &file, const std::string &problem_text,
                   const OperatorSettings &settings) {
  const Problem problem(problem_text);
  TextDevice device;
  FormOperator op(device, problem.d, settings);
  std::string text = op.launches(IntegralKind::residual).front().source.text;
  const std::string dialect = embedded_text("kernels/dialect/opencl.h");
  const std::size_t place = text.find(dialect);
  ASSERT_NE(place, std::string::npos);
  text.erase(place, dialect.size());

  const std::string path = std::string(WEFT_SOURCE_DIR) + "/tests/golden/" + file;
  if (std::getenv("WEFT_WRITE_GOLDEN"))
    std::ofstream(path) << text;
  std::ifstream in(path);
  std::ostringstream golden;
  golden << in.rdbuf();
  EXPECT_EQ(text, golden.str()) << "If the change is meant: WEFT_WRITE_GOLDEN=1";
}

TEST(KernelTexts, PoissonTetrahedronBlock) {
  OperatorSettings settings;
  settings.strategy = Strategy::block;
  settings.lanes = 8;
  settings.leaves_per_block = 1;
  settings.form_name = "poisson";
  expect_golden("poisson_tetrahedron_p1_block_f64.cl",
                box_text("tetrahedron") + "[fields]\nu = { element = \"P1\" }\n[weak_form]\n"
                                          "cells.all = \"inner(grad(u), grad(test(u)))\"\n",
                settings);
}

TEST(KernelTexts, ElasticityTriangleTransposed) {
  OperatorSettings settings;
  settings.strategy = Strategy::transposed;
  settings.precision = Precision::f32;
  settings.lanes = 4;
  settings.num_blocks = 4;
  settings.num_batches = 4;
  settings.form_name = "elasticity";
  expect_golden("elasticity_triangle_p1_transposed_f32.cl",
                box_text("triangle") + form_text("elasticity", "P1", true), settings);
}

} // namespace
} // namespace weft
