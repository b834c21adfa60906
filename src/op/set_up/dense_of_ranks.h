// Small dense problems whose rows are those of all ranks.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "ranks/communicator.h"

namespace weft {

// All functions are of all ranks, each with its own rows; null: this rank has all.

// Entry by entry.
Eigen::MatrixXd sum_over(Communicator *ranks, const Eigen::MatrixXd &matrix);
// The largest entry in modulus: of all, and of each column.
double largest_of(Communicator *ranks, const Eigen::VectorXd &vector);
Eigen::VectorXd largest_of_columns(Communicator *ranks, const Eigen::MatrixXd &matrix);

// R of a QR factorisation of the rows of all ranks (each factors its own, then the triangles:
// Demmel et al. 2012, doi:10.1137/080731992). [column, column]
Eigen::MatrixXd triangle_over(Communicator *ranks, const Eigen::MatrixXd &matrix);
// The x for which |matrix x - b| is least.
Eigen::VectorXd least_squares(Communicator *ranks, const Eigen::MatrixXd &matrix,
                              const Eigen::VectorXd &b);

// Columns of this rank among as many of all ranks as there are rows, far from dependent: of a
// matrix whose columns are those of all ranks. By QR with pivots of each one's, then of those it
// picked.
std::vector<Eigen::Index> independent_columns(Communicator *ranks, const Eigen::MatrixXd &matrix);

} // namespace weft
