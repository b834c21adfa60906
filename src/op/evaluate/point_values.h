// Values at points of many cells at once on the host: geometry, fields, whatever an expression
// asks.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "op/problem/discretisation.h"

namespace weft {

// Basis functions at the points of a table.
struct Tabulation {
  int num_nodes = 0;
  std::vector<double> phi;  // [point, node]
  std::vector<double> dphi; // [point, node, dim]
};

// Reference points that all cells of a batch share, with every element in use tabulated there.
struct PointTable {
  int set = 0;
  int num_points = 0;
  std::vector<double> points;  // [point, dim]
  std::vector<double> weights; // [point]; empty where nothing is integrated
  // Of what the points lie in: the cell's, or less on facets, edges and at vertices.
  int part_dim = 0;
  std::vector<double> tangents; // on facets and edges: [part_dim, dim]
  Tabulation geometry;
  std::vector<Tabulation> maps; // [map of the discretisation]
};

PointTable make_point_table(const Discretisation &d, int set, const std::vector<double> &points);
PointTable make_cell_table(const Discretisation &d, int set, int degree,
                           LinePoints points = LinePoints::gauss);
PointTable make_facet_table(const Discretisation &d, int set, int facet, int degree,
                            LinePoints points = LinePoints::gauss);
// On a local facet, edge or vertex, by the domain that it is of.
PointTable make_part_table(const Discretisation &d, int set, Domain domain, int local, int degree,
                           LinePoints points = LinePoints::gauss);
// Where the form's integrals are taken.
PointTable make_form_table(const Discretisation &d, int set);
PointTable make_form_facet_table(const Discretisation &d, int set, int facet);
PointTable make_form_part_table(const Discretisation &d, int set, Domain domain, int local);
// The same points of a facet on the plus side, without weights.
PointTable make_opposite_table(const Discretisation &d, const InteriorGroup &group);
// At the reference nodes of a facet (edge, vertex), with its tangents but without weights.
PointTable make_part_node_table(const Discretisation &d, int set, Domain domain, int local,
                                const Element &element);

// One basis function of one field in all cells (on interior facets: those of one side): the
// direction that gives a column of the Jacobian.
struct UnitDirection {
  int field = 0;
  int node = 0;
  int component = 0;
  Side side = Side::none;
};

// What dt(u) stands for: shift * u + offset; null: offset 0. And dt(dt(u)), with the shift that
// dt(u) has of fields of second order in time.
struct Rate {
  const std::vector<double> *offset = nullptr; // [dof]
  double shift = 0;
  const std::vector<double> *second_offset = nullptr;
  double velocity_shift = 0, acceleration_shift = 0;
};

// What symbols other than the geometry's stand for; null: zero (or not in use).
struct PointInputs {
  const std::vector<double> *state = nullptr;     // [dof]
  const std::vector<double> *direction = nullptr; // [dof]
  const UnitDirection *unit_direction = nullptr;
  const ClassTable *cell_table = nullptr;
  const ClassTable *facet_table = nullptr;
  std::span<const std::int32_t> facet_classes = {}; // [cell of the batch]
  Rate rate = {};
  bool of_results = false; // then time derivatives are Discretisation::rates
};

// The points of a table in some cells of its set. Arrays are [cell of the batch, point]. The
// geometry is found when it is asked for.
class PointBatch {
public:
  PointBatch(const Discretisation &d, const PointTable &table, std::span<const std::int32_t> cells);

  const PointTable &table() const { return table_; }
  std::span<const std::int32_t> cells() const { return cells_; }
  int num_points() const { return static_cast<int>(cells_.size()) * table_.num_points; }
  const std::vector<double> &coordinate(int axis) const { return geometry().coordinates[axis]; }
  // Weight times volume of the cell, area of the facet or length of the edge; at a vertex the
  // weight.
  const std::vector<double> &measure() const { return geometry().measure; }
  // Derivative of reference coordinate e with respect to x_d.
  const std::vector<double> &inverse(int e, int d) const {
    return geometry().inverse[e * dim_ + d];
  }
  // Outward unit normal; on facets only.
  const std::vector<double> &normal(int axis) const { return geometry().normal[axis]; }

  std::vector<double> values(const Symbol &symbol, const PointInputs &inputs);
  // Second derivatives of the basis functions of a map by place, at a point of a cell of the batch:
  // [node, entry of form/graph/hessian_entries.h].
  std::vector<double> basis_hessians(int map, std::size_t cell, int point) const;
  // To be called when the inputs change.
  void forget_fields() {
    gradients_.clear();
    hessians_.clear();
  }

private:
  using FieldKey = std::tuple<SymbolKind, int, int>; // kind, index, component
  struct Source;
  struct Geometry {
    std::vector<std::vector<double>> coordinates, inverse, normal;
    std::vector<double> measure;
  };
  // Of one basis function, or of a field, at a point.
  struct ReferenceJet {
    double gradient[3] = {0, 0, 0}, hessian[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  };

  const Geometry &geometry() const;
  void set_geometry(Geometry &geometry) const;
  void set_point(Geometry &geometry, int at, const double *jacobian, int q) const;
  Source source_of(const Symbol &symbol, const PointInputs &inputs) const;
  std::vector<double> nodal(const Symbol &symbol, const PointInputs &inputs) const;
  double shift_of(const Symbol &rate, const Rate &rates) const;
  std::vector<double> rate(const Symbol &symbol, const PointInputs &inputs);
  // [point, node, dim, dim]: of a map of the discretisation, -1 for the geometry's.
  const std::vector<double> &reference_hessians(int map) const;
  // [dim, dim, dim]: second derivatives of x_m by reference coordinates, m first.
  std::array<double, 27> map_hessian(std::size_t cell, int point) const;
  // By place: [entry].
  std::array<double, 6> hessian_by_place(const ReferenceJet &jet, std::size_t cell, int point,
                                         const std::array<double, 27> &of_map) const;
  std::vector<std::vector<double>> hessians(const Symbol &symbol, const PointInputs &inputs) const;
  std::vector<double> hessian(const Symbol &symbol, const PointInputs &inputs);
  std::vector<double> gradient(const Symbol &symbol, const PointInputs &inputs);
  std::vector<std::vector<double>> gradients(const Symbol &symbol, const PointInputs &inputs);
  std::vector<double> constant_in_cell(const Symbol &symbol, const PointInputs &inputs) const;

  const Discretisation &d_;
  const PointTable &table_;
  std::span<const std::int32_t> cells_;
  int dim_;
  mutable std::optional<Geometry> geometry_; // once it was asked for
  // Gradients in all directions are found together and kept.
  std::map<FieldKey, std::vector<std::vector<double>>> gradients_, hessians_;
  mutable std::map<int, std::vector<double>> reference_hessians_; // by map, once asked for
};

// Evaluates a function at the points of a batch: outputs [output][cell, point]. On interior facets
// symbols of the plus side are taken from `plus`.
void evaluate_at(const PointwiseFunction &function, PointBatch &minus, const PointInputs &inputs,
                 std::vector<std::vector<double>> &outputs, PointBatch *plus = nullptr);

} // namespace weft
