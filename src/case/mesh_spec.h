// [mesh] of a case file.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/source_text.h"

namespace weft {

struct RawMesh;

// [mesh] box = {...}
struct BoxSpec {
  int dim = 2;
  std::array<double, 3> origin = {0, 0, 0};
  std::array<double, 3> size = {1, 1, 1};
  std::array<int, 3> cells = {1, 1, 1};
  std::string cell = "triangle";
  double distort = 0; // share of a cell by which inner nodes move
  std::array<bool, 3> periodic = {false, false, false};
};

// What a group of [mesh] groups is made of. Those by a condition have all corners where it holds.
enum class GroupKind { cells, facets, edges, point, between };

// [mesh] groups.NAME = { facets = "x < 1e-6" }
struct GroupSpec {
  std::string name;
  GroupKind kind = GroupKind::facets;
  SourceText condition;             // cells, facets, edges
  std::vector<double> point;        // the nearest vertex
  std::vector<std::string> between; // two regions
  std::string place;                // "case.toml:12: [mesh] groups.inlet", for messages
};

// [point]: whether a condition holds at points of a space of so many dimensions, [point, dim].
using ConditionAtPoints = std::function<std::vector<bool>(const SourceText &condition, int dim,
                                                          const std::vector<double> &points)>;

// Cells of a leaf block for elements of an order on cells of any type: blocks are made of leaves,
// and number their nodes by 16 bits.
constexpr int leaf_cells_of(int order) {
  int cells = 256;
  while (cells * (order + 1) * (order + 1) * (order + 1) > 1 << 15 && cells > 1)
    cells /= 2;
  return cells;
}

// [mesh] of a case file.
struct MeshSpec {
  std::optional<std::string> file; // absolute path or relative to the working directory
  std::string file_place;          // where the case names it, for messages; empty without a case
  std::optional<BoxSpec> box;
  std::shared_ptr<const RawMesh> in_memory; // exactly one of the three
  int order = 1;
  double scale = 1;
  std::optional<double> size;                                // target cell size handed to gmsh
  std::vector<std::pair<std::string, std::string>> periodic; // pairs of facet groups
  std::vector<GroupSpec> groups;     // found in the mesh before it is refined
  ConditionAtPoints condition_holds; // evaluates their conditions
  int refine = 0;                    // times that every cell is split regularly
  int leaf_cells = leaf_cells_of(1); // target number of cells in a leaf block
  bool trust = false;                // a geometry may start programs and write files
  double gmsh_timeout_s = 3600;      // it is ended after that
};

} // namespace weft
