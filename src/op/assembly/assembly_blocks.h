// Blocks of a cell set as kernels that assemble into a CSR matrix see them: which entry of which
// element matrix goes where. Layouts: kernel/matrix/matrix_kernel.h, destination csr.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/host_array.h"
#include "linalg/csr_pattern.h"
#include "op/layout/block_plan.h"
#include "op/problem/discretisation.h"

namespace weft {

struct AssemblyBlocks {
  LaneGroups groups; // in the order of blocks
  std::vector<std::int32_t>
      blocks; // table matrix_blocks; indices in the interface from 0 for this set
  int num_blocks = 0;
  std::int64_t largest_stage = 0; // slots of the largest block
  bool fits = false;              // 16 bits number the slots of every block; else no map is made
  HostArray<std::uint16_t> entry_map;          // [group][entry][lane]
  std::vector<std::int32_t> interface_indices; // [interface entry]: its index in the CSR values
};

// All: which dofs are prescribed, [entry of a vector, ghosts included]: rows and columns that are
// dropped.
std::vector<bool> constrained_flags(const Discretisation &d);

// `owners`: by map of the discretisation, of those that fields are on, see node_owners(). The same
// whatever the number of threads.
AssemblyBlocks make_assembly_blocks(const Discretisation &d, int set, const CsrPattern &pattern,
                                    const std::vector<NodeOwners> &owners,
                                    const std::vector<bool> &constrained, int leaves_per_block,
                                    int lanes);

// Indices in the CSR values of the entries of a cell's element matrix, [row][column] with rows
// numbered [field][node][component], or of two cells' that meet on a facet, [side] first.
class EntryIndices {
public:
  // `sets`: of the cell, or of the cells on both sides.
  EntryIndices(const Discretisation &d, const std::vector<int> &sets, const CsrPattern &pattern);
  int num_rows() const { return num_rows_; }
  // Dof of each row of a cell of the only set.
  void dofs(std::int64_t cell, std::vector<std::int32_t> &dofs) const;
  // `dofs`: of the cells. -1 in rows of other ranks.
  void indices(const std::vector<std::int32_t> &dofs, std::vector<std::int32_t> &indices) const;

private:
  struct Field {
    const NodeMapSet *set = nullptr;
    int components = 1;
    int number = 0;
  };
  const Discretisation &d_;
  std::vector<Field> fields_;
  const CsrPattern &pattern_;
  int num_rows_ = 0;
};

// Finds the dofs of a slot's rows; false where it has no cell.
using DofsOfSlot = std::function<bool(std::int64_t slot, std::vector<std::int32_t> &dofs)>;

// Indices of the entries of so many slots, [slot][entry], found on all threads; -1 for those of
// constrained dofs and of slots without a cell.
void find_indices(const EntryIndices &entries, std::int64_t num_slots, const DofsOfSlot &dofs_of,
                  const std::vector<bool> &constrained, HostArray<std::int32_t> &indices);

} // namespace weft
