// The printer of cell functions, shared by the files that print their parts: geometry
// (cell_printer_geometry.cpp), fields (cell_printer_fields.cpp), results and test functions
// (cell_printer_tests.cpp), coefficients of element matrices (cell_printer_matrix.cpp).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/cell/basis_tables.h"
#include "kernel/cell/c_text.h"
#include "kernel/cell/cell_functions.h"
#include "kernel/cell/cell_integral.h"
#include "kernel/cell/direction_sums.h"
#include "kernel/cell/matrix_indices.h"
#include "kernel/text/lane_text.h"

namespace weft {

// What depends, in kind matrix, on the kernel that calls the functions.
struct MatrixPoint {
  bool weighted = true;       // values of a point are times its weight
  bool sums_gradients = true; // constant gradients: see CellPrinter::sum_index()
  std::string value_space = "WEFT_PRIVATE", value_index = "{}"; // of f, and of its entry {}
  bool local_inputs = false; // nodal values lie in local memory, interleaved by work-items
  bool local_tables = false; // basis functions are read from copies in local memory
  std::string
      local_access; // what stands where an array in local memory is accessed; empty: none is
};

// Prints the functions of one integral; a member a function.
class CellPrinter {
public:
  // `with_rows`: for threads that each own a row, see cell_functions.h.
  CellPrinter(const CellIntegral &integral, bool with_rows);
  // Kind matrix: print() leaves what works on entries of the matrix to the caller.
  CellPrinter(const CellIntegral &integral, const MatrixPoint &point);
  CellFunctions print();
  // Without the constant tables.
  CellFunctions print_functions();

  // The variables that count the points of all local facets, or of cells, from `q` on; empty: they
  // are 0, for gradients that are the same at all points.
  void print_point_numbers(LaneText &text, const std::string &q) const;

  // Kind matrix:
  const MatrixIndices &matrix_indices() const { return *matrix_indices_; }
  BasisTables &tables(int family) { return tables_[family]; }
  // Where weft_cell has the sum over the points of a pair's gradient coefficients: index in
  // cell->sum by index in f, where both families have constant gradients; -1 elsewhere.
  int sum_index(int k, int l, int s, int t) const;
  int num_sums() const { return num_sums_; }
  // Name and number of entries of the tables that the text reads so far.
  std::vector<std::pair<std::string, int>> used_tables() const;

private:
  void prepare_numbers();
  LaneText new_text() const { return LaneText(in_.precision); }
  const char *cell_argument() const { return "WEFT_PRIVATE weft_cell *cell"; }

  // A component of a field (or the like) that the function reads.
  struct FieldUse {
    int input = 0, component = 0;
    std::string name;
    bool value = false, gradient = false;
    std::vector<int> second; // numbers of the second derivatives
    int gradient_index = -1; // in cell->gradient, of direction 0; -1: differs from point to point
  };
  void find_field_uses();
  // Whether gradients of the family's functions are constant in a cell of several points.
  bool constant_gradients(int family) const {
    return family >= 0 && in_.affine() && in_.num_points() > 1 &&
           tables_[family].constant_gradients();
  }
  // The field whose test function a component of all belongs to, and the side.
  int field_of(int component) const;
  Side side_of(int component) const {
    return in_.families[in_.tests[field_of(component)].family].side;
  }
  // Of a component's side: `name` in the text, and an entry of the cofactors.
  std::string of_side(int component, const std::string &name) const {
    return side_prefix(side_of(component)) + name;
  }
  std::string cofactor(int component, int e, int d) const;
  // Whether fluxes of a component are summed over the points before constant gradients of the test
  // function are applied to them.
  bool sums_fluxes(int component) const {
    return !with_rows_ && !in_.is_bilinear() &&
           constant_gradients(in_.tests[field_of(component)].family);
  }
  int flux_index(int component, int direction) const {
    return flux_index_[component * in_.dim + direction];
  }
  bool has_summed_fluxes(int component) const;

  // Which entries of f are not identically zero, and their indices in f; -1 for zero ones.
  void number_values();
  int entries_a_component() const {
    return in_.kind == IntegralKind::diagonal ? num_diagonal_entries(in_.num_entries())
                                              : in_.num_entries();
  }
  int value_index(int component, int entry) const {
    return value_index_[component * entries_a_component() + entry];
  }
  // The output of the function for component k of all, entry 0 = f0, 1 + d = f1, then f2.
  int output_of(int component, int entry) const;
  // Output (row, column) of a diagonal block.
  int block_output(int component, int row, int column) const {
    return (component * in_.num_entries() + row) * in_.num_entries() + column;
  }
  bool is_zero(int output) const { return in_.output_is_zero(output); }
  // Weights times det or area: a flux on the fly in cells is scaled without.
  bool uses_weight() const;

  std::string cell_entry(int input, int node, int component) const;
  std::string cell_entry(const std::string &entry) const;
  std::string symbol_name(const Symbol &symbol) const;

  // Entries of weft_cell that weft_prepare_cell computes, with the names that hold them.
  struct CellConstant {
    std::string entry, name;
    bool at_points = true; // they are used
  };
  std::vector<CellConstant> cell_constants() const;
  std::string sum_of_constants() const;
  std::string struct_text() const;
  // Facets by lines where no derivative is transformed: their area vectors are the last row of
  // cofactors, and take no derivatives in the last direction.
  bool only_area() const {
    return directions_ && in_.on_facets && !in_.uses_gradients() && !in_.uses_test_gradients();
  }
  void print_jacobian(LaneText &text, Side side);
  void print_cofactors(LaneText &text, Side side) const;
  void print_stored_transform(LaneText &text, const std::string &base) const;
  void print_geometry_at_point(LaneText &text);
  void print_map_derivatives(LaneText &text);
  void print_stored_positions(LaneText &text) const;
  void print_facet_geometry(LaneText &text) const;
  void print_part_measure(LaneText &text) const;
  void print_image(LaneText &text, const std::string &vector, const std::string &entry,
                   const std::string &table) const;
  void print_length(LaneText &text, const std::string &vector) const;
  void print_fields(LaneText &text);
  void print_gradient(LaneText &text, const FieldUse &use);
  // A sum over the nodes of an input: of their values times an entry of the basis.
  struct NodeSum {
    std::string name;
    int entry = 0;
  };
  void print_node_loop(LaneText &text, int input, int component, const std::vector<NodeSum> &sums);
  void print_second(LaneText &text, const FieldUse &use);
  void print_test_loop(LaneText &text, int field, int first_component);
  std::string test_coefficient_at(int field, const std::string &node, int entry);
  std::string reference_flux(LaneText &text, int component, int e, bool of_sums) const;
  void print_results(LaneText &text, const std::vector<std::string> &outputs);
  void print_diagonal_results(LaneText &text, const std::vector<std::string> &outputs);
  void print_diagonal_second(LaneText &text, const std::vector<std::string> &outputs, int k,
                             const std::string &scale_of_gradient);
  void print_matrix_results(LaneText &text, const std::vector<std::string> &outputs);
  void print_matrix_block(LaneText &text, const std::vector<std::string> &outputs, int k, int l);
  void print_gradient_pairs(LaneText &text, const std::vector<std::string> &outputs, int k, int l);
  std::string metric_sum(LaneText &text, int k, int l, int e, int e2) const;
  std::string transformed(LaneText &text, const std::vector<std::string> &g, int component, int e,
                          const std::string &scale) const;
  std::string scale_of_pairs(LaneText &text, int k, int l) const;
  void print_load_vector(LaneText &text, const std::vector<std::string> &outputs);
  void number_sums();
  bool uses_metric() const;
  void print_metric(LaneText &text);
  std::string matrix_value(int index) const;
  Coefficient test_coefficient(int field, int node, int entry);

  void print_prepare(LaneText &text);
  void print_point(LaneText &text);
  void print_test_add(LaneText &text);
  void print_test_finish(LaneText &text);
  void print_test_row(LaneText &text);

  const CellIntegral &in_;
  const bool with_rows_;
  std::vector<BasisTables> tables_;
  std::vector<FieldUse> field_uses_;
  int num_gradients_ = 0;       // entries of cell->gradient
  std::vector<int> flux_index_; // [component, direction] in cell->flux; -1: not summed, or zero
  int num_fluxes_ = 0;
  std::vector<int> value_index_;
  int num_values_ = 0;
  MatrixPoint matrix_point_;
  std::optional<MatrixIndices> matrix_indices_;
  std::vector<int> sum_index_; // [index in f]
  int num_sums_ = 0;
  std::unique_ptr<DirectionSums> directions_; // in place of tables where sums are not by points
  double row_reads_ = 0;                      // of entries of f, by the rows of print_test_row()
  std::string extra_tables_;
};

} // namespace weft
