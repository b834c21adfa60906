// What a sweep leaves in its folder: sweep.csv, sweep.json, a plot of each functional.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "run/sweep/sweep.h"

namespace weft {

class SweepFile {
public:
  // Opens the folder's sweep.csv, made where it is missing. Rows of the same sweep that was ended
  // before its time are taken over; what other sweeps left goes into the folder's previous/. Errors
  // (system): the folder can't be written.
  SweepFile(std::string folder, const SweepPlan &plan, const std::string &identity);

  // By sample, from 1: those that are there.
  const std::map<int, SweepRow> &rows() const { return rows_; }
  bool has(int sample) const { return rows_.count(sample) > 0; }
  // Adds a row and waits until it is on the disk. Error (system).
  void add(const SweepRow &row);
  // A picture for each functional, over the first parameter, a line for each value of the others.
  // Returns the files.
  std::vector<std::string> plot() const;
  std::string path() const { return folder_ + "/sweep.csv"; }

private:
  std::string header() const;
  void take_over();

  std::string folder_;
  const SweepPlan &plan_;
  std::map<int, SweepRow> rows_;
};

} // namespace weft
