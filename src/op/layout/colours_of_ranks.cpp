#include "op/layout/colours_of_ranks.h"

#include <algorithm>
#include <utility>

#include "op/layout/cell_colouring.h"
#include "ranks/bytes.h"

namespace weft {

namespace {

// [cell of a part]: its number in the whole mesh.
std::vector<std::int32_t> whole_numbers(const MeshShare &share) {
  std::vector<std::int32_t> numbers;
  for (const MeshShare::Cells &cells : share.sets)
    numbers.insert(numbers.end(), cells.whole.begin(), cells.whole.end());
  return numbers;
}

// Own cells of a rank, in the numbers of the whole mesh, and the cells whose colours it needs.
struct OwnGraph {
  std::vector<std::int32_t> cells, neighbours, wanted; // neighbours: [cell, slot]
  std::int32_t width = 0;

  template <typename Visitor> static void visit(Visitor &visitor, auto &graph) {
    visitor(graph.cells);
    visitor(graph.neighbours);
    visitor(graph.wanted);
    visitor(graph.width);
  }
};

OwnGraph own_graph(const Mesh &part, const CellGraph &graph) {
  OwnGraph own = {.wanted = whole_numbers(*part.share), .width = graph.width};
  for (std::size_t s = 0; s < part.sets.size(); ++s)
    for (std::int64_t c = 0; c < part.share->sets[s].num_owned; ++c) {
      const std::int64_t cell = graph.first_cell[s] + c;
      own.cells.push_back(own.wanted[cell]);
      for (int slot = 0; slot < graph.width; ++slot) {
        const std::int32_t next = graph.neighbour[cell * graph.width + slot];
        own.neighbours.push_back(next < 0 ? -1 : own.wanted[next]);
      }
    }
  return own;
}

CellGraph put_together(const std::vector<OwnGraph> &parts, std::int64_t num_cells) {
  CellGraph whole = {.num_cells = num_cells};
  for (const OwnGraph &part : parts)
    whole.width = std::max(whole.width, part.width);
  whole.neighbour.assign(num_cells * whole.width, -1);
  for (const OwnGraph &part : parts)
    for (std::size_t c = 0; c < part.cells.size(); ++c)
      std::copy_n(part.neighbours.begin() + std::int64_t(c) * part.width, part.width,
                  whole.neighbour.begin() + std::int64_t{part.cells[c]} * whole.width);
  return whole;
}

} // namespace

Colouring colour_cells_of_ranks(const Mesh &part, const CellGraph &graph, int distance,
                                Communicator &ranks) {
  const OwnGraph own = own_graph(part, graph);
  ByteWriter write;
  OwnGraph::visit(write, own);
  std::vector<OwnGraph> parts;
  std::vector<Parcel> to_first;
  to_first.push_back({0, write.take()});
  for (const Parcel &parcel : ranks.deliver(std::move(to_first))) {
    ByteReader read(parcel.bytes);
    OwnGraph::visit(read, parts.emplace_back());
  }
  std::vector<Parcel> answers;
  if (is_first(&ranks)) {
    const Colouring whole =
        colour_cells(put_together(parts, part.share->num_whole_cells), distance);
    for (int rank = 0; rank < ranks.size(); ++rank) {
      std::vector<std::int32_t> colours;
      for (const std::int32_t cell : parts[rank].wanted)
        colours.push_back(whole.colours[cell]);
      ByteWriter answer;
      answer(whole.num_colours);
      answer(colours);
      answers.push_back({rank, answer.take()});
    }
  }
  Colouring colouring;
  for (const Parcel &parcel : ranks.deliver(std::move(answers))) {
    ByteReader read(parcel.bytes);
    read(colouring.num_colours);
    read(colouring.colours);
  }
  return colouring;
}

} // namespace weft
