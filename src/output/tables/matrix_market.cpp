#include "output/tables/matrix_market.h"

#include <fmt/format.h>
#include <iterator>

#include "base/system/atomic_file.h"

namespace weft {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

// Lines gathered into large writes.
class LineFile {
public:
  LineFile(const std::string &path, const char *format, const std::string &comment) : file_(path) {
    line("%%MatrixMarket matrix {}\n% {}\n", format, comment);
  }
  template <typename... Args> void line(fmt::format_string<Args...> f, Args &&...args) {
    fmt::format_to(std::back_inserter(text_), f, std::forward<Args>(args)...);
    if (text_.size() >= chunk_bytes)
      flush();
  }
  void commit() {
    flush();
    file_.commit();
  }

private:
  void flush() {
    file_.write({text_.data(), text_.size()});
    text_.clear();
  }

  AtomicFile file_;
  fmt::memory_buffer text_;
};

} // namespace

void write_matrix_market(const std::string &path, const HostMatrix &matrix, bool symmetric,
                         const std::string &comment) {
  const std::int32_t n = matrix.num_rows();
  const auto written = [&](std::int32_t row, std::int32_t k) {
    return !symmetric || matrix.columns[k] <= row;
  };
  std::int64_t num_entries = 0;
  for (std::int32_t i = 0; i < n; ++i)
    for (std::int32_t k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k)
      num_entries += written(i, k) ? 1 : 0;
  LineFile file(path, symmetric ? "coordinate real symmetric" : "coordinate real general", comment);
  file.line("{} {} {}\n", n, n, num_entries);
  for (std::int32_t i = 0; i < n; ++i)
    for (std::int32_t k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k)
      if (written(i, k))
        file.line("{} {} {}\n", i + 1, matrix.columns[k] + 1, matrix.values[k]);
  file.commit();
}

void write_matrix_market(const std::string &path, const std::vector<double> &vector,
                         const std::string &comment) {
  LineFile file(path, "array real general", comment);
  file.line("{} 1\n", vector.size());
  for (const double value : vector)
    file.line("{}\n", value);
  file.commit();
}

} // namespace weft
