#include "tune/model/card_prediction.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace weft {

namespace {

constexpr int warp_size = 32;
// A guess by the algorithms that CUDA's and OpenCL's libraries use: an estimate and two or three
// of Newton's steps with a correction; a polynomial of degree 12 or so with a reduction.
constexpr double slots_of_division = 10, slots_of_function = 25;

// Bytes that come from memory: what was touched before, and since no more than the cache holds,
// lies there.
double bytes_from_memory(const Card &card, const KernelCost &cost) {
  double near = 0;
  for (const auto &[octave, bytes] : cost.near_bytes)
    if (std::ldexp(1.0, octave) <= 1e6 * card.cache_mb)
      near += bytes;
  return std::max(0.0, cost.bytes() - near);
}

// Each warp waits once for memory in each stretch with loads; those that are there at once wait
// together.
double waiting(const Card &card, const LaunchUse &use) {
  const double warps_of_group = std::ceil(static_cast<double>(use.group_size) / warp_size);
  const double at_once = std::max(warps_of_group, use.occupancy * card.limits.warps) * card.units;
  return use.warps->load_phases / at_once * card.memory_latency_s;
}

} // namespace

std::string to_string(CardLimit limit) {
  switch (limit) {
  case CardLimit::memory:
    return "memory";
  case CardLimit::cache:
    return "cache";
  case CardLimit::local:
    return "local";
  case CardLimit::arithmetic:
    return "arithmetic";
  case CardLimit::latency:
    return "latency";
  case CardLimit::launch:
    return "launch";
  }
  return {};
}

CardLimit CardPrediction::bound() const {
  return std::max_element(parts.begin(), parts.end(),
                          [](const auto &a, const auto &b) { return a.second < b.second; })
      ->first;
}

double slots_of(const Operations &o) {
  double slots = o.additions + o.multiplications + o.multiply_adds + o.simple +
                 slots_of_division * (o.divisions + o.roots);
  for (const auto &[name, count] : o.functions)
    slots += slots_of_function * count;
  return slots;
}

CardPrediction predict_on_card(const Card &card, const KernelCost &cost, const LaunchUse *use) {
  const Precision precision = use ? use->precision : Precision::f64;
  const bool is_f64 = precision == Precision::f64;
  const double gflops = is_f64 ? card.f64_gflops : card.f32_gflops;
  if (gflops <= 0)
    throw Error(ErrorKind::unsupported, {.what = "the card has no arithmetic in f64",
                                         .where = card.name,
                                         .remedy = "[device] precision = \"f32\""});
  CardPrediction p;
  const WarpCounts *warps = use && use->warps ? &*use->warps : nullptr;
  p.parts = {{CardLimit::memory, bytes_from_memory(card, cost) / (1e9 * card.memory_gbps)}};
  if (card.cache_gbps > 0)
    p.parts.emplace_back(CardLimit::cache,
                         (warps ? warps->sector_bytes() : cost.bytes()) / (1e9 * card.cache_gbps));
  if (warps) { // of all 32 threads of a warp a real each, in words of 4 bytes
    const double passes = warps->local_requests * static_cast<double>(size_bytes(precision)) / 4 +
                          warps->bank_conflicts;
    p.parts.emplace_back(CardLimit::local, passes / (1e9 * card.clock_ghz * card.units));
  }
  p.parts.emplace_back(CardLimit::arithmetic, 2 * slots_of(cost.operations) / (1e9 * gflops));
  if (warps && card.memory_latency_s > 0)
    p.parts.emplace_back(CardLimit::latency, waiting(card, *use));
  for (const auto &[limit, seconds] : p.parts)
    p.seconds = std::max(p.seconds, seconds);
  const double launch_s = card_launch_s * std::max(1.0, cost.launches);
  p.seconds += launch_s;
  p.parts.emplace_back(CardLimit::launch, launch_s);
  return p;
}

} // namespace weft
