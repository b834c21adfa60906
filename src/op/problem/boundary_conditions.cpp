#include "op/problem/boundary_conditions.h"

#include <algorithm>

#include "base/names.h"

namespace weft {

namespace {

class BoundaryClasses {
public:
  explicit BoundaryClasses(const Mesh &mesh) : mesh_(mesh), classes_(mesh.facet_classes.size()) {
    const std::vector<bool> periodic = periodic_nodes();
    for (std::int64_t f = 0; f < mesh.num_boundary_facets; ++f)
      if (is_own_cell(mesh, mesh.facets[f].minus) && !is_between(mesh.facets[f].minus, periodic))
        ++classes_[mesh.facets[f].facet_class].num_facets;
  }

  // A condition on a group, or on all facets.
  void add(const std::string &group) {
    for (std::size_t k = 0; k < classes_.size(); ++k) {
      const std::vector<std::string> &groups = mesh_.facet_classes[k].groups;
      const bool named = std::find(groups.begin(), groups.end(), group) != groups.end();
      classes_[k].by_name = classes_[k].by_name || named;
      classes_[k].has_condition = classes_[k].has_condition || named || means_all_facets(group);
    }
  }

  const std::vector<BoundaryClass> &classes() const { return classes_; }

private:
  std::vector<bool> periodic_nodes() const {
    std::vector<bool> periodic(mesh_.num_nodes(), false);
    for (const auto &[node, master] : mesh_.periodic_master)
      periodic[node] = periodic[master] = true;
    return periodic;
  }
  bool is_between(const FacetRef &facet, const std::vector<bool> &nodes) const {
    const CellSet &set = mesh_.sets[facet.set];
    const std::int32_t *cell = &set.nodes[std::int64_t(facet.cell) * set.nodes_per_cell];
    const auto vertices = facet_vertices(set.type, facet.facet);
    return std::all_of(vertices.begin(), vertices.end(), [&](int v) { return nodes[cell[v]]; });
  }

  const Mesh &mesh_;
  std::vector<BoundaryClass> classes_;
};

} // namespace

std::vector<BoundaryClass> boundary_classes(const Case &c, const Mesh &mesh) {
  BoundaryClasses classes(mesh);
  for (const DirichletSpec &spec : c.dirichlet)
    classes.add(spec.group);
  for (const BoundarySpec &spec : c.form.boundaries)
    classes.add(spec.group);
  for (const TiedSpec &spec : c.tied) {
    classes.add(spec.first);
    classes.add(spec.second);
  }
  for (const auto *integrals : {&c.form.integrals, &c.form.explicit_integrals})
    for (const IntegralSpec &spec : *integrals)
      if (spec.domain == Domain::facets) {
        if (spec.groups.empty())
          classes.add("all");
        for (const std::string &group : spec.groups)
          classes.add(group);
      }
  return classes.classes();
}

bool has_natural_conditions(const Form &form) {
  if (!form.c_text.empty())
    return true; // nothing is known of the integrand
  const auto integral =
      std::find_if(form.integrals.begin(), form.integrals.end(),
                   [](const FormIntegral &i) { return i.domain == Domain::cells; });
  if (integral == form.integrals.end())
    return false;
  int output = 0;
  for (const FieldSpec &field : form.fields) {
    const int values = field.components(), slopes = values * form.dim;
    for (int k = 0; k < slopes; ++k)
      if (!integral->residual.output_is_zero(output + values + k))
        return true;
    output += values + slopes;
  }
  return false;
}

bool means_all_facets(const std::string &group) {
  return group == "all" || group == "boundary";
}

std::string name_of_class(const GroupClass &facets) {
  return facets.groups.empty() ? "no group" : join_names(facets.groups);
}

} // namespace weft
