// Prolongation and restriction between two levels as sparse matrices, in scaled unknowns.
#pragma once

#include <memory>
#include <optional>

#include "linalg/halo/gathered_vector.h"
#include "linalg/levels/level_operator.h"
#include "linalg/levels/level_sell.h"

namespace weft {

// P' = S_fine^-1 P S_coarse and its transpose, each with rows of its own, so that every entry of a
// vector is written once and the order of every sum is fixed. Values are rounded to `storage`, the
// same in both.
class MatrixTransfer : public LevelTransfer {
public:
  struct Side {
    std::int64_t size = 0; // rows
    Precision vectors = Precision::f64;
    const Vector *scaling = nullptr; // S, in any of f64 and f32, ghosts too; null: the identity
    std::shared_ptr<Halo> halo;      // of vectors; null: this rank has all entries
    VectorLayout layout = 0;         // where there is a halo
    int systems = 1;                 // vectors at once, interleaved; the same on both sides
  };
  static Side side_of(const LevelOperator &op);

  // `prolongation`: [fine row], columns are coarse unknowns; `restriction`: its transpose, made
  // here where it has no rows. Where ranks share the fine level, all make the transfer, and rows
  // are each one's own; `restriction` is given then. Where they do not share the coarse one, every
  // rank has the whole of it, of which rows of restrictions follow one another, rank by rank.
  MatrixTransfer(Device &device, const HostMatrix &prolongation, const HostMatrix &restriction,
                 const Side &fine, const Side &coarse, Precision storage);

  // Loads the kernels of transfers between levels of these precisions before the matrices are
  // known.
  static void load_kernels(Device &device, Precision fine, Precision coarse, Precision storage,
                           int systems = 1);

  std::int64_t num_fine() const override { return fine_.size * fine_.systems; }
  std::int64_t num_coarse() const override { return coarse_.size * coarse_.systems; }
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
  void make_restriction_of_ranks(const HostMatrix &restriction, const Vector &s_fine,
                                 const Vector &s_coarse);
  void apply(const Direction &direction, const Vector &x, Vector &out, bool adds);

  Device &device_;
  Side fine_, coarse_;
  Precision storage_;
  Direction prolongation_, restriction_;
  std::optional<GatheredVector> gathered_; // where this leads to a level that every rank has
  Vector own_coarse_;                      // then: this rank's part of it
};

// With ascending columns. On all host threads.
HostMatrix transposed(const HostMatrix &matrix, std::int64_t num_columns);

} // namespace weft
