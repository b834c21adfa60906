// What the printer has to know of an integral over cells (or facets) of one type. No mesh: only
// elements, the pointwise function, and choices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/precision.h"
#include "form/graph/hessian_entries.h"
#include "form/graph/pointwise.h"
#include "form/weak_form/form.h"
#include "space/element.h"
#include "space/quadrature.h"

namespace weft {

enum class IntegralKind { residual, linearised, diagonal, matrix };
std::string to_string(IntegralKind kind);

enum class GeometrySource { on_the_fly, stored };
std::string to_string(GeometrySource geometry);

// How sums over nodes and over points are taken: with tables of basis functions at every point, or,
// in quadrilaterals and hexahedra, one direction at a time: a work-item by lines of the cells that
// it takes (line_sums.h), or work-items by planes of a cell that they share (plane_sums.h).
enum class Summation { points, lines, planes };
std::string to_string(Summation sums);
// Throws `input` for an unknown one.
Summation summation_from_name(const std::string &name);

// What names of the plus side begin with in generated text; "" for others.
std::string side_prefix(Side side);

// A quantity given by values at nodes, or by one value a cell.
struct NodalInput {
  enum class Kind {
    coordinates,
    field,
    rate_offset,
    direction,
    auxiliary,
    cell_size
  } kind = Kind::field;
  int index = 0; // of the field or auxiliary field
  int components = 1;
  int family = 0;         // node family; -1: one value a cell ([lane group, component, lane])
  Side side = Side::none; // on facets between two cells: whose
  int order = 0;          // of rate_offset: of the time derivative, 1 or 2
};

// Nodes numbered together: all quantities of the same element on the same numbering, on facets
// between two cells those of one side.
struct NodeFamily {
  Element element;
  Side side = Side::none;
};

// The test function of a field: where its rows go. On facets between two cells a field has two, the
// minus sides' of all fields first.
struct TestField {
  int components = 1;
  int family = 0;
};

// Elements of more nodes get loops over their nodes in the text in place of one line a node: the
// text, and the time it takes to compile, stays small.
inline constexpr int most_unrolled_nodes = 12;
// Between two cells values are those of the nodes on the facet alone: written out, others are not
// read.
inline constexpr int most_unrolled_nodes_two_sided = 32;

// Where the geometry of a cell lies that is computed once on the host. Affine cells: the transform
// once, then the positions of all points; others: both for each point. The transform: the inverse
// Jacobian [e][d] = d xi_e/d x_d if it is used, and det J.
struct StoredGeometryLayout {
  int dim = 3;
  int num_points = 1;
  bool affine = false;
  bool inverse = true;    // Jacobian
  bool positions = false; // x of the points
  // Places within a transform, numbers of reals.
  int det_entry() const { return inverse ? dim * dim : 0; }
  int transform_entries() const { return det_entry() + 1; }
  int position_entries() const { return positions ? dim : 0; }
  int entries() const {
    return (affine ? 1 : num_points) * transform_entries() + num_points * position_entries();
  }
};

// The other side of facets between two cells.
struct PlusSide {
  CellType cell = CellType::tetrahedron;
  std::vector<std::vector<double>> points; // [position]: of the rule in reference coordinates there
};

// A complete description of what one work-item (or group) has to integrate.
struct CellIntegral {
  std::string form_name; // for names of kernels: "heat_sink"
  IntegralKind kind = IntegralKind::residual;
  int dim = 3;
  CellType cell = CellType::tetrahedron;
  // On facets of cells; or on less, on edges in 3D and at vertices, where values have no gradients.
  bool on_facets = false;
  int part_dim = 0; // on_facets: of the facet, edge (1) or vertex (0)
  // Of facets between two cells; what is said of the cell is then of the minus side.
  std::optional<PlusSide> plus;
  Precision precision = Precision::f64;
  int lanes = 8;
  GeometrySource geometry = GeometrySource::on_the_fly;
  Summation sums = Summation::points;
  std::vector<NodeFamily> families;
  // Coordinates first (also with stored geometry), those of the minus and the plus side.
  std::vector<NodalInput> inputs;
  std::vector<TestField> tests; // [field], or [side][field]
  // kind residual or linearised: outputs f0, f1 of each field as in form/weak_form/form.h. kind
  // diagonal: see diagonal_blocks(); kind matrix: see matrix_blocks(), and with_vector. Second
  // derivatives are those of form/weak_form/reference_hessians.h.
  PointwiseFunction function;
  bool second = false; // FormIntegral::second
  // kind matrix: the form equals its transpose (Form::symmetric), so that only the entries above
  // the diagonal and on it are computed.
  bool symmetric = false;
  // kind matrix: behind the blocks, the function's outputs are f0, f1 of each field of the load
  // vector, which is integrated too; see matrix_and_vector().
  bool with_vector = false;
  // C text of the case (residual only): then `function` gives the values that it reads.
  std::optional<CText> c_text;
  // Points in cells: one rule. On facets: one rule a local facet of the same facet type, all with
  // the same number of points, in reference coordinates of the cell.
  Quadrature quadrature;
  std::vector<int> local_facets;
  std::vector<FacetQuadrature> facet_quadrature;
  // Values of table entries that are the same everywhere; others are read by class.
  std::vector<std::optional<double>> cell_table;
  std::vector<std::optional<double>> facet_table;

  int num_points() const {
    return on_facets ? facet_quadrature.front().points.num_points() : quadrature.num_points();
  }
  bool is_two_sided() const { return plus.has_value(); }
  std::vector<Side> sides() const {
    return plus ? std::vector{Side::minus, Side::plus} : std::vector{Side::none};
  }
  // Geometry constant in a cell, and found once: straight simplices; not on facets between two, nor
  // on edges and at vertices, which need little of it.
  bool affine() const;
  bool by_planes() const { return sums == Summation::planes; }
  const Element &geometry_element() const { return families[inputs[0].family].element; }
  // The input that has the coordinates of a side.
  int coordinates_of(Side side) const { return side == Side::plus ? 1 : 0; }
  int most_unrolled() const {
    return is_two_sided() ? most_unrolled_nodes_two_sided : most_unrolled_nodes;
  }
  // Whether text about a family's nodes is a loop; so of rows, if any test function's is.
  bool loops_over(int family) const {
    return families[family].element.num_nodes() > most_unrolled();
  }
  bool loops_over_rows() const {
    for (const TestField &test : tests)
      if (loops_over(test.family))
        return true;
    return false;
  }
  int nodes_of(const NodalInput &input) const { return families[input.family].element.num_nodes(); }
  // Rows of the element vector: [field][node][component].
  int num_rows() const;
  int first_row(int field) const;
  // Entries of f a point hands to the test functions: f0 and f1 of all components.
  int num_components() const;
  // Entries of a component: its value, its derivatives, and second ones in the order of
  // form/graph/hessian_entries.h where there are any.
  int num_entries() const { return 1 + dim + (second ? num_hessian_entries(dim) : 0); }
  // Nodes of a family whose values a work-item holds: those of a cell, by planes of a line in z.
  int nodes_held(int family) const;
  int rows_held() const;
  // Entries of a work-item's nodal data: [input][node][component]; without coordinates when the
  // geometry is stored.
  int num_cell_inputs() const;
  int first_cell_input(int input) const;
  bool reads_coordinates() const { return geometry == GeometrySource::on_the_fly || on_facets; }
  // Whether an output of the function, or of the C text, is zero everywhere.
  bool output_is_zero(int output) const;
  // What kernels compute, and what is stored, of the geometry is what the integral uses:
  bool uses_gradients() const;      // of fields and the like
  bool uses_test_gradients() const; // any f1 is not zero
  // Facets, whose area vectors come from the transform. Edges in 3D and vertices have none.
  bool has_normals() const { return on_facets && part_dim == dim - 1; }
  // Derivatives d xi_e/d x_d, up to the determinant; facets have their area vectors from them.
  bool uses_transform() const { return has_normals() || uses_gradients() || uses_test_gradients(); }
  // 1 / det J, where stored geometry does not have it in the transform.
  bool uses_inverse_determinant() const {
    return reads_coordinates() &&
           (uses_gradients() || uses_weight_over_determinant() || uses_gradient_pairs());
  }
  bool uses_weight_over_determinant() const {
    return reads_coordinates() && uses_test_gradients() &&
           (on_facets || kind == IntegralKind::diagonal);
  }
  // Kind matrix: products of a test and a trial function's gradient.
  bool uses_gradient_pairs() const;
  // Outputs are blocks of the Jacobian, not f0 and f1.
  bool is_bilinear() const {
    return kind == IntegralKind::diagonal || kind == IntegralKind::matrix;
  }
  // det J: weights in cells, or its inverse.
  bool uses_determinant() const { return !on_facets || uses_inverse_determinant(); }
  StoredGeometryLayout stored_geometry_layout() const;
  int stored_geometry_entries() const { return stored_geometry_layout().entries(); }
  // Entries of the tables that are read by class, of cells those of one side.
  std::vector<int> cell_table_reads(Side side) const;
  std::vector<int> facet_table_reads() const;
  // The shifts of time derivatives that the function reads, by form/weak_form/rates.h.
  std::vector<int> shifts() const;
  bool uses_cell_table(Side side) const { return !cell_table_reads(side).empty(); }
  bool uses_facet_table() const { return !facet_table_reads().empty(); }
};

// What a shift is called in generated text.
std::string shift_name(int shift);

// Parts of kernels' names: "", "_facets" or "_interior"; the cells on both sides.
std::string domain_name(const CellIntegral &integral);
std::string cell_names(const CellIntegral &integral);

// Whether integrals over cells of this type can be summed by lines.
bool has_lines(CellType cell);

// For kind matrix: from the linearised function of a form, all blocks d(f0_k, f1_k)/d(w_l, grad
// w_l): outputs [test component k of all][trial component l of all][1+dim][1+dim], first index of
// f, second of w; more where there are second derivatives: CellIntegral::num_entries().
// `two_sided`: on facets between two cells, where all components are those of the minus side, then
// those of the plus side.
PointwiseFunction matrix_blocks(const PointwiseFunction &linearised, int dim,
                                const std::vector<int> &field_components, bool two_sided = false);
// The same blocks of a linear form, and behind them the outputs of its load vector: -residual with
// all fields 0.
PointwiseFunction matrix_and_vector(const PointwiseFunction &linearised,
                                    const PointwiseFunction &residual, int dim,
                                    const std::vector<int> &field_components);

// For kind diagonal: from the linearised function of a form, the blocks
// d(f0_k, f1_k)/d(w_k, grad w_k) of each component k: outputs [component][1+dim][1+dim], first
// index of f, second of w; more where there are second derivatives.
PointwiseFunction diagonal_blocks(const PointwiseFunction &linearised, int dim,
                                  const std::vector<int> &field_components);

} // namespace weft
