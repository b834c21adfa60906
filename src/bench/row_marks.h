// Marks of rows that say less than they seem to, and the lines below a table that say what they
// mean.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cost/kernel_record.h"

namespace weft {

class RowMarks {
public:
  // The word at the end of a row, or nothing: "busy" where its timings were disturbed, "cache"
  // where its share of a limit is above 100% because its data lies in the last cache, "over" where
  // it is so within what measurement allows. A share is never printed above 100% without one.
  std::string mark(const std::string &disturbance, double share_of_limit, bool in_cache);
  std::string mark(const KernelRecord &record);
  // Lines for the marks given so far, with how many rows have them; empty where there are none.
  std::string explained() const;

private:
  int rows_ = 0, busy_ = 0, cached_ = 0, over_ = 0;
  std::string first_disturbance_;
};

// Prints explained(), where there is something to explain.
void print_explained(const RowMarks &marks);

// The keys "in_cache", "disturbed" and "disturbance", as kernel records have them.
void add_state(nlohmann::ordered_json &row, const std::string &disturbance, bool in_cache);

} // namespace weft
