// The integrals of a form as the printer of kernels is told of them: no device, no plan.
#pragma once

#include <map>
#include <vector>

#include "kernel/cell/cell_integral.h"
#include "op/problem/discretisation.h"

namespace weft {

struct OperatorSettings;

// Where an integral is taken: cells of a set, facets of one type (edges, vertices) of a set, or
// facets of one type between cells of two sets (or of one).
struct IntegralDomain {
  int set = 0;            // between two cells: of the minus side
  bool on_facets = false; // or on edges, at points
  Domain domain = Domain::cells;
  std::vector<int> local_facets; // of that type
  std::vector<FacetQuadrature> facet_quadrature;
  int plus_set = -1; // between two cells
  // [position]: the rule's points in reference coordinates of the plus side's cell, for each way in
  // which it may lie to the facet.
  std::vector<std::vector<double>> plus_points;

  bool is_two_sided() const { return plus_set >= 0; }
  std::vector<int> sets() const {
    return is_two_sided() ? std::vector{set, plus_set} : std::vector{set};
  }
};

// Facets between two cells that are one domain: which groups of them (by index in
// Discretisation::interior), and for each the indices of its local facet and position.
//
// Cells are turned, so that as few local facets and positions as the cell has kinds of them are
// left, a single one on simplices, quadrilaterals and hexahedra: basis functions at points are the
// same for all facets then. A turned cell has its nodes in another order, see nodes_taken().
struct InteriorDomain : IntegralDomain {
  struct Group {
    int group = 0, slot = 0, position = 0;
    int symmetry[2] = {0, 0}; // [side]: index in cell_symmetries()
  };
  std::vector<Group> groups;
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
  // Something is integrated over facets of one cell, edges or points.
  bool has_facets() const {
    return integral(Domain::facets) || integral(Domain::edges) || integral(Domain::points);
  }
  bool has_interior() const { return integral(Domain::interior) != nullptr; }

  bool has_second_derivatives(Domain domain) const;
  // Whether cells of this type are straight simplices.
  bool is_straight(CellType cell) const;

  // Facets of all types of a set, whether the form is integrated over any or not.
  std::vector<IntegralDomain> facet_domains(int set) const;
  // All edges, or all vertices.
  IntegralDomain part_domain(int set, Domain domain) const;
  // Of all facets between two cells over which it is.
  std::vector<InteriorDomain> interior_domains() const;

  // By precision, geometry, lanes (which must be set) and form_name of the settings.
  CellIntegral describe(IntegralKind kind, const IntegralDomain &domain,
                        const OperatorSettings &settings) const;

  // The integral's residual or linearised function with time derivatives by shifts and second
  // derivatives by reference coordinates.
  PointwiseFunction for_kernels(const PointwiseFunction &function, const FormIntegral &integral,
                                const IntegralDomain &domain) const;

private:
  PointwiseFunction function_of(IntegralKind kind, const FormIntegral &integral,
                                const IntegralDomain &domain) const;
  void add_inputs(CellIntegral &in, Side side) const;

  const Discretisation &d_;
  std::vector<const NodeMap *> families_;
  std::vector<int> family_of_map_;
};

} // namespace weft
