#include "op/reference/matrix.h"

#include "op/reference/element_matrix.h"
#include "op/set_up/make_csr_pattern.h"

namespace weft::reference {

HostMatrix matrix(const Discretisation &d, const std::vector<double> &u) {
  const CsrPattern pattern = make_csr_pattern(d);
  HostMatrix result;
  result.row_start.assign(pattern.row_start.begin(), pattern.row_start.end());
  result.columns.assign(pattern.columns.begin(), pattern.columns.end());
  result.values.assign(pattern.num_entries(), 0.0);
  std::vector<bool> constrained(d.num_local, false);
  for (const std::int32_t dof : d.constraints.dofs)
    constrained[dof] = true;
  for_each_element_matrix(d, u, [&](const ElementMatrix &element) {
    const std::size_t rows = element.dofs.size();
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < rows; ++j) {
        const std::int64_t row = element.dofs[i], column = element.dofs[j];
        if (!constrained[row] && !constrained[column])
          result.values[pattern.place(row, static_cast<std::int32_t>(column))] +=
              element.values[i * rows + j];
      }
  });
  for (const std::int32_t dof : d.constraints.dofs)
    result.values[pattern.place(dof, dof)] = 1;
  return result;
}

} // namespace weft::reference
