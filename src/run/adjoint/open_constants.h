// Constants that the equations leave open, in the space of an adjoint problem.
#pragma once

#include <cstdint>
#include <vector>

#include "run/simulation.h"

namespace weft {

// Functionals are those of the state whose means are what they are: a constant that is added to it
// changes nothing.
class OpenConstants {
public:
  // Those of `s`, none where it has one solution; `d` gets a dof fixed for each, at a value of
  // `state` [dof]. `c` is the case of `d`. Error (unsupported): rigid motions are open.
  OpenConstants(const Simulation &s, const Case &c, Discretisation &d,
                const std::vector<double> &state);

  // Makes the derivative of a functional that of the same of the state less its mean.
  void make_orthogonal(std::vector<double> &load) const;
  // Adds constants, so that the means are those of `like`; 0 where that is empty.
  void match_means(std::vector<double> &values, const std::vector<double> &like = {}) const;

private:
  struct Constant {
    std::vector<std::int64_t> dofs; // of the component
    std::vector<double> mean;       // [dof]: the mean over the mesh is the product with it
  };
  std::vector<Constant> constants_;
};

} // namespace weft
