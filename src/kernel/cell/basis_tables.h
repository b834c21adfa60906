// Basis functions at the quadrature points as coefficients of generated text: numbers where they
// are the same at all points, entries of constant tables elsewhere.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernel/cell/cell_integral.h"
#include "kernel/text/lane_text.h"

namespace weft {

// Tables of one node family. In generated text the variable `point` counts (local facet slot,
// point) pairs on facets and points in cells.
class BasisTables {
public:
  BasisTables(const CellIntegral &integral, int family);

  // phi_i, d phi_i / d xi_e, and for diagonals the products of both (diagonal_entry below).
  Coefficient value(int node);
  Coefficient gradient(int node, int direction);
  Coefficient diagonal(int node, int entry);

  // Whether all gradients are the same at all points.
  bool constant_gradients() const;

  // The same for a node chosen at run time: an entry of a table, `node` an expression.
  std::string value_at(const std::string &node);
  std::string gradient_at(const std::string &node, int direction);
  std::string diagonal_at(const std::string &node, int entry);

  // Definitions of the tables that were asked for.
  std::string definitions(Precision precision) const;

  // Text reads the tables from copies `prefix` + name from now on ("cell->local_").
  void read_copies(const std::string &prefix) { prefix_ = prefix; }
  // Name and number of entries of the tables that were asked for.
  std::vector<std::pair<std::string, int>> used_tables() const;

private:
  bool same_at_all_points(const std::vector<double> &table, int width, int node, int entry) const;
  // Entry `entry` of `width` of a table [point][node][width].
  Coefficient lookup(const std::vector<double> &table, bool &used, const std::string &name,
                     int width, int node, int entry);
  std::string lookup_at(bool &used, const std::string &name, int width, const std::string &node,
                        int entry) const;
  std::string name_, prefix_;
  int num_nodes_ = 0;
  int num_points_ = 0;
  int dim_ = 0;
  std::vector<double> phi_, dphi_, diagonal_;
  bool phi_used_ = false, dphi_used_ = false, diagonal_used_ = false;
};

// Entries of the diagonal's products: phi^2; phi * dphi_e; dphi_e * dphi_e' for e <= e'.
int num_diagonal_entries(int dim);

// A named constant table with a banner comment, eight numbers a line.
std::string table_definition(const std::string &name, const std::vector<double> &values,
                             Precision precision);

} // namespace weft
