// A level's matrix, scaled by its diagonal, with entries stored in low precision.
#pragma once

#include "linalg/levels/level_operator.h"
#include "linalg/levels/level_sell.h"
#include "ranks/shared_rows.h"

namespace weft {

// S A S with S = diag(A)^-1/2 (1 where the diagonal is not positive), in the unknowns S^-1 x. Its
// diagonal is stored apart, in precision(), and rebuilt so that rounding the other entries keeps
// the product with constants c (in scaled unknowns S^-1 c): a matrix with non-positive entries
// beside its diagonal stays as definite as it is, whatever the storage. With several components
// that holds for the rows' own component only: a diagonal has one number a row.
class LevelMatrix : public LevelOperator {
public:
  struct Constants {
    int components = 1;         // of a node's unknowns, consecutive
    std::vector<double> values; // [row], of ghosts too; empty: ones
  };

  // `rows`: ranks share them, and columns are their places; all make the level then. Null: this
  // rank has all rows. `systems`: right-hand sides at once, 1 or, without ranks, 4.
  LevelMatrix(Device &device, const HostMatrix &matrix, Precision storage,
              const Constants &constants, std::shared_ptr<const SharedRows> rows = nullptr,
              int systems = 1);
  // Shares the layout of a matrix in sliced ELLPACK and is made from its values on the device, as
  // they are now; of another format by way of the host.
  LevelMatrix(Device &device, const SparseMatrix &matrix, Precision storage,
              const Constants &constants, std::shared_ptr<const SharedRows> rows = nullptr,
              int systems = 1);

  // Loads the kernels of levels made of the host's matrices, before these are known: milliseconds
  // of a driver, which may be spent while nothing else is to be done. `constants`: some will be
  // given, of so many components.
  static void load_kernels(Device &device, Precision storage, int components, bool constants,
                           int systems = 1);

  std::int64_t size() const override { return num_rows_ * systems_; }
  int systems() const override { return systems_; }
  VectorLayout layout() const override;
  std::shared_ptr<Halo> halo() const override { return halo_; }
  Precision precision() const override { return arithmetic_precision(storage_); }
  Precision storage() const override { return storage_; }
  std::int64_t num_entries() const override { return num_entries_; }
  std::uint64_t bytes() const override;

  const Vector *scaling() const override { return &scaling_; }
  void diagonal(Vector &d) override;
  void apply(const Vector &x, Vector &y) override;
  void residual(const Vector &b, const Vector &x, Vector &r) override;
  void smooth(const Vector &b, const Vector &x, Vector &w, Vector &out,
              const SmootherStep &step) override;

private:
  void make(const HostMatrix &matrix, const Constants &constants);
  void fill(const UnscaledSell &unscaled, const Vector &diagonal, const Constants &constants);
  enum class Product { apply, residual, smooth };
  KernelCost cost(Product product, const SmootherStep &step, const Launch &size) const;
  void launch(Product product, const Vector &x, const Vector &b, const Vector &w, const Vector &out,
              const SmootherStep &step);
  static Program build_program(Device &device, const DeviceSell &layout, Precision storage,
                               int systems);
  KernelArgument real(double value) const;

  Device &device_;
  std::int64_t num_rows_ = 0, num_entries_ = 0;
  int systems_ = 1;
  Precision storage_;
  std::shared_ptr<const SharedRows> rows_;
  std::shared_ptr<Halo> halo_;
  bool shares_layout_ = false;
  DeviceSell layout_;
  Buffer values_;
  Vector diagonal_; // [row][system]
  Vector scaling_;  // [row]
  Program program_;
};

} // namespace weft
