// Reference matrices of nodal elements, cut into the register blocks of kernels/dg/rows.kernel.
#include <algorithm>

#include "kernel/law/dg_kernel.h"
#include "kernel/law/dg_symmetry.h"

namespace weft {

namespace {

bool is_fast(const Pencils &p) {
  return p.stride == 1;
}

// [block][column][row], zero past the last row.
void append_columns(const std::vector<double> &matrix, int num_rows, int num_columns, int rows,
                    std::vector<double> &columns) {
  for (int first = 0; first < num_rows; first += rows)
    for (int j = 0; j < num_columns; ++j)
      for (int i = first; i < first + rows; ++i)
        columns.push_back(i < num_rows ? matrix[i * num_columns + j] : 0);
}

void append_sparse(const std::vector<double> &matrix, int num_rows, int num_columns,
                   DgMatrices &result) {
  double largest = 0;
  for (const double v : matrix)
    largest = std::max(largest, std::abs(v));
  for (int i = 0; i < num_rows; ++i) {
    result.lift_start.push_back(static_cast<std::int32_t>(result.lift.size()));
    for (int k = 0; k < num_columns; ++k)
      if (std::abs(matrix[i * num_columns + k]) > 1e-13 * largest) {
        result.lift.push_back(matrix[i * num_columns + k]);
        result.lift_column.push_back(k);
      }
  }
  result.lift_start.push_back(static_cast<std::int32_t>(result.lift.size()));
}

} // namespace

DgBlocks dg_blocks(const NodalOperators &operators, int rows) {
  const int n = operators.element.num_nodes();
  DgBlocks blocks;
  for (const Pencils &p : operators.directions) {
    if (is_fast(p)) {
      blocks.fast_nodes = p.size;
      ++blocks.fast_directions;
    } else {
      blocks.slow_nodes = p.size;
    }
  }
  blocks.line_blocks = (blocks.fast_nodes + rows - 1) / rows;
  blocks.blocks = n / blocks.fast_nodes * blocks.line_blocks;
  const CellType cell = operators.element.cell;
  blocks.dense_lift = cell == CellType::triangle || cell == CellType::tetrahedron;
  return blocks;
}

DgMatrices dg_matrices(const NodalOperators &operators, int rows) {
  DgMatrices result;
  for (const Pencils &p : operators.directions) {
    if (is_fast(p)) {
      append_columns(p.weak_derivative, p.size, p.size, rows, result.fast);
      append_columns(p.derivative, p.size, p.size, rows, result.strong_fast);
    } else {
      result.slow.insert(result.slow.end(), p.weak_derivative.begin(), p.weak_derivative.end());
      result.strong_slow.insert(result.strong_slow.end(), p.derivative.begin(), p.derivative.end());
    }
  }
  const int columns = operators.num_facet_points(), n = operators.element.num_nodes();
  const std::vector<double> lift = operators.whole_lift();
  if (dg_blocks(operators, rows).dense_lift)
    append_columns(lift, n, columns, rows, result.lift);
  else
    append_sparse(lift, n, columns, result);
  for (const NodalFacet &facet : operators.facets)
    for (int k = 0; k < facet.num_points() * operators.entries(); ++k) {
      // Facets with fewer entries are padded.
      const int point = k / operators.entries(), entry = k % operators.entries();
      const bool is_used = entry < facet.entries;
      const int from = point * facet.entries + (is_used ? entry : 0);
      result.trace.push_back(is_used ? facet.trace[from] : 0);
      result.trace_node.push_back(facet.nodes[from]);
    }
  return result;
}

int default_dg_rows(const NodalOperators &operators, int num_components, bool by_symmetry) {
  // 32 vector registers hold the sums, a column's values and a coefficient.
  const int n = dg_blocks(operators, 1).fast_nodes;
  const int most = std::clamp((31 - num_components) / num_components, 1, std::min(n, 12));
  int best = most;
  double least = 1e300;
  const double c = num_components;
  const auto cost = [&](int rows) {
    // A column costs its values' loads and, each row, its coefficient's and the multiply-adds.
    if (!by_symmetry)
      return (n + rows - 1) / rows * (c + rows * (1 + c) + 1);
    // Rows past the end of a class weigh more in small matrices; loads go beside multiply-adds.
    double columns = 0;
    for (const DgClasses::Block &block : dg_classes(DgStage::fused, operators, rows).blocks)
      columns += block.inputs;
    return columns * (std::max(c * rows, c + rows) + 1);
  };
  for (int rows = most; rows >= (by_symmetry ? 1 : std::max(1, most / 2)); --rows) {
    if (cost(rows) < least) {
      least = cost(rows);
      best = rows;
    }
  }
  return best;
}

} // namespace weft
