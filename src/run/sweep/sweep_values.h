// Which values of parameters a sweep goes through.
#pragma once

#include <string>
#include <vector>

namespace weft {

// Of one parameter, as --over says: "h=1:100:20log", "parameters.k.fins=0.1,0.5,1", "h=1:100".
struct SweptParameter {
  std::string name;           // "h", "k.fins"
  std::vector<double> values; // in their order; of a range without a number of values its two ends
  bool is_range = false;      // without a number of values: for samples
  bool logarithmic = false;   // of a range
};

// Errors (input): what is no name and values; ends that are equal, or not positive where it is
// logarithmic; fewer than two values of a range.
SweptParameter swept_parameter(const std::string &text);

// A sample: a value of each parameter.
using SweepPoint = std::vector<double>;

// All combinations of values, the last parameter changing fastest, to and fro, so that one sample
// is a neighbour of the one before it. Errors (input): a range without a number of values.
std::vector<SweepPoint> sweep_grid(const std::vector<SweptParameter> &parameters);

// `count` points that fill the box of the parameters' ranges evenly, the same on every run, and
// those of a smaller count first: Halton's sequence (Halton 1960, DOI 10.1007/BF01386213), its
// first points left out, which lie on a line. Errors (input): parameters with a list of values, or
// more than its bases are good for.
std::vector<SweepPoint> sweep_samples(const std::vector<SweptParameter> &parameters, int count);

} // namespace weft
