// Groups of a mesh as a case names them: which classes they select, parameters' values by class.
#pragma once

#include <string>
#include <vector>

#include "case/form_spec.h"
#include "form/weak_form/form.h"
#include "mesh/mesh.h"

namespace weft {

// Values of a table entry for every class: [class * num_entries + entry].
struct ClassTable {
  int num_entries = 0;
  std::vector<double> values;
  std::vector<bool> settable; // [entry]: it may get other values
};

// Throws `input` where the mesh has no such group; `domain`: cells, edges, points, or else facets.
void check_group(const Mesh &mesh, Domain domain, const std::string &group,
                 const std::string &where);

// [class]: whether it is in one of the groups; every class where `groups` is empty.
// Throws `input` for a group that the mesh lacks. `domain`: cells, or else facets.
std::vector<bool> select_classes(const Mesh &mesh, Domain domain,
                                 const std::vector<std::string> &groups, const std::string &where);

// [class]: whether a cell / a boundary facet is in it.
std::vector<bool> classes_of_cells(const Mesh &mesh);
std::vector<bool> classes_of_boundary(const Mesh &mesh);

// The values of a table's entries in the classes of cells or facets; 0 of entries that stand in no
// expression there. `used`: the classes that matter. Throws `input` for a group that the mesh
// lacks, for a class in use in which a parameter has no value or, through several groups, different
// ones.
ClassTable resolve_table(const Mesh &mesh, Domain domain, const std::vector<TableEntry> &entries,
                         const std::vector<bool> &used);
// The same of classes of edges or points, all of which matter.
ClassTable resolve_table(const Mesh &mesh, Domain domain, const std::vector<TableEntry> &entries,
                         const std::vector<GroupClass> &classes);

} // namespace weft
