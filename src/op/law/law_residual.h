// A conservation law's discretisation as a system of equations, for implicit steps.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "form/law/law_slopes.h"
#include "linalg/operator.h"
#include "linalg/sparse_matrix.h"
#include "op/law/law_jacobian.h"
#include "op/law/law_rates.h"
#include "op/set_up/difference_jacobian.h"

namespace weft {

// F(u) = W (dt(u) - L(t, u)) with L of a LawRates. W is 1, but for order 0 the cell's volume
// times its capacity: then sums of F are what is conserved, and diffusion by two-point fluxes is
// symmetric. The mass matrix of higher orders is inside of L already.
//
// Vectors are of dofs in the order of the discretisation (among ranks of CellDofs). The padding of
// states, copies of dofs, is made where L is computed and left behind there: no norm or product
// sees it.
//
// The Jacobian's action: where L is affine, W (shift x - (L(s x) - L(0)) / s) with s = max|u| /
// max|x|, so that L(0), which boundary values and sources leave, does not drown L(s x) in rounding;
// L(0) is computed once a time, and where it is 0 neither s nor it is in use. Else L's part by
// central differences, see DifferenceJacobian.
class LawResidual : public NonlinearOperator {
public:
  // `d`: that of the rate; both must outlive the operator. With ranks calls are of all of them.
  LawResidual(LawRates &rate, const Discretisation &d);
  ~LawResidual() override;

  std::int64_t size() const override { return d_.num_owned; }
  VectorLayout layout() const override { return {d_.num_owned, 0, d_.ranks}; }
  void set_dofs(const std::vector<double> &dofs, Vector &u) override {
    set_vector(device(), u, order_.own_entries(dofs));
  }
  std::vector<double> dofs(const Vector &u) override {
    return order_.state(get_vector(rate_.device(), u));
  }
  std::vector<std::int32_t> numbers_of_entries() override { return order_.numbers_of_entries(); }
  Precision precision() const override { return rate_.precision(); }
  Device &device() override { return rate_.device(); }
  void residual(const Vector &u, Vector &r) override;
  void linearise(const Vector &u) override;
  void apply(const Vector &x, Vector &y) override;
  // By products, a few for each dof of a cell (see LawJacobian). Where the Jacobian is constant and
  // steady they are taken once, at the time that the discretisation had at first.
  void diagonal(Vector &d) override;
  // After keep_matrix(), which a law of order 0 may have: entries for cells that share a facet. It
  // is the Jacobian but where rates see farther, see LawJacobian::entries(). Else null.
  const SparseMatrix *matrix() const override;
  void keep_matrix();
  void set_constrained(Vector &) override {} // nothing is prescribed
  bool linear() const override { return slopes_.constant; }
  bool symmetric() const override { return slopes_.symmetric; }
  void set_time(double time) override;
  void set_rate(const Vector &offset, double shift) override;
  bool splits_reactions() const override { return d_.reactions.has_value(); }
  void react(double time, double h, Vector &u) override;

  // Text of the kernels that bring vectors to states and back, kernels/dg/law_vectors.kernel, and
  // what a launch of each costs.
  const std::string &vectors_text() const { return text_; }
  std::vector<NamedCost> vector_costs() const;

private:
  struct Matrix;

  void make_maps();
  void make_weights();
  std::int64_t chunk_of(std::int64_t count) const;
  void over_entries(const char *kernel, std::int64_t count,
                    const std::vector<KernelArgument> &arguments);
  KernelArgument real(double value) const;
  Vector dof_vector(const char *purpose);
  void enter(const Vector &x);
  void compute_rate(double time);
  // The part of L(time, x) in F.
  void rate_part(double time, const Vector &x, Vector &r);
  void take_constant(double time);
  void changed();
  const Buffer &weight_buffer() const;
  LawJacobian::Product rate_product();
  double weight(std::int64_t dof) const { return weights_.empty() ? 1 : weights_[dof]; }
  // Products of unit vectors are kept.
  bool keeps_entries() const { return slopes_.constant && slopes_.steady; }
  LawJacobian &jacobian();

  LawRates &rate_;
  const Discretisation &d_;
  CellDofs order_;
  LawSlopes slopes_;
  bool depends_on_time_ = false;
  double first_time_, time_, shift_ = 0;
  std::vector<double> weights_; // [entry]; empty: 1
  int group_size_ = 1;
  std::string text_;
  Program program_;
  Buffer dofs_, places_, weight_buffer_;
  Vector q_, k_; // a state and its rate
  Vector offset_;
  DifferenceJacobian differences_;
  Vector state_; // given to linearise()
  // Affine laws: the part of L(constant_time_, 0) in F.
  Vector constant_;
  std::optional<double> constant_time_;
  bool homogeneous_ = false; // it is 0
  std::unique_ptr<LawJacobian> jacobian_;
  std::vector<double> rate_diagonal_; // of the part of L, as it was computed last
  std::unique_ptr<Matrix> matrix_;
};

// A kernel of kernels/dg/law_vectors.kernel, over the entries of a state or of a vector of dofs;
// `weighted`: rows have weights. Throws `invariant` for an unknown name.
KernelCost law_vector_cost(const std::string &kernel, const VectorShape &shape, std::int64_t dofs,
                           bool weighted);

} // namespace weft
