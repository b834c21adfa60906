// The integrals of a form as the printer of kernels is told of them: no device, no plan.
#pragma once

#include <map>
#include <vector>

#include "kernel/cell/cell_integral.h"
#include "op/problem/discretisation.h"

namespace weft {

struct OperatorSettings;

// Where an integral is taken: cells of a set, or facets of one type (edges, vertices) of a set.
struct IntegralDomain {
  int set = 0;
  bool on_facets = false; // or on edges, at points
  Domain domain = Domain::cells;
  std::vector<int> local_facets; // of that type
  std::vector<FacetQuadrature> facet_quadrature;
};

class FormIntegrals {
public:
  // `d` must outlive it.
  explicit FormIntegrals(const Discretisation &d);

  const Discretisation &discretisation() const { return d_; }
  // Numberings in use, each once; 0: the geometry's.
  const std::vector<const NodeMap *> &families() const { return families_; }
  // Family of a map of the discretisation; -1: one value a cell.
  int family_of_map(int map) const { return family_of_map_[map]; }
  int family_of_field(int field) const { return family_of_map_[d_.field_map[field]]; }

  // By expressions; null where the form has none there.
  const FormIntegral *integral(Domain domain) const;
  // Cells are integrated over: by expressions or by C text.
  bool has_cells() const { return integral(Domain::cells) || !d_.form.c_text.empty(); }
  // Something is integrated over facets, edges or points.
  bool has_facets() const {
    return integral(Domain::facets) || integral(Domain::edges) || integral(Domain::points);
  }

  // Facets of all types of a set, whether the form is integrated over any or not.
  std::vector<IntegralDomain> facet_domains(int set) const;
  // All edges, or all vertices.
  IntegralDomain part_domain(int set, Domain domain) const;

  // By precision, geometry, lanes (which must be set) and form_name of the settings.
  CellIntegral describe(IntegralKind kind, const IntegralDomain &domain,
                        const OperatorSettings &settings) const;

private:
  PointwiseFunction function_of(IntegralKind kind, const FormIntegral &integral) const;

  const Discretisation &d_;
  std::vector<const NodeMap *> families_;
  std::vector<int> family_of_map_;
};

} // namespace weft
