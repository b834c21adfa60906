// Gradients of finite volumes from neighbours' values, by weighted least squares.
#pragma once

#include <span>

namespace weft {

// Weights [sample, d] of the gradient g = sum of weight (q_sample - q) that minimises the sum over
// samples of (g.r - (q_sample - q))^2 / |r|^2, with r = towards[sample, d] from the cell's centre
// to the sample's position: exact for linear values. The shortest such g where the samples do not
// span space (directions whose fraction of sum r r^T / |r|^2 is below 0.05 of the largest); samples
// with r = 0 have weight 0.
void least_squares_weights(int dim, std::span<const double> towards, std::span<double> weights);

} // namespace weft
