// What the kernels of a form share on the device: node numbers by lane group, blocks, lists of
// contributions, parameters; and the launches made from it.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "form/weak_form/rates.h"
#include "kernel/cell/integral_kernel.h"
#include "kernel/cell/paper_cost.h"
#include "linalg/vector.h"
#include "op/layout/block_lists.h"
#include "op/layout/block_plan.h"
#include "op/problem/discretisation.h"
#include "op/weak_form/form_cost.h"
#include "op/weak_form/form_integrals.h"
#include "op/weak_form/matrix_cost.h"
#include "op/weak_form/node_sums.h"
#include "op/weak_form/operator_settings.h"

namespace weft {

// A launch of a generated kernel over the cells of a set or a list of facets.
struct IntegralLaunch {
  KernelSource source;
  Program program;
  Launch launch;
  std::vector<KernelArgument> arguments;
  // Places among the arguments that are filled in at each call: of the state, the direction, the
  // result; the time, and what time derivatives stand for.
  std::vector<int> field_arguments, direction_arguments, output_arguments;
  std::vector<int> time_arguments;
  std::array<std::vector<int>, num_shifts> shift_arguments;
  std::array<std::vector<int>, highest_rate_order> rate_offset_arguments;
  KernelCost cost;   // of what the launch does
  Operations needed; // that the integral needs, for flop rates: see integral_operations()
  std::int64_t num_cells = 0;
  bool on_facets = false;
  CellType cell = CellType::tetrahedron;
  int order = 1; // of the first field
  std::string variant;
  std::optional<PaperSizes> paper; // for the cost model of Knepley, Rupp, Terrel 2016
};

class FormPlan {
public:
  // `settings`: complete, see with_choices(); `integrals` must outlive the plan.
  FormPlan(Device &device, const FormIntegrals &integrals, const OperatorSettings &settings);
  virtual ~FormPlan() = default;

  // Prints and compiles the kernels of a kind for all sets and facets.
  std::vector<IntegralLaunch> make_launches(IntegralKind kind);
  // Sums the contributions that the launches left, into y.
  void gather(const Vector &y);
  // Counts the launches of gather().
  std::vector<NamedCost> gather_costs() const;
  // Takes values of those auxiliary fields anew from the discretisation that depend on time (or on
  // parameters).
  void update_auxiliary(bool AuxiliaryField::*depends);
  // Takes the values of parameters in tables anew.
  void update_tables();
  // A scalar argument of the kernels' precision.
  KernelArgument real_argument(double value) const;

protected:
  // What all plans share on the device, without parts and gathers: derived plans make their own.
  struct WithoutParts {};
  FormPlan(Device &device, const FormIntegrals &integrals, const OperatorSettings &settings,
           WithoutParts);

  struct Part : IntegralDomain {
    LaneGroups groups;
    // Between two cells: the plus side's, parallel to `groups`; [side][lane group]: how cells are
    // turned, see InteriorDomain.
    LaneGroups plus_groups;
    std::array<std::vector<int>, 2> symmetry;
    std::vector<Buffer> nodes;                  // [family], or [side][family]
    std::optional<BlockGroupSizes> block_group; // blocks by work-groups
    Buffer block_passes;
    std::vector<Buffer> block_lists; // [family]
    Buffer blocks, image, element_vectors, facet_class;
    std::array<Buffer, 2> cell_class, facet_slot; // [side]
    std::int64_t first_entry = 0;                 // in element_vectors
    PartCounts counts;
    // By what the layout has: inverse, positions.
    std::map<std::pair<bool, bool>, Buffer> stored_geometry;
    // Auxiliary fields of order 0 by index, -1: cell sizes; and side.
    std::map<std::pair<int, Side>, Buffer> cell_values;

    std::vector<const LaneGroups *> groups_of_sides() const {
      return is_two_sided() ? std::vector{&groups, &plus_groups} : std::vector{&groups};
    }
  };

  void make_block_parts();
  // The image of the coordinates of a part whose blocks work-items do; scales the node numbers.
  void make_block_image(Part &part, BlockPlan &plan);
  // Sizes and lists of a part whose blocks work-groups do; reorders the node numbers.
  void make_block_group(Part &part, BlockPlan &plan);
  // Cells in their own order, whose kernels read global node numbers: a part a set.
  void add_consecutive_parts();
  void make_cell_parts();
  void make_facet_parts(); // edges and points too
  void make_named_parts(Domain domain, const NamedParts &parts);
  void make_interior_parts();
  // Uploads what the kernel of such a part reads, and keeps it where it has cells.
  void add_facet_part(Part part, const std::vector<std::int32_t> &slots,
                      const std::vector<std::int32_t> &classes);
  // Node numbers of a part's groups, and what is counted of them.
  void number_facets(Part &part, const std::vector<std::int32_t> &classes);
  // As group_nodes() has them, of the cells on a side as they are turned.
  HostArray<std::int32_t> nodes_of(const Part &part, std::size_t side, const NodeMap &map) const;
  std::int64_t count_equal_rows(const Part &part) const; // see PartCounts
  // Between two cells, [node]: whether the rows of a field's nodes on a side may differ from zero.
  std::vector<bool> nodes_in_rows(const Part &part, std::size_t side, std::size_t field) const;
  std::int64_t num_facet_classes() const; // rows of facet_table_
  // Where sums go: entry node * components + k of the result, from its entry `offset` on.
  struct GatherTarget {
    int components = 1;
    std::int64_t offset = 0;
  };
  void add_gather(GatherLists lists, const GatherTarget &target, int stride, Buffer contributions,
                  bool add);
  GatherTarget target_of_field(int field) const;
  // Lists and gathers of parts whose kernels write element vectors.
  void add_element_vector_gathers(std::vector<Part *> parts, bool add);

  CellIntegral describe(IntegralKind kind, const Part &part) const {
    return integrals_.describe(kind, part, settings_);
  }
  IntegralLaunch make_launch(IntegralKind kind, Part &part);
  // Of a kernel of element matrices. `stage_entries`, `stages`: of blocks.
  IntegralLaunch make_matrix_launch(Part &part, const MatrixVariant &variant, int stage_entries = 0,
                                    const StageCounts &stages = {});
  void bind(IntegralLaunch &launch, const CellIntegral &integral, Part &part);
  virtual KernelArgument argument(const ArgumentSpec &spec, const CellIntegral &integral,
                                  Part &part);
  Buffer stored_geometry_of(const CellIntegral &integral, Part &part);
  Buffer cell_values_of(const NodalInput &input, Part &part);
  std::vector<double> cell_values(const NodalInput &input, const Part &part) const; // by lane
  void rewrite(const Buffer &buffer, const std::vector<double> &values);
  // Positions by node as kernels of element matrices read them; made when first asked for.
  Buffer node_image();
  Buffer class_array(const LaneGroups &groups, const std::vector<std::int32_t> &classes);
  // What the launches of a part work on, for their cost; count_cells() all but blocks.
  void count_cells(Part &part) const;
  void count_block_nodes(Part &part, const BlockPlan &plan) const;
  std::int64_t real_bytes() const {
    return static_cast<std::int64_t>(size_bytes(settings_.precision));
  }

  Device &device_;
  const FormIntegrals &integrals_;
  const Discretisation &d_;
  OperatorSettings settings_;
  Strategy strategy_;
  int lanes_;
  const std::vector<const NodeMap *> &families_;
  std::vector<Part> parts_;
  std::vector<Buffer> shared_;    // [family], blocks: shared nodes of all sets
  std::vector<Buffer> interface_; // [field], blocks
  std::vector<NodeSums> gathers_;
  Buffer coordinates_, cell_table_, facet_table_, node_image_;
  std::vector<Buffer> auxiliary_;
};

} // namespace weft
