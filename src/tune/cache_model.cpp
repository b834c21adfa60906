#include "tune/cache_model.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <map>

#include "base/error.h"

namespace weft {

namespace {

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
        cache_(figures, "cache.read", "gbps"), copy_(figures, "cache.copy", "gbps"),
        real_(static_cast<double>(size_bytes(sum.precision))) {
    const double all = gather_.points().rbegin()->first / real_ * device.compute_units;
    windows_.add(
        all, figures.at(fmt::format("gather_alone.memory.all.{}.gops", to_string(sum.precision))));
    // The first cache: the largest set that is read about as fast as the smallest.
    for (const auto &[bytes, gbps] : cache_.points())
      if (gbps >= 0.5 * cache_.points().begin()->second)
        first_cache_bytes_ = bytes;
    // What a cell brings into caches besides x: values and indices, and y unless it goes past them.
    streamed_bytes_ = sum.bytes_read - real_ + (sum.streams ? 0 : sum.bytes_written);
  }

  CachePrediction predict() const;

private:
  double bandwidth(const std::string &kind) const {
    return figures_.at(fmt::format("memory.{}.{}.gbps", kind, device_.has_f64 ? "f64" : "f32"));
  }
  // Nanoseconds a byte written, beyond what reading takes: a copy reads one and writes one.
  double write_ns() const {
    const double copy = bandwidth(sum_.streams ? "copy_stream" : "copy");
    return std::max(0.0, 2 / copy - 1 / bandwidth("read"));
  }
  // Nanoseconds of one read at random from a working set, all cores at once; beyond what one core
  // has for itself, cores share the last cache, and read the same x.
  double gather_ns(double bytes) const {
    const double cores = device_.compute_units;
    const double last = static_cast<double>(device_.last_cache_bytes);
    const double own = bytes * cores <= last ? bytes : std::max(last, bytes) / cores;
    return 1 / gather_.at(own);
  }
  // Bytes that the caches see between two reads of a line, `cells` cells apart.
  double between(double cells) const {
    return cells * streamed_bytes_ + sum_.line_bytes * sum_.reuse.footprint_lines(cells);
  }

  const NeighbourSum &sum_;
  const DeviceInfo &device_;
  const MachineFigures &figures_;
  Curve gather_, windows_, cache_, copy_;
  double real_, first_cache_bytes_ = 0, streamed_bytes_ = 0;
};

// Nanoseconds a cell, at first.
CachePrediction Model::predict() const {
  CachePrediction p;
  const double read_ns = 1 / bandwidth("read");
  p.memory = sum_.bytes_read * read_ns + sum_.bytes_written * write_ns();
  // Of a set that is read at random, two reads of a line have 1 - 1/e of it in between.
  const double of_set = 1 - std::exp(-1.0);
  double lines_from_memory = 0;
  const bool staged = sum_.stage_bytes > 0;
  const auto read = [&](double reads, double bytes, bool beside_streams) {
    if (beside_streams)
      p.reads += reads / gather_.at(0);
    if (bytes > first_cache_bytes_ || !beside_streams)
      p.caches += reads * gather_ns(bytes);
  };
  double lines = sum_.reuse.first_neighbours;
  for (int bin = 0; bin < LineReuse::num_bins; ++bin) {
    const double bytes = between(LineReuse::cells_of(bin));
    read(sum_.reuse.neighbours[bin], bytes / of_set, !staged);
    lines += sum_.reuse.neighbours[bin];
    if (bytes > static_cast<double>(device_.last_cache_bytes))
      lines_from_memory += sum_.reuse.neighbours[bin];
  }
  read(sum_.reuse.first_neighbours, 0, !staged);
  if (staged) {
    read(sum_.copied_by_index - lines, 0, false); // entries of lines just read
    read(sum_.stage_reads, sum_.stage_bytes, true);
    p.caches += 2 * real_ * sum_.copied / copy_.at(sum_.stage_bytes);
  }
  // A pass over a window reads its lines for the first time, one read a real; the bytes' own way is
  // in `memory`.
  const double entries = sum_.line_bytes / real_;
  const double waits =
      1 / windows_.at(sum_.block_cells) - gather_ns(sum_.block_cells * real_) - real_ * read_ns;
  p.first = sum_.reuse.first_neighbours * entries * std::max(0.0, waits);
  const double all_lines = p.memory + lines_from_memory * sum_.line_bytes * read_ns;
  p.seconds = device_.is_cpu ? std::max(std::max(p.memory, p.reads) + p.caches + p.first, all_lines)
                             : std::max({all_lines, p.reads, p.caches});
  for (double *part : {&p.seconds, &p.memory, &p.reads, &p.caches, &p.first})
    *part *= 1e-9 * sum_.cells;
  p.seconds += 1e-6 * figures_.at("latency.finish.us");
  return p;
}

} // namespace

std::string CachePrediction::bound() const {
  const std::pair<double, const char *> parts[] = {
      {memory, "memory"}, {reads, "reads"}, {caches, "caches"}, {first, "first"}};
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
