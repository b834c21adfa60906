// What the kernels of a form would cost with any settings: the mesh is counted once, nothing is
// made on a device.
#pragma once

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "op/layout/block_counts.h"
#include "op/layout/block_lists.h"
#include "op/weak_form/block_group.h"
#include "op/weak_form/form_cost.h"
#include "op/weak_form/form_integrals.h"
#include "op/weak_form/operator_settings.h"

namespace weft {

class FormPrediction {
public:
  // `integrals` must outlive it. `kind`: the residual where the form is C text.
  FormPrediction(const FormIntegrals &integrals, const DeviceInfo &device, IntegralKind kind);

  // Launch by launch, what FormOperator::costs() says of an operator with these settings, which are
  // complete (see with_choices()). Names are those of what is computed, not of
  // kernels.
  std::vector<NamedCost> costs(const OperatorSettings &settings);

  // Nodes that a work-item's block counts at most with so many leaves, spare ones with them.
  std::int64_t most_block_nodes(int leaves) const;
  // Blocks of all sets.
  std::int64_t num_blocks(int leaves) const;
  // Bytes of geometry stored for the cells of all sets.
  double stored_geometry_bytes(const OperatorSettings &settings);
  // Entries of element vectors of all cells.
  std::int64_t num_element_vector_entries() const;

  // The integral over the cells of a set.
  const CellIntegral &cells(int set, const OperatorSettings &settings);

private:
  struct FacetCounts {
    IntegralDomain domain;
    std::vector<std::int64_t> facets; // by index in local_facets
    PartCounts counts;                // all but groups
  };

  // Takes a walk over the cells the first time.
  const std::vector<NodeCounts> &nodes() const;
  void count_facets();
  PartCounts cell_counts(int set, const OperatorSettings &settings) const;
  void count_blocks(PartCounts &counts, int set, const OperatorSettings &settings) const;
  // Sizes of blocks by work-groups; counts their lists.
  BlockGroupSizes add_block_group(PartCounts &counts, int set, const OperatorSettings &settings);
  // `facets` of -1: cells; otherwise an index of facets_.
  CellIntegral &described(int set, int facets, const OperatorSettings &settings);
  const CellCost &cell_cost_of(int set, int facets, Strategy strategy,
                               const OperatorSettings &settings);
  void add_gathers(std::vector<NamedCost> &costs, const OperatorSettings &settings) const;

  const FormIntegrals &integrals_;
  const Discretisation &d_;
  DeviceInfo device_;
  IntegralKind kind_;
  mutable std::vector<NodeCounts> nodes_;  // [family]
  std::vector<std::int64_t> cell_classes_; // [set]
  std::vector<FacetCounts> facets_;
  std::vector<GatherCounts> facet_gathers_; // [field]
  // By set, index of facets_ and geometry; transposed or not.
  std::map<std::tuple<int, int, GeometrySource, Summation>, CellIntegral> described_;
  std::map<std::tuple<int, int, GeometrySource, Summation, bool>, CellCost> cell_costs_;
  std::map<std::pair<int, GeometrySource>, BlockGroupNeed> block_group_needs_; // by set
  // By set, family, leaves, lanes, lane groups of a pass.
  std::map<std::tuple<int, int, int, int, int>, BlockListCounts> block_lists_;
};

} // namespace weft
