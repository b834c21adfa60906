// The order in space of a case: its mesh refined.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "run/simulation.h"

namespace weft {

// Errors: unsupported, with file and line: an element of [verify] boxes that its cells do not have.
void check_elements(const Case &c);

struct SpaceLevel {
  std::int64_t cells = 0, dofs = 0;
  int dim = 0; // of the mesh
  std::vector<FieldError> errors;
};

// The order of the L2 error, or of that in H1, of a field: an index of `errors`.
double observed_order(const SpaceLevel &coarse, const SpaceLevel &fine, std::size_t field, bool h1);

// Solves on `num_levels` meshes, each with half the cell size; prints a table. `c`: the case as
// `options` say. Errors: numerical (a level that did not converge, an error that is not finite).
// `ranks`: that share the meshes; all call it. Null: this one is alone.
std::vector<SpaceLevel> verify_space(const Case &c, const ProblemOptions &options, int num_levels,
                                     Communicator *ranks = nullptr);
// The error (numerical) of an order of [verify] expect that is not reached.
std::optional<Error> missed_space_order(const Case &c, const std::vector<SpaceLevel> &levels,
                                        double slack);
nlohmann::ordered_json to_json(const std::vector<SpaceLevel> &levels);

} // namespace weft
