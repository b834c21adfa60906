// Sparse triangular factors on a device, solved with by levels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linalg/sparse_matrix.h"
#include "linalg/vector.h"

namespace weft {

// A = L U on the host: L with 1 on its diagonal.
struct HostFactors {
  HostMatrix lower, upper;      // beside the diagonal
  std::vector<double> diagonal; // [row], of U; none is 0

  std::int64_t num_entries() const {
    return static_cast<std::int64_t>(lower.values.size() + upper.values.size() + diagonal.size());
  }
};

// Rows in the order of their levels: a row of level l has entries in columns whose rows are of
// lower levels (Saad 2003, section 11.6.3, DOI 10.1137/1.9780898718003).
struct RowLevels {
  std::vector<std::int32_t> level_start; // [level + 1], places
  std::vector<std::int32_t> rows;        // [place], ascending in a level
};
// `triangle`: strictly lower (`backward` false) or strictly upper.
RowLevels find_row_levels(const RowsView &triangle, bool backward);

// x = U^-1 L^-1 b.
class TriangularFactors {
public:
  // `order`: [row of the factors] the entry of vectors that it stands for; empty: the same.
  // `precision` is that of the vectors and of what is stored.
  TriangularFactors(Device &device, const HostFactors &factors, std::span<const std::int32_t> order,
                    Precision precision);

  // x may be b.
  void solve(const Vector &b, Vector &x);
  std::int64_t size() const { return size_; }
  // Of both triangles together.
  std::int64_t num_levels() const { return lower_.num_levels + upper_.num_levels; }
  std::int64_t num_launches() const {
    return static_cast<std::int64_t>(lower_.runs.size() + upper_.runs.size());
  }
  std::uint64_t bytes() const;

private:
  // Levels of one launch.
  struct Run {
    std::int32_t first_level = 0, end_level = 0;
    std::int64_t groups = 1;
  };
  struct Triangle {
    Buffer level_start, rows, row_start, columns, values, inverse;
    std::vector<Run> runs;
    std::int64_t num_levels = 0;
    bool has_diagonal = false;
  };

  Triangle upload_triangle(const HostMatrix &triangle, const std::vector<double> &diagonal,
                           std::span<const std::int32_t> order, bool backward);
  std::vector<Run> runs_of(const std::vector<std::int32_t> &level_start,
                           const std::vector<std::int32_t> &row_start) const;
  void solve_with(const Triangle &triangle, const Vector &b, Vector &x);

  Device &device_;
  std::int64_t size_;
  Precision precision_;
  int group_size_;
  Triangle lower_, upper_;
  Program program_;
};

} // namespace weft
