#include "op/assembly/assembled_operator.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "op/set_up/make_csr_pattern.h"

namespace weft {

namespace {

constexpr double gib = 1 << 30;

// Whether parameters that may get other values are in the Jacobian.
bool jacobian_has_settable_entries(const Discretisation &d) {
  const auto is_settable = [&](const Symbol &s) {
    switch (s.kind) {
    case SymbolKind::cell_parameter:
      return d.form.cell_table[s.component].settable;
    case SymbolKind::facet_parameter:
      return d.form.facet_table[s.component].settable;
    case SymbolKind::auxiliary:
    case SymbolKind::auxiliary_gradient:
    case SymbolKind::auxiliary_hessian:
      return d.auxiliary[s.index].depends_on_parameters;
    default:
      return false;
    }
  };
  return std::any_of(d.form.integrals.begin(), d.form.integrals.end(),
                     [&](const FormIntegral &integral) {
                       const std::vector<Symbol> &symbols = integral.linearised.symbols;
                       return std::any_of(symbols.begin(), symbols.end(), is_settable);
                     });
}

} // namespace

AssembledOperator::AssembledOperator(Device &device, const Discretisation &d,
                                     const OperatorSettings &settings,
                                     const AssemblySettings &assembly)
    : FormOperator(device, d, settings), takes_values_(jacobian_has_settable_entries(d)) {
  refuse_if_too_large(nullptr, assembly);
  const auto pattern = std::make_shared<const CsrPattern>(make_csr_pattern(d_));
  refuse_if_too_large(pattern.get(), assembly);
  matrix_ = std::make_unique<SparseMatrix>(device_, pattern, settings_.precision, d_.form.symmetric,
                                           assembly.format);
  assembly_ = std::make_unique<AssemblyPlan>(device_, integrals_, settings_, assembly, *matrix_);
  if (d_.ties.empty())
    return;
  tying_ = std::make_unique<TiedMatrix>(*pattern, d_);
  tied_ = std::make_unique<SparseMatrix>(device_, tying_->pattern(), settings_.precision,
                                         d_.form.symmetric, assembly.format);
}

AssembledOperator::~AssembledOperator() = default;

// Without the pattern by the least that it can have: a row has the columns of one cell.
void AssembledOperator::refuse_if_too_large(const CsrPattern *pattern,
                                            const AssemblySettings &assembly) const {
  std::int64_t entries = 0;
  if (pattern) {
    entries = pattern->num_entries();
  } else {
    int least = 1;
    for (std::size_t field = 0; field < d_.form.fields.size(); ++field) {
      int columns = 0;
      for (const NodeMapSet &set : d_.map_of_field(static_cast<int>(field)).sets)
        columns =
            columns == 0 ? set.element.num_nodes() : std::min(columns, set.element.num_nodes());
      least = std::max(least, columns * d_.form.fields[field].components());
    }
    entries = d_.num_owned * least;
  }
  const DeviceInfo &info = device_.info();
  const double bytes =
      sparse_matrix_bytes(d_.num_owned, entries, settings_.precision) +
      AssemblyPlan::bytes_needed(integrals_, settings_,
                                 assembly.blocks.value_or(AssemblyPlan::default_blocks(info)));
  const double used = static_cast<double>(device_.allocated_bytes());
  const double room = static_cast<double>(info.memory_bytes) - used;
  if (bytes <= room)
    return;
  throw Error(
      ErrorKind::system,
      {.what = fmt::format("the assembled matrix does not fit on {}", info.name),
       .where = "[solver] operator",
       .found = fmt::format("{} dofs, {}{} entries: {}{:.1f} GiB with what assembly needs",
                            d_.num_owned, pattern ? "" : "at least ", entries,
                            pattern ? "" : "at least ", bytes / gib),
       .allowed = fmt::format("{:.1f} GiB of {:.1f} GiB are free", std::max(0.0, room) / gib,
                              static_cast<double>(info.memory_bytes) / gib),
       .remedy = "use solver.operator = \"matrix_free\", which stores no matrix, a coarser "
                 "mesh, a lower order, precision = \"f32\", or a device with more memory"});
}

void AssembledOperator::linearise(const Vector &u) {
  tied_dofs_.set(u);
  state_ = u;
  local_state_ = local_dofs_.read(u, state_storage_);
  changed_ = changed_ || !d_.form.linear;
  assemble_if_changed();
}

void AssembledOperator::assemble_if_changed() {
  require(d_.form.linear || state_.buffer, "linearise() comes before apply() of a non-linear form");
  if (changed_)
    assemble();
}

void AssembledOperator::make_launches() {
  if (!matrix_launches_.empty())
    return;
  matrix_launches_ = assembly_->make_matrix_launches();
  for (const IntegralLaunch &launch : matrix_launches_)
    depends_on_time_ = depends_on_time_ || !launch.time_arguments.empty();
  for (const AuxiliaryField &auxiliary : d_.auxiliary)
    depends_on_time_ = depends_on_time_ || auxiliary.depends_on_time;
}

void AssembledOperator::assemble() {
  make_launches();
  const DeviceStage stage(device_, "matrix");
  assembly_->begin();
  for (IntegralLaunch &launch : matrix_launches_)
    this->launch(launch, local_state_, {}, {});
  assembly_->finish();
  changed_ = false;
  if (tied_)
    tie_matrix();
  if (any(d_.ranks, !held_.empty()))
    hold_in_matrix();
}

void AssembledOperator::tie_matrix() {
  Vector values{tied_->values(), tying_->pattern()->num_entries(), settings_.precision};
  set_vector(device_, values, tying_->values(matrix_->host_values().get()));
  tied_->values_changed();
}

void AssembledOperator::hold(std::span<const std::int32_t> entries) {
  changed_ = changed_ || !std::equal(entries.begin(), entries.end(), held_.begin(), held_.end());
  if (d_.ranks) // whose entries are in rows of this one
    changed_ = any(d_.ranks, changed_);
  FormOperator::hold(entries);
}

void AssembledOperator::hold_in_matrix() {
  Vector free = make_vector(device_, layout(), precision(), "free dofs");
  std::vector<double> values(size(), 1.);
  for (const std::int32_t entry : held_)
    values[entry] = 0;
  set_vector(device_, free, values);
  local_dofs_.fetch(free);
  whole().hold(free);
}

void AssembledOperator::apply(const Vector &x, Vector &y) {
  assemble_if_changed();
  local_dofs_.fetch(x);
  whole().apply(x, y);
}

void AssembledOperator::diagonal(Vector &d) {
  assemble_if_changed();
  whole().diagonal(d);
}

void AssembledOperator::set_time(double time) {
  FormOperator::set_time(time);
  assembly_->update_auxiliary(&AuxiliaryField::depends_on_time);
  changed_ = changed_ || depends_on_time_;
}

void AssembledOperator::take_values() {
  FormOperator::take_values();
  assembly_->update_tables();
  assembly_->update_auxiliary(&AuxiliaryField::depends_on_parameters);
  changed_ = changed_ || takes_values_;
}

void AssembledOperator::set_rate(const Vector &offset, double shift) {
  FormOperator::set_rate(offset, shift);
  take_shifts();
}

void AssembledOperator::set_second_rate(const Vector &offset, double acceleration_shift,
                                        double velocity_shift) {
  FormOperator::set_second_rate(offset, acceleration_shift, velocity_shift);
  take_shifts();
}

void AssembledOperator::take_shifts() {
  changed_ = changed_ || shifts() != matrix_shifts_;
  matrix_shifts_ = shifts();
}

const std::vector<IntegralLaunch> &AssembledOperator::launches(IntegralKind kind) {
  static const std::vector<IntegralLaunch> none;
  if (kind == IntegralKind::residual)
    return FormOperator::launches(kind);
  if (kind != IntegralKind::matrix)
    return none;
  make_launches();
  return matrix_launches_;
}

std::vector<NamedCost> AssembledOperator::costs(IntegralKind kind) {
  switch (kind) {
  case IntegralKind::residual:
    return FormOperator::costs(kind);
  case IntegralKind::linearised:
    return whole().apply_costs();
  case IntegralKind::diagonal:
    return whole().diagonal_costs();
  case IntegralKind::matrix:
    break;
  }
  std::vector<NamedCost> costs;
  for (const IntegralLaunch &launch : launches(kind))
    costs.push_back({launch.source.name, launch.cost});
  const std::vector<NamedCost> finish = assembly_->finish_costs();
  costs.insert(costs.end(), finish.begin(), finish.end());
  return costs;
}

double AssembledOperator::flops(IntegralKind kind) {
  if (kind == IntegralKind::residual)
    return FormOperator::flops(kind);
  if (kind == IntegralKind::linearised) // zeros that fill slices do not count
    return 2.0 * static_cast<double>(whole().pattern().num_entries());
  double flops = 0;
  if (kind == IntegralKind::matrix)
    for (const IntegralLaunch &launch : launches(kind))
      flops += launch.needed.flops();
  return flops;
}

} // namespace weft
