// Where dofs are in vectors, whose own entries come before those of other ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/vector.h"
#include "op/problem/discretisation.h"

namespace weft {

// Entry of a dof in vectors and matrices, at a node of the field's map.
inline std::int64_t vector_dof(const Discretisation &d, int field, std::int64_t node,
                               int component) {
  const NodeMap &map = d.map_of_field(field);
  const int components = d.form.fields[field].components();
  return node < map.num_owned
             ? d.own_offset[field] + node * components + component
             : d.ghost_offset[field] + (node - map.num_owned) * components + component;
}

VectorLayout vector_layout(const Discretisation &d);

// What a vector's ghosts are filled by; nothing without ranks.
HaloPlaces dof_halo(const Discretisation &d);

// All: [own entries, then ghosts]: their numbers among the rows of all ranks; empty without ranks.
std::vector<std::int32_t> numbers_of_entries(const Discretisation &d);

// All: fills the values of other ranks' nodes, [node of the map, component], of a continuous map;
// nothing without ranks.
void fetch_ghosts(const Discretisation &d, int map, int components, std::vector<double> &values);

// The entries of a vector, of a state as the host has it.
std::vector<double> own_entries(const Discretisation &d, const std::vector<double> &state);
// All: the state of a vector's entries, ghosts fetched.
std::vector<double> state_of_entries(const Discretisation &d, std::vector<double> entries);

} // namespace weft
