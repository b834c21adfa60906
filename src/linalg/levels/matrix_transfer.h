// Prolongation and restriction between two levels as sparse matrices, in scaled unknowns.
#pragma once

#include "linalg/levels/level_operator.h"
#include "linalg/levels/level_sell.h"

namespace weft {

// P' = S_fine^-1 P S_coarse and its transpose, each with rows of its own, so that every entry of a
// vector is written once and the order of every sum is fixed. Values are rounded to `storage`, the
// same in both.
class MatrixTransfer : public LevelTransfer {
public:
  struct Side {
    std::int64_t size = 0;
    Precision vectors = Precision::f64;
    const Vector *scaling = nullptr; // S, in any of f64 and f32; null: the identity
  };
  static Side side_of(const LevelOperator &op) { return {op.size(), op.precision(), op.scaling()}; }

  // `prolongation`: [fine row], columns are coarse unknowns; `restriction`: its transpose, made
  // here where it has no rows.
  MatrixTransfer(Device &device, const HostMatrix &prolongation, const HostMatrix &restriction,
                 const Side &fine, const Side &coarse, Precision storage);

  // Loads the kernels of transfers between levels of these precisions before the matrices are
  // known.
  static void load_kernels(Device &device, Precision fine, Precision coarse, Precision storage);

  std::int64_t num_fine() const override { return fine_.size; }
  std::int64_t num_coarse() const override { return coarse_.size; }
  std::uint64_t bytes() const override;
  void restrict_to(const Vector &fine, Vector &coarse) override;
  void prolong_add(const Vector &coarse, Vector &fine) override;

private:
  struct Direction {
    DeviceSell layout;
    Buffer values;
    Program program;
    std::int64_t num_rows = 0;
  };

  Direction make_direction(const HostMatrix &matrix, const Vector &row_scaling,
                           const Vector &column_scaling, bool transposed);
  void apply(const Direction &direction, const Vector &x, Vector &out, bool adds);

  Device &device_;
  Side fine_, coarse_;
  Precision storage_;
  Direction prolongation_, restriction_;
};

// With ascending columns. On all host threads.
HostMatrix transposed(const HostMatrix &matrix, std::int64_t num_columns);

} // namespace weft
