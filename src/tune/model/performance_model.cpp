#include "tune/model/performance_model.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "base/error.h"
#include "tune/measure/measure_machine.h"

namespace weft {

namespace {

// Vector registers of CPUs with AVX-512; with narrower ones values are spilled earlier.
constexpr double num_registers = 32;

// Adds up the terms of one kernel.
class Terms {
public:
  Terms(const KernelCost &cost, Precision precision, const DeviceInfo &device,
        const MachineFigures &figures)
      : cost_(cost), precision_(to_string(precision)),
        real_(static_cast<double>(size_bytes(precision))), device_(device), figures_(figures) {}

  double memory() const;
  double staging() const;
  double gather() const;
  double scatter() const;
  double arithmetic() const;
  double latency() const;
  // Which part of the shorter of additions and multiplications is done beside the longer: 1 where
  // they have units of their own.
  double additions_hidden() const;
  // Which part of what is not the longest of a core's kinds of work is not hidden behind it: 0
  // where all run side by side, 1 where one waits for the other. From the micro-benchmarks that
  // mix them, between those of short and of long work by the products of a cell: a core looks only
  // so far ahead.
  double not_hidden() const;
  // What cells that read from a stage, compute and add to it take beyond these one after the other:
  // short ones wait at each turn, by the same micro-benchmarks. Fewer products than theirs are
  // sooner done: the wait goes with their number.
  double turns() const;

private:
  // What a micro-benchmark takes a cell beyond the longest of its kinds of work, and what the
  // others take alone.
  struct Mixture {
    double beyond = 0, others = 0; // seconds
    double not_hidden() const { return std::max(0.0, beyond / others); }
  };
  // `figure`: of this micro-benchmark; `products`: the rate of its products alone.
  Mixture mixture(const MixedWork &work, const std::string &figure,
                  const std::string &products) const;
  Mixture of_short() const;
  Mixture of_long() const;
  double products() const; // of a cell
  // Where this kernel's cells are between these: 0 short, 1 long.
  double length() const;
  double rate(const std::string &operation) const {
    const std::string name = fmt::format("rate.{}.{}.gops", operation, precision_);
    // Functions that were not measured cost what a common one does.
    return 1e9 *
           figures_.at(figures_.has(name) ? name : fmt::format("rate.exp.{}.gops", precision_));
  }
  double bandwidth(const std::string &kind) const {
    return 1e9 *
           figures_.at(fmt::format("memory.{}.{}.gbps", kind, device_.has_f64 ? "f64" : "f32"));
  }
  // Seconds of a byte that is read, and of one that is written beside reading.
  struct ByteTimes {
    double read = 0, write = 0, stream = 0;
  };
  ByteTimes of_memory() const;
  // Of what was touched so many bytes ago.
  ByteTimes of_distance(double bytes) const;
  // The figure FAMILY.BYTES.SUFFIX of the nearest measured size, in powers of two.
  double at_size(const std::string &family, double bytes, const std::string &suffix) const;

  const KernelCost &cost_;
  const std::string precision_;
  const double real_;
  const DeviceInfo &device_;
  const MachineFigures &figures_;
};

double Terms::at_size(const std::string &family, double bytes, const std::string &suffix) const {
  double best = 0, nearest = 1e300;
  for (const auto &[name, figure] : figures_.figures) {
    if (name.rfind(family + ".", 0) != 0 || name.size() <= family.size() + suffix.size() + 1 ||
        name.compare(name.size() - suffix.size(), suffix.size(), suffix) != 0)
      continue;
    const double size = std::atof(name.c_str() + family.size() + 1);
    if (size <= 0)
      continue;
    const double distance = std::abs(std::log(size / std::max(1.0, bytes)));
    if (distance < nearest) {
      nearest = distance;
      best = figure.median;
    }
  }
  require(best > 0, "a figure of this family was measured");
  return 1e9 * best;
}

// A copy reads one byte and writes one: what it takes longer than reading is the writing.
Terms::ByteTimes Terms::of_memory() const {
  const double read = 1 / bandwidth("read");
  return {.read = read,
          .write = std::max(0.0, 2 / bandwidth("copy") - read),
          .stream = std::max(0.0, 2 / bandwidth("copy_stream") - read)};
}

Terms::ByteTimes Terms::of_distance(double bytes) const {
  const auto cores = std::max(1.0, static_cast<double>(device_.compute_units));
  // Which core had them is open, so that what a core has for itself serves the others no better
  // than the cache that they share.
  const double own = static_cast<double>(device_.core_cache_bytes);
  const double of_core = cores > 1 ? std::max(bytes / cores, 2 * own) : bytes;
  if (bytes > static_cast<double>(device_.last_cache_bytes))
    return of_memory();
  const double read = 1 / at_size("cache.read", of_core, ".gbps");
  const double write = std::max(0.0, 2 / at_size("cache.copy", of_core, ".gbps") - read);
  return {.read = read, .write = write, .stream = of_memory().stream};
}

double Terms::memory() const {
  double seconds = 0, left = 1;
  const auto add = [&](double part, const ByteTimes &times) {
    seconds += part * (cost_.bytes_read * times.read + cost_.bytes_written * times.write +
                       cost_.bytes_streamed * times.stream);
    left -= part;
  };
  for (const auto &[octave, bytes] : cost_.near_bytes)
    add(std::min(left, bytes / cost_.bytes()), of_distance(std::ldexp(1.0, octave)));
  add(left, of_memory());
  return seconds;
}

double Terms::staging() const {
  // Nodal values and rows that find no register are written to the first cache and read from it.
  const double excess = device_.is_cpu ? std::max(0.0, cost_.private_values - num_registers) : 0;
  const double spilled = 2 * excess * real_ * cost_.slots / at_size("cache.copy", 16384, ".gbps");
  const double indirect = 4 * cost_.stage_reads4 + cost_.stage_reads1 +
                          2 * (4 * cost_.stage_adds4 + 2 * cost_.stage_adds2 + cost_.stage_adds1);
  // Cells bring each line of a block's stage into the first cache once, beside those that they come
  // back to.
  const bool blocks = device_.is_cpu && indirect > 0 && cost_.work_groups > 0;
  const double passed = blocks ? cost_.stage_bytes * cost_.work_groups : 0;
  const double copied = passed + std::max(0.0, cost_.local_bytes - indirect * real_);
  // What a block reads and writes in memory goes by its stage through the same caches.
  const double kept = cost_.stage_bytes + (blocks ? cost_.bytes() / cost_.work_groups : 0);
  return spilled + (copied > 0 ? copied / at_size("cache.copy", kept, ".gbps") : 0);
}

double Terms::gather() const {
  const std::string suffix = fmt::format(".{}.gops", precision_);
  const double nearby = std::min<double>(cost_.stage_bytes, leaf_bytes);
  double seconds = 0;
  if (cost_.stage_reads4 > 0)
    seconds += cost_.stage_reads4 / at_size("gather_16.4", nearby, suffix);
  if (cost_.stage_reads1 > 0)
    seconds += cost_.stage_reads1 / at_size("gather_16.1", nearby, suffix);
  // Nodes and entries are numbered so that what is read together lies within some 16384 reals.
  // The first read of a place waits for memory, of which its bytes are in memory() already.
  const auto from_memory = [&](const std::string &family, double reads, double places) {
    const double first = 1e-9 / figures_.at(family + ".memory.16384" + suffix);
    const double moved = real_ / bandwidth("read");
    return reads / at_size(family + ".1", leaf_bytes, suffix) +
           part_from_memory(cost_, device_) * places * std::max(0.0, first - moved);
  };
  const double alone = cost_.memory_alone1;
  if (cost_.memory_reads1 > alone)
    seconds += from_memory("gather", cost_.memory_reads1 - alone,
                           std::max(0.0, cost_.memory_places1 - alone));
  if (alone > 0)
    seconds += from_memory("gather_alone", alone, alone);
  return seconds;
}

double Terms::scatter() const {
  const std::string suffix = fmt::format(".{}.gops", precision_);
  const double nearby = std::min<double>(cost_.stage_bytes, leaf_bytes);
  double seconds = 0;
  if (cost_.stage_adds4 > 0)
    seconds += cost_.stage_adds4 / at_size("scatter_add.4", nearby, suffix);
  if (cost_.stage_adds2 > 0)
    seconds += cost_.stage_adds2 / at_size("scatter_add.2", nearby, suffix);
  if (cost_.stage_adds1 > 0)
    seconds += cost_.stage_adds1 / at_size("scatter_add.1", nearby, suffix);
  return seconds;
}

double Terms::arithmetic() const {
  const Operations &o = cost_.operations;
  // Rates are those of the device's own lanes: fewer lanes leave a part of each vector idle, more
  // take so many registers each.
  const double native = device_.native_lanes_f64 * sizeof(double) / real_;
  const double registers = device_.is_cpu ? std::max(1.0, cost_.lanes / native) : 1;
  const double idle = device_.is_cpu && cost_.lanes > 0 ? std::max(1.0, native / cost_.lanes) : 1;
  const bool spilled = device_.is_cpu && registers * cost_.private_values > num_registers;
  const auto time = [&](double count, const std::string &operation) {
    return count > 0 ? idle * count / rate(operation) : 0;
  };
  // Those to a stage are in the rates of scatter().
  const double to_stage = 4 * cost_.stage_adds4 + 2 * cost_.stage_adds2 + cost_.stage_adds1;
  const double additions = time(o.additions - to_stage, "add");
  // What is computed at a point waits for the sums by tables, and what is added to rows for that:
  // all products beside such sums have the rate that was measured for them together.
  const char *at_points = !spilled                ? "contract_unrolled"
                          : cost_.unrolled_points ? "contract_spilled_points"
                                                  : "contract_spilled";
  const bool points = o.table_multiply_adds > 0;
  const double products = time(o.multiplications, points ? at_points : "multiply") +
                          time(o.multiply_adds - o.table_multiply_adds - o.loop_multiply_adds,
                               points || (registers > 1 && spilled) ? at_points : "multiply_add") +
                          time(o.table_multiply_adds, at_points) +
                          time(o.loop_multiply_adds, "contract_loop");
  double seconds = additions + products - additions_hidden() * std::min(additions, products) +
                   time(o.divisions, "divide") + time(o.roots, "sqrt") + time(o.simple, "min");
  for (const auto &[name, count] : o.functions)
    seconds += time(count, name);
  return seconds;
}

double Terms::additions_hidden() const {
  const double product = 1 / rate("multiply_add"), addition = 1 / rate("add");
  const double together = 2 / rate("multiply_add_and_add");
  return std::clamp((product + addition - together) / std::min(product, addition), 0.0, 1.0);
}

double Terms::latency() const {
  return 1e-6 * (cost_.launches * figures_.at("latency.launch.us") +
                 cost_.work_groups * figures_.at("latency.group.us"));
}

Terms::Mixture Terms::mixture(const MixedWork &work, const std::string &figure,
                              const std::string &products) const {
  const std::string suffix = fmt::format(".{}.gops", precision_);
  const double together = 1e-9 / figures_.at(figure + suffix);
  const double gather = work.records4 / at_size("gather_16.4", leaf_bytes, suffix) +
                        work.reads1 / at_size("gather_16.1", leaf_bytes, suffix);
  const double scatter = work.additions / at_size("scatter_add.1", leaf_bytes, suffix);
  const double arithmetic = work.products / rate(products);
  const double longest = std::max({gather, scatter, arithmetic});
  return {.beyond = together - longest, .others = gather + scatter + arithmetic - longest};
}

Terms::Mixture Terms::of_short() const {
  return mixture(mixed_work, "mixed", "multiply_add");
}

Terms::Mixture Terms::of_long() const {
  return mixture(mixed_points_work, "mixed_points", "contract_unrolled");
}

double Terms::products() const {
  const Operations &o = cost_.operations;
  return cost_.slots > 0 ? (o.multiplications + o.multiply_adds) / cost_.slots : 0;
}

double Terms::length() const {
  const double shortest = mixed_work.products, longest = mixed_points_work.products;
  return std::clamp(std::log(std::max(1.0, products()) / shortest) / std::log(longest / shortest),
                    0.0, 1.0);
}

double Terms::not_hidden() const {
  const double shorter = std::min(1.0, of_short().not_hidden());
  return shorter + length() * (of_long().not_hidden() - shorter);
}

double Terms::turns() const {
  if (cost_.stage_adds1 + cost_.stage_adds2 + cost_.stage_adds4 == 0)
    return 0;
  const Mixture shorter = of_short();
  return cost_.slots * std::max(0.0, shorter.beyond - shorter.others) * (1 - length()) *
         std::min(1.0, products() / mixed_work.products);
}

} // namespace

std::string to_string(CostTerm term) {
  switch (term) {
  case CostTerm::memory:
    return "memory";
  case CostTerm::staging:
    return "staging";
  case CostTerm::gather:
    return "gather";
  case CostTerm::scatter:
    return "scatter";
  case CostTerm::arithmetic:
    return "arithmetic";
  case CostTerm::latency:
    return "latency";
  }
  return {};
}

double Prediction::of(CostTerm term) const {
  for (const auto &[t, s] : terms)
    if (t == term)
      return s;
  return 0;
}

double Prediction::sum_of_terms() const {
  double sum = 0;
  for (const auto &[term, seconds] : terms)
    sum += seconds;
  return sum;
}

CostTerm Prediction::bound() const {
  return std::max_element(terms.begin(), terms.end(),
                          [](const auto &a, const auto &b) { return a.second < b.second; })
      ->first;
}

Prediction &Prediction::operator+=(const Prediction &next) {
  seconds += next.seconds;
  if (terms.empty())
    terms = next.terms;
  else
    for (std::size_t i = 0; i < terms.size(); ++i)
      terms[i].second += next.terms[i].second;
  return *this;
}

double part_from_memory(const KernelCost &cost, const DeviceInfo &device) {
  double near = 0;
  for (const auto &[octave, bytes] : cost.near_bytes)
    if (std::ldexp(1.0, octave) <= static_cast<double>(device.last_cache_bytes))
      near += bytes;
  return cost.bytes() > 0 ? std::clamp(1 - near / cost.bytes(), 0.0, 1.0) : 1;
}

Prediction predict(const KernelCost &cost, Precision precision, const DeviceInfo &device,
                   const MachineFigures &figures) {
  const Terms t(cost, precision, device, figures);
  Prediction p;
  p.terms = {{CostTerm::memory, t.memory()},         {CostTerm::staging, t.staging()},
             {CostTerm::gather, t.gather()},         {CostTerm::scatter, t.scatter()},
             {CostTerm::arithmetic, t.arithmetic()}, {CostTerm::latency, t.latency()}};
  const double memory = p.of(CostTerm::memory), staging = p.of(CostTerm::staging);
  const double work[] = {p.of(CostTerm::gather), p.of(CostTerm::scatter),
                         p.of(CostTerm::arithmetic)};
  const double sum = std::accumulate(std::begin(work), std::end(work), 0.0);
  const double longest = *std::max_element(std::begin(work), std::end(work));
  // Streams are prefetched under arithmetic, and GPUs have other work-groups to go on with. A core
  // that looks places up waits for its memory, phase by phase of a block, or because only the
  // indices tell what comes next; its own kinds of work hide a part of one another.
  const bool steps = device.is_cpu && cost.stage_bytes + cost.memory_reads1 > 0;
  p.seconds = p.of(CostTerm::latency) +
              (steps ? memory + staging + longest + t.not_hidden() * (sum - longest) + t.turns()
                     : std::max(memory, sum));
  return p;
}

Prediction predict(const std::vector<NamedCost> &costs, Precision precision,
                   const DeviceInfo &device, const MachineFigures &figures) {
  Prediction total;
  for (const NamedCost &named : costs)
    total += predict(named.cost, precision, device, figures);
  const double finish = 1e-6 * figures.at("latency.finish.us");
  total.seconds += finish;
  for (auto &[term, seconds] : total.terms)
    if (term == CostTerm::latency)
      seconds += finish;
  return total;
}

MachineFigures at_state(MachineFigures figures, const MachineState &state) {
  for (auto &[name, figure] : figures.figures) {
    const auto begins = [&name = name](const char *head) { return name.rfind(head, 0) == 0; };
    const double factor = begins("memory.") ? state.memory
                          : begins("rate.") ? state.operations
                          : begins("latency.")
                              ? (state.latency > 0 ? state.latency : 1 / state.cores)
                              : state.cores;
    figure = {figure.median * factor, figure.low * factor, figure.high * factor};
  }
  return figures;
}

} // namespace weft
