// [over_time]: means and extrema of expressions over time, at the nodes of the first field.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "case/case.h"
#include "op/evaluate/expression_values.h"

namespace weft {

class TimeStatistics {
public:
  // Error (input): what is wrong with an expression.
  TimeStatistics(const Case &c, const Discretisation &d);

  // All: of the state at a time, at which the discretisation is; the first one is that at the start
  // of the run.
  void look(const Discretisation &d, double time, const std::vector<double> &state);
  // Sets the known fields that results see.
  void set_fields(const Case &c, Discretisation &d) const;

  // What a run that goes on from here needs, by their names, [node]: integrals and extrema so far;
  // and back. `state`: at that time. Returns the names that are missing, which begin anew there.
  std::map<std::string, std::vector<double>> kept() const;
  std::vector<std::string> resume(const Discretisation &d, double start, double time,
                                  const std::vector<double> &state,
                                  const std::map<std::string, std::vector<double>> &kept);

private:
  struct Entry {
    std::string name;
    OverTimeKind kind;
    ResolvedExpression expression;
    std::vector<double> kept; // [node]: the integral, or the extremum
    std::vector<double> last; // [node]: of means, at the last time
    double start = 0;         // of the mean
  };
  std::vector<double> evaluate(const Discretisation &d, const Entry &entry,
                               const std::vector<double> &state) const;
  void begin(const Discretisation &d, Entry &entry, double time,
             const std::vector<double> &state) const;

  std::vector<Entry> entries_;
  bool begun_ = false;
  double time_ = 0; // last looked at
};

} // namespace weft
