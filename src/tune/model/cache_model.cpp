#include "tune/model/cache_model.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <optional>

#include "base/error.h"

namespace weft {

namespace {

// Times the read of the first cache: what a core hides behind the instructions it has under way.
constexpr double largest_hidden = 2;

// A figure over sizes, interpolated in the logarithms of both; constant beyond the ends.
class Curve {
public:
  // Figures PREFIX.SIZE.SUFFIX.
  Curve(const MachineFigures &figures, const std::string &prefix, const std::string &suffix) {
    for (const auto &[name, figure] : figures.figures)
      if (name.starts_with(prefix + ".") && name.ends_with("." + suffix)) {
        const double size = std::atof(name.c_str() + prefix.size() + 1);
        if (size > 0)
          points_[size] = figure.median;
      }
    require(!points_.empty(), "a figure of this family was measured");
  }
  void add(double size, double value) { points_[size] = value; }
  double at(double size) const {
    const auto after = points_.lower_bound(size);
    if (after == points_.begin())
      return after->second;
    if (after == points_.end())
      return points_.rbegin()->second;
    const auto before = std::prev(after);
    const double share = std::log(size / before->first) / std::log(after->first / before->first);
    return before->second * std::pow(after->second / before->second, share);
  }
  const std::map<double, double> &points() const { return points_; }

private:
  std::map<double, double> points_;
};

class Model {
public:
  Model(const NeighbourSum &sum, const DeviceInfo &device, const MachineFigures &figures)
      : sum_(sum), device_(device), figures_(figures),
        gather_(figures, "gather_alone.1", to_string(sum.precision) + ".gops"),
        windows_(figures, "gather_alone.memory", to_string(sum.precision) + ".gops"),
        copies_(figures, device.is_cpu ? "copy_indexed" : "gather_alone.1",
                to_string(sum.precision) + ".gops"),
        copy_(figures, "cache.copy", "gbps"),
        real_(static_cast<double>(size_bytes(sum.precision))) {
    const double all = gather_.points().rbegin()->first / real_ * device.compute_units;
    windows_.add(
        all, figures.at(fmt::format("gather_alone.memory.all.{}.gops", to_string(sum.precision))));
    if (device.is_cpu)
      beside_streams_.emplace(figures, "gather_streams", to_string(sum.precision) + ".gops");
    const double share = static_cast<double>(device.last_cache_bytes) / device.compute_units;
    const double core = static_cast<double>(device.core_cache_bytes);
    if (device.is_cpu)
      shared_bytes_ = core > 0 ? std::min(4 * core, core + share / 2) : share / 2;
    else
      shared_bytes_ = share;
    // What a cell brings into caches besides x: values and indices, and y unless it goes past them.
    streamed_bytes_ = sum.bytes_read - real_ + (sum.streams ? 0 : sum.bytes_written);
  }

  CachePrediction predict() const;

private:
  void predict_plain(CachePrediction &p) const;
  void predict_staged(CachePrediction &p) const;
  // Time of what goes by while blocks copy: the list of what they copy.
  double list_ns() const { return 4 * sum_.copied_by_index * read_ns(); }
  double not_hidden(double set) const;
  double bandwidth(const std::string &kind) const {
    return figures_.at(fmt::format("memory.{}.{}.gbps", kind, device_.has_f64 ? "f64" : "f32"));
  }
  double read_ns() const { return 1 / bandwidth("read_ahead"); }
  // Nanoseconds a byte written, beyond what reading takes: a copy reads one and writes one.
  double write_ns() const {
    const double copy = bandwidth(sum_.streams ? "copy_stream" : "copy");
    return std::max(0.0, 2 / copy - 1 / bandwidth("read"));
  }
  // Nanoseconds of one read at random from a working set, all cores at once, where figures are of
  // sets of each core's own. Cores work on neighbouring blocks and read the same x: what a core's
  // own caches do not hold lies in the last cache once for all of them. So it is read as fast as a
  // set of each core's own that the last cache has room for and holds most of, but that own caches
  // hold more of that one: a share that is known.
  double read_ns(const Curve &rate, double bytes) const {
    const double own = std::max(bytes / device_.compute_units, std::min(bytes, shared_bytes_));
    const double core = static_cast<double>(device_.core_cache_bytes);
    return 1 / rate.at(own) * (bytes > own ? (1 - core / bytes) / (1 - core / own) : 1);
  }
  // The set of which so many bytes are read between two reads of a line where it is read at random:
  // they are 1 - 1/e of it.
  static double at_random(double bytes) { return bytes / (1 - std::exp(-1.0)); }
  // Size of what the caches see between two reads of a line, `cells` cells apart.
  double set_of(double cells) const {
    return at_random(cells * streamed_bytes_ + sum_.line_bytes * sum_.reuse.footprint_lines(cells));
  }
  bool comes_from_memory(double set) const {
    return set > at_random(static_cast<double>(device_.last_cache_bytes));
  }

  const NeighbourSum &sum_;
  const DeviceInfo &device_;
  const MachineFigures &figures_;
  Curve gather_, windows_, copies_, copy_;
  std::optional<Curve> beside_streams_; // gathers; of CPUs
  double real_, streamed_bytes_ = 0;
  // Smaller sets are each core's own; GPUs' cores have much of their own.
  double shared_bytes_ = 0;
};

// Nanoseconds a cell, as in predict().
void Model::predict_plain(CachePrediction &p) const {
  p.reads = sum_.reuse.first_neighbours * read_ns(gather_, 0);
  for (int bin = 0; bin < LineReuse::num_bins; ++bin) {
    const double reads = sum_.reuse.neighbours[bin], set = set_of(LineReuse::cells_of(bin));
    const double near = read_ns(gather_, 0), far = read_ns(gather_, set);
    p.reads += reads * near;
    p.caches += reads * (far > largest_hidden * near ? far : far - near);
  }
  // A pass over a window reads its lines for the first time, one read a real; the bytes' own way is
  // in `memory`.
  const double entries = sum_.line_bytes / real_;
  const double waits = 1 / windows_.at(sum_.block_cells) -
                       read_ns(gather_, sum_.block_cells * real_) - real_ / bandwidth("read");
  p.first = sum_.reuse.first_neighbours * entries * std::max(0.0, waits);
}

// The fraction of the shorter of reads by index from a set and streams beside them, here of a value
// and a 16-bit index each, that a core does not hide behind the longer.
double Model::not_hidden(double set) const {
  if (!beside_streams_)
    return 0;
  const double reads = read_ns(gather_, set), streams = (real_ + 2) * read_ns();
  const double both = 1 / beside_streams_->at(set);
  return std::clamp((both - std::max(reads, streams)) / std::min(reads, streams), 0., 1.);
}

void Model::predict_staged(CachePrediction &p) const {
  // So many reads of a set of the stage's lines, while `streamed` bytes go by between two of a
  // line.
  const double all_reads =
      std::accumulate(sum_.stage_reuse.neighbours.begin(), sum_.stage_reuse.neighbours.end(),
                      sum_.stage_reuse.first_neighbours);
  const double streams = p.memory - list_ns();
  const auto read = [&](double reads, double set, double streamed) {
    const double ns = read_ns(gather_, set + streamed);
    p.reads += reads * ns;
    p.beside += not_hidden(set) * reads * std::min(ns, streams / all_reads);
  };
  for (int bin = 0; bin < LineReuse::num_bins; ++bin) {
    const double cells = LineReuse::cells_of(bin);
    const double lines = sum_.line_bytes * sum_.stage_reuse.footprint_lines(cells);
    read(sum_.stage_reuse.neighbours[bin], std::min(sum_.stage_bytes, at_random(lines)),
         at_random(cells * streamed_bytes_));
  }
  read(sum_.stage_reuse.first_neighbours, sum_.stage_bytes, 0);
  // Entries of lines just read, and one of each line from where it was last. Of lines that nobody
  // has read, the bytes' own way is in `memory`.
  const double from_memory = copies_.points().rbegin()->first * device_.compute_units;
  const double waits =
      read_ns(copies_, from_memory) - read_ns(copies_, 0) - sum_.line_bytes / bandwidth("read");
  p.first = sum_.reuse.first_neighbours * std::max(0.0, waits);
  for (int bin = 0; bin < LineReuse::num_bins; ++bin) {
    const double set = set_of(LineReuse::cells_of(bin));
    p.caches += sum_.reuse.neighbours[bin] * (read_ns(copies_, set) - read_ns(copies_, 0));
  }
  p.copies = sum_.copied_by_index * read_ns(copies_, 0) +
             2 * real_ * (sum_.copied - sum_.copied_by_index) / copy_.at(sum_.stage_bytes);
}

// Nanoseconds a cell, at first.
CachePrediction Model::predict() const {
  CachePrediction p;
  p.memory = sum_.bytes_read * read_ns() + sum_.bytes_written * write_ns();
  double lines_from_memory = 0;
  for (int bin = 0; bin < LineReuse::num_bins; ++bin)
    if (comes_from_memory(set_of(LineReuse::cells_of(bin))))
      lines_from_memory += sum_.reuse.neighbours[bin];
  if (sum_.stage_bytes > 0)
    predict_staged(p);
  else
    predict_plain(p);
  const double list = list_ns();
  const double all_lines = p.memory + lines_from_memory * sum_.line_bytes * read_ns();
  p.seconds = device_.is_cpu ? std::max(std::max(p.memory - list, p.reads) + p.beside +
                                            std::max(p.copies + p.caches + p.first, list),
                                        all_lines)
                             : std::max({all_lines, p.reads + p.copies, p.caches});
  for (double *part : {&p.seconds, &p.memory, &p.reads, &p.copies, &p.caches, &p.first, &p.beside})
    *part *= 1e-9 * sum_.cells;
  p.seconds += 1e-6 * figures_.at("latency.finish.us");
  return p;
}

} // namespace

std::vector<MicroBenchmark> cache_model_benchmarks(Device &device, Precision precision,
                                                   const MicroSizes &sizes) {
  const Precision widest = device.info().has_f64 ? Precision::f64 : Precision::f32;
  std::vector<MicroBenchmark> all;
  const auto add = [&](std::vector<MicroBenchmark> family, const std::vector<std::string> &heads) {
    for (MicroBenchmark &benchmark : family)
      if (std::any_of(heads.begin(), heads.end(), [&](const std::string &head) {
            return benchmark.figure.starts_with(head + ".");
          }))
        all.push_back(std::move(benchmark));
  };
  add(memory_benchmarks(device, widest, sizes),
      {"memory.read", "memory.read_ahead", "memory.copy", "memory.copy_stream"});
  add(cache_benchmarks(device, widest, sizes), {"cache.read", "cache.copy"});
  add(indirect_benchmarks(device, precision, sizes),
      {"gather_alone", "copy_indexed", "gather_streams"});
  return all;
}

std::string CachePrediction::bound() const {
  const std::pair<double, const char *> parts[] = {{memory, "memory"},
                                                   {reads, "reads"},
                                                   {copies, "copies"},
                                                   {caches, "caches"},
                                                   {first, "first"}};
  return std::max_element(std::begin(parts), std::end(parts),
                          [](const auto &a, const auto &b) { return a.first < b.first; })
      ->second;
}

CachePrediction predict_neighbour_sum(const NeighbourSum &sum, const DeviceInfo &device,
                                      const MachineFigures &figures) {
  return Model(sum, device, figures).predict();
}

double break_even_lines(double data_bytes, double line_bytes, double cache_gbps,
                        double memory_gbps) {
  return data_bytes / line_bytes * cache_gbps / memory_gbps;
}

double last_cache_gbps(const DeviceInfo &device, const MachineFigures &figures) {
  if (device.last_cache_bytes == 0)
    return 0;
  return Curve(figures, "cache.read", "gbps")
      .at(static_cast<double>(device.last_cache_bytes) / 2 / device.compute_units);
}

} // namespace weft
