// A case written as text with its mesh, the coarser ones and its discretisation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "op/set_up/make_discretisation.h"
#include "support/discrete_problem.h"

namespace weft {

struct LevelledProblem {
  Case c;
  std::vector<CoarserMesh> coarser;
  Mesh mesh;
  Discretisation d;

  explicit LevelledProblem(const std::string &text, std::optional<int> degree = {})
      : c(read_text(text)) {
    Timings timings;
    mesh = make_mesh(c.mesh, timings, &coarser);
    resolve_dimension(c, mesh.dim);
    d = make_discretisation(c, mesh, degree);
  }
  LevelledProblem(const LevelledProblem &) = delete;
};

} // namespace weft
