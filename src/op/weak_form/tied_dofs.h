// Dofs of a device's vectors that follow others, see Ties: what they add to an operator A, which
// becomes C^T A C with C what all dofs are by those that follow none. Rows and columns of those
// that follow are those of the identity.
#pragma once

#include <vector>

#include "kernel/cell/cell_integral.h"
#include "linalg/vector.h"
#include "op/problem/discretisation.h"

namespace weft {

class TiedDofs {
public:
  // `ties` must outlive it.
  TiedDofs(Device &device, const Ties &ties, Precision precision);

  // All: nothing where no dof follows any.
  //
  // Takes jumps anew.
  void take_jumps();
  // Sets those of a state.
  void set(const Vector &u);
  // Around y = A x: x is C x in between, and as it was afterwards.
  void take(const Vector &x);
  void give_back(const Vector &x, const Vector &y);
  // r = C^T r of a residual.
  void fold_residual(const Vector &r);
  // Of a diagonal, but for products of different dofs that follow the same one: those that are
  // neighbours, or neighbours of what they follow.
  void fold_diagonal(const Vector &d);

  // The launches that one residual(), apply() or diagonal() takes.
  std::vector<NamedCost> costs(IntegralKind kind) const;

private:
  void launch(const char *kernel, std::int64_t num, const std::vector<KernelArgument> &arguments);
  void fold(const Vector &y, bool squared);
  void fill(const Vector &y, double value);
  std::int64_t num() const { return static_cast<std::int64_t>(ties_.dofs.size()); }

  Device &device_;
  const Ties &ties_;
  Precision precision_;
  Program program_;
  Buffer dofs_, first_, others_, weights_, jumps_, saved_;
  // The same by what is followed, each once.
  std::int64_t num_others_ = 0;
  Buffer by_others_, by_first_, by_dofs_, by_weights_;
};

} // namespace weft
