// The one face of weak forms and laws: which of a system and rates each gives, and that its works
// are of the kernels it says.
#include <gtest/gtest.h>
#include <numeric>

#include "base/error.h"
#include "device/open/open_device.h"
#include "run/model/make_model.h"
#include "support/discrete_problem.h"

namespace weft {
namespace {

const std::string box = "[mesh]\nbox = { cells = [4, 4], cell = \"triangle\" }\n";

const std::string weak_form = box + "[fields]\nu = { element = \"P1\" }\n"
                                    "[weak_form]\ncells.all = \"dot(grad(u), grad(test(u)))\"\n"
                                    "[dirichlet]\nx0 = { u = 0 }\n";

// What is in stays in.
std::string law(const std::string &steps) {
  return box +
         "[fields]\nu = { element = \"FV\" }\n"
         "[conservation_law]\nflux.u = \"-grad(u)\"\n[boundary.all]\nflux = { u = 0 }\n"
         "[initial]\nu = \"x\"\n[time]\nend = 1\n" +
         steps;
}

struct Made {
  explicit Made(const std::string &text)
      : problem(text), device(open_device("")), model(make_model(problem.c, *device, problem.d)) {
    model->choose_solver(state());
    model->set_up({});
  }
  std::vector<double> state() const {
    std::vector<double> state(problem.d.num_owned);
    std::iota(state.begin(), state.end(), 1.0);
    return state;
  }

  DiscreteProblem problem;
  std::unique_ptr<Device> device;
  std::unique_ptr<Model> model;
};

void expect_described(const Made &made) {
  const std::vector<ModelWork> works = made.model->works(made.state());
  EXPECT_FALSE(works.empty());
  for (const ModelWork &work : works) {
    work.run();
    EXPECT_FALSE(work.kernels.empty()) << work.use;
    for (const ModelKernel &kernel : work.kernels) {
      EXPECT_FALSE(kernel.record.kernel.empty()) << work.use;
      EXPECT_EQ(kernel.record.dofs, made.problem.d.num_global) << kernel.record.kernel;
      EXPECT_FALSE(kernel.costs.empty()) << kernel.record.kernel;
    }
  }
  for (const RecordedWork &work : made.model->recorded_works(made.state())) {
    work.run();
    EXPECT_GT(work.record.bytes.value(), 0) << work.record.kernel;
  }
  made.device->finish();
  EXPECT_FALSE(made.model->kernel_texts().empty());
  EXPECT_FALSE(made.model->kernel_counts().empty());
}

TEST(Model, OfAWeakFormHasASystem) {
  const Made made(weak_form);
  ASSERT_NE(made.model->system(), nullptr);
  EXPECT_EQ(made.model->rates(), nullptr);
  made.model->make_kernels();
  expect_described(made);
  EXPECT_NO_THROW(made.model->check_ablation());
  EXPECT_THROW(made.model->make_arrival_times(), Error);
}

TEST(Model, OfALawWithExplicitStepsHasRates) {
  const Made made(law("cfl = 0.5\n"));
  EXPECT_EQ(made.model->system(), nullptr);
  ASSERT_NE(made.model->rates(), nullptr);
  expect_described(made);
  EXPECT_THROW(made.model->check_ablation(), Error);
}

// Its residual sums to nothing where dt(u) is 0 and nothing leaves.
TEST(Model, OfALawWithImplicitStepsHasBoth) {
  const Made made(law("scheme = \"theta\"\nstep = 0.1\n"));
  ASSERT_NE(made.model->system(), nullptr);
  ASSERT_NE(made.model->rates(), nullptr);
  expect_described(made);
  NonlinearOperator &system = *made.model->system();
  Vector u = make_vector(*made.device, system.size(), system.precision(), "state");
  Vector r = make_vector(*made.device, system.size(), system.precision(), "residual");
  set_vector(*made.device, u, made.state());
  system.residual(u, r);
  double sum = 0, largest = 0;
  for (const double value : get_vector(*made.device, r)) {
    sum += value;
    largest = std::max(largest, std::abs(value));
  }
  EXPECT_GT(largest, 1);
  EXPECT_LT(std::abs(sum), 1e-12 * largest);
}

TEST(Model, RefusesWhatBelongsToAnother) {
  EXPECT_THROW(Made(law("cfl = 0.5\n") + "[device]\nstrategy = \"block\"\n"), Error);
}

} // namespace
} // namespace weft
