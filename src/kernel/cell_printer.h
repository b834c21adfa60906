// The printer of cell functions, shared by the files that print their parts: geometry
// (cell_printer_geometry.cpp), fields (cell_printer_fields.cpp), results and test functions
// (cell_printer_tests.cpp).
#pragma once

#include <string>
#include <vector>

#include "kernel/basis_tables.h"
#include "kernel/c_text.h"
#include "kernel/cell_functions.h"
#include "kernel/lane_text.h"

namespace weft {

// Prints the functions of one integral; a member a function.
class CellPrinter {
public:
  explicit CellPrinter(const CellIntegral &integral) : in_(integral) {
    for (std::size_t family = 0; family < in_.families.size(); ++family)
      tables_.emplace_back(in_, static_cast<int>(family));
    number_values();
  }

  CellFunctions print(bool with_rows);

private:
  LaneText new_text() const { return LaneText(in_.precision); }
  const char *cell_argument() const { return "WEFT_PRIVATE weft_cell *cell"; }

  // Which entries of f are not identically zero, and their places in f; -1 for zero ones.
  void number_values();
  int entries_a_component() const {
    return in_.kind == IntegralKind::diagonal ? num_diagonal_entries(in_.dim) : 1 + in_.dim;
  }
  int value_place(int component, int entry) const {
    return place_[component * entries_a_component() + entry];
  }
  // The output of the function for component k of all, entry 0 = f0, 1 + d = f1.
  int output_of(int component, int entry) const;
  // Output (row, column) of a diagonal block.
  int block_output(int component, int row, int column) const {
    return (component * (1 + in_.dim) + row) * (1 + in_.dim) + column;
  }
  bool is_zero(int output) const { return in_.output_is_zero(output); }
  // Weights times det or area: a flux on the fly in cells is scaled without.
  bool uses_weight() const;

  std::string cell_entry(int input, int node, int component) const;
  std::string symbol_name(const Symbol &symbol) const;

  // Entries of weft_cell that weft_prepare_cell fills, with the names that hold them.
  struct CellConstant {
    std::string entry, name;
  };
  std::vector<CellConstant> geometry_constants() const;
  std::string sum_of_constants() const;
  std::string struct_text() const;
  void print_jacobian(LaneText &text);
  void print_cofactors(LaneText &text) const;
  void print_stored_transform(LaneText &text, const std::string &base) const;
  void print_geometry_at_point(LaneText &text);
  void print_stored_positions(LaneText &text) const;
  void print_facet_geometry(LaneText &text) const;
  void print_fields(LaneText &text);
  void print_gradient(LaneText &text, int input, int component, const std::string &name);
  void print_node_loop(LaneText &text, int input, int component, const std::string &value,
                       const std::string &gradient);
  void print_test_loop(LaneText &text, int field, int first_component);
  std::string test_coefficient_at(int field, const std::string &node, int entry);
  void print_results(LaneText &text, const std::vector<std::string> &outputs);
  void print_diagonal_results(LaneText &text, const std::vector<std::string> &outputs);
  Coefficient test_coefficient(int field, int node, int entry);

  void print_prepare(LaneText &text);
  void print_point(LaneText &text);
  void print_test_add(LaneText &text);
  void print_test_row(LaneText &text);

  const CellIntegral &in_;
  std::vector<BasisTables> tables_;
  std::vector<int> place_;
  int num_values_ = 0;
  double row_reads_ = 0; // of entries of f, by the rows of print_test_row()
  std::string extra_tables_;
};

} // namespace weft
