// A form on a mesh: node maps, dof numbering, parameter tables, constraints, quadrature. All on the
// host and in double; operators take from it what their kernels need.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "case/case.h"
#include "form/law/conservation_law.h"
#include "form/law/law_reaction.h"
#include "form/weak_form/form.h"
#include "mesh/mesh.h"
#include "op/problem/class_table.h"
#include "op/problem/interior_groups.h"
#include "op/problem/named_parts.h"
#include "op/problem/ties.h"
#include "ranks/communicator.h"
#include "ranks/halo_places.h"
#include "space/node_map.h"
#include "space/quadrature.h"

namespace weft {

// A known field: nodal values (or cell values for order 0) on its node map.
struct AuxiliaryField {
  int map = 0; // index into Discretisation::maps
  int components = 1;
  bool depends_on_time = false;
  bool depends_on_parameters = false; // settable ones
  std::vector<double> values;         // [node, component]
};

// Prescribed dofs of this rank, as entries of vectors, sorted, each once.
struct Constraints {
  std::vector<std::int32_t> dofs;
  std::vector<double> values; // parallel to dofs
  bool depend_on_time = false;
  bool depend_on_parameters = false; // settable ones
};

// Inequality bounds of this rank's own dofs, by entries of vectors; infinite where a side is open,
// and of prescribed dofs. Empty: no field has bounds.
struct DofBounds {
  std::vector<double> lower, upper;
  bool depend_on_time = false;
  bool depend_on_parameters = false; // settable ones
  bool empty() const { return lower.empty(); }
};

// The sources of a law that are split from the rest of it, and how they are integrated: by the
// method of Rush and Larsen or else the midpoint rule, in so many steps each time.
struct SplitReactions {
  LawReactions law;
  ClassTable cell_table; // by region class
  bool rush_larsen = true;
  int substeps = 1;
};

struct Discretisation {
  const Mesh *mesh = nullptr;
  Communicator *ranks = nullptr; // that the mesh is shared among; null: it is whole
  Form form;
  std::optional<ConservationLaw> law; // then `form` has its fields and tables, and no integrals
  // [facet class] of a law: index into law->boundaries of the condition on boundary facets; -1 on
  // facets inside.
  std::vector<int> condition_of_class;
  std::optional<SplitReactions> reactions; // then the law has no sources
  std::vector<double> limiter_scale;       // of finite volumes with a limiter: limiter_scales()
  NodeMap geometry;                        // coordinate field
  std::vector<NodeMap> maps;               // one an element in use by fields and auxiliary fields
  std::vector<HaloPlaces> node_halo;       // [map]: shared_nodes(), but of laws' cells; among ranks
  std::vector<int> field_map;              // [field]: index into maps
  // Arrays of the host have a field after the other: [field]: first dof; dof = offset +
  // node*components + k.
  std::vector<std::int64_t> field_offset;
  // Vectors and rows have all own dofs before all ghosts (op/problem/dof_layout.h): [field]: the
  // first own dof, and the first ghost. Without ranks this is the order of the host.
  std::vector<std::int64_t> own_offset, ghost_offset;
  // Dofs of the nodes that a map's num_owned, num_local, num_global count; vectors on the device
  // and rows have num_owned entries.
  std::int64_t num_owned = 0, num_local = 0, num_global = 0;
  std::vector<AuxiliaryField> auxiliary;
  ClassTable cell_table;  // by region class
  ClassTable facet_table; // by facet class, then by those of integrated edges and points
  Constraints constraints;
  // Dofs that no condition prescribes, prescribed for the system to have one solution.
  Constraints fixed;
  Ties ties;
  DofBounds bounds;
  // [order - 1][dof]: time derivatives of the state that results are of; empty: not known.
  std::vector<std::vector<double>> rates;
  double time = 0;                            // t in expressions on the host; of the values above
  int cell_degree = 1;                        // quadrature degree of cell integrals
  int facet_degree = 1;                       // of facet integrals
  LinePoints line_points = LinePoints::gauss; // of both

  const NodeMap &map_of_field(int field) const { return maps[field_map[field]]; }
  // Boundary facets over which the form has an integral: indices into Mesh::facets, grouped by
  // (set, local facet) and sorted within.
  std::vector<std::int32_t> integrated_facets;
  // Edges of named curves, and named points, over which it has one; their classes are rows of
  // facet_table.
  NamedParts integrated_edges, integrated_points;
  // Facets between two cells over which it has one.
  std::vector<InteriorGroup> interior;
};

// The residual has dt().
bool has_rates(const Form &form);
// Time derivatives of time derivatives.
bool has_second_rates(const Form &form);

// What `cell_size` stands for in expressions: the largest distance between two vertices of a cell.
double cell_size(const Discretisation &d, int set, std::int64_t cell);

} // namespace weft
