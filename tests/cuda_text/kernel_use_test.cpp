// Registers, spilled values and occupancy of the kernels that GPUs take by default, from NVRTC's
// assembler: no GPU is needed for that. docs/performance/gpu_kernels.md has the figures.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "device/cuda/occupancy.h"
#include "op/assembly/assembled_operator.h"
#include "op/law/law_rates.h"
#include "support/cuda_compiler.h"
#include "support/dg_case.h"

namespace weft {
namespace {

struct Use {
  CudaKernelUse of;
  int group_size = 0; // of the launch; 0: none was seen
};

// Keeps what each kernel takes, and of how many threads its blocks are.
class UseRecorder : public CudaCompiler {
public:
  explicit UseRecorder(std::string architecture) : architecture_(std::move(architecture)) {}
  Program build(const ProgramSource &source) override {
    for (const CudaKernelUse &use : cuda_kernel_use(source, architecture_))
      uses[use.kernel].of = use;
    return {};
  }
  void launch(const Program &, const std::string &kernel, Launch size,
              const std::vector<KernelArgument> &) override {
    uses.at(kernel).group_size = static_cast<int>(size.group_size);
  }
  std::map<std::string, Use> uses; // by kernel

private:
  std::string architecture_;
};

// Every architecture of a table's columns.
const char *const architectures[] = {"sm_80", "sm_90"};

// Appends rows to the table of WEFT_WRITE_KERNEL_USE, a file: kernel, then for each architecture
// registers, spilled bytes, stack, occupancy.
void write_rows(const std::string &of,
                const std::map<std::string, std::map<std::string, Use>> &uses) {
  const char *file = std::getenv("WEFT_WRITE_KERNEL_USE");
  if (!file)
    return;
  std::ofstream out(file, std::ios::app);
  for (const auto &[kernel, by_architecture] : uses) {
    out << "| " << of << " | `" << kernel << "` |";
    for (const auto &[architecture, use] : by_architecture) {
      const int capability = std::stoi(architecture.substr(3));
      out << " " << use.of.registers << " | " << use.of.spilled_bytes << " | " << use.of.stack_bytes
          << " | ";
      if (use.group_size > 0)
        out << static_cast<int>(
                   100 * occupancy(use.of, use.group_size, multiprocessor_limits(capability)))
            << " % of " << use.group_size;
      out << " |";
    }
    out << "\n";
  }
}

// `build` makes the kernels' operators on the device and calls them.
template <typename Build> void expect_no_spills(const std::string &of, const Build &build) {
  SCOPED_TRACE(of);
  std::map<std::string, std::map<std::string, Use>> uses;
  for (const std::string architecture : architectures) {
    UseRecorder device(architecture);
    build(device);
    EXPECT_FALSE(device.uses.empty());
    for (const auto &[kernel, use] : device.uses) {
      uses[kernel][architecture] = use;
      EXPECT_GT(use.of.registers, 0) << kernel;
      EXPECT_EQ(use.of.spilled_bytes, 0) << kernel << " " << architecture;
    }
  }
  write_rows(of, uses);
}

TEST(KernelUse, IsWhatTheAssemblerSays) {
  CudaCompiler needs_nvrtc;
  const std::vector<CudaKernelUse> uses = cuda_kernel_use({.name = "two", .text = R"CUDA(
extern "C" __global__ void shares(double *to) {
  __shared__ double part[128];
  part[threadIdx.x] = to[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = part[127 - threadIdx.x];
}
extern "C" __global__ __launch_bounds__(1024, 2) void spills(double *to) {
  double part[200];
  for (int i = 0; i < 200; ++i)
    part[i] = to[i * blockDim.x + threadIdx.x];
  for (int i = 0; i < 200; ++i)
    to[i * blockDim.x + threadIdx.x] = part[199 - i] * part[i];
}
)CUDA"},
                                                          "sm_90");
  ASSERT_EQ(uses.size(), 2);
  const bool first = uses[0].kernel == "shares";
  const CudaKernelUse &shares = uses[first ? 0 : 1], &spills = uses[first ? 1 : 0];
  EXPECT_EQ(shares.kernel, "shares");
  EXPECT_EQ(shares.shared_bytes, 1024);
  EXPECT_EQ(shares.spilled_bytes, 0);
  EXPECT_GT(shares.registers, 4);
  EXPECT_LT(shares.registers, 33);
  EXPECT_EQ(spills.kernel, "spills");
  EXPECT_EQ(spills.registers, 32); // 65536 of 2048 threads
  EXPECT_GT(spills.spilled_bytes, 0);
  EXPECT_GT(spills.stack_bytes, 0);
  EXPECT_EQ(spills.shared_bytes, 0);
}

struct WeakForm {
  const char *cell, *element, *form;
};

class WeakFormUse : public testing::TestWithParam<WeakForm> {};
TEST_P(WeakFormUse, OfWeakForms) {
  const auto [cell, element, form] = GetParam();
  const DiscreteProblem problem(box_text(cell) + form_text(form, element, is_flat(cell)));
  expect_no_spills(std::string(form) + " " + cell + " " + element, [&](Device &device) {
    AssembledOperator op(device, problem.d, {}, {});
    FormOperator vectors(device, problem.d, {});
    Vector u = make_vector(device, vectors.size(), vectors.precision(), "state"), y = u;
    op.linearise(u);
    op.apply(u, y);
    vectors.residual(u, y);
    vectors.linearise(u);
    vectors.apply(u, y);
    vectors.diagonal(y);
  });
}
std::vector<WeakForm> weak_forms() {
  std::vector<WeakForm> forms;
  for (const char *form : {"nonlinear", "elasticity", "two_fields"})
    for (const char *cell : all_cells)
      for (const char *element : {"P1", "P2"})
        if (form != std::string("two_fields") || element == std::string("P2"))
          forms.push_back({cell, element, form});
  return forms;
}
INSTANTIATE_TEST_SUITE_P(Cells, WeakFormUse, testing::ValuesIn(weak_forms()), [](const auto &info) {
  return std::string(info.param.form) + "_" + info.param.cell + "_" + info.param.element;
});

struct Law {
  int cell, order, law; // as DgCase numbers them
};

DgCase case_of(const Law &law) {
  return {{law.cell, 0, law.order, law.law}};
}

class LawUse : public testing::TestWithParam<Law> {};
TEST_P(LawUse, OfStages) {
  const DgCase c = case_of(GetParam());
  const DgProblem p(c, {}, 2);
  expect_no_spills(c.law_name() + " " + c.cell_name() + " DG" + std::to_string(GetParam().order),
                   [&](Device &device) {
                     LawRates op(device, p.problem.d, {});
                     Vector q = make_vector(device, op.size(), op.precision(), "state");
                     Vector start = q, sum = q, out = q;
                     DgCase keeping = c;
                     keeping.value[DgCase::update] = 2;
                     op.stage(dg_time, dg_step, keeping.stage_update(), q, &start, &sum, out);
                   });
}
std::vector<Law> laws() {
  std::vector<Law> all;
  for (int law = 1; law < 3; ++law) // acoustics, Euler
    for (int cell = 0; cell < 5; ++cell)
      for (const int order : {0, 1, 3})
        all.push_back({cell, order, law});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Cells, LawUse, testing::ValuesIn(laws()), [](const auto &info) {
  const DgCase c = case_of(info.param);
  return c.law_name() + "_" + c.cell_name() + "_DG" + std::to_string(info.param.order);
});

} // namespace
} // namespace weft
