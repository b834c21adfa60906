// Edges and points with a name, as parts of cells: values there are those of the cell.
#pragma once

#include <string>
#include <vector>

#include "case/form_spec.h"
#include "form/weak_form/form.h"
#include "mesh/mesh.h"
#include "op/problem/class_table.h"
#include "op/problem/facet_groups.h"
#include "space/element.h"
#include "space/quadrature.h"

namespace weft {

struct Discretisation;

// Each edge (or point) once, in one of the cells that have it. Those in the same groups of the mesh
// form a class.
struct NamedParts {
  std::vector<FacetGroup> groups; // `facet`: the local edge (or vertex)
  std::vector<GroupClass> classes;
};

// Those of a mesh in one of the groups, each of which it must have. `owned`: of a part of a mesh
// those that are this part's own, so that each is one part's; else all that are there. `domain`:
// edges or points. Errors (input): no such group, edges in two dimensions, no names.
NamedParts find_named_parts(const Mesh &mesh, Domain domain, const std::vector<std::string> &groups,
                            bool owned, const std::string &where);

// Whether each of those that are this part's own is one of a cell in these region classes.
bool parts_lie_in(const Mesh &mesh, Domain domain, const std::vector<std::string> &groups,
                  const std::vector<bool> &classes);

// The rule on a local facet, edge or vertex of a cell, by the domain that it is of.
FacetQuadrature make_part_quadrature(CellType cell, Domain domain, int local, int degree,
                                     LinePoints points = LinePoints::gauss);
// The nodes of an element there.
std::vector<int> nodes_on_part(const Element &element, Domain domain, int local);

// Rows of facet classes, then of the classes of the edges and of the points that the form is
// integrated over. `facets`: the classes of facets that matter.
ClassTable resolve_part_table(const Discretisation &d, const std::vector<TableEntry> &entries,
                              const std::vector<bool> &facets);

} // namespace weft
