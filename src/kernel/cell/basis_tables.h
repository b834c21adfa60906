// Basis functions at the quadrature points as coefficients of generated text: numbers where they
// are the same at all points, entries of constant tables elsewhere.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernel/cell/cell_integral.h"
#include "kernel/text/lane_text.h"

namespace weft {

// Smaller entries are zero in tables.
inline constexpr double smallest_in_tables = 1e-14;

// Tables of one node family. In generated text the variable `point` counts (local facet slot,
// point) pairs on facets and points in cells, on the plus side of facets `p_point`. Numbers are
// made when they are first asked for: at order 8 of hexahedra they are millions, and text that
// chooses nodes at run time needs none.
class BasisTables {
public:
  // `integral` must outlive it.
  BasisTables(const CellIntegral &integral, int family);

  // phi_i, d phi_i / d xi_e, and for diagonals the products of both (diagonal_entry below).
  Coefficient value(int node);
  Coefficient gradient(int node, int direction);
  Coefficient diagonal(int node, int entry);
  // One of these and the second derivatives, by its number: see CellIntegral::num_entries().
  Coefficient entry(int node, int entry);

  // Whether all gradients are the same at all points.
  bool constant_gradients() const;

  // The same for a node chosen at run time: an entry of a table, `node` an expression.
  std::string value_at(const std::string &node);
  std::string entry_at(const std::string &node, int entry);
  std::string diagonal_at(const std::string &node, int entry);

  // Definitions of the tables that were asked for.
  std::string definitions(Precision precision) const;

  // Text reads the tables from copies `prefix` + name from now on ("cell->local_").
  void read_copies(const std::string &prefix) { prefix_ = prefix; }
  // Name and number of entries of the tables that were asked for.
  std::vector<std::pair<std::string, int>> used_tables() const;

private:
  // A table [point][node][width].
  struct Table {
    std::string name;
    int width = 1;
    bool used = false;
    mutable std::vector<double> values; // empty until they are asked for
  };

  void tabulate() const; // phi_ and dphi_
  void tabulate_hessians() const;
  void tabulate_products() const; // diagonal_
  const std::vector<double> &values(const Table &table) const;
  bool same_at_all_points(const Table &table, int node, int entry) const;
  Coefficient lookup(Table &table, int node, int entry);
  std::string lookup_at(Table &table, const std::string &node, int entry) const;

  const CellIntegral &integral_;
  const int family_;
  const std::string point_; // the variable
  std::string prefix_;
  int num_nodes_ = 0;
  int num_points_ = 0;
  int dim_ = 0;
  Table phi_, dphi_, hessian_, diagonal_;
};

// Products of two of a component's entries for diagonals: phi^2; phi * dphi_e; dphi_e * dphi_e' for
// e <= e'; and so on where there are second derivatives: the upper triangle, row by row.
int num_diagonal_entries(int entries);

// A named constant table with a banner comment, eight numbers a line.
std::string table_definition(const std::string &name, const std::vector<double> &values,
                             Precision precision);

} // namespace weft
