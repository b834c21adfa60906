// What a run would take of a card that is not there: predicted, kernel by kernel.
#pragma once

#include <string>
#include <vector>

#include "cost/launch_use.h"
#include "device/card/card.h"
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

struct CardExplanation {
  Card card;
  std::string variant, solver, solved;
  std::vector<CardKernel> kernels; // those that take longest first
  double kernels_s = 0;            // of all launches of the solve
};

// Makes the run on a CPU that is taken for a GPU, with the kernels that the card would get, and
// watches one solve. Nothing on the host is predicted: mesh, files, a direct solver.
CardExplanation explain_on_card(const std::string &case_file, const ProblemOptions &options,
                                const Card &card);

std::string card_explanation_text(const CardExplanation &explanation);
std::string card_explanation_json(const CardExplanation &explanation);

} // namespace weft
