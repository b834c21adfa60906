// The second paper's own counts for its four problems (Banas, Kruzel, Bielanski: numerical
// integration for first-order approximations, tables 3 and 4), to print beside ours.
#pragma once

#include <optional>

#include "kernel/matrix_kernel.h"
#include "mesh/cell_type.h"

namespace weft {

// Poisson: a right-hand side that varies over the points. Convection-diffusion-reaction: all 20
// coefficients, constant in a cell.
enum class PaperProblem { poisson, convection_diffusion };

// Of one cell, numbers of reals and of operations.
struct PaperMatrixCounts {
  int num_points = 0;
  int geometry = 0, coefficients = 0; // read
  int matrix = 0, vector = 0;         // written
  int accesses = 0;                   // of global memory, in all: the four before
  int operations = 0;                 // by loop order
};

// Tetrahedra and prisms in the orders QSS, SQS and SSQ; none elsewhere.
std::optional<PaperMatrixCounts> paper_matrix_counts(PaperProblem problem, CellType cell,
                                                     LoopOrder order);

} // namespace weft
