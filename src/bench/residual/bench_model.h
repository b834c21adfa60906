// weft bench model: how well times are predicted, over forms, cells, orders and precisions.
#pragma once

#include <string>
#include <vector>

#include "cost/kernel_record.h"
#include "output/kernel_rows.h"
#include "tune/model/performance_model.h"

namespace weft {

struct ModelOptions {
  std::string device;
  int threads = 0;
  int repeats = 11;
  double budget_s = 6;               // of the search for each pair's best variant
  double nodes = 1.2e6;              // of each problem, about; scalars of the solution a component
  std::string form, cell, precision; // empty = all
};

// One kernel on one problem, made with the tuned variant.
struct ModelRow {
  KernelRecord record;
  Prediction predicted;
  double predicted_over_measured = 0; // median over pairs with the machine's state
  double first_choice_over_best = 0;  // times in the search; 0: not known
  double default_over_best = 0;
};

// The record's keys and what else the row says, the model's terms in seconds; what is not known is
// null.
nlohmann::ordered_json to_json(const ModelRow &row);

struct ModelResult {
  MachineRecord machine;
  std::vector<ModelRow> rows;
};

// Every pair is a form on a type of cells with elements of an order, in a precision, on a box
// larger than the last cache: the residual's best variant is searched for and timed in turn with
// the machine's bandwidth and arithmetic. The figures that the model takes are those of
// micro-benchmarks, and no kernel's time is used to predict another's. Prints a table as it goes.
ModelResult bench_model(const ModelOptions &options);

} // namespace weft
