// What a multigrid cycle sees of one level: the operator in scaled unknowns, in low precision, with
// the products fused that smoothers need.
#pragma once

#include <cstdint>
#include <memory>

#include "linalg/halo/halo.h"
#include "linalg/vector.h"

namespace weft {

// One step of a polynomial smoother:
//   w <- c1 w + c2 D^-1 (b - A x),   out <- x + w.
// Damped Jacobi is c1 = 0, c2 = omega.
struct SmootherStep {
  double c1 = 0, c2 = 1;
  bool reads_w = true; // else c1 = 0 and w is only written
  bool reads_x = true; // else x = 0: b - A x = b
  bool keeps_w = true; // else nobody reads w afterwards, and it may be left as it is
};

// A in the scaled unknowns of this level: with S = `scaling`, the matrix is S A S, its right-hand
// side S b and its solution S^-1 x.
class LevelOperator {
public:
  virtual ~LevelOperator() = default;
  // Entries of vectors: of all systems.
  virtual std::int64_t size() const = 0;
  // So many right-hand sides at once, interleaved: [row][system].
  virtual int systems() const { return 1; }
  // The same with the room that vectors have for what other ranks have: what multiplies fetches it,
  // so that all ranks call it.
  virtual VectorLayout layout() const { return size(); }
  // Of vectors of this level; null where this rank has all of them.
  virtual std::shared_ptr<Halo> halo() const { return nullptr; }
  // Precision of all vectors below: f64 or f32.
  virtual Precision precision() const = 0;
  // Precision in which the entries are stored; that of the vectors where there are none.
  virtual Precision storage() const = 0;
  virtual std::int64_t num_entries() const = 0; // 0: no matrix
  virtual std::uint64_t bytes() const = 0;      // on the device, beside vectors

  // S, in the precision of the matrix it was made from (in a lower one it might not be
  // representable), [row], ghosts too; null: the identity.
  virtual const Vector *scaling() const { return nullptr; }
  // d = diag(A), of the scaled matrix.
  virtual void diagonal(Vector &d) = 0;
  // y = A x. x and y differ.
  virtual void apply(const Vector &x, Vector &y) = 0;
  // r = b - A x. r may be b.
  virtual void residual(const Vector &b, const Vector &x, Vector &r) = 0;
  // x and out differ where x is read.
  virtual void smooth(const Vector &b, const Vector &x, Vector &w, Vector &out,
                      const SmootherStep &step) = 0;
};

// Between a level and the next coarser one, in their scaled unknowns.
class LevelTransfer {
public:
  virtual ~LevelTransfer() = default;
  // Entries of vectors.
  virtual std::int64_t num_fine() const = 0;
  virtual std::int64_t num_coarse() const = 0;
  virtual std::uint64_t bytes() const = 0;
  // coarse = P^T fine
  virtual void restrict_to(const Vector &fine, Vector &coarse) = 0;
  // fine = fine + P coarse
  virtual void prolong_add(const Vector &coarse, Vector &fine) = 0;
};

} // namespace weft
