// What a run would take of a card that is not there: predicted, kernel by kernel.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cost/launch_use.h"
#include "device/card/card.h"
#include "device/profiling_device.h"
#include "run/explain/explain_kernels.h"
#include "run/simulation.h"
#include "tune/model/card_prediction.h"
#include "weft/problem.h"

namespace weft {

// The launches of one kernel in one stage.
struct CardKernel {
  std::string stage, kernel;
  double launches = 1;
  KernelCost cost;     // of one launch
  bool counted = true; // by a formula; else the size of its arrays is all that is known
  std::optional<LaunchUse> use;
  CardPrediction prediction; // of one launch
  double total_s() const { return launches * prediction.seconds; }
};

// Of launches that a watched model was asked for; `known`: what a model says of it, may be null.
CardKernel kernel_on_card(const std::string &name, const KernelProfile &profile,
                          const KnownKernel *known, const Card &card);

struct CardExplanation {
  Card card;
  std::string variant, solver, solved;
  std::vector<CardKernel> kernels; // those that take longest first
  double kernels_s = 0;            // of all launches of the solve
};

// A case on a CPU that is taken for a GPU, with the kernels that the card would get.
struct SimulationOnCard {
  Card card;
  std::unique_ptr<Simulation> simulation;
  ProfilingDevice *device = nullptr; // the simulation's
};
SimulationOnCard simulate_on_card(const CaseInput &input, const ProblemOptions &options,
                                  const Card &card);

// Makes the run there and watches one solve. Nothing on the host is predicted: mesh, files, a
// direct solver.
CardExplanation explain_on_card(const CaseInput &input, const ProblemOptions &options,
                                const Card &card);
std::string card_explanation_text(const CardExplanation &explanation);
std::string card_explanation_json(const CardExplanation &explanation);

// Those of Model::works(), launched at the state that solves start from.
std::vector<CardKernel> kernels_of_works(const SimulationOnCard &on_card);
// A table of what warps do in a launch of each.
std::string warp_counts_text(const Card &card, const std::vector<CardKernel> &kernels);

} // namespace weft
