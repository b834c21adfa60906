// What a device was measured to do: named figures, each with its spread.
#pragma once

#include <map>
#include <string>

namespace weft {

// Median of repeated measurements, and the range that holds nine tenths of them. Bandwidth of
// shared machines drifts, so a figure without its spread says little.
struct Figure {
  double median = 0;
  double low = 0;
  double high = 0;
};

// Names are words joined by points, the unit last: "memory.copy_stream.f64.gbps",
// "cache.read.65536.gbps" (working set in bytes of one core), "rate.multiply_add.f64.gops",
// "rate.divide.f32.gops", "latency.finish.us". src/tune/measure/measure_machine.h lists them.
struct MachineFigures {
  std::map<std::string, Figure> figures;

  bool has(const std::string &name) const { return figures.count(name) > 0; }
  // The median. Throws `invariant` for a name that was not measured.
  double at(const std::string &name) const;
};

// What is known of how figures were measured, kept among them.
inline constexpr const char *others_figure = "state.others.share";
inline constexpr const char *undisturbed_figure = "state.undisturbed.share";
inline constexpr const char *rounds_figure = "state.rounds.share";

// In words, what disturbed the machine while it was measured; empty: nothing that shows.
std::string disturbance_of(const MachineFigures &machine);
// Whether it was others on this machine, which a look at it can tell to have gone.
bool measured_beside_others(const MachineFigures &machine);

} // namespace weft
