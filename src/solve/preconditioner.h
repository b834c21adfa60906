// Approximate inverses of an operator: z = M^-1 r, linear and (for CG) symmetric positive definite,
// or nearly so where they say that they vary.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "linalg/operator.h"
#include "linalg/vector_kernels.h"
#include "solve/report.h"
#include "solve/settings.h"

namespace weft {

class Preconditioner {
public:
  virtual ~Preconditioner() = default;
  // Takes what it needs of the operator as it is now (a nonlinear one: as last linearised).
  virtual void update(LinearOperator &op) = 0;
  // The last update() kept what an earlier one had set up.
  virtual bool keeps_setup() const { return false; }
  // Iterations after which a set-up that was kept is not worth going on with.
  virtual int most_iterations_kept() const { return std::numeric_limits<int>::max(); }
  // The next update() will keep what there is.
  virtual bool holds_setup() const { return false; }
  // The next update() sets up anew.
  virtual void forget() {}
  // Work on the device for update() to do while the host is at work, in a thread of its choice; it
  // may be left undone.
  virtual void meanwhile(const std::function<void()> & /*work*/) {}
  // Computes M^-1 r into z and returns z, or returns r itself where M = I (then z is not touched
  // and may be empty). `scratch` is overwritten; r, z and scratch must differ.
  virtual const Vector &apply(const Vector &r, Vector &z, Vector &scratch) = 0;
  // The diagonal of M^-1 where M is diagonal and not I, so that a method may fuse it; else null.
  virtual const Vector *inverse_diagonal() const { return nullptr; }
  virtual bool is_identity() const { return false; }
  // M^-1 is not quite the same linear map in each apply(): it rounds to a precision below that of r
  // and z, or iterates. Methods are then flexible.
  virtual bool varies() const { return false; }
  // The lowest precision in which it keeps or computes numbers, where that is below the operator's.
  virtual std::optional<Precision> low_precision() const { return {}; }
  // Where it has a hierarchy of levels: these, from the finest.
  virtual std::vector<LevelSummary> levels() const { return {}; }
  // Of a direct solver: the library that it is of, and the rows whose pivots were zero.
  virtual std::string library() const { return {}; }
  virtual std::vector<std::int64_t> null_pivots() const { return {}; }
};

// Puts into a report what a preconditioner says of itself.
void describe_preconditioner(SolveReport &report, const Preconditioner &precond);

// One whose set-up costs far more than an application, and may serve later operators too: until
// forget() is called, where `reuse` is set.
class PrecondWithSetup : public Preconditioner {
public:
  explicit PrecondWithSetup(bool reuse) : reuse_(reuse) {}
  void update(LinearOperator &op) final;
  bool keeps_setup() const final { return kept_; }
  bool holds_setup() const final { return reuse_ && made_; }
  void forget() final { made_ = false; }

protected:
  // Sets up anew for the operator as it is now.
  virtual void set_up(LinearOperator &op) = 0;
  // The set-up is kept, for an operator that may have changed: what was recorded of its launches is
  // of no use any more.
  virtual void keep_set_up() {}

private:
  bool reuse_;
  bool made_ = false, kept_ = false;
};

class PrecondNone : public Preconditioner {
public:
  void update(LinearOperator &) override {}
  const Vector &apply(const Vector &r, Vector &, Vector &) override { return r; }
  bool is_identity() const override { return true; }
};

// M = diag(A); 1 where the diagonal has a zero.
class PrecondJacobi : public Preconditioner {
public:
  explicit PrecondJacobi(VectorKernels &kernels) : kernels_(kernels) {}
  void update(LinearOperator &op) override;
  const Vector &apply(const Vector &r, Vector &z, Vector &scratch) override;
  const Vector *inverse_diagonal() const override { return &inverse_; }

private:
  VectorKernels &kernels_;
  Vector inverse_;
};

} // namespace weft
