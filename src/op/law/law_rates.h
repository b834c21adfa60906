// The right-hand side of a conservation law by nodal discontinuous Galerkin, on a device.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/law/dg_kernel.h"
#include "linalg/operator.h"
#include "linalg/vector.h"
#include "op/law/dg_cost.h"
#include "op/law/dg_reaction.h"
#include "op/law/law_launch.h"
#include "op/law/law_messages.h"
#include "op/law/law_noise.h"
#include "op/law/mesh/dg_mesh.h"
#include "op/problem/discretisation.h"

namespace weft {

// What a user, a benchmark or the tuner may fix; what is open is chosen for the device.
struct DgSettings {
  Precision precision = Precision::f64;
  std::string form_name = "form"; // for kernel names
  bool fused = true;              // one kernel a stage, or one each for its parts
  std::optional<int> lanes;
  std::optional<int> rows; // of a register block
  // Products by classes of symmetry, of cells whose kernels know them; open: of those.
  std::optional<bool> by_symmetry;
  std::optional<int> groups_per_item;
  // Fused stages by work-groups whose threads are nodes; lanes is 1 then. Open: on GPUs, with the
  // cells that fill a work-group. Never of finite volumes, which have one node a cell.
  std::optional<bool> by_nodes;
  std::optional<DgNodeGroup> node_group;
  std::optional<bool> stream; // open: where a state is larger than the last cache
  std::optional<int> ahead;   // groups ahead whose state is prefetched; GPUs: 0
};

// What is chosen where settings are open: few enough groups a work-item that all threads have work
// to the end, enough that a work-item pays.
int default_dg_groups_per_item(std::int64_t groups, const DeviceInfo &device);
int default_dg_ahead(const DeviceInfo &device);
// Whether products go by classes of symmetry: where some cells are straight simplices of order 2 or
// more (at order 1 sums and differences cost what products save), but not with threads that are
// nodes.
bool default_dg_symmetry(const Discretisation &d);

// One kernel of the cells of one type.
struct DgLaunch {
  DgKernelSpec spec;
  LawLaunch launch;
};

class LawRates : public ExplicitOperator {
public:
  // The discretisation, of a conservation law, must outlive the operator.
  // Errors: unsupported (pyramids above order 0, known fields that depend on time), input (periodic
  // facets that do not match, cells turned inside out). With ranks calls are of all of them.
  LawRates(Device &device, const Discretisation &d, const DgSettings &settings);

  std::int64_t size() const override;
  VectorLayout layout() const override;
  std::int64_t num_own(std::int64_t host_dofs) const override;
  Precision precision() const override { return settings_.precision; }
  Device &device() override { return device_; }
  void stage(double time, double h, const StageUpdate &update, const Vector &q, const Vector *start,
             Vector *sum, Vector &out) override;
  double unit_step(double time, const Vector &q) override;
  bool sources_depend_on_state() const override;
  bool knows_longest_step() const override { return law_.finite_volume; }
  bool limits_states() const override;
  void limit(double time, Vector &q) override;
  void react(double time, double h, Vector &q) override;

  // Between the host's order of dofs (Discretisation) and the device's.
  void set_state(const std::vector<double> &dofs, Vector &q) override;
  std::vector<double> state(const Vector &q) override;
  std::vector<double> random_state(std::int64_t /*host_dofs*/) const override {
    return law_noise(d_);
  }
  // The same of a sum of stages, which always lies by lanes.
  void set_sum(const std::vector<double> &dofs, Vector &sum);
  std::vector<double> sum(const Vector &sum);

  // Other choices, all but precision, names and lanes: kernels that were made stay, so that one may
  // go from choice to choice.
  void choose(const DgSettings &settings);
  // Complete: nothing is open.
  const DgSettings &settings() const { return settings_; }
  // Specification of the cells of a set, with the choices now.
  const DgKernelSpec &spec(std::size_t set) const { return parts_[set].spec; }

  // One part of a stage alone, for measurements; those of a stage in turn are the stage, but for
  // what ranks exchange between them.
  void launch_part(DgStage stage, double time, double h, const StageUpdate &update, const Vector &q,
                   const Vector *start, Vector *sum, Vector &out);
  // What launch_part() launches, and stage(), in their order; with ranks stage() launches twice
  // what reads neighbours.
  std::vector<NamedCost> costs_of(DgStage part, const StageUpdate &update);
  std::vector<NamedCost> costs(const StageUpdate &update);
  // What this rank sends in a stage with the limit() of its state, from the places alone; nothing
  // without ranks.
  HaloCounts halo_per_stage() const;
  // The messages of a stage alone, for measurements; after a stage.
  void exchange(const Vector &q);
  // Operations that all cells need, which flop rates count: without those of lanes that have no
  // cell, and of rows past the end of a block. None of boundary conditions.
  Operations needed_operations(DgStage part, const StageUpdate &update);
  DgTableSizes table_sizes() const { return table_sizes_; }
  const DgExtent &extent(std::size_t set) const { return parts_[set].extent; }
  // The kernels of a stage in their order.
  std::vector<DgStage> parts_of_stage(bool fused) const;
  const DgMesh &mesh() const { return mesh_; }
  // Null where no sources are split off.
  const DgReaction *reaction() const { return reaction_ ? &*reaction_ : nullptr; }
  // The kernels in use so far.
  std::vector<const DgLaunch *> launches() const;

private:
  using Buffers = std::map<ArgumentSpec, Buffer>;
  // Which kernel of a set.
  struct KernelKey {
    DgStage stage;
    DgChoices choices;
    DgRange range;
    auto operator<=>(const KernelKey &) const = default;
  };
  // The kernels of one set and what they read.
  struct Part {
    DgKernelSpec spec;
    std::optional<DgNodeGroup> node_group; // of fused stages
    DgExtent extent;
    Buffers buffers;
    std::map<int, Buffers> matrices; // by the rows of a block
    std::map<KernelKey, DgLaunch> launches;
  };

  void make_part(const DgSet &set);
  void set_values(const std::vector<double> &dofs, bool by_cell, Vector &vector);
  std::vector<double> values(const Vector &vector, bool by_cell);
  std::optional<DgNodeGroup> choose_node_group(const Part &part) const;
  void make_limiter();
  void make_halos();
  void send_gradients(LawMessages &messages);
  // Launches a part: where it reads what is on its way, inner cells meanwhile, and those at the
  // border when it is there.
  void launch_meanwhile(DgStage part, const LawCall &call, LawMessages &messages);
  // That a part of stage() is launched over.
  std::vector<DgRange> ranges_of(DgStage part) const;
  DgExtent extent_of(std::size_t set, DgRange range) const;
  std::vector<NamedCost> costs_of(DgStage part, DgRange range, const StageUpdate &update);
  void upload_matrices(Part &part, int rows, bool by_symmetry);
  void upload_known();
  void upload_limiter_scale();
  void launch(DgStage stage, DgRange range, const LawCall &call);
  DgLaunch &launch_of(std::size_t set, DgStage stage, DgRange range, const StageUpdate &update);
  Launch launch_size(std::size_t set, DgRange range, const DgKernelSpec &spec) const;
  KernelArgument fixed_argument(std::size_t set, DgRange range, const DgKernelSpec &spec,
                                const ArgumentSpec &argument);
  const Buffer &scratch(Part &part, std::size_t set, const ArgumentSpec &argument);
  Buffer reals(const std::vector<double> &values, const char *purpose);

  Device &device_;
  const Discretisation &d_;
  const ConservationLaw &law_;
  DgSettings settings_;
  DgMesh mesh_;
  DgTableSizes table_sizes_;
  std::vector<Part> parts_;
  Buffers shared_;                     // of all sets
  std::optional<DgReaction> reaction_; // sources that are split off
  // Of a problem with ranks: of states, of what the kernels of a stage leave for one another, and
  // of means of cells.
  std::optional<Halo> state_halo_, gradient_halo_, limiter_halo_, means_halo_;
};

} // namespace weft
