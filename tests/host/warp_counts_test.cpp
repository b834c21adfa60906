// What warps of a GPU would do in every kind of kernel, beside what they may: sectors that they
// move for a byte that the launch needs, steps in which threads wait for others, conflicts of
// banks. Caches are left out, so that what threads of different warps read again counts each time.
// A kernel that becomes worse fails; one that becomes better lowers its row.
#include <gtest/gtest.h>

#include "device/host/host_device.h"
#include "op/weak_form/form_operator.h"
#include "support/dg_case.h"
#include "support/matrix_case.h"
#include "support/warp_counted.h"

namespace weft {
namespace {

const char *const tetrahedra =
    "[mesh]\nbox = { cells = [6, 6, 6], cell = \"tetrahedron\", distort = 0.2 }\n";

class WarpsOfResiduals : public WarpCounted {
protected:
  void expect_of(const std::string &form, Strategy strategy,
                 const std::map<std::string, Bounds> &bounds) {
    SCOPED_TRACE(to_string(strategy));
    const DiscreteProblem p(tetrahedra + form);
    const auto device = open_host_device({.warps = true, .gpu = true});
    OperatorSettings settings;
    settings.strategy = strategy;
    FormOperator op(*device, p.d, settings);
    Vector u = make_vector(*device, op.size(), op.precision(), "u");
    Vector y = make_vector(*device, op.size(), op.precision(), "y");
    set_vector(*device, u, wavy(op.size(), 0.3));
    expect(bounds, *device, [&] { op.residual(u, y); });
  }
};

TEST_F(WarpsOfResiduals, OfPoissonsEquation) {
  const std::string form = "[fields]\nu = { element = \"P1\" }\n[weak_form]\n"
                           "cells.all = \"inner(grad(u), grad(test(u))) - test(u)\"\n";
  expect_of(form, Strategy::transposed,
            {{"residual", {12.52, 1, 37.1, 0}}, {"assemble_gather", {5.58, 1, 83.7, 0}}});
  expect_of(form, Strategy::cell,
            {{"residual", {12.52, 4, 2.4, 0}}, {"assemble_gather", {5.58, 1, 83.7, 0}}});
  expect_of(form, Strategy::block,
            {{"residual", {3.41, 1.99, 9.0, 120.6}}, {"assemble_gather", {2.32, 1.12, 44.1, 0}}});
}

TEST_F(WarpsOfResiduals, OfElasticity) {
  const std::string form =
      "[fields]\nu = { element = \"P1\", shape = \"vector\" }\n[weak_form]\ncells.all = "
      "\"inner(sym(grad(u)), sym(grad(test(u)))) + div(u)*div(test(u))\"\n";
  expect_of(form, Strategy::transposed,
            {{"residual", {21.5, 1, 36.8, 0}}, {"assemble_gather", {6.92, 3, 84.1, 0}}});
  expect_of(form, Strategy::cell,
            {{"residual", {14.68, 4, 2.4, 0}}, {"assemble_gather", {6.92, 3, 84.1, 0}}});
  expect_of(form, Strategy::block,
            {{"residual", {3.21, 3.45, 9.4, 128.7}}, {"assemble_gather", {3.86, 3.04, 45.7, 0}}});
}

class WarpsOfMatrices : public WarpCounted {};

TEST_F(WarpsOfMatrices, InEveryOrderOfLoops) {
  const DiscreteProblem p(std::string(tetrahedra) +
                          "[fields]\nu = { element = \"P1\" }\n[weak_form]\n"
                          "cells.all = \"(1+x)*inner(grad(u), grad(test(u))) - test(u)\"\n");
  for (const LoopOrder order : {LoopOrder::qss, LoopOrder::sqs, LoopOrder::ssq})
    for (const bool coalesced : {false, true}) {
      const auto device = open_host_device({.warps = true, .gpu = true});
      const FormIntegrals integrals(p.d);
      OperatorSettings settings;
      settings.strategy = Strategy::cell;
      MatrixVariant variant;
      variant.loop_order = order;
      variant.destination = MatrixDestination::interleaved;
      variant.coalesced_reading = coalesced;
      variant.group_size = 64;
      SCOPED_TRACE(to_string(order) + (coalesced ? ", coalesced" : ", plain"));
      ElementMatrices matrices(
          *device, integrals, with_choices(settings, integrals, device->info()), 0, variant, false);
      Vector u = make_vector(*device, p.d.num_owned, matrices.integral().precision, "u");
      set_vector(*device, u, wavy(p.d.num_owned, 0.3));
      const Bounds bounds = coalesced ? Bounds{9.57, 1, 2.4, 236.7} : Bounds{19.37, 1, 2.4, 0};
      expect({{"matrix", bounds}}, *device, [&] { matrices.compute(u, nullptr); });
    }
}

class WarpsOfLaws : public WarpCounted {
protected:
  void expect_of(const DgSettings &settings, const std::map<std::string, Bounds> &bounds) {
    const DiscreteProblem p(
        "physics = [\"euler\"]\n[mesh]\nbox = { cells = [12, 12], cell = \"triangle\", "
        "periodic = [\"x\", \"y\"] }\n[time]\nend = 1\ncfl = 0.5\n");
    const auto device = open_host_device({.warps = true, .gpu = true});
    LawRates op(*device, p.d, settings);
    expect(bounds, *device, [&] {
      run_dg_stage(*device, op, p.d,
                   {.keep = 0.5, .state = 1, .sum = 1, .uses_sum = true, .keeps_sum = true});
    });
  }
};

TEST_F(WarpsOfLaws, ThreadsThatAreCells) {
  DgSettings settings;
  settings.by_nodes = false;
  settings.fused = true;
  expect_of(settings, {{"dg_fused", {9.71, 4, 0.1, 0}}});
  settings.fused = false;
  expect_of(settings, {{"dg_differentiate", {4.25, 4, 0, 0}},
                       {"dg_flux", {8.81, 4, 0.4, 0}},
                       {"dg_lift", {4.08, 4, 0, 0}},
                       {"dg_update", {4, 4, 0, 0}}});
}

TEST_F(WarpsOfLaws, ThreadsThatAreNodes) {
  expect_of({}, {{"dg_fused", {5.08, 1.26, 2.7, 4.1}}}); // what GPUs get
  DgSettings settings;
  settings.by_nodes = true;
  settings.node_group = DgNodeGroup{2, 1, 1, false};
  expect_of(settings, {{"dg_fused", {6.45, 1.2, 16.6, 0}}});
  settings.node_group = DgNodeGroup{1, 2, 2, true};
  expect_of(settings, {{"dg_fused", {6.91, 1.2, 9.3, 0}}});
}

} // namespace
} // namespace weft
