// Matrix Market exchange format (Boisvert, Pozo, Remington 1996, NISTIR 5935): text, indices
// from 1.
#pragma once

#include <string>
#include <vector>

#include "linalg/sparse_matrix.h"

namespace weft {

// "coordinate real", row by row; of a symmetric matrix the lower triangle alone. Values read back
// to the same bits. `comment`: one line. Errors: system.
void write_matrix_market(const std::string &path, const HostMatrix &matrix, bool symmetric,
                         const std::string &comment);
// "array real general": a column.
void write_matrix_market(const std::string &path, const std::vector<double> &vector,
                         const std::string &comment);

// A square matrix in "coordinate real|integer general|symmetric", with both triangles; a column in
// "array real|integer general". Errors (input), with file and line: another format, a number that
// is missing or out of range, an entry given twice, a file that ends too early.
HostMatrix read_matrix_market(const std::string &path);
std::vector<double> read_matrix_market_vector(const std::string &path);

} // namespace weft
