#include "mesh/build/orient_cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <mutex>

#include "base/error.h"
#include "base/log.h"
#include "base/names.h"
#include "base/parallel.h"
#include "mesh/build/assemble_cells.h"
#include "mesh/build/second_order.h"
#include "mesh/cell_volume.h"

namespace weft {

namespace {

// Relative to length^dim; the rounding of a volume is near 1e-16.
constexpr double zero_volume = 1e-14;

enum Sign { negative, zero, positive };

Sign sign_of_cell(const RawMesh &raw, const CellSet &set, std::int64_t c) {
  const auto nodes = std::span(set.nodes).subspan(c * set.nodes_per_cell, set.nodes_per_cell);
  const CellSize size = cell_size(set.type, nodes, raw.coordinates.data(), 3);
  const double full = dimension(set.type) == 3 ? size.length * size.length * size.length
                                               : size.length * size.length;
  if (!(std::abs(size.volume) > zero_volume * full))
    return zero;
  return size.volume < 0 ? negative : positive;
}

// [label][sign]: number of cells.
using SignCounts = std::vector<std::array<std::int64_t, 3>>;

SignCounts count_signs(const RawMesh &raw, const CellSet &set) {
  SignCounts total(raw.labels.size());
  std::mutex mutex;
  parallel_ranges(set.num_cells(), [&](std::int64_t begin, std::int64_t end, int) {
    SignCounts counts(raw.labels.size());
    for (std::int64_t c = begin; c < end; ++c)
      ++counts[set.region[c]][sign_of_cell(raw, set, c)];
    const std::lock_guard lock(mutex);
    for (std::size_t label = 0; label < total.size(); ++label)
      for (int sign = 0; sign < 3; ++sign)
        total[label][sign] += counts[label][sign];
  });
  return total;
}

// "12 of 200 cells, first 5, 9, 10": the cells of a label (any for -1) with that sign.
std::string list_cells(const RawMesh &raw, const std::vector<std::int64_t> &tags,
                       const CellSet &set, std::int32_t label, Sign sign, std::int64_t count) {
  std::string first;
  int listed = 0;
  for (std::int64_t c = 0; c < set.num_cells() && listed < 5; ++c)
    if ((label < 0 || set.region[c] == label) && sign_of_cell(raw, set, c) == sign) {
      first += fmt::format("{}{}", listed > 0 ? ", " : "", tags.empty() ? c + 1 : tags[c]);
      ++listed;
    }
  return fmt::format("{} {} cells, first numbers: {}", count, to_string(set.type), first);
}

void mirror(CellSet &set, std::int32_t label) {
  const auto permutation =
      mirror_permutation(set.type, set.nodes_per_cell > num_vertices(set.type) ? 2 : 1);
  std::array<std::int32_t, 27> old;
  for (std::int64_t c = 0; c < set.num_cells(); ++c) {
    if (set.region[c] != label)
      continue;
    std::int32_t *nodes = &set.nodes[c * set.nodes_per_cell];
    std::copy_n(nodes, set.nodes_per_cell, old.begin());
    for (int i = 0; i < set.nodes_per_cell; ++i)
      nodes[i] = old[permutation[i]];
  }
}

} // namespace

void orient_cells(const RawMesh &raw, const std::vector<std::int64_t> &tags, CellSet &set) {
  const SignCounts counts = count_signs(raw, set);
  std::int64_t flat = 0;
  for (const auto &count : counts)
    flat += count[zero];
  if (flat > 0)
    throw Error(ErrorKind::input,
                {"The mesh has cells of zero volume.", raw.file,
                 list_cells(raw, tags, set, -1, zero, flat), "cells with a volume",
                 "remove repeated or coplanar nodes and mesh again"});
  for (std::size_t label = 0; label < counts.size(); ++label) {
    const std::int64_t reversed = counts[label][negative], proper = counts[label][positive];
    if (reversed == 0)
      continue;
    const std::string region = join_names(group_names(raw.labels[label]));
    if (proper > 0) {
      const Sign fewer = reversed <= proper ? negative : positive;
      throw Error(ErrorKind::input,
                  {"Region " + region + " has cells of both orientations.", raw.file,
                   list_cells(raw, tags, set, static_cast<std::int32_t>(label), fewer,
                              std::min(reversed, proper)) +
                       fmt::format(" (of {}, oriented against the others)", reversed + proper),
                   "cells of one orientation in a region",
                   "these cells are inverted: mesh again or optimise the mesh (gmsh -optimize)"});
    }
    log::notice("{}: all {} {} cells of region {} are reversed; they are mirrored.", raw.file,
                reversed, to_string(set.type), region);
    mirror(set, static_cast<std::int32_t>(label));
  }
}

} // namespace weft
