#include "op/law/fv_cost.h"

#include <algorithm>

namespace weft {

namespace {

class FvCounter {
public:
  FvCounter(DgStage stage, const DgKernelSpec &spec, const DgExtent &extent,
            const DgTableSizes &tables)
      : stage_(stage), law_(*spec.law), spec_(spec), extent_(extent), tables_(tables),
        values_(dg_values(law_)), real_(double(size_bytes(spec.precision))),
        facets_(double(spec.operators->facets.size())), slots_(extent.groups * extent.lanes) {
    for (std::size_t b = 0; b < law_.boundaries.size(); ++b)
      samples_ = samples_ || is_sampled(law_, static_cast<int>(b));
  }

  void count(KernelCost &cost) const {
    cost.bytes_read += real_ * slots_ * (state_read() + place_read()) + real_ * metric_read();
    count_dg_writes(stage_, spec_, slots_, written(), cost);
    if (stage_ == DgStage::gradient && has_slack())
      cost.bytes_read += real_ * values_.limiters; // scales
    if (stage_ != DgStage::lift)
      count_tables(cost);
    if (meets_facets())
      count_facets(cost);
  }

private:
  bool updates() const { return stage_ == DgStage::fused || stage_ == DgStage::update; }
  bool has_fluxes() const { return stage_ == DgStage::fused || stage_ == DgStage::flux; }
  bool meets_facets() const {
    return has_fluxes() || stage_ == DgStage::gradient || stage_ == DgStage::step;
  }
  bool loads_facets() const { return has_fluxes() || stage_ == DgStage::step; }
  bool has_slack() const { return values_.limiters > 0 && law_.limiter != "barth_jespersen"; }
  bool gathers() const { return stage_ != DgStage::step || has_diffusion(law_); }

  // The update loads the values of the cell for them.
  bool finishes_with_values() const {
    for (int k = 0; k < law_.num_components; ++k) {
      const Node &node = law_.capacity.nodes[law_.capacity.outputs[k]];
      if (!law_.source.output_is_zero(k) || node.op != Op::constant || node.value != 1)
        return true;
    }
    return false;
  }

  // Reals of a cell: values and rates.
  double state_read() const {
    const double c = law_.num_components;
    if (stage_ == DgStage::lift)
      return facets_ * c;
    double reals = c;
    if (stage_ != DgStage::update || finishes_with_values())
      reals += values_.known + (dg_reads_gradients(stage_, law_) ? values_.gradients : 0);
    if (has_fluxes())
      reals += values_.limiters;
    if (stage_ == DgStage::update)
      reals += c;
    if (updates())
      reals += c * ((spec_.update.uses_sum && spec_.update.keeps_sum) + spec_.update.uses_start);
    if (stage_ == DgStage::gradient)
      reals += facets_ * law_.dim + has_slack();
    return reals;
  }

  // Coordinates and size of a cell.
  double place_read() const {
    double reals = stage_ != DgStage::lift && any_uses(law_, SymbolKind::cell_size) ? 1 : 0;
    for (int d = 0; d < law_.dim; ++d) {
      const auto uses = [&](const PointwiseFunction &f) {
        return std::any_of(f.symbols.begin(), f.symbols.end(), [&](const Symbol &s) {
          return s.kind == SymbolKind::coordinate && s.component == d;
        });
      };
      const bool in_cell =
          (updates() && (uses(law_.source) || uses(law_.capacity))) ||
          (stage_ == DgStage::step &&
           (uses(law_.wave_speed) || (has_diffusion(law_) && uses(law_.capacity)))) ||
          (stage_ == DgStage::gradient && values_.limiters > 0 && uses(law_.positive));
      reals += in_cell ? 1 : 0;
    }
    return reals;
  }

  // Reals of facet metrics, of all lanes.
  double metric_read() const {
    const double entries = dg_facet_layout(law_, 0).entries;
    if (loads_facets())
      return slots_ * facets_ * entries;
    if (stage_ != DgStage::gradient)
      return 0;
    const double offsets = values_.limiters > 0 ? law_.dim : 0;
    return slots_ * facets_ * offsets +
           (samples_ ? extent_.boundary_facets * extent_.lanes * (entries - offsets) : 0);
  }

  double written() const {
    const double c = law_.num_components;
    switch (stage_) {
    case DgStage::flux:
      return facets_ * c;
    case DgStage::lift:
      return c;
    case DgStage::gradient:
      return values_.gradients + values_.limiters;
    case DgStage::fused:
    case DgStage::update:
      return c * (1 + spec_.update.uses_sum);
    default:
      return 0;
    }
  }

  void count_tables(KernelCost &cost) const {
    if (!law_.cell_table.empty())
      cost.bytes_read +=
          integer_bytes * slots_ + real_ * tables_.cell_classes * double(law_.cell_table.size());
  }

  // Where neighbours lie, which conditions there are, what both sides' tables say.
  void count_facets(KernelCost &cost) const {
    const double group_facets = extent_.groups * facets_, lanes = extent_.lanes;
    const double on_boundary = extent_.boundary_facets * lanes;
    if (gathers()) {
      const FvPlusValues plus = fv_plus_values(stage_, law_);
      const double gathered = double(plus.components.size() + plus.known.size()) +
                              (has_fluxes() ? values_.gradients + values_.limiters : 0);
      cost.bytes_read += integer_bytes * group_facets * lanes;
      cost.bytes_read += real_ * extent_.outer_values * gathered;
      cost.memory_reads1 += group_facets * lanes * gathered;
    }
    if (!loads_facets() && !samples_)
      return;
    cost.bytes_read += integer_bytes * (group_facets + on_boundary);
    if (!law_.cell_table.empty())
      cost.bytes_read += integer_bytes * (loads_facets() ? group_facets * lanes : on_boundary);
    if (!law_.facet_table.empty())
      cost.bytes_read += integer_bytes * on_boundary +
                         real_ * tables_.facet_classes * double(law_.facet_table.size());
  }

  DgStage stage_;
  const ConservationLaw &law_;
  const DgKernelSpec &spec_;
  const DgExtent &extent_;
  const DgTableSizes &tables_;
  DgValues values_;
  double real_, facets_, slots_;
  bool samples_ = false;
};

} // namespace

void count_fv_bytes(DgStage stage, const DgKernelSpec &spec, const DgExtent &extent,
                    const DgTableSizes &tables, KernelCost &cost) {
  FvCounter(stage, spec, extent, tables).count(cost);
  if (stage == DgStage::fused || stage == DgStage::lift) {
    const DgMatrices m = dg_matrices(*spec.operators, spec.rows);
    cost.bytes_read += double(size_bytes(spec.precision)) * double(m.lift.size()) +
                       integer_bytes * double(m.lift_start.size() + m.lift_column.size());
  }
}

} // namespace weft
