// The time of a launch on a card that is not there, by its published figures.
//
// Each part is bytes, passes or operations over the rate that the card is said to have; a card does
// them beside one another, so the longest, after the launch, is the prediction. Rates are upper
// limits, so real launches take longer, by a factor that only a card tells; only sectors that a
// unit's own cache would serve are counted for the shared one too.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cost/kernel_cost.h"
#include "cost/launch_use.h"
#include "device/card/card.h"

namespace weft {

enum class CardLimit {
  memory,     // bytes that no cache holds, each once
  cache,      // sectors of 32 bytes that warps ask for, each time
  local,      // passes through local memory
  arithmetic, // operations, in multiply-adds
  latency,    // threads that wait for memory, with as many beside them as there is room for
  launch,     // starting it
};
inline constexpr CardLimit all_card_limits[] = {CardLimit::memory,  CardLimit::cache,
                                                CardLimit::local,   CardLimit::arithmetic,
                                                CardLimit::latency, CardLimit::launch};
std::string to_string(CardLimit limit);

struct CardPrediction {
  double seconds = 0;
  std::vector<std::pair<CardLimit, double>> parts; // seconds of each alone
  CardLimit bound() const;                         // the longest
};

// Multiply-adds that take as long as a kernel's operations: an addition and a multiplication are
// one each, a division or a root one and Newton's steps, a function a polynomial.
double slots_of(const Operations &operations);

// Of one launch that does `cost`. Without `use`, or what is open in it, parts are left out: each
// sector is then asked for once, and no thread waits. Throws `unsupported` for f64 on a card that
// has none.
CardPrediction predict_on_card(const Card &card, const KernelCost &cost, const LaunchUse *use);

} // namespace weft
