// Costs by closed formulas against those that the host device counts, with what differs in words.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "device/host/host_device.h"

namespace weft {

inline std::string listed(const Operations &o) {
  std::string text =
      fmt::format("add {} multiply {} fma {} divide {} root {} simple {}", o.additions,
                  o.multiplications, o.multiply_adds, o.divisions, o.roots, o.simple);
  for (const auto &[name, count] : o.functions)
    text += fmt::format(" {} {}", name, count);
  return text;
}

// Indirect accesses that the dialect counts: those of a work-item's stage. It counts pairs as two.
inline std::string listed_stage(const KernelCost &c) {
  return fmt::format("reads {} {} adds {} {}", c.stage_reads4, c.stage_reads1, c.stage_adds4,
                     2 * c.stage_adds2 + c.stage_adds1);
}

inline std::string listed_bytes(const KernelCost &c) {
  return fmt::format("read {} written {} streamed {}", c.bytes_read, c.bytes_written,
                     c.bytes_streamed);
}

inline std::string listed_launch(const KernelCost &c) {
  return fmt::format("{} launches of {} groups, {} items", c.launches, c.work_groups, c.work_items);
}

// Launches by closed formulas, those of one kernel together.
inline std::map<std::string, KernelCost> by_name(const std::vector<NamedCost> &costs) {
  std::map<std::string, KernelCost> sums;
  for (const NamedCost &cost : costs)
    sums[cost.name] += cost.cost;
  return sums;
}

// What a test knows of the kernels.
struct Countable {
  bool operations = true;     // none is C text
  bool indirect_only = false; // integrals read reals by indices alone
};

// All reads of reals are counted; only sums of contributions that start from nothing and some
// integrals have none but indirect ones.
inline bool reads_by_indices(const std::string &kernel, const Countable &countable) {
  const auto begins = [&](const char *with) { return kernel.rfind(with, 0) == 0; };
  if (begins("assemble_gather"))
    return !begins("assemble_gather_add");
  return countable.indirect_only &&
         (begins("residual_") || begins("apply_") || begins("diagonal_"));
}

inline void expect_counted(const std::map<std::string, KernelCost> &counted,
                           const std::map<std::string, KernelCost> &expected,
                           const Countable &countable = {}) {
  for (const auto &[name, cost] : expected)
    EXPECT_TRUE(counted.count(name)) << name << " was not launched";
  for (const auto &[name, found] : counted) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(expected.count(name)) << "has no cost";
    const KernelCost &cost = expected.at(name);
    if (countable.operations) {
      EXPECT_EQ(listed(found.operations), listed(cost.operations));
    }
    EXPECT_EQ(listed_bytes(found), listed_bytes(cost));
    EXPECT_EQ(listed_launch(found), listed_launch(cost));
    if (found.stage_reads4 + found.stage_reads1 + found.stage_adds4 + found.stage_adds1 > 0) {
      EXPECT_EQ(listed_stage(found), listed_stage(cost));
    }
    if (reads_by_indices(name, countable)) {
      EXPECT_EQ(found.memory_reads1, cost.memory_reads1);
    }
    // Comparisons for the largest entry read it again where it is larger.
    if (found.local_bytes > 0 && name != "difference_largest") {
      EXPECT_EQ(found.local_bytes, cost.local_bytes);
    }
  }
}

} // namespace weft
