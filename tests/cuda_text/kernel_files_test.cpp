// Every file of kernels/ is part of a text that compiles as CUDA: no GPU is needed for that.
#include <algorithm>
#include <gtest/gtest.h>
#include <mutex>
#include <set>

#include "base/embedded.h"
#include "base/error.h"
#include "device/cuda/nvrtc.h"
#include "linalg/band_matrix.h"
#include "linalg/halo/halo.h"
#include "linalg/levels/level_matrix.h"
#include "linalg/levels/matrix_transfer.h"
#include "linalg/vector_conversion.h"
#include "linalg/vector_kernels.h"
#include "op/assembly/assembled_operator.h"
#include "op/law/arrival_times.h"
#include "op/law/law_rate_matrix.h"
#include "op/law/law_residual.h"
#include "op/levels/line_transfer.h"
#include "op/levels/nested_space.h"
#include "op/set_up/difference_jacobian.h"
#include "ranks/thread_ranks.h"
#include "solve/approximate/alternating_directions.h"
#include "solve/approximate/incomplete_lu.h"
#include "solve/multigrid/multigrid_cycles.h"
#include "support/cuda_compiler.h"
#include "support/fv_case.h"
#include "support/fv_diffusion_case.h"
#include "support/level_cases.h"
#include "support/matrix_case.h"
#include "support/reaction_case.h"
#include "tune/measure/micro_benchmark.h"

namespace weft {
namespace {

// What CPUs alone are given: sums into a block's copy, states of several lanes, and what machines
// with caches like theirs are measured with.
const std::set<std::string> for_cpus_alone = {
    "kernels/dg/state_by_cell.kernel",        "kernels/fem/fem_matrix_to_block.kernel",
    "kernels/fem/matrix_target_block.kernel", "kernels/machine/copy_indexed.kernel",
    "kernels/machine/mixed.kernel",           "kernels/machine/mixed_points.kernel",
    "kernels/machine/scatter.kernel"};

// All others but what other back ends have in place of CUDA's dialect.
std::vector<std::string> files_for_cuda() {
  std::vector<std::string> files = embedded_names("kernels/");
  std::erase_if(files, [](const std::string &file) {
    return file.starts_with("kernels/dialect/host") || file.starts_with("kernels/dialect/opencl") ||
           for_cpus_alone.contains(file);
  });
  return files;
}

// Compiles a text only where it holds a file that none before it held. No kernel spills registers.
class NewFilesCompiler : public CudaCompiler {
public:
  Program build(const ProgramSource &source) override {
    const std::size_t found = std::erase_if(missing_, [&](const std::string &file) {
      return source.text.find(embedded_text(file)) != std::string::npos;
    });
    if (found == 0)
      return {};
    for (const CudaKernelUse &use : cuda_kernel_use(source, "sm_90"))
      EXPECT_EQ(use.spilled_bytes, 0) << use.kernel;
    return {};
  }
  const std::vector<std::string> &missing() const { return missing_; }
  bool misses(const std::string &folder) const {
    return std::any_of(missing_.begin(), missing_.end(),
                       [&](const std::string &file) { return file.starts_with(folder); });
  }

private:
  std::vector<std::string> missing_ = files_for_cuda();
};

void compile_forms(Device &device) {
  const DiscreteProblem p(box_text("triangle") + form_text("nonlinear", "P1", true), {}, 2);
  using Choice = std::pair<Strategy, bool>; // with blocks by work-groups
  for (const auto &[strategy, block_groups] :
       {Choice{Strategy::transposed, false}, Choice{Strategy::cell, false},
        Choice{Strategy::block, false}, Choice{Strategy::block, true}}) {
    OperatorSettings settings{.strategy = strategy};
    if (strategy == Strategy::block)
      settings.block_groups = block_groups;
    FormOperator(device, p.d, settings).launches(IntegralKind::residual);
  }
  for (const Ablation ablation :
       {Ablation::memory, Ablation::gather, Ablation::scatter, Ablation::arithmetic})
    FormOperator(device, p.d, {.strategy = Strategy::cell, .ablation = ablation})
        .launches(IntegralKind::residual);
  const DiscreteProblem lines(box_text("quadrilateral") + form_text("nonlinear", "P2", true));
  for (const Summation sums : {Summation::lines, Summation::planes})
    FormOperator(device, lines.d,
                 {.strategy = Strategy::cell, .sums = sums, .ablation = Ablation::arithmetic})
        .launches(IntegralKind::residual);
  const DiscreteProblem two_sided(
      box_text("triangle") + "[fields]\nu = { element = \"DG1\" }\n[weak_form]\ninterior.all = "
                             "\"jump(u)*jump(test(u)) - dot(avg(grad(u)), n)*jump(test(u))\"\n");
  FormOperator between(device, two_sided.d, {});
  for (const IntegralKind kind : {IntegralKind::residual, IntegralKind::diagonal})
    between.launches(kind);
  const DiscreteProblem tied(box_text("triangle") + "[fields]\nu = {}\n[weak_form]\ncells.all = "
                                                    "\"u*test(u)\"\n[[tied]]\ngroups = [\"x0\", "
                                                    "\"x1\"]\n");
  FormOperator(device, tied.d, {}); // with the kernels of what follows
  DifferenceJacobian(device, p.d, p.d.num_owned, Precision::f64, {});
}

void compile_matrices(NewFilesCompiler &device) {
  for (const MatrixCase &c : tested_matrix_cases()) {
    const DiscreteProblem p(c.problem_text("[1, 1, 1]"), c.deformation(), c.quadrature_degree());
    const FormIntegrals integrals(p.d);
    try {
      ElementMatrices(device, integrals, with_choices(c.settings(false), integrals, device.info()),
                      0, c.variant(false), c.with_vector());
    } catch (const Error &error) { // for want of local memory
      EXPECT_EQ(error.kind(), ErrorKind::unsupported) << error.what();
    }
  }
  const DiscreteProblem p(box_text("triangle") + form_text("nonlinear", "P1", true), {}, 2);
  for (const MatrixFormat format : {MatrixFormat::csr, MatrixFormat::sell}) {
    AssembledOperator op(device, p.d, {}, {.format = format});
    std::int32_t held = 0; // not prescribed
    while (std::binary_search(p.d.constraints.dofs.begin(), p.d.constraints.dofs.end(), held))
      ++held;
    op.hold({&held, 1});
    op.linearise(make_vector(device, op.size(), op.precision(), "state"));
  }
  HostBands bands{.width = 3, .height = 4};
  for (std::vector<double> &band : bands.bands)
    band.assign(bands.size(), 1);
  BandMatrix(device, bands, {});
  const HostMatrix matrix = jumping_matrix(20);
  TriangularFactors(device, incomplete_lu(matrix, {}).factors, {}, Precision::f64);
  const HostMatrix line{{0, 2, 4}, {0, 1, 0, 1}, {2, -1, -1, 2}};
  AlternatingDirections(device, line, {.size = {2, 1, 1}, .unknowns = {0, 1}}, Precision::f64);
}

void compile_vectors(Device &device) {
  const VectorKernels kernels(device, Precision::f64, 1000, 52,
                              {"bicgstab", "block", "bounds", "cg", "chebyshev", "defect", "gmres",
                               "jacobi", "matrix_free_level"});
  kernels.mixed_program("scaled", "#define WEFT_LOW f32\n#define WEFT_SCALE f64\n");
  VectorConversion(device, Precision::f64, Precision::f16);
}

void compile_transfers(Device &device) {
  const DiscreteProblem p(box_text("hexahedron") + form_text("nonlinear", "P8", true));
  const NestedSpace space = make_lower_order_space(p.c, p.d, 4);
  LineTransfer(device, p.d, space.d, {p.d.num_owned, Precision::f32, nullptr},
               {space.d.num_owned, Precision::f32, nullptr});
}

// Three levels, so that a K cycle goes into the middle one twice.
void compile_multigrid(Device &device) {
  std::vector<MultigridLevel> levels(3);
  for (std::size_t i = 0; i < levels.size(); ++i)
    levels[i] = {.op = std::make_unique<LevelMatrix>(device, jumping_matrix(100 >> i),
                                                     Precision::f16, LevelMatrix::Constants{}),
                 .largest_eigenvalue = 2};
  for (std::size_t i = 0; i + 1 < levels.size(); ++i)
    levels[i].transfer = std::make_unique<MatrixTransfer>(
        device, pairs_prolongation(100 >> i), HostMatrix{}, MatrixTransfer::side_of(*levels[i].op),
        MatrixTransfer::side_of(*levels[i + 1].op), Precision::f16);
  auto coarsest =
      std::make_unique<DenseInverse>(device, jumping_matrix(25), nullptr, Precision::f32);
  MultigridCycles(device, std::move(levels), std::move(coarsest), {.cycle = MultigridCycle::k},
                  true)
      .cycle(make_vector(device, 100, Precision::f32, "b"));
}

void compile_law(Device &device, const Discretisation &d, const DgSettings &settings,
                 const StageUpdate &update) {
  LawRates op(device, d, settings);
  Vector q = make_vector(device, op.size(), op.precision(), "state");
  Vector start = q, sum = q, out = q;
  op.stage(dg_time, dg_step, update, q, &start, &sum, out);
  op.needed_operations(DgStage::step, {});
  if (d.law->limiter == "shock")
    op.limit(dg_time, q);
}

// The tested ones, and straight triangles with products by symmetry, fused and in parts.
std::vector<DgCase> cases_of_laws() {
  std::vector<DgCase> cases = tested_dg_cases();
  DgCase straight = cases.front();
  straight.value[DgCase::cell] = straight.value[DgCase::shape] = 0;
  straight.value[DgCase::products] = 0;
  straight.value[DgCase::order] = 2;
  for (straight.value[DgCase::way] = 0; straight.value[DgCase::way] < 2;
       ++straight.value[DgCase::way])
    cases.push_back(straight);
  return cases;
}

void compile_laws(NewFilesCompiler &device) {
  for (const DgCase &c : cases_of_laws()) {
    if (!device.misses("kernels/dg/"))
      break;
    const bool limited = c.law_name() == "euler" && c.value[DgCase::order] > 0;
    const DgProblem p(c, {}, 2, limited ? "[conservation_law]\nlimiter = \"shock\"\n" : "");
    DgSettings settings = c.settings(false);
    if (!settings.by_nodes)
      settings.by_nodes = false;
    try {
      compile_law(device, p.problem.d, settings, c.stage_update());
    } catch (const Error &error) { // nodes that fill more than a work-group
      EXPECT_EQ(error.kind(), ErrorKind::unsupported) << error.what();
    }
  }
}

void compile_finite_volumes(NewFilesCompiler &device) {
  for (const FvCase &c : fv_cases()) {
    if (!device.misses("kernels/fv/"))
      break;
    const FvProblem p(c);
    compile_law(device, p.problem.d, c.settings(false), c.of.stage_update());
  }
  for (const FvDiffusionSettings &settings : fv_variants(false))
    FvDiffusion(device, fv_matrix(597, 4), settings);
  const DiscreteProblem p(
      "[mesh]\nbox = { cells = [2, 2], cell = \"triangle\" }\n[fields]\nu = { element = \"FV\" "
      "}\n[conservation_law]\nflux.u = \"-grad(u)\"\n[boundary.all]\nflux = { u = 0 }\n"
      "[time]\nend = 1\ncfl = 0.5\n");
  LawRates op(device, p.d, {.lanes = 1});
  LawRateMatrix rates(op, p.d);
  Vector q = make_vector(device, op.size(), op.precision(), "state"), out = q;
  rates.stage(0, 0.01, {.state = 1, .rate = 1}, q, nullptr, nullptr, out);
  const LawResidual implicit(op, p.d);
}

void compile_reactions(Device &device) {
  const ReactionCase c = reaction_cases().at(2);
  const ReactionProblem p(c);
  LawRates op(device, p.problem.d, {.precision = c.precision, .lanes = 1});
  const ArrivalTimes first(p.problem.c, p.problem.d, op);
}

// Where the host does not see the device's memory kernels pack: they are made for the first
// message.
void compile_halo(Device &device) {
  std::mutex one_at_a_time;
  run_thread_ranks(2, [&](Communicator &ranks) {
    const HaloPlaces places{{{.rank = 1 - ranks.rank(), .send = {0}, .receive = {1}}}};
    Halo halo(device, ranks, places, Precision::f64);
    const Buffer array = [&] {
      const std::lock_guard lock(one_at_a_time);
      Buffer made = device.allocate(2 * sizeof(double), "array");
      halo.begin(made);
      return made;
    }();
    halo.end(array);
  });
}

TEST(CudaKernelFiles, AreAllCompiled) {
  NewFilesCompiler device;
  compile_forms(device);
  compile_matrices(device);
  compile_vectors(device);
  compile_multigrid(device);
  compile_transfers(device);
  compile_laws(device);
  compile_finite_volumes(device);
  compile_reactions(device);
  compile_halo(device);
  machine_benchmarks(device, micro_sizes(device.info(), true));
  EXPECT_EQ(device.missing(), std::vector<std::string>{});
}

} // namespace
} // namespace weft
