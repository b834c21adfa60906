// Fields that are in some regions of the mesh only: their cells, nodes and dofs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "case/form_spec.h"
#include "form/graph/pointwise.h"
#include "form/weak_form/form.h"
#include "mesh/mesh.h"
#include "op/problem/discretisation.h"
#include "op/problem/facet_groups.h"

namespace weft {

// [region class]: whether the field is in its cells. Error (input): a region that the mesh lacks.
std::vector<bool> classes_of_field(const Mesh &mesh, const FieldSpec &field);
// Whether some field or known field that a function of results reads is in some regions only.
bool reads_regions(const Discretisation &d, const PointwiseFunction &function);
// [region class]: whether all fields and known fields that a function of results reads are there.
std::vector<bool> classes_of_function(const Discretisation &d, const PointwiseFunction &function);

// Whether each output, and all alike, are no sums of terms that are in different regions.
bool is_one_term(const Discretisation &d, const PointwiseFunction &function);

// [node]: whether it is one of a cell in the classes; right for own nodes.
std::vector<bool> nodes_of_classes(const Mesh &mesh, const NodeMap &map,
                                   const std::vector<bool> &classes);

// [node, component]: NaN at the others.
void leave_out(const std::vector<bool> &nodes, std::vector<double> &values);

// Entries of vectors, sorted: own dofs of nodes that no cell of their field has. They are no
// unknowns: constraints keep them at 0.
std::vector<std::int32_t> absent_dofs(const Discretisation &d);

// Where a function on facets has its values: in cells of these region classes, on facets of which
// one of both cells is in each of the others, those of continuous fields' values, which both sides
// have in common.
struct FacetRegions {
  std::vector<bool> cell;
  std::vector<std::vector<bool>> either;
};
FacetRegions facet_regions(const Discretisation &d, const PointwiseFunction &function);
// The cell of a facet in which the function has its values, of two such cells one in all of the
// classes, or the one that comes first in the whole mesh; none where there is no such cell.
std::optional<FacetRef> cell_of_facet(const Mesh &mesh, const Facet &facet,
                                      const FacetRegions &regions);
// Facets as those of these cells, in the order of select_facets(); others are left out.
std::vector<FacetGroup> group_facets(const Mesh &mesh, const std::vector<std::int32_t> &facets,
                                     const FacetRegions &regions);

// All. Errors (input): a field in no cell; terms over a group that does not lie where their fields
// are, terms over all cells or facets that are nowhere.
void check_field_regions(const Form &form, const Mesh &mesh, Communicator *ranks);

} // namespace weft
