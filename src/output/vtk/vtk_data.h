// The numbers of an array in VTK's XML files: as text, in base64 or as bytes, compressed or not.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

enum class VtkEncoding { text, base64, raw };

// How an array lies in its file. `data` begins with it; where arrays are appended it goes on
// behind.
struct VtkData {
  std::string_view data;
  VtkEncoding encoding = VtkEncoding::raw;
  std::string type;        // "Float64", "Int32", ...
  bool wide_sizes = true;  // sizes before the data are of 64 bits, else of 32
  bool compressed = false; // in blocks, by zlib
};

// Throws an error that says what was found.
using VtkFault = std::function<void(const std::string &found)>;

// So many numbers. No more memory is asked for than the data may hold, whatever they say of their
// sizes. `fail` is called with what is wrong, such as "the file ends".
std::vector<double> vtk_reals(const VtkData &array, std::uint64_t count, const VtkFault &fail);
// The same of an array of integers.
std::vector<std::int64_t> vtk_integers(const VtkData &array, std::uint64_t count,
                                       const VtkFault &fail);

} // namespace weft
