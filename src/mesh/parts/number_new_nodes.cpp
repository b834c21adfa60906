#include "mesh/parts/number_new_nodes.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "base/error.h"
#include "mesh/parts/cells_of_vertices.h"
#include "mesh/parts/piece_halo.h"
#include "ranks/sums_in_order.h"

namespace weft {

namespace {

class NewNodes {
public:
  NewNodes(const MeshPiece &before, const std::vector<std::vector<ChildRange>> &children,
           MeshPiece &after)
      : before_(before), children_(children), after_(after), cells_(before.mesh),
        num_old_(static_cast<std::int32_t>(before.mesh.num_nodes())) {
    first_cell_.assign(after.mesh.num_nodes() - num_old_, -1);
    for (std::int32_t cell = 0; cell < cells_.num_cells(); ++cell)
      for_each_new_node(cell, [&](std::int32_t node) {
        if (std::int32_t &first = first_cell_[node - num_old_]; first < 0)
          first = cell;
      });
  }

  // All cells around an own one are here, so that what it is the first to have is known.
  void number_own(Communicator &ranks) {
    std::vector<std::int64_t> count(cells_.num_cells(), 0);
    for (const std::int32_t cell : first_cell_)
      ++count[cell];
    CountsByNumber own;
    own.num_numbers = 0;
    for (std::size_t s = 0; s < before_.cells.size(); ++s) {
      const MeshPiece::Cells &cells = before_.cells[s];
      for (std::size_t c = 0; c < cells.whole.size(); ++c)
        if (cells.part[c] == before_.part) {
          own.number.push_back(own.num_numbers + cells.whole[c]);
          own.count.push_back(count[cells_.first(s) + c]);
        }
      own.num_numbers += cells.num_whole;
    }
    const SumsInOrder sums = sums_in_order(own, ranks);
    after_.num_whole_nodes = before_.num_whole_nodes + sums.all;
    if (after_.num_whole_nodes > std::numeric_limits<std::int32_t>::max())
      throw Error(ErrorKind::unsupported,
                  {"The refined mesh has too many nodes.", "[mesh] refine",
                   std::to_string(after_.num_whole_nodes),
                   std::to_string(std::numeric_limits<std::int32_t>::max()), "refine fewer times"});
    std::vector<std::int64_t> next(cells_.num_cells(), -1);
    std::size_t i = 0;
    for (std::size_t s = 0; s < before_.cells.size(); ++s)
      for (std::size_t c = 0; c < before_.cells[s].whole.size(); ++c)
        if (before_.cells[s].part[c] == before_.part)
          next[cells_.first(s) + c] = before_.num_whole_nodes + sums.before[i++];
    after_.whole_nodes = before_.whole_nodes;
    for (const std::int32_t cell : first_cell_) // nodes of one cell are in a row
      after_.whole_nodes.push_back(next[cell] < 0 ? -1 : static_cast<std::int32_t>(next[cell]++));
  }

  // Twice: then owners know all nodes of their cells, and everybody all nodes of theirs.
  void number_others(Communicator &ranks) {
    const PieceHalo halo(before_, cells_);
    for (int round = 0; round < 2; ++round)
      halo.tell(
          ranks, [&](std::int32_t cell, ByteWriter &writer) { write(cell, writer); },
          [&](std::int32_t cell, ByteReader &reader) { read(cell, reader); });
    require(std::none_of(after_.whole_nodes.begin(), after_.whole_nodes.end(),
                         [](std::int32_t number) { return number < 0; }),
            "every node has a number");
  }

private:
  template <typename Body> void for_each_new_node(std::int32_t cell, const Body &body) const {
    const std::size_t s = cells_.set_of(cell);
    for (const ChildRange &range : children_[s]) {
      const CellSet &set = after_.mesh.sets[range.set];
      const std::int64_t first = range.first + std::int64_t{cell - cells_.first(s)} * range.each;
      const std::int32_t *nodes = set.nodes.data() + first * set.nodes_per_cell;
      for (int i = 0; i < range.each * set.nodes_per_cell; ++i)
        if (nodes[i] >= num_old_)
          body(nodes[i]);
    }
  }
  // Each once, in an order that all ranks have.
  const std::vector<std::int32_t> &new_nodes_of(std::int32_t cell) {
    nodes_.clear();
    for_each_new_node(cell, [&](std::int32_t node) {
      if (std::find(nodes_.begin(), nodes_.end(), node) == nodes_.end())
        nodes_.push_back(node);
    });
    return nodes_;
  }
  void write(std::int32_t cell, ByteWriter &writer) {
    const int dim = after_.mesh.dim;
    for (const std::int32_t node : new_nodes_of(cell)) {
      writer(after_.whole_nodes[node]);
      for (int d = 0; d < dim; ++d)
        writer(after_.mesh.coordinates[std::int64_t{node} * dim + d]);
    }
  }
  void read(std::int32_t cell, ByteReader &reader) {
    const int dim = after_.mesh.dim;
    for (const std::int32_t node : new_nodes_of(cell)) {
      std::int32_t number = -1;
      reader(number);
      for (int d = 0; d < dim; ++d) {
        double x = 0;
        reader(x);
        if (number >= 0)
          after_.mesh.coordinates[std::int64_t{node} * dim + d] = x;
      }
      if (number >= 0)
        after_.whole_nodes[node] = number;
    }
  }

  const MeshPiece &before_;
  const std::vector<std::vector<ChildRange>> &children_;
  MeshPiece &after_;
  CellsOfVertices cells_; // of `before`
  std::int32_t num_old_;
  std::vector<std::int32_t> first_cell_; // [new node]: of `before`, in the row of all sets
  std::vector<std::int32_t> nodes_;
};

} // namespace

void number_new_nodes(const MeshPiece &before, const std::vector<std::vector<ChildRange>> &children,
                      MeshPiece &after, Communicator &ranks) {
  NewNodes nodes(before, children, after);
  nodes.number_own(ranks);
  nodes.number_others(ranks);
}

} // namespace weft
