// What a case says about the boundary of its mesh, facet class by facet class.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "op/problem/discretisation.h"

namespace weft {

struct BoundaryClass {
  std::int64_t num_facets = 0; // of own cells on the boundary, but those between periodic nodes
  bool has_condition = false;  // an integral, a prescribed value or a condition of a law
  bool by_name = false;        // one that names a group of the class, not `all` or `boundary`
};

// [facet class]
std::vector<BoundaryClass> boundary_classes(const Case &c, const Mesh &mesh);

// Whether a condition is on all facets, or on all that no other names.
bool means_all_facets(const std::string &group);

// Integrating by parts left something on the boundary: the weak form has a gradient of test().
bool has_natural_conditions(const Form &form);

// "left, top" or "no group".
std::string name_of_class(const GroupClass &facets);

} // namespace weft
