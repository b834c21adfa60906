// The first paper's problems: order one on simplices of the unit square and cube, one quadrature
// point, and the settings of its method.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kernel/cell/paper_cost.h"
#include "linalg/vector.h"
#include "mesh/mesh.h"
#include "op/weak_form/form_operator.h"

namespace weft {

// Unit square or cube with `edges` edges a side, each cut into simplices; inner nodes moved by up
// to a fifth of an edge.
Mesh paper_mesh(int dim, int edges);
// Edges a side that give about so many nodes.
int paper_edges(int dim, double nodes);

// "poisson": k grad u . grad v with k a known field, constant in each cell; "elasticity" as in
// bench/bench_forms.h. `mesh` must outlive it.
Discretisation paper_discretisation(const std::string &form, const Mesh &mesh);

// The paper's method: thread transposition with stored geometry; N_bl blocks a batch, N_cb batches
// a chunk.
OperatorSettings paper_settings(const std::string &form, Precision precision, int num_blocks,
                                int num_batches);

// The paper's cost of the integral over all cells: bytes and flops of all of them, the rest as in
// kernel/cell/paper_cost.h.
PaperCost paper_cost(const Discretisation &d, const OperatorSettings &settings);

// An operator with a state to apply it to.
class ResidualRun {
public:
  // `d` must outlive it.
  ResidualRun(Device &device, const Discretisation &d, const OperatorSettings &settings);
  FormOperator &op() { return op_; }
  // From global vector to assembled global vector.
  void residual() { op_.residual(u_, r_); }
  // The integrals alone: for strategies that leave element vectors, these are not summed.
  void integrals();
  // Costs, flops and bytes of integrals().
  std::vector<NamedCost> integral_costs();
  double integral_flops();
  double integral_bytes();

private:
  Device &device_;
  FormOperator op_;
  Vector u_, r_;
};

} // namespace weft
