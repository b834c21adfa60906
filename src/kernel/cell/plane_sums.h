// Sum factorisation by planes: a work-group's threads are the places of a plane of nodes or points
// of a cell, the third direction is in registers, and the two of the plane exchange values in local
// memory (Swirydowicz, Chalmers, Karakus, Warburton 2019, doi:10.1177/1094342018816368).
// fem/cell_by_planes walks the planes, fem/planes says how values lie and does the sums.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/cell/direction_sums.h"

namespace weft {

class PlaneSums : public DirectionSums {
public:
  // The integral is over cells.
  explicit PlaneSums(const CellIntegral &integral);

  std::string value(int input, int component) const override;
  std::string gradient(int input, int component, int direction) const override;
  std::vector<Term> coordinate(int component) override;
  std::vector<Term> coordinate_derivative(int component, int direction) override;
  void print_point_head(LaneText & /*text*/) const override {}
  std::string members() const override;
  void define(Constants &constants) const override;
  PlaneSizes plane_sizes() const override { return sizes_; }

private:
  void print_sums(LaneText &text) override;
  int num_planes() const { return dim() == 3 ? points_ : 1; }
  // Of a line in z.
  int z_nodes(int family) const { return dim() == 3 ? nodes(family) : 1; }
  // Where an input's values at the point begin in cell->points.
  int first_point(int input) const;
  // Where the tables of a family's functions along a line begin: [point][node, padded].
  int table(int family, LineFunction function);
  // That of values, -1 where points are nodes and they need no sums.
  int value_table(int family);
  // The same of lines in z.
  int z_table(int family, LineFunction function) {
    return dim() == 3 ? table(family, function) : unit_table();
  }
  int unit_table();
  int add_table(const std::pair<int, LineFunction> &key, const std::vector<double> &padded);
  void print_forward(LaneText &text);
  void print_rows(LaneText &text);
  void print_point(LaneText &text);
  void print_rows_back(LaneText &text);
  void print_planes_back(LaneText &text);
  void print_store(LaneText &text) const;
  // Declares `count` entries of the tables, `step` apart.
  void print_row(LaneText &text, const std::string &name, int count, const std::string &from,
                 int step, double threads);
  // Declares the columns of the family's functions at a node: what values at points are multiplied
  // with on the way back.
  void print_columns(LaneText &text, int family, const std::set<LineFunction> &functions,
                     const std::string &node, double threads);
  // Adds to `sum` the products with a line in local memory, of entries `step` apart, or where
  // points are nodes its entry `own`.
  void print_back_sum(LaneText &text, int family, LineFunction function, const std::string &line,
                      const std::string &own, int step, double threads);
  // Counts what each of `threads` does at every plane: products that are summed, reals that are
  // exchanged, entries of tables that are read.
  void count_products(LaneText &text, double threads, double products) const;
  void count_exchanged(double threads, double reals) {
    sizes_.exchanged_reals += threads * num_planes() * reals;
  }
  void count_table_reads(double threads, double entries) {
    sizes_.table_reads += threads * num_planes() * entries;
  }

  // Counts sums along lines of an input, of which a component has `parts`: for values from `values`
  // of them, for derivatives from one. Gives the reals of a component that are read.
  int count_line_sums(LaneText &text, double threads, const NodalInput &in, const Use &use,
                      int parts, int values);

  PlaneSizes sizes_;
  std::map<std::pair<int, LineFunction>, int> table_places_;
  std::vector<double> table_entries_;
  int plane_entries_ = 0, row_entries_ = 0;
};

} // namespace weft
