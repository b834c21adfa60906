#include "kernel/cell/paper_cost.h"

#include <numeric>

namespace weft {

int PaperSizes::block_cells() const {
  return std::lcm(basis, points);
}

bool PaperSizes::is_of_equation_9() const {
  return dim == 2 && basis == 3 && points == 1 && components == 1 && real_bytes == 4;
}

std::optional<PaperSizes> paper_sizes(const CellIntegral &in, const KernelVariant &variant) {
  if (in.on_facets || in.tests.size() != 1)
    return {};
  return PaperSizes{.dim = in.dim,
                    .basis = in.families[in.tests[0].family].element.num_nodes(),
                    .points = in.num_points(),
                    .components = in.num_components(),
                    .blocks = variant.strategy == Strategy::transposed ? variant.num_blocks : 1,
                    .real_bytes = static_cast<double>(size_bytes(in.precision))};
}

PaperCost paper_cost(const PaperSizes &s) {
  const double d = s.dim, n_bt = s.basis_total(), n_q = s.points, n_comp = s.components;
  const double n_t = s.threads(), n_bl = s.blocks, n_bc = s.batch_cells();
  const double geometry = d * d + 1; // Jacobian inverse and determinant
  PaperCost cost;
  cost.shared_bytes = s.real_bytes * (geometry * n_t + (d + 1) * n_bt * n_q + n_t * n_bt +
                                      (d + 1) * n_t * s.cells_a_thread());
  cost.shared_bytes_a_cell = cost.shared_bytes / n_bc;
  cost.shared_bytes_bound =
      s.real_bytes * n_comp * (geometry + (d + 1) / n_bl + n_bt + (d + 1) * n_q);
  cost.shared_bytes_without_f0 = s.real_bytes * n_comp * (geometry + d / n_bl + n_bt + d * n_q);
  cost.bytes = s.real_bytes * n_t * (geometry + n_bt + (d + 1) * n_q);
  const double quadrature = ((2 + (2 + 2 * d) * d) * n_bt + 2 * d * n_comp) * n_q;
  const double basis = (2 + 2 * d) * d * n_q * n_bt;
  cost.flops = (quadrature + basis) * n_bc;
  cost.balance = cost.flops / cost.bytes;
  return cost;
}

} // namespace weft
