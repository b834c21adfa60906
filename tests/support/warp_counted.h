// Bounds of what warps of a GPU would do in kernels, which the host device counts.
#pragma once

#include <functional>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "device/host/host_device.h"

namespace weft {

// Largest sectors, in bytes for a byte read and one written; largest shares of steps and of local
// accesses, in percent.
struct Bounds {
  double read, written, divergent, conflicts;
};

class WarpCounted : public testing::Test {
protected:
  // Of what `run` launches on a device, by how a kernel's name begins.
  void expect(const std::map<std::string, Bounds> &bounds, Device &device,
              const std::function<void()> &run) {
    take_counted_costs(device);
    take_warp_counts(device);
    run();
    const auto costs = take_counted_costs(device);
    for (const auto &[name, w] : take_warp_counts(device)) {
      auto bound = bounds.end(); // of the longest name that it begins with
      for (auto it = bounds.begin(); it != bounds.end(); ++it)
        if (name.rfind(it->first, 0) == 0 &&
            (bound == bounds.end() || it->first.size() > bound->first.size()))
          bound = it;
      const KernelCost &cost = costs.at(name);
      const auto ratio = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
      const Bounds found = {ratio(32 * w.sectors_read, cost.bytes_read),
                            ratio(32 * w.sectors_written, cost.bytes_written + cost.bytes_streamed),
                            ratio(100 * w.divergent_steps, w.steps),
                            ratio(100 * w.bank_conflicts, w.local_requests)};
      SCOPED_TRACE(fmt::format("{}: {:.2f}, {:.2f}, {:.1f}, {:.1f}", name, found.read,
                               found.written, found.divergent, found.conflicts));
      if (bound == bounds.end()) {
        ADD_FAILURE() << "it has no bounds";
        continue;
      }
      const auto expect_near = [](double value, double most, const char *what) {
        EXPECT_LE(value, 1.02 * most + 0.05) << what;
        EXPECT_GE(value, 0.9 * most - 0.05) << what << ": lower its bound";
      };
      expect_near(found.read, bound->second.read, "bytes of sectors for a byte that is read");
      expect_near(found.written, bound->second.written, "the same of bytes that are written");
      expect_near(found.divergent, bound->second.divergent, "% of steps with threads that wait");
      expect_near(found.conflicts, bound->second.conflicts, "% of local accesses in conflict");
    }
  }
};

} // namespace weft
