#include "solve/direct/elimination_cost.h"

#include <Eigen/SparseCholesky>
#include <vector>

namespace weft {

namespace {

using Graph = Eigen::SparseMatrix<double, Eigen::ColMajor, std::int32_t>;

// Eigen's symbolic analysis, of which the counts are not public.
class Analysis : public Eigen::SimplicialLDLT<Graph> {
public:
  const VectorI &column_counts() const { return m_nonZerosPerCol; }
};

} // namespace

EliminationCost elimination_cost(const CsrPattern &groups, double per_group) {
  const auto size = static_cast<Eigen::Index>(groups.num_rows);
  const std::vector<std::int32_t> start(groups.row_start.begin(), groups.row_start.end());
  const std::vector<double> ones(groups.columns.size(), 1.0);
  const Eigen::Map<const Graph> graph(size, size, groups.num_entries(), start.data(),
                                      groups.columns.data(), ones.data());
  Analysis analysis;
  analysis.analyzePattern(graph);
  EliminationCost cost;
  for (Eigen::Index column = 0; column < size; ++column) {
    const double below = per_group * analysis.column_counts()[column] + 0.5 * per_group;
    cost.entries += per_group * below;
    cost.operations += per_group * below * below;
  }
  return cost;
}

} // namespace weft
