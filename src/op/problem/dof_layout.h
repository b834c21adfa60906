// Where dofs are in vectors, whose own entries come before those of other ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/vector.h"
#include "op/problem/discretisation.h"

namespace weft {

// Entries of a field's dofs in vectors and matrices, by nodes of its map.
class EntryOfNode {
public:
  EntryOfNode(const Discretisation &d, int field)
      : num_owned_(d.map_of_field(field).num_owned), own_(d.own_offset[field]),
        ghosts_(d.ghost_offset[field]), components_(d.form.fields[field].components()) {}
  std::int64_t operator()(std::int64_t node, int component) const {
    return node < num_owned_ ? own_ + node * components_ + component
                             : ghosts_ + (node - num_owned_) * components_ + component;
  }

private:
  std::int64_t num_owned_, own_, ghosts_;
  int components_;
};

inline std::int64_t vector_dof(const Discretisation &d, int field, std::int64_t node,
                               int component) {
  return EntryOfNode(d, field)(node, component);
}

// Fields but those of the whole domain, which come last; and dofs of these.
std::size_t num_varying_fields(const std::vector<FieldSpec> &fields);
std::int64_t num_border_dofs(const std::vector<FieldSpec> &fields);

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
