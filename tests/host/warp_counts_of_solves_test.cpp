// As warp_counts_test, of what solvers and finite volumes launch.
#include <gtest/gtest.h>

#include "op/assembly/assembled_operator.h"
#include "solve/linear/linear.h"
#include "support/dg_case.h"
#include "support/fv_diffusion_case.h"
#include "support/matrix_case.h"
#include "support/warp_counted.h"

namespace weft {
namespace {

class WarpsOfSolvers : public WarpCounted {
protected:
  static inline const char *const symmetric =
      "[mesh]\nbox = { cells = [9, 9, 8], cell = \"tetrahedron\", distort = 0.2 }\n"
      "[fields]\nu = { element = \"P1\" }\n[weak_form]\n"
      "cells.all = \"(1 + x)*inner(grad(u), grad(test(u))) - test(u)\"\n[dirichlet]\n"
      "x0 = { u = 0 }\n";

  void expect_of(const SolverSettings &settings, const std::map<std::string, Bounds> &bounds) {
    const DiscreteProblem p(symmetric);
    const auto device = open_host_device({.warps = true, .gpu = true});
    AssembledOperator op(*device, p.d, OperatorSettings{});
    Vector u = make_vector(*device, op.size(), op.precision(), "u");
    Vector b = make_vector(*device, op.size(), op.precision(), "b");
    Vector x = make_vector(*device, op.size(), op.precision(), "x");
    set_vector(*device, u, std::vector<double>(op.size(), 0.0));
    op.linearise(u);
    set_vector(*device, b, wavy(op.size(), 0.3));
    set_vector(*device, x, std::vector<double>(op.size(), 0.0));
    expect(bounds, *device, [&] { solve_linear(op, b, x, settings); });
  }
};

TEST_F(WarpsOfSolvers, WithMultigrid) {
  SolverSettings settings;
  settings.method = KrylovKind::cg;
  settings.preconditioner = PrecondKind::multigrid;
  settings.multigrid.coarsest_size = 60;
  settings.tolerance = 1e-2;
  expect_of(settings,
            {{"cg_alpha", {5.33, 4, 10.25, 0}},       {"cg_beta", {5, 4, 8.35, 0}},
             {"cg_direction", {1.02, 1, 3.3, 0}},     {"cg_flexible_dots", {1, 4, 3.9, 0}},
             {"cg_residual", {1.02, 1.01, 3.75, 0}},  {"dense_apply", {1.78, 1, 50.3, 0}},
             {"level_product", {3.25, 1, 2.1, 73.4}}, {"level_round", {3.32, 1.21, 3, 0}},
             {"level_scaling", {1, 1, 8.7, 0}},       {"level_smooth_first", {1, 1, 5.9, 0}},
             {"matrix_diagonal", {3, 1, 1.1, 0}},     {"scaled_enter", {1.02, 1, 3.2, 0}},
             {"scaled_factor", {8, 4, 5.6, 0}}, // of one number each
             {"scaled_largest", {1, 4, 4.5, 0}},      {"scaled_leave", {1.02, 1, 3.2, 0}},
             {"spmv_sell", {2.53, 2.16, 0.4, 0}},     {"transfer_apply", {3.29, 1, 1.2, 83.3}},
             {"transfer_round", {4.48, 1, 1.7, 0}},   {"vector_combine", {1, 1, 3.4, 0}},
             {"vector_dots", {1.17, 4, 3.9, 0}}});
}

TEST_F(WarpsOfSolvers, WithoutSymmetry) {
  SolverSettings settings;
  settings.tolerance = 0.5;
  settings.method = KrylovKind::bicgstab;
  expect_of(settings, {{"bicgstab_alpha", {5.33, 4, 8.8, 0}},
                       {"bicgstab_beta", {4.5, 4, 9.1, 0}},
                       {"bicgstab_direction", {1.03, 1, 3.1, 0}},
                       {"bicgstab_omega", {4.8, 4, 8.2, 0}},
                       {"bicgstab_step", {1.01, 1, 3.6, 0}},
                       {"matrix_diagonal", {3, 1, 1.1, 0}},
                       {"spmv_sell", {2.53, 2.16, 0.4, 0}},
                       {"vector_combine", {1, 1, 3.4, 0}},
                       {"vector_dots", {1.04, 4, 3.9, 0}},
                       {"vector_invert", {1, 1, 3.3, 0}},
                       {"vector_scale", {1, 1, 3.4, 0}}});
  settings.method = KrylovKind::gmres;
  expect_of(settings, {{"gmres_dots", {1, 4, 3.4, 0}},
                       {"gmres_norm", {4, 4, 8, 0}},
                       {"gmres_normalise", {1.03, 1, 2.7, 0}},
                       {"gmres_project", {5.18, 4, 8.2, 0}},
                       {"gmres_subtract", {1.11, 1, 3.5, 0}},
                       {"matrix_diagonal", {3, 1, 1.1, 0}},
                       {"spmv_sell", {2.53, 2.16, 0.4, 0}},
                       {"vector_combine", {1, 1, 3.4, 0}},
                       {"vector_dots", {2, 4, 3.9, 0}},
                       {"vector_invert", {1, 1, 3.3, 0}},
                       {"vector_scale", {1, 1, 3.4, 0}}});
}

class WarpsOfFiniteVolumes : public WarpCounted {};

// Langguth, Wu, Chai, Cai 2013: the product of a matrix in ELLPACK.
TEST_F(WarpsOfFiniteVolumes, OfDiffusion) {
  const Mesh mesh = fv_box("tetrahedron", 3, {9, 9, 9}, 0.2);
  const EllpackMatrix matrix = fv_of_mesh(mesh).matrix;
  for (const FvForm form : {FvForm::plain, FvForm::staged}) {
    SCOPED_TRACE(to_string(form));
    const auto device = open_host_device({.warps = true, .gpu = true});
    FvDiffusion op(*device, matrix, {.form = form});
    Vector x = make_vector(*device, op.num_columns(), Precision::f64, "x");
    Vector y = make_vector(*device, op.num_rows(), Precision::f64, "y");
    set_vector(*device, x, wavy(op.num_columns(), 0.3));
    expect({{"fv_diffusion",
             form == FvForm::staged ? Bounds{1.11, 1, 0.9, 107.9} : Bounds{2.14, 1, 0.7, 0}}},
           *device, [&] { op.apply(x, y); });
  }
}

TEST_F(WarpsOfFiniteVolumes, OfALaw) {
  const DiscreteProblem p(
      "physics = [\"euler\"]\n[mesh]\nbox = { cells = [24, 24], cell = \"triangle\", "
      "periodic = [\"x\", \"y\"] }\n[fields]\nrho = { element = \"FV\" }\nm = { element = "
      "\"FV\", shape = \"vector\" }\nE = { element = \"FV\" }\n[time]\nend = 1\ncfl = 0.5\n");
  const auto device = open_host_device({.warps = true, .gpu = true});
  LawRates op(*device, p.d, {});
  expect({{"fv_fused", {11.58, 4, 0.2, 0}}, {"fv_gradient", {7.67, 4, 0.4, 0}}}, *device, [&] {
    run_dg_stage(*device, op, p.d,
                 {.keep = 0.5, .state = 1, .sum = 1, .uses_sum = true, .keeps_sum = true});
  });
}

} // namespace
} // namespace weft
