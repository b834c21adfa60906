// The cost model of Knepley, Rupp and Terrel, "Finite Element Integration with Quadrature on the
// GPU", section 3.3: their figures for thread transposition, not counts of our kernels.
#pragma once

#include <optional>

#include "kernel/cell/cell_integral.h"
#include "kernel/cell/integral_kernel.h"

namespace weft {

// In their letters; reals of `real_bytes` (theirs: 4).
struct PaperSizes {
  int dim = 2;        // d
  int basis = 3;      // N_b: scalar basis functions of a cell
  int points = 1;     // N_q: quadrature points
  int components = 1; // N_comp
  int blocks = 1;     // N_bl: cell blocks of a batch
  double real_bytes = 4;

  int basis_total() const { return basis * components; }       // N_bt
  int block_cells() const;                                     // N_bs = LCM(N_b, N_q)
  int batch_cells() const { return blocks * block_cells(); }   // N_bc
  int threads() const { return batch_cells() * components; }   // N_t
  int cells_a_thread() const { return block_cells() / basis; } // N_sqc, in the quadrature phase
  // Whether it is the example of equation (9): 2D Poisson of order 1, one point, single precision.
  bool is_of_equation_9() const;
};

struct PaperCost {
  double shared_bytes = 0;            // M of a batch, equation (3)
  double shared_bytes_a_cell = 0;     // M_c = M / N_bc
  double shared_bytes_bound = 0;      // the bound of M_c in equation (4)
  double shared_bytes_without_f0 = 0; // equation (5): no table of basis functions, no f0
  // Costs of a batch. The values of f are counted as loaded, and writing the element vector is left
  // out.
  double bytes = 0;   // equation (6)
  double flops = 0;   // equation (7)
  double balance = 0; // beta of equation (8), flop/byte; (9): 41/22 for 2D Poisson of order 1
};

PaperCost paper_cost(const PaperSizes &sizes);

// Sizes of the integral of one field over cells; none for others, which they do not have.
// N_bl is that of the transposed strategy, 1 for others.
std::optional<PaperSizes> paper_sizes(const CellIntegral &integral, const KernelVariant &variant);

} // namespace weft
