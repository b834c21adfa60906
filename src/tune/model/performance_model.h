// The time of a kernel, predicted from what it does and what the machine can do.
//
// Every term is a count of the kernel (cost/kernel_cost.h) divided by a figure of the machine's
// micro-benchmarks (tune/measure/measure_machine.h); nothing is fitted to the kernels themselves.
// How the terms add up depends on how a device works, see combine() in the source.
#pragma once

#include <string>
#include <vector>

#include "base/precision.h"
#include "cost/kernel_cost.h"
#include "device/device.h"
#include "tune/machine_figures.h"

namespace weft {

enum class CostTerm {
  memory,     // bytes of global memory through the memory's bandwidth
  staging,    // copies between global memory and the stage, values that find no register
  gather,     // indirect reads
  scatter,    // indirect additions
  arithmetic, // floating-point operations
  latency,    // launches, work-groups
};
inline constexpr CostTerm all_cost_terms[] = {CostTerm::memory,     CostTerm::staging,
                                              CostTerm::gather,     CostTerm::scatter,
                                              CostTerm::arithmetic, CostTerm::latency};
std::string to_string(CostTerm term);

struct Prediction {
  double seconds = 0;
  std::vector<std::pair<CostTerm, double>> terms; // seconds that each would take alone
  double of(CostTerm term) const;
  double sum_of_terms() const;                    // as if each were done alone, one after the other
  CostTerm bound() const;                         // the largest
  Prediction &operator+=(const Prediction &next); // launches one after the other
};

// Predicts launches that do all that `cost` counts. `figures` must have those of `precision`.
Prediction predict(const KernelCost &cost, Precision precision, const DeviceInfo &device,
                   const MachineFigures &figures);
// Part of a kernel's bytes that comes from memory and not from a cache, by KernelCost::near_bytes.
double part_from_memory(const KernelCost &cost, const DeviceInfo &device);

// Predicts several launches one after the other, with one wait for their end.
Prediction predict(const std::vector<NamedCost> &costs, Precision precision,
                   const DeviceInfo &device, const MachineFigures &figures);

// A state of a machine that is shared, by factors of its figures: bandwidth of memory, rates of
// operations, and all else that cores do. A neighbour on a core's other hyperthread takes a third
// of its loads and stores and leaves it its multiply-adds; one that takes turns with it slows all
// alike.
struct MachineState {
  double memory = 1, operations = 1, cores = 1;
  double latency = 0; // 0: that of the cores, inverted
};
MachineFigures at_state(MachineFigures figures, const MachineState &state);

} // namespace weft
