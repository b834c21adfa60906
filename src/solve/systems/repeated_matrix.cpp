#include "solve/systems/repeated_matrix.h"

namespace weft {

RepeatedMatrix::RepeatedMatrix(const SparseMatrix &matrix, Device &device)
    : matrix_(matrix), device_(device),
      product_(
          device, matrix.entry_places(),
          {.storage = matrix.precision(), .vectors = matrix.precision(), .systems = num_systems}) {}

void RepeatedMatrix::diagonal(Vector &d) {
  Vector of_one = make_vector(device_, matrix_.size(), precision(), "diagonal of a matrix");
  matrix_.copy_diagonal(of_one);
  const Vector all = repeated(device_, of_one, num_systems, "diagonals");
  device_.copy(all.buffer, d.buffer, all.size * size_bytes(precision()));
}

} // namespace weft
