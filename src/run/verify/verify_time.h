// The order in time of a transient case: steps halved on one mesh.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "run/simulation.h"

namespace weft {

struct TimeLevel {
  double step = 0;                // or the CFL number
  std::vector<FieldError> errors; // against [exact], where there is one
  // [field]: root mean square over its dofs of the change from the level before, at the end; empty
  // for the first level. The error of space is the same in all levels and falls out.
  std::vector<double> change;
};

// The order that the changes to `finer` and to the level before it show, a field.
double observed_time_order(const TimeLevel &coarser, const TimeLevel &finer, std::size_t field);

// Solves with the case's steps, then with halves, quarters, ...: `num_levels`, three at least;
// prints a table. `ranks`: that share the mesh; all call it. Null: this one is alone. Errors: input
// (adaptive steps), numerical (a step that failed).
std::vector<TimeLevel> verify_time(const std::string &case_file, const ProblemOptions &options,
                                   int num_levels, Communicator *ranks = nullptr);
// Throws `numerical` where an order of [verify] expect_time is not reached.
void check_time_orders(const Case &c, const std::vector<TimeLevel> &levels, double slack);
nlohmann::ordered_json to_json(const Case &c, const std::vector<TimeLevel> &levels);

} // namespace weft
