// hypre alone, as its own users run it: conjugate gradients with one V-cycle of BoomerAMG on a
// system that `weft run --export-system PREFIX` wrote, with rows shared out among the processes of
// MPI.
//
//   mpirun -n 2 hypre_alone PREFIX [--tolerance 1e-8] [--strong-threshold 0.25] [--repeat 3]
//                           [--coarsening 10] [--interpolation 6] [--aggressive-levels 1]
//                           [--functions 1]
//
// --functions: components of a vector field, whose dofs follow one another at each node.
// Prints one line of JSON: seconds of set-up and solve (each the median of the repetitions, the
// slowest process counting), iterations, and |b - A x| / |b| computed at the end. Reading the files
// and handing them to hypre is not timed.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_mv.h>

#include "hypre/boomer_amg.h"
#include "output/tables/matrix_market.h"

namespace weft {

namespace {

struct Options {
  std::string prefix;
  double tolerance = 1e-8;
  int repeat = 3;
  int max_iterations = 1000;
  HypreOptions amg = {.strong_threshold = 0.25,
                      .coarsening = 10,
                      .interpolation = 6,
                      .aggressive_levels = 1,
                      .num_functions = 1};
};

struct Timing {
  double setup_s = 0, solve_s = 0;
  int iterations = 0;
  double residual = 0;
  HypreSetup setup;
};

// The rows of this process: contiguous, as many in each.
struct Part {
  std::int32_t first_row = 0, num_rows = 0;
};

Part part_of(int process, int num_processes, std::int32_t num_rows) {
  const auto begin = [&](int p) {
    return static_cast<std::int32_t>(std::int64_t{num_rows} * p / num_processes);
  };
  return {begin(process), begin(process + 1) - begin(process)};
}

double slowest(double seconds) {
  double most = 0;
  MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

// |b - A x| / |b|; b is overwritten.
double relative_residual(HYPRE_ParCSRMatrix a, HYPRE_ParVector b, HYPRE_ParVector x) {
  double before = 0, after = 0;
  HYPRE_ParVectorInnerProd(b, b, &before);
  HYPRE_ParCSRMatrixMatvec(-1, a, x, 1, b);
  HYPRE_ParVectorInnerProd(b, b, &after);
  return std::sqrt(after / before);
}

Timing solve_once(const HypreOwner<HYPRE_IJMatrix> &matrix, const std::vector<double> &rhs,
                  const Part &part, const Options &options) {
  const auto b = make_hypre_vector(MPI_COMM_WORLD, part.first_row, part.num_rows);
  const auto x = make_hypre_vector(MPI_COMM_WORLD, part.first_row, part.num_rows);
  std::copy_n(rhs.begin() + part.first_row, part.num_rows, entries(b));
  std::vector<std::int32_t> functions(part.num_rows);
  for (std::int32_t i = 0; i < part.num_rows; ++i)
    functions[i] = (part.first_row + i) % options.amg.num_functions;
  const auto amg = make_boomer_amg(options.amg, part.num_rows, functions.data());
  HYPRE_Solver cg = nullptr;
  HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &cg);
  HYPRE_PCGSetTol(cg, options.tolerance);
  HYPRE_PCGSetTwoNorm(cg, 1); // |r|, as Weft does
  HYPRE_PCGSetMaxIter(cg, options.max_iterations);
  HYPRE_PCGSetPrecond(cg, reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSolve),
                      reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSetup), amg.get());
  const auto a = reinterpret_cast<HYPRE_Matrix>(parallel_matrix(matrix));
  const auto right = reinterpret_cast<HYPRE_Vector>(parallel_vector(b));
  const auto left = reinterpret_cast<HYPRE_Vector>(parallel_vector(x));

  Timing timing;
  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  HYPRE_PCGSetup(cg, a, right, left); // sets the preconditioner up
  timing.setup_s = slowest(MPI_Wtime() - start);
  MPI_Barrier(MPI_COMM_WORLD);
  start = MPI_Wtime();
  HYPRE_PCGSolve(cg, a, right, left);
  timing.solve_s = slowest(MPI_Wtime() - start);
  HYPRE_PCGGetNumIterations(cg, &timing.iterations);
  timing.setup = hypre_setup(amg);
  HYPRE_ParCSRPCGDestroy(cg);
  check_hypre("conjugate gradients failed");
  timing.residual =
      relative_residual(parallel_matrix(matrix), parallel_vector(b), parallel_vector(x));
  return timing;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void run(const Options &options) {
  int process = 0, num_processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  MPI_Comm_size(MPI_COMM_WORLD, &num_processes);
  HypreOwner<HYPRE_IJMatrix> matrix;
  Part part;
  std::int32_t num_rows = 0;
  {
    HostMatrix whole = read_matrix_market(options.prefix + ".mtx");
    num_rows = whole.num_rows();
    part = part_of(process, num_processes, num_rows);
    matrix = make_hypre_matrix(MPI_COMM_WORLD, part.first_row,
                               {.num_rows = part.num_rows,
                                .row_start = whole.row_start.data() + part.first_row,
                                .columns = whole.columns.data(),
                                .values = whole.values.data(),
                                .functions = nullptr});
  }
  const std::vector<double> rhs = read_matrix_market_vector(options.prefix + "_rhs.mtx");
  std::vector<double> setups, solves;
  Timing timing;
  for (int i = 0; i < options.repeat; ++i) {
    timing = solve_once(matrix, rhs, part, options);
    setups.push_back(timing.setup_s);
    solves.push_back(timing.solve_s);
  }
  if (process == 0)
    fmt::print("{{\"processes\": {}, \"rows\": {}, \"setup_s\": {:.4g}, \"solve_s\": {:.4g}, "
               "\"iterations\": {}, \"residual\": {:.3e}, \"levels\": {}, "
               "\"operator_complexity\": {:.3f}}}\n",
               num_processes, num_rows, median(setups), median(solves), timing.iterations,
               timing.residual, timing.setup.levels, timing.setup.operator_complexity);
}

} // namespace

} // namespace weft

int main(int argc, char **argv) {
  weft::Options options;
  CLI::App app("BoomerAMG-CG on an exported system");
  app.add_option("PREFIX", options.prefix, "PREFIX.mtx and PREFIX_rhs.mtx")->required();
  app.add_option("--tolerance", options.tolerance, "of the residual, relative to |b|");
  app.add_option("--repeat", options.repeat, "times to set up and solve")
      ->check(CLI::PositiveNumber);
  app.add_option("--strong-threshold", options.amg.strong_threshold);
  app.add_option("--coarsening", options.amg.coarsening, "number of hypre's manual");
  app.add_option("--interpolation", options.amg.interpolation, "number of hypre's manual");
  app.add_option("--aggressive-levels", options.amg.aggressive_levels);
  app.add_option("--functions", options.amg.num_functions, "components of a vector field")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  MPI_Init(&argc, &argv);
  HYPRE_Init();
  try {
    weft::run(options);
  } catch (const std::exception &error) {
    fmt::print(stderr, "hypre_alone: {}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  HYPRE_Finalize();
  MPI_Finalize();
  return 0;
}
