// Functions of one variable that a file gives in two columns.
#pragma once

#include <string>
#include <vector>

namespace weft {

// What a function is beyond its first and last row: nobody should ask (it is continued along its
// last slopes, and a result that needs it is none), the value there, or along the slope there.
enum class OutsideTable { error, constant, linear };

struct TabulatedFunction {
  // An expression is as long as the table, and each point of the mesh evaluates all of it.
  static constexpr std::size_t most_rows = 256;

  std::string file;
  std::vector<double> at, values; // parallel, `at` ascending, two rows at least
  bool cubic = false;             // monotone cubic, see form/expression/tabulated.h; else linear
  OutsideTable outside = OutsideTable::error;
};

// Reads two columns of a CSV file: fields apart by commas, semicolons, tabs or blanks, # begins a
// comment, the first line may name the columns. `columns`: two of these names; empty: the first
// two. `where`: who names the file. Errors (input): no such file, or over a megabyte; a field that
// is no finite number, arguments that do not ascend, fewer rows than two or more than most_rows, a
// name that is none of the columns'.
TabulatedFunction read_tabulated_function(const std::string &path,
                                          const std::vector<std::string> &columns,
                                          const std::string &where);

} // namespace weft
