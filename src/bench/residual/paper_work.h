// What the experiments of weft bench residual --paper share: processes that compile ahead, how much
// is done of all of it, and marks of rows.
#pragma once

#include <string>
#include <vector>

#include "base/timer.h"
#include "bench/compile_workers.h"
#include "bench/residual/residual_job.h"
#include "bench/row_marks.h"
#include "output/progress.h"
#include "run/explain/work_estimate.h"

namespace weft {

class PaperWork {
public:
  explicit PaperWork(CompileWorkers workers) : workers_(std::move(workers)) {}

  // Of work to come: kernels to compile, timings to take, candidates to try; `guess_s`: of one.
  void expect(const std::string &kind, double pieces, double guess_s) {
    estimate_.expect(kind, pieces, guess_s);
  }
  void drop(const std::string &kind, double pieces) { estimate_.drop(kind, pieces); }
  // So many are done in the time since the last call, or since begin(). `stage`: for the progress.
  void begin() { since_ = Timer(); }
  void done(const std::string &kind, double pieces, const std::string &stage);
  // Compiles them in parallel, where there are workers. `announce`: what all comes to, said as soon
  // as the first kernels tell how long they take.
  void compile(const std::vector<ResidualJob> &jobs, const std::string &announce = {});

  // The same of some that are needed now; counts to what they are needed for.
  void compile_now(const std::vector<ResidualJob> &jobs);

  // For the next row of a table on the terminal.
  void make_way() { progress_.make_way(); }
  RowMarks &marks() { return marks_; }
  int num_workers() const { return workers_.number(); }
  double left_s() const { return estimate_.left_s(); }

private:
  CompileWorkers workers_;
  WorkEstimate estimate_;
  Progress progress_{"paper", ""};
  Timer since_;
  RowMarks marks_;
};

} // namespace weft
