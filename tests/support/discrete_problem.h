// A case written as text, with its mesh and discretisation, for tests on the host.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <string>

#include "form/expression/place_condition.h"
#include "mesh/make/make_mesh.h"
#include "op/problem/discretisation.h"
#include "op/set_up/make_discretisation.h"
#include "support/case_text.h"

namespace weft {

struct DiscreteProblem {
  Case c;
  Mesh mesh;
  Discretisation d;

  // `deform`: moves the mesh's nodes before it is used.
  explicit DiscreteProblem(const std::string &text,
                           const std::function<void(double *x)> &deform = {},
                           std::optional<int> degree = {}, bool trust = false)
      : c(read_text(text, {}, trust)) {
    Timings timings;
    c.mesh.condition_holds = conditions_at_points(c.form);
    mesh = make_mesh(c.mesh, timings);
    for (std::int64_t n = 0; deform && n < mesh.num_nodes(); ++n)
      deform(&mesh.coordinates[n * mesh.dim]);
    resolve_dimension(c, mesh.dim);
    d = make_discretisation(c, mesh, degree);
  }
  DiscreteProblem(const DiscreteProblem &) = delete;
  DiscreteProblem &operator=(const DiscreteProblem &) = delete;
};

inline const char *all_cells[] = {"triangle", "quadrilateral", "tetrahedron",
                                  "pyramid",  "prism",         "hexahedron"};
inline bool is_flat(const std::string &cell) {
  return dimension(cell_type_from_name(cell)) == 2;
}
inline int highest_order(const std::string &cell) {
  return cell == "pyramid" ? 2 : 4;
}

inline std::string box_text(const std::string &cell, int order = 1, double distort = 0.2,
                            const std::string &cells_3d = "[2, 3, 2]") {
  return "[mesh]\nbox = { cells = " + (is_flat(cell) ? "[3, 2]" : cells_3d) + ", cell = \"" + cell +
         "\", distort = " + std::to_string(distort) + " }\norder = " + std::to_string(order) + "\n";
}

// A smooth bend of the unit box: straight cells become curved where the geometry is of order 2.
inline void bend(double *x) {
  const double y = x[1];
  x[1] += 0.1 * x[0] * x[0];
  x[0] -= 0.15 * y * y;
}

} // namespace weft
