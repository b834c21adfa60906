// States in the order of files, which depends neither on ranks nor on the order of cells in memory:
// fields in their order, cells by canonical_numbers(), the nodes of a cell, components. Nodes that
// cells share stand where the first of these cells touches them.
#pragma once

#include <cstdint>
#include <vector>

#include "op/problem/discretisation.h"
#include "ranks/communicator.h"

namespace weft {

class CanonicalOrder {
public:
  // All. `d` must outlive it.
  explicit CanonicalOrder(const Discretisation &d);

  Communicator *ranks() const { return d_.ranks; }
  // The rank that has what is of files; a run of one process is it.
  bool is_first() const { return weft::is_first(d_.ranks); }

  // All: from a state of each rank, [dof], to that of all on the first one; empty on others. Ghosts
  // are left out.
  std::vector<double> to_file(const std::vector<double> &state) const;
  // All: back, to every rank. `of_file` is read on the first one. Ghosts of laws are 0.
  std::vector<double> from_file(const std::vector<double> &of_file) const;
  // All: the same of values at the nodes of the first field, [node].
  std::vector<double> nodes_to_file(const std::vector<double> &values) const;
  std::vector<double> nodes_from_file(const std::vector<double> &of_file) const;

private:
  using OwnCells = std::vector<std::vector<std::int32_t>>; // [set][own cell]: number in whole set

  using NodesOfRanks = std::vector<std::vector<std::int32_t>>; // [rank][own node]

  std::vector<OwnCells> gather_cells() const;
  NodesOfRanks numbers_of_nodes(const NodeMap &map) const;
  template <typename Body> void for_each_field(Body body) const;
  template <typename Body> void for_each_of_file(int map, int rank, Body body) const;
  template <typename Body> void for_each_here(int map, Body body) const;
  void to_file(int map, int components, const double *here, double *of_file) const;
  void from_file(int map, int components, const double *of_file, double *here) const;

  const Discretisation &d_;
  std::vector<std::int64_t> num_cells_;    // [set]: of all ranks
  std::vector<OwnCells> cells_;            // [rank]; on ranks that are not the first: none
  std::vector<NodesOfRanks> shared_nodes_; // [map]: of a continuous one the numbers in files
};

} // namespace weft
