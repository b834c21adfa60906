#include "run/model/conservation_law_model.h"

#include <fmt/format.h>
#include <utility>

#include "base/error.h"
#include "op/evaluate/state_fault.h"
#include "op/law/dg_tuning.h"
#include "run/model/law_record.h"
#include "run/model/solver_choice.h"
#include "run/settings/case_solver_settings.h"
#include "run/settings/kernel_settings.h"
#include "run/variants/variant_choice.h"
#include "solve/time/time_settings.h"

namespace weft {

struct ConservationLawModel::StageVectors {
  Vector q, sum, out;
};

ConservationLawModel::ConservationLawModel(Case &c, Device &device, const Discretisation &d)
    : c_(c), device_(device), d_(d) {
  refuse_settings_of_weak_forms();
}

std::string ConservationLawModel::kernel() const {
  return law_kernel;
}

ModelTuning ConservationLawModel::tuning(const std::vector<double> &state,
                                         const std::optional<MachineFigures> &figures) {
  DgTuningOptions options;
  options.base = dg_settings(c_);
  options.state = state;
  options.time = d_.time;
  if (figures)
    options.model = cost_model(device_.info(), options.base.precision, *figures);
  auto target = std::make_unique<DgTuning>(device_, d_, std::move(options));
  TuningKey key = target->key();
  Variant usual = target->default_variant().value();
  return {.key = std::move(key), .target = std::move(target), .usual = std::move(usual)};
}

bool ConservationLawModel::steps_are_implicit() const {
  return c_.time && !is_explicit(time_scheme_from_name(c_.time->scheme));
}

SolverRecord ConservationLawModel::choose_solver(const std::vector<double> &) {
  return steps_are_implicit() ? choose_solver_of_law(c_, *d_.law) : SolverRecord{};
}

// What a case fixes of kernels that its law has none of.
void ConservationLawModel::refuse_settings_of_weak_forms() const {
  for (const auto &[key, value] :
       {std::pair{"strategy", &c_.device.strategy}, std::pair{"geometry", &c_.device.geometry},
        std::pair{"matrix", &c_.device.matrix}})
    if (!value->empty())
      throw Error(ErrorKind::input, {.what = fmt::format("[device] {} belongs to weak forms", key),
                                     .where = place_in(c_, fmt::format("[device] {}", key)),
                                     .found = fmt::format("{} = \"{}\"", key, *value),
                                     .remedy = "leave it out for a conservation law"});
  if (c_.solver.op == "assembled" && steps_are_implicit() && !needs_matrix(c_.solver))
    throw Error(ErrorKind::input,
                {.what = "implicit steps of a conservation law have no matrix but for their "
                         "preconditioner",
                 .where = place_in(c_, "[solver] operator"),
                 .found = "[solver] operator = \"assembled\"",
                 .remedy = "leave it out: the law itself is applied"});
}

void ConservationLawModel::set_up(const std::optional<Variant> &variant) {
  DgSettings settings = dg_settings(c_);
  if (variant)
    settings = dg_settings_of(*variant, settings);
  equations_.reset();
  law_ = std::make_unique<LawRates>(device_, d_, settings);
  if (steps_are_implicit()) {
    system_ = std::make_unique<LawResidual>(*law_, d_);
    if (needs_matrix(c_.solver))
      system_->keep_matrix();
  } else if (c_.time && c_.solver.op == "assembled") {
    matrix_ = std::make_unique<LawRateMatrix>(*law_, d_);
  }
}

NonlinearOperator &ConservationLawModel::equations() {
  if (system_)
    return *system_;
  if (!equations_)
    equations_ = std::make_unique<LawResidual>(*law_, d_);
  return *equations_;
}

ExplicitOperator *ConservationLawModel::rates() {
  if (matrix_)
    return matrix_.get();
  return law_.get();
}

std::string ConservationLawModel::rate_fault(const std::vector<double> &state) const {
  return d_.law->wave_speed.outputs.empty() ? std::string() : wave_speed_fault(d_, state);
}

std::unique_ptr<ArrivalTimes> ConservationLawModel::make_arrival_times() {
  return std::make_unique<ArrivalTimes>(c_, d_, *law_);
}

KernelRecord ConservationLawModel::record() const {
  return shared_record(*law_, d_);
}

std::vector<std::string> ConservationLawModel::kernel_texts() {
  std::vector<std::string> texts;
  for (const DgLaunch *launch : law_->launches())
    texts.push_back(launch->launch.source().text);
  if (law_->reaction() != nullptr)
    for (const LawLaunch &launch : law_->reaction()->launches())
      texts.push_back(launch.source().text);
  if (system_)
    texts.push_back(system_->vectors_text());
  return texts;
}

std::vector<KernelCount> ConservationLawModel::kernel_counts() {
  std::vector<KernelCount> counts;
  const auto add = [&](const std::vector<NamedCost> &costs) {
    for (std::size_t s = 0; s < costs.size(); ++s)
      counts.push_back(
          {costs[s].name, num_own_cells(*d_.mesh, law_->mesh().sets[s].set), costs[s].cost, {}});
  };
  for (const DgStage part : law_->parts_of_stage(law_->settings().fused))
    add(law_->costs_of(part, tuned_update()));
  add(law_->costs_of(DgStage::step, tuned_update()));
  if (law_->reaction() != nullptr)
    add(law_->reaction()->costs());
  if (system_)
    for (const NamedCost &cost : system_->vector_costs())
      counts.push_back({cost.name, d_.mesh->num_cells(), cost.cost, {}});
  return counts;
}

std::shared_ptr<ConservationLawModel::StageVectors>
ConservationLawModel::stage_vectors(const std::vector<double> &state) {
  const auto vector = [&](const char *purpose) {
    return make_vector(device_, law_->layout(), law_->precision(), purpose);
  };
  auto vectors = std::make_shared<StageVectors>(
      StageVectors{vector("state"), vector("sum of stages"), vector("next state")});
  law_->set_state(state, vectors->q);
  law_->set_sum(state, vectors->sum);
  return vectors;
}

// A record each of the cell types.
std::vector<ModelKernel> ConservationLawModel::kernels_of(DgStage part) const {
  std::vector<ModelKernel> kernels;
  const std::vector<NamedCost> costs = law_->costs_of(part, tuned_update());
  for (const NamedCost &cost : costs) {
    ModelKernel &kernel = kernels.emplace_back();
    kernel.record = make_law_record(*law_, d_, part, tuned_update());
    kernel.record.kernel = cost.name;
    if (costs.size() > 1) // the record's are those of all cell types
      kernel.record.flops = cost.cost.operations.flops();
    kernel.costs = {cost};
  }
  return kernels;
}

KernelRecord ConservationLawModel::matrix_record() const {
  KernelRecord record = shared_record(*law_, d_);
  const NamedCost cost = matrix_->cost(tuned_update());
  record.kernel = cost.name;
  record.strategy = "assembled";
  record.flops = cost.cost.operations.flops();
  record.bytes = cost.cost.bytes();
  return record;
}

std::vector<ModelWork> ConservationLawModel::works(const std::vector<double> &state) {
  const auto on = stage_vectors(state);
  ModelWork stage{.use = "stage"};
  if (matrix_)
    stage.kernels = {{.record = matrix_record(), .costs = {matrix_->cost(tuned_update())}}};
  else
    for (const DgStage part : law_->parts_of_stage(law_->settings().fused))
      for (ModelKernel &kernel : kernels_of(part))
        stage.kernels.push_back(std::move(kernel));
  stage.run = [this, on] {
    rates()->stage(d_.time, 0, tuned_update(), on->q, nullptr, &on->sum, on->out);
    device_.finish();
  };
  return {std::move(stage),
          {.use = "longest step", .kernels = kernels_of(DgStage::step), .run = [this, on] {
             law_->unit_step(d_.time, on->q);
           }}};
}

std::vector<RecordedWork> ConservationLawModel::recorded_works(const std::vector<double> &state) {
  const auto on = stage_vectors(state);
  if (matrix_)
    return {{.record = matrix_record(), .run = [this, on] {
               matrix_->stage(d_.time, 0, tuned_update(), on->q, nullptr, &on->sum, on->out);
             }}};
  std::vector<RecordedWork> works;
  for (const DgStage part : law_->parts_of_stage(law_->settings().fused))
    works.push_back(
        {.record = make_law_record(*law_, d_, part, tuned_update()), .run = [this, on, part] {
           law_->launch_part(part, d_.time, 0, tuned_update(), on->q, nullptr, &on->sum, on->out);
         }});
  return works;
}

SharedWork ConservationLawModel::shared_work(const std::vector<double> &state) {
  const auto on = stage_vectors(state);
  return {
      .what = "stage",
      .counts = law_->halo_per_stage(),
      .run = [this,
              on] { law_->stage(d_.time, 0, tuned_update(), on->q, nullptr, &on->sum, on->out); },
      .kernels =
          [this, on] {
            for (const DgStage part : law_->parts_of_stage(law_->settings().fused))
              law_->launch_part(part, d_.time, 0, tuned_update(), on->q, nullptr, &on->sum,
                                on->out);
          },
      .exchange = [this, on] { law_->exchange(on->q); }};
}

void ConservationLawModel::check_ablation() const {
  throw Error(ErrorKind::unsupported,
              {.what = "--ablate does not know conservation laws yet",
               .where = c_.form.law->place.empty() ? c_.file : c_.form.law->place,
               .allowed = "weak forms"});
}

ModelWork ConservationLawModel::ablated_work(Ablation /*ablation*/,
                                             const std::vector<double> & /*state*/) {
  check_ablation();
  return {};
}

} // namespace weft
