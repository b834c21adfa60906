// What a launch costs whatever it does.
#include "base/timer.h"
#include "tune/measure/micro_benchmark.h"

namespace weft {

std::vector<MicroBenchmark> latency_benchmarks(Device &device) {
  const Program program = build_micro_program(device, Precision::f32, 1, 1, {"latency"}, {"empty"});
  const Buffer buffer = device.allocate(sizeof(float), "micro-benchmark");
  const Launch few = {device.info().compute_units, 1};
  const auto seconds = [=, &device](Launch launch, int launches) {
    device.finish();
    const Timer timer;
    for (int i = 0; i < launches; ++i)
      device.launch(program, "empty", launch, {buffer});
    device.finish();
    return timer.seconds();
  };
  seconds(few, 1); // compiles it
  constexpr int queued = 200;
  constexpr std::int64_t many = 20000;
  return {{"latency.finish.us",
           [=] {
             double sum = 0;
             for (int i = 0; i < 20; ++i)
               sum += seconds(few, 1);
             return sum / 20 * 1e6;
           }},
          {"latency.launch.us", [=] { return seconds(few, queued) / queued * 1e6; }},
          {"latency.group.us", [=] {
             return seconds({few.groups + many, 1}, 1) / many * 1e6;
           }}};
}

} // namespace weft
