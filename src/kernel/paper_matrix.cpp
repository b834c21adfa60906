#include "kernel/paper_matrix.h"

namespace weft {

std::optional<PaperMatrixCounts> paper_matrix_counts(PaperProblem problem, CellType cell,
                                                     LoopOrder order) {
  const bool prism = cell == CellType::prism;
  if ((!prism && cell != CellType::tetrahedron) || order == LoopOrder::tensor)
    return {};
  const bool poisson = problem == PaperProblem::poisson;
  PaperMatrixCounts counts;
  counts.num_points = prism ? 6 : 4;
  counts.geometry = prism ? 18 : 12;
  counts.coefficients = poisson ? counts.num_points : 20;
  counts.matrix = prism ? 36 : 16;
  counts.vector = prism ? 6 : 4;
  counts.accesses = counts.geometry + counts.coefficients + counts.matrix + counts.vector;
  // Table 4: Poisson tetrahedra, prisms, convection-diffusion tetrahedra, prisms.
  constexpr int operations[3][4] = {
      {290, 2700, 986, 4806}, {290, 10416, 986, 12492}, {290, 54876, 1623, 65232}};
  counts.operations = operations[static_cast<int>(order)][(poisson ? 0 : 2) + (prism ? 1 : 0)];
  return counts;
}

} // namespace weft
