// Rates of indirect accesses: gathers by working set and by irregularity, additions to a stage.
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <random>

#include "base/error.h"
#include "tune/measure/measure_machine.h"
#include "tune/measure/micro_benchmark.h"

namespace weft {

namespace {

constexpr std::uint64_t small_stage_bytes = 32 << 10, large_stage_bytes = 256 << 10,
                        huge_stage_bytes = 512 << 10;
constexpr int mixed_points_records = 256; // nodes of the cells that lanes are about
// Blocks copy of others what they read of them: as much as 8192 cells with four neighbours each
// anywhere do, and how far ahead they ask for it.
constexpr std::int64_t stage_reals = 32768, copy_ahead = 128;

// `count` numbers below `below`, the same in every run.
template <typename Index>
std::vector<Index> random_indices(std::int64_t count, std::uint64_t below) {
  std::mt19937_64 random(below);
  std::vector<Index> indices(count);
  for (Index &index : indices)
    index = static_cast<Index>((random() >> 32) * below >> 32);
  return indices;
}

class Indirect {
public:
  Indirect(Device &device, Precision precision, const MicroSizes &sizes)
      : device_(device), precision_(precision), sizes_(sizes),
        shape_(micro_shape(device.info(), precision)), real_bytes_(size_bytes(precision)),
        sets_(working_sets(device.info(), sizes)),
        num_reals_(static_cast<std::int64_t>(sets_.back() / real_bytes_) *
                   device.info().compute_units),
        program_(build_micro_program(device, precision, shape_.lanes, 1, {"indirect"},
                                     {"gather_1", "gather_4", "gather_16_1", "gather_16_4",
                                      "gather_alone_1", "gather_windows", "gather_alone_windows",
                                      "gather_streams"})),
        values_(upload_repeated(device, precision, num_reals_, 0)),
        result_(device.allocate(shape_.lanes * real_bytes_, "micro-benchmark")) {}

  void add_sets() {
    for (const std::uint64_t bytes : sets_)
      for (const int reals : {1, 4}) {
        const std::uint64_t records = bytes / real_bytes_ / reals;
        // So many that the lines of the set are touched, and no pattern is learnt.
        const auto count = static_cast<std::int64_t>(std::max<std::uint64_t>(8192, bytes / 64));
        const Buffer indices =
            upload(device_, random_indices<std::int32_t>(count, records), "micro-benchmark");
        add_set("gather", "gather", reals, bytes, count, indices);
        if (reals == 1)
          add_set("gather_alone", "gather_alone", reals, bytes, count, indices);
        if (records <= 65536)
          add_set(
              "gather_16", "gather_16", reals, bytes, count,
              upload(device_, random_indices<std::uint16_t>(count, records), "micro-benchmark"));
      }
  }

  // Every stage is filled from all over the set, in ascending order.
  void add_copies() {
    const Program program = build_micro_program(
        device_, precision_, 1, 1, {"copy_indexed"}, {"copy_indexed"},
        fmt::format("#define WEFT_STAGE {}\n#define WEFT_AHEAD {}\n", stage_reals, copy_ahead));
    for (const std::uint64_t bytes : sets_) {
      const auto count =
          std::max(stage_reals, static_cast<std::int64_t>(bytes / 64) / stage_reals * stage_reals);
      const std::uint64_t reals = bytes / real_bytes_;
      std::vector<std::int32_t> indices = random_indices<std::int32_t>(count, reals);
      for (auto first = indices.begin(); first != indices.end(); first += stage_reals)
        std::sort(first, first + stage_reals);
      indices.resize(indices.size() + copy_ahead, 0);
      benchmarks_.push_back(repeated_benchmark(
          device_, fmt::format("copy_indexed.{}.{}.gops", bytes, to_string(precision_)), program,
          "copy_indexed", shape_.cores,
          {count, static_cast<std::int64_t>(reals), upload(device_, indices, "micro-benchmark"),
           values_, result_},
          static_cast<double>(count * shape_.cores.groups), sizes_.target_s));
    }
  }

  void add_windows() {
    for (const std::int64_t window : {64, 1024, 16384, 262144, 0}) {
      const bool all = window == 0;
      if (window > num_reals_)
        continue;
      // Short windows share one list, which is then in the cache: the indices' own way from memory
      // is no part of this figure.
      const std::int64_t period = all ? num_reals_ : std::max<std::int64_t>(window, 16384);
      std::vector<std::int32_t> indices =
          random_indices<std::int32_t>(period, all ? num_reals_ : window);
      for (std::int64_t i = 0; !all && i < period; ++i)
        indices[i] += static_cast<std::int32_t>(i / window * window);
      const Buffer places = upload(device_, indices, "micro-benchmark");
      for (const std::string family : {"gather", "gather_alone"})
        benchmarks_.push_back(rate_benchmark(
            device_,
            fmt::format("{}.memory.{}.{}.gops", family, all ? "all" : std::to_string(window),
                        to_string(precision_)),
            program_, family + "_windows", shape_.wide,
            {period, num_reals_, places, values_, result_}, static_cast<double>(num_reals_)));
    }
  }

  // Streams several times the last cache beside sets from one that leaves the first cache to them.
  void add_streams() {
    for (const std::uint64_t bytes : {4 << 10, 16 << 10, 64 << 10, 256 << 10}) {
      const std::uint64_t reals = bytes / real_bytes_;
      if (static_cast<std::int64_t>(reals) > num_reals_)
        continue;
      const Buffer indices =
          upload(device_, random_indices<std::uint16_t>(num_reals_, reals), "micro-benchmark");
      benchmarks_.push_back(rate_benchmark(
          device_, fmt::format("gather_streams.{}.{}.gops", bytes, to_string(precision_)), program_,
          "gather_streams", shape_.wide, {num_reals_, indices, values_, result_},
          static_cast<double>(num_reals_)));
    }
  }

  void add_scatters() {
    const Program program = build_micro_program(
        device_, precision_, shape_.lanes, 1, {"scatter"},
        {"scatter_add_1_small", "scatter_add_1_large", "scatter_add_1_huge", "scatter_add_2_small",
         "scatter_add_2_large", "scatter_add_2_huge", "scatter_add_4_small", "scatter_add_4_large",
         "scatter_add_4_huge"},
        fmt::format("#define WEFT_SMALL_STAGE {}\n#define WEFT_LARGE_STAGE {}\n"
                    "#define WEFT_HUGE_STAGE {}\n",
                    small_stage_bytes / real_bytes_, large_stage_bytes / real_bytes_,
                    huge_stage_bytes / real_bytes_));
    const Buffer constants = upload_constants(device_, precision_, shape_.lanes);
    // Longer than others, so that clearing the stage and reading it at the end vanish.
    for (const auto &[size, bytes] : {std::pair{"small", small_stage_bytes},
                                      {"large", large_stage_bytes},
                                      {"huge", huge_stage_bytes}})
      for (const int reals : {1, 2, 4}) {
        // As many as 16-bit indices tell apart.
        const std::uint64_t records = std::min<std::uint64_t>(65536, bytes / real_bytes_ / reals);
        constexpr std::int64_t count = 8192;
        benchmarks_.push_back(repeated_benchmark(
            device_, fmt::format("scatter_add.{}.{}.{}.gops", reals, bytes, to_string(precision_)),
            program, fmt::format("scatter_add_{}_{}", reals, size), shape_.cores,
            {count,
             upload(device_, random_indices<std::uint16_t>(count, records), "micro-benchmark"),
             constants, result_},
            static_cast<double>(count * shape_.cores.groups), 4 * sizes_.target_s));
      }
  }

  std::vector<MicroBenchmark> benchmarks() { return std::move(benchmarks_); }

private:
  void add_set(const std::string &figure, const std::string &kernel, int reals, std::uint64_t bytes,
               std::int64_t count, const Buffer &indices) {
    benchmarks_.push_back(repeated_benchmark(
        device_, fmt::format("{}.{}.{}.{}.gops", figure, reals, bytes, to_string(precision_)),
        program_, fmt::format("{}_{}", kernel, reals), shape_.cores,
        {count, static_cast<std::int64_t>(bytes / real_bytes_), shape_.groups_a_core, indices,
         values_, result_},
        static_cast<double>(count * shape_.cores.groups), sizes_.target_s));
  }

  Device &device_;
  Precision precision_;
  MicroSizes sizes_;
  MicroShape shape_;
  std::uint64_t real_bytes_;
  std::vector<std::uint64_t> sets_;
  std::int64_t num_reals_;
  Program program_;
  Buffer values_, result_;
  std::vector<MicroBenchmark> benchmarks_;
};

// Times blocks' three kinds of work together, see mixed.kernel, on as many nodes as a leaf has.
MicroBenchmark mixed_benchmark(Device &device, Precision precision, double target_s) {
  constexpr std::uint64_t reals_a_node = 5; // of a record and a sum
  const MicroShape shape = micro_shape(device.info(), precision);
  const std::uint64_t nodes = leaf_bytes / (reals_a_node * size_bytes(precision));
  const Program program =
      build_micro_program(device, precision, shape.lanes, 1, {"mixed"}, {"mixed"},
                          fmt::format("#define WEFT_RECORDS {}\n", nodes));
  constexpr std::int64_t count = 8192;
  return repeated_benchmark(
      device, fmt::format("mixed.{}.gops", to_string(precision)), program, "mixed", shape.cores,
      {count, upload(device, random_indices<std::uint16_t>(count, nodes), "micro-benchmark"),
       upload_constants(device, precision, shape.lanes),
       device.allocate(shape.lanes * size_bytes(precision), "micro-benchmark")},
      static_cast<double>(count / 4 * shape.cores.groups), target_s);
}

// Places of the nodes of cells, [cell][node][lane]: each lane has a part of the records of its own,
// as it has a part of a block, and its cells share the nodes of a facet with the next.
std::vector<std::uint16_t> neighbouring_cells(int cells, int nodes, int shared, int lanes,
                                              int records) {
  const int own = records / lanes;
  require(own >= nodes, "a lane's part holds the nodes of a cell");
  std::mt19937_64 random(nodes);
  std::vector<std::uint16_t> places(std::size_t(cells) * nodes * lanes);
  for (int lane = 0; lane < lanes; ++lane) {
    std::vector<int> cell(own);
    std::iota(cell.begin(), cell.end(), lane * own);
    for (int c = 0; c < cells; ++c) {
      // The first `nodes` are the cell's: `shared` of them stay, at other numbers, others come.
      std::shuffle(cell.begin(), cell.begin() + nodes, random);
      std::shuffle(cell.begin() + shared, cell.end(), random);
      std::rotate(cell.begin(), cell.begin() + c % nodes, cell.begin() + nodes);
      for (int i = 0; i < nodes; ++i)
        places[(std::size_t(c) * nodes + i) * lanes + lane] = static_cast<std::uint16_t>(cell[i]);
    }
  }
  return places;
}

// The same of cells with much more to compute, see mixed_points.kernel.
MicroBenchmark mixed_points_benchmark(Device &device, Precision precision, double target_s) {
  constexpr int nodes = mixed_points_work.additions, shared = 6, cells = 64;
  const MicroShape shape = micro_shape(device.info(), precision);
  const Program program = build_micro_program(
      device, precision, shape.lanes, 1, {"mixed_points"}, {"mixed_points"},
      fmt::format("#define WEFT_RECORDS {}\n#define WEFT_NODES {}\n#define WEFT_POINTS {}\n",
                  mixed_points_records, nodes, mixed_points_work.points) +
          point_table(nodes, mixed_points_work.points, precision));
  const std::vector<std::uint16_t> places =
      neighbouring_cells(cells, nodes, shared, shape.lanes, mixed_points_records);
  return repeated_benchmark(
      device, fmt::format("mixed_points.{}.gops", to_string(precision)), program, "mixed_points",
      shape.cores,
      {static_cast<std::int64_t>(places.size()), upload(device, places, "micro-benchmark"),
       upload_constants(device, precision, shape.lanes),
       device.allocate(shape.lanes * size_bytes(precision), "micro-benchmark")},
      static_cast<double>(cells) * shape.lanes * static_cast<double>(shape.cores.groups), target_s);
}

} // namespace

MicroBenchmark core_benchmark(Device &device, Precision precision, double target_s) {
  return device.info().is_cpu ? mixed_benchmark(device, precision, target_s)
                              : multiply_add_benchmark(device, precision, target_s);
}

std::vector<MicroBenchmark> indirect_benchmarks(Device &device, Precision precision,
                                                const MicroSizes &sizes) {
  Indirect indirect(device, precision, sizes);
  indirect.add_sets();
  indirect.add_windows();
  // Only where a work-item has a stage of its own: others sum in local memory.
  if (device.info().is_cpu) {
    indirect.add_copies();
    indirect.add_streams();
    indirect.add_scatters();
  }
  std::vector<MicroBenchmark> benchmarks = indirect.benchmarks();
  if (device.info().is_cpu) {
    benchmarks.push_back(mixed_benchmark(device, precision, 2 * sizes.target_s));
    benchmarks.push_back(mixed_points_benchmark(device, precision, 2 * sizes.target_s));
  }
  return benchmarks;
}

} // namespace weft
