#include "op/law/dg_tuning.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "base/error.h"
#include "base/hash.h"
#include "base/timer.h"
#include "device/lanes.h"
#include "device/streaming.h"
#include "form/law/form_text.h"
#include "kernel/law/dg_generator.h"
#include "kernel/law/dg_symmetry.h"
#include "op/reference/dg.h"

namespace weft {

namespace {

const std::string own_choice = "own", none_chosen = "-";
// Lanes of the widest vector type of the dialects.
constexpr int widest = 16;
// More sums than all registers hold are slower, however they are arranged.
constexpr int most_rows = 12;
// The reference takes seconds for more.
constexpr std::int64_t reference_dofs = 30000;
// Relative to the largest rate of a field: sums of some hundred products of the same matrices,
// whole or by classes of symmetry (more than 1e-12 at order 9), or of others.
constexpr double plain_f64 = 1e-11, reference_f64 = 1e-9, any_f32 = 2e-3;
// Short runs are repeated until about so much has passed.
constexpr double enough_seconds = 2e-3;

std::vector<std::string> texts(std::vector<int> numbers) {
  const std::set<int> sorted(numbers.begin(), numbers.end());
  std::vector<std::string> texts;
  for (const int number : sorted)
    texts.push_back(std::to_string(number));
  return texts;
}

// Near a state, but different at each dof, so that no rate is zero by chance; small enough that
// what must be positive stays so.
std::vector<double> varied_state(const Discretisation &d, std::vector<double> state,
                                 Precision precision) {
  state.resize(d.num_owned);
  double largest = 0;
  for (const double v : state)
    largest = std::max(largest, std::abs(v));
  for (std::size_t f = 0; f < d.field_offset.size(); ++f) {
    const std::int64_t begin = d.field_offset[f],
                       end = f + 1 < d.field_offset.size() ? d.field_offset[f + 1] : d.num_owned;
    double most = 0;
    for (std::int64_t i = begin; i < end; ++i)
      most = std::max(most, std::abs(state[i]));
    const double scale = largest == 0 ? 1 : most / 256;
    for (std::int64_t i = begin; i < end; ++i) {
      state[i] += scale * static_cast<double>(i * 367 % 1021) / 1024;
      if (precision == Precision::f32)
        state[i] = static_cast<float>(state[i]);
    }
  }
  return state;
}

class DgTrial : public TuningTrial {
public:
  DgTrial(DgTuning &tuning, DgTuning::Shared &shared, const DgSettings &settings)
      : tuning_(tuning), shared_(shared), settings_(settings) {
    repeat(1); // compiled
    repeats_ = static_cast<int>(std::clamp(enough_seconds / repeat(1), 1.0, 50.0));
  }

  double run() override {
    // What another variant left in the caches is not what a step finds there.
    if (repeats_ > 1)
      repeat(1);
    return repeat(repeats_);
  }

  std::optional<std::string> validate() override {
    shared_.op->choose(settings_);
    return tuning_.compare(tuning_.change(shared_));
  }

private:
  double repeat(int times) {
    shared_.op->choose(settings_);
    Device &device = shared_.op->device();
    device.finish();
    const Timer timer;
    for (int i = 0; i < times; ++i)
      tuning_.run_stage(shared_);
    device.finish();
    return timer.seconds() / times;
  }

  DgTuning &tuning_;
  DgTuning::Shared &shared_;
  DgSettings settings_;
  int repeats_ = 1;
};

} // namespace

DgSettings dg_settings_of(const Variant &variant, DgSettings base) {
  const std::string kernels = variant.value("kernels");
  base.fused = kernels != "separate";
  base.by_nodes = kernels == "nodes";
  base.lanes = variant.number("lanes", 1);
  base.rows.reset();
  if (const int rows = variant.number("rows", 0); rows > 0)
    base.rows = rows;
  base.by_symmetry = variant.value("products") == "by_symmetry";
  base.groups_per_item = variant.number("groups_per_item", 1);
  base.node_group.reset();
  if (const int parallel = variant.number("parallel", 0); parallel > 0)
    base.node_group = {.parallel = parallel,
                       .in_line = variant.number("in_line", 1),
                       .sequence = variant.number("sequence", 1),
                       .matrix_local = variant.value("matrix") == "local"};
  base.stream = variant.value("stores") == "streamed";
  base.ahead = variant.number("ahead", 0);
  return base;
}

Variant variant_of(const DgSettings &settings, bool is_cpu) {
  const bool by_nodes = settings.by_nodes.value_or(false);
  Variant variant = {{{"kernels", by_nodes         ? "nodes"
                                  : settings.fused ? "fused"
                                                   : "separate"},
                      {"lanes", std::to_string(settings.lanes.value())},
                      {"rows", by_nodes        ? none_chosen
                               : settings.rows ? std::to_string(*settings.rows)
                                               : own_choice},
                      {"products", settings.by_symmetry.value() ? "by_symmetry" : "whole"},
                      {"groups_per_item", std::to_string(settings.groups_per_item.value())},
                      {"stores", settings.stream.value() ? "streamed" : "cached"}}};
  if (is_cpu) {
    variant.choices.emplace_back("ahead", std::to_string(settings.ahead.value()));
    return variant;
  }
  const auto &group = settings.node_group;
  const auto text = [&](int number) { return group ? std::to_string(number) : none_chosen; };
  variant.choices.insert(variant.choices.end(),
                         {{"parallel", group      ? std::to_string(group->parallel)
                                       : by_nodes ? own_choice
                                                  : none_chosen},
                          {"in_line", text(group ? group->in_line : 0)},
                          {"sequence", text(group ? group->sequence : 0)},
                          {"matrix", !group                ? none_chosen
                                     : group->matrix_local ? "local"
                                                           : "memory"}});
  return variant;
}

StageUpdate tuned_update() {
  return {.keep = -0.5, .state = 1, .sum = 0.25, .uses_sum = true, .keeps_sum = true};
}

DgTuning::DgTuning(Device &device, const Discretisation &d, DgTuningOptions options)
    : device_(device), d_(d), options_(std::move(options)) {
  options_.state = varied_state(d, std::move(options_.state), options_.base.precision);
  make_space();
}

DgTuning::~DgTuning() = default;

// What the operator chooses by itself, its rows as a number where all cells have the same.
DgSettings DgTuning::usual_settings() const {
  const DeviceInfo &info = device_.info();
  DgSettings settings = options_.base;
  settings.by_nodes = !info.is_cpu && !d_.law->finite_volume;
  settings.lanes = default_lanes(info, settings.precision);
  settings.by_symmetry =
      settings.by_symmetry.value_or(!*settings.by_nodes && default_dg_symmetry(d_));
  std::set<int> rows;
  double reals = 0;
  std::int64_t groups = 0;
  for (const CellSet &set : d_.mesh->sets) {
    const NodalOperators operators =
        make_nodal_operators(make_nodal_element(set.type, d_.law->fields.front().order));
    rows.insert(default_dg_rows(operators, d_.law->num_components,
                                *settings.by_symmetry && has_nodal_symmetry(set.type)));
    const std::int64_t of_set = (set.num_cells() + *settings.lanes - 1) / *settings.lanes;
    groups += of_set;
    reals += double(of_set * *settings.lanes * operators.element.num_nodes());
  }
  if (rows.size() == 1)
    settings.rows = *rows.begin();
  settings.groups_per_item = default_dg_groups_per_item(groups, info);
  settings.ahead = default_dg_ahead(info);
  settings.stream = streams_by_default(
      reals * d_.law->num_components * double(size_bytes(settings.precision)), info);
  return settings;
}

void DgTuning::make_space() {
  const DeviceInfo &info = device_.info();
  const DgSettings usual = usual_settings();
  std::vector<int> lanes = {*usual.lanes}, rows, groups = {*usual.groups_per_item};
  if (info.is_cpu) {
    for (const int other : {*usual.lanes / 2, 2 * *usual.lanes})
      if (other >= 1 && other <= widest)
        lanes.push_back(other);
    groups.insert(groups.end(), {1, 4, 16, 32});
  }
  int most = 1;
  for (const CellSet &set : d_.mesh->sets)
    most = std::max(most, dg_blocks(make_nodal_operators(
                                        make_nodal_element(set.type, d_.law->fields.front().order)),
                                    1)
                              .fast_nodes);
  for (int r = 1; r <= std::min(most, most_rows); ++r)
    rows.push_back(r);
  std::vector<std::string> row_texts = texts(rows);
  if (!usual.rows)
    row_texts.insert(row_texts.begin(), own_choice);
  const bool may_be_whole = !options_.base.by_symmetry.value_or(false),
             may_use_symmetry = options_.base.by_symmetry.value_or(default_dg_symmetry(d_));
  std::vector<std::string> products;
  if (may_use_symmetry)
    products.emplace_back("by_symmetry");
  if (may_be_whole)
    products.emplace_back("whole");
  space_ = {.kernel = law_kernel,
            .parameters = {{"kernels", {"fused", "separate"}},
                           {"lanes", texts(lanes)},
                           {"rows", row_texts},
                           {"products", products},
                           {"groups_per_item", texts(groups)},
                           {"stores", {"cached", "streamed"}}},
            .constraints = {}};
  if (info.is_cpu)
    space_.parameters.push_back({"ahead", {"0", "1", "2", "4", "8"}});
  else if (!d_.law->finite_volume)
    add_node_groups();
  // Among variants that are predicted alike the one nearest to the default comes first.
  const Variant first = variant_of(usual, info.is_cpu);
  for (Parameter &parameter : space_.parameters)
    std::stable_partition(parameter.values.begin(), parameter.values.end(),
                          [&](const std::string &v) { return v == first.value(parameter.name); });
}

// Work-groups whose threads are nodes: as many cells as fill one, or so many in parallel, in line
// and in sequence.
void DgTuning::add_node_groups() {
  const auto with_none = [](std::vector<std::string> values) {
    values.insert(values.begin(), none_chosen);
    return values;
  };
  space_.parameters[0].values.insert(space_.parameters[0].values.begin(), "nodes");
  space_.parameters[2].values = with_none(space_.parameters[2].values);
  space_.parameters.push_back({"parallel", with_none({own_choice, "1", "2", "4", "8", "16"})});
  space_.parameters.push_back({"in_line", with_none({"1", "2", "4"})});
  space_.parameters.push_back({"sequence", with_none({"1", "4"})});
  space_.parameters.push_back({"matrix", with_none({"memory", "local"})});
  space_.constraints.push_back({"rows only without kernels \"nodes\", else \"-\"",
                                [](const Variant &v) {
                                  return (v.value("kernels") == "nodes") ==
                                         (v.value("rows") == none_chosen);
                                },
                                {"kernels", "rows"}});
  space_.constraints.push_back({"products = whole with kernels \"nodes\"",
                                [](const Variant &v) {
                                  return v.value("kernels") != "nodes" ||
                                         v.value("products") == "whole";
                                },
                                {"kernels", "products"}});
  space_.constraints.push_back({"parallel only with kernels \"nodes\", else \"-\"",
                                [](const Variant &v) {
                                  return (v.value("kernels") == "nodes") !=
                                         (v.value("parallel") == none_chosen);
                                },
                                {"kernels", "parallel"}});
  for (const char *name : {"in_line", "sequence", "matrix"})
    space_.constraints.push_back(
        {fmt::format("{} only with a number of cells in parallel, else \"-\"", name),
         [name = std::string(name)](const Variant &v) {
           return (v.number("parallel", 0) > 0) != (v.value(name) == none_chosen);
         },
         {"parallel", name}});
  // The work-items of a group of nodes are given by its cells.
  space_.constraints.push_back({"groups_per_item = 1 with kernels \"nodes\"",
                                [](const Variant &v) {
                                  return v.value("kernels") != "nodes" ||
                                         v.value("groups_per_item") == "1";
                                },
                                {"kernels", "groups_per_item"}});
  std::size_t nodes = 1;
  for (const CellSet &set : d_.mesh->sets)
    nodes = std::max<std::size_t>(
        nodes, make_nodal_element(set.type, d_.law->fields.front().order).num_nodes());
  const int most = static_cast<int>(device_.info().max_work_group / nodes);
  space_.constraints.push_back(
      {fmt::format("cells in parallel whose nodes fit into a work-group: {}", most),
       [most](const Variant &v) { return v.number("parallel", 1) <= std::max(1, most); },
       {"parallel"}});
}

std::optional<Variant> DgTuning::default_variant() {
  return variant_of(usual_settings(), device_.info().is_cpu);
}

DgTuning::Shared &DgTuning::shared(const Variant &variant) {
  const DgSettings settings = dg_settings_of(variant, options_.base);
  const auto [entry, is_new] = shared_.try_emplace(*settings.lanes);
  Shared &shared = entry->second;
  if (is_new) {
    shared.op = std::make_unique<LawRates>(device_, d_, settings);
    const auto vector = [&](const char *purpose) {
      return make_vector(device_, shared.op->size(), options_.base.precision, purpose);
    };
    shared.q = vector("state");
    shared.sum = vector("sum of stages");
    shared.out = vector("next state");
    shared.op->set_state(options_.state, shared.q);
    set_vector(device_, shared.sum, std::vector<double>(shared.op->size(), 0.0));
  }
  shared.op->choose(settings);
  return shared;
}

// With a step of 1 and the state the same at every run the sum stays about twice the rate.
void DgTuning::run_stage(Shared &shared) const {
  shared.op->stage(options_.time, 1, tuned_update(), shared.q, nullptr, &shared.sum, shared.out);
}

std::vector<double> DgTuning::change(Shared &shared) {
  set_vector(device_, shared.sum, std::vector<double>(shared.op->size(), 0.0));
  run_stage(shared);
  return shared.op->sum(shared.sum);
}

double DgTuning::predict(const Variant &variant) {
  require(options_.model != nullptr, "a model to rank variants by");
  // Any operator knows the mesh.
  if (shared_.empty())
    shared(default_variant().value());
  LawRates &op = *shared_.begin()->second.op;
  const DgSettings settings = dg_settings_of(variant, options_.base);
  std::vector<NamedCost> costs;
  for (const DgStage part : op.parts_of_stage(settings.fused))
    for (std::size_t s = 0; s < op.mesh().sets.size(); ++s)
      costs.push_back(cost(part, op, s, settings));
  return options_.model(costs);
}

NamedCost DgTuning::cost(DgStage part, const LawRates &op, std::size_t set,
                         const DgSettings &settings) {
  DgKernelSpec spec = op.spec(set);
  const NodalOperators &operators = *spec.operators;
  spec.lanes = *settings.lanes;
  spec.by_symmetry = *settings.by_symmetry && dg_knows_symmetry(spec);
  spec.rows =
      settings.rows.value_or(default_dg_rows(operators, d_.law->num_components, spec.by_symmetry));
  spec.groups_per_item = *settings.groups_per_item;
  spec.stream = *settings.stream;
  spec.ahead = *settings.ahead;
  spec.update = {.uses_start = false, .uses_sum = true, .keeps_sum = true};
  const DgExtent extent = with_lanes(op.extent(set), *settings.lanes);
  double work_groups = std::ceil(extent.groups / spec.groups_per_item);
  if (*settings.by_nodes && part == DgStage::fused) {
    spec.rows = dg_blocks(operators, 1).fast_nodes;
    spec.by_symmetry = false;
    work_groups = settings.node_group ? std::ceil(extent.groups / (settings.node_group->cells() *
                                                                   settings.node_group->sequence))
                                      : extent.groups;
  }
  const auto [entry, is_new] = kernels_.try_emplace({part, set, spec.rows, spec.by_symmetry});
  KernelSource &kernel = entry->second;
  if (is_new)
    kernel = make_dg_kernel(part, spec, device_.info().backend);
  NamedCost cost{kernel.name, dg_cost(part, spec, kernel.cost, extent, op.table_sizes(),
                                      dg_registers(spec, device_.info()))};
  cost.cost.launches = 1;
  cost.cost.work_groups = work_groups;
  return cost;
}

std::unique_ptr<TuningTrial> DgTuning::prepare(const Variant &variant) {
  return std::make_unique<DgTrial>(*this, shared(variant), dg_settings_of(variant, options_.base));
}

std::optional<std::string> DgTuning::compare(const std::vector<double> &change) {
  if (plain_.empty()) {
    if (d_.num_owned <= reference_dofs)
      reference_ = reference::dg_rate(d_, options_.state, options_.time);
    DgSettings plain = usual_settings();
    plain.fused = false;
    plain.by_nodes = false;
    plain.by_symmetry = false;
    plain.node_group.reset();
    plain.stream = false;
    plain.rows = plain.groups_per_item = 1;
    plain_ = this->change(shared(variant_of(plain, device_.info().is_cpu)));
  }
  const bool is_f32 = options_.base.precision == Precision::f32;
  const auto differs = [&](const std::vector<double> &expected, double tolerance,
                           const char *with) -> std::optional<std::string> {
    for (std::size_t f = 0; f < d_.field_offset.size(); ++f) {
      const std::int64_t end =
          f + 1 < d_.field_offset.size() ? d_.field_offset[f + 1] : d_.num_owned;
      double scale = 0;
      for (std::int64_t i = d_.field_offset[f]; i < end; ++i)
        if (std::isfinite(expected[i]))
          scale = std::max(scale, std::abs(expected[i]));
      for (std::int64_t i = d_.field_offset[f]; i < end; ++i)
        if (std::isfinite(expected[i]) ? !(std::abs(change[i] - expected[i]) <= tolerance * scale)
                                       : std::isfinite(change[i]))
          return fmt::format("the rate of dof {} is {:.9g}, and {:.9g} by {}", i, change[i],
                             expected[i], with);
    }
    return {};
  };
  if (!reference_.empty())
    if (const auto wrong =
            differs(reference_, is_f32 ? any_f32 : reference_f64, "the reference loops"))
      return wrong;
  return differs(plain_, is_f32 ? any_f32 : plain_f64,
                 "separate kernels with one row and whole matrices");
}

TuningKey DgTuning::key() const {
  const auto cells = static_cast<std::uint64_t>(std::max<std::int64_t>(1, d_.mesh->num_cells()));
  return tuning_key(device_.info(), law_kernel, problem(),
                    std::to_string(std::bit_width(cells) - 1), dg_generator());
}

// Readable words, then a hash of the law and of which parameters are numbers in the text.
std::string DgTuning::problem() const {
  std::string words = "law " + to_string(options_.base.precision);
  std::set<std::string> types;
  for (const CellSet &set : d_.mesh->sets)
    types.insert(to_string(set.type));
  for (const std::string &type : types)
    words += " " + type;
  words += fmt::format(" geometry {} {}x{}", d_.mesh->geometry_order,
                       d_.law->fields.front().element(), d_.law->num_components);
  std::string law = without_constants(law_text(*d_.law, d_.form));
  for (const auto *table : {&d_.law->cell_table, &d_.law->facet_table})
    law += fmt::format(" {}", table->size());
  return words + " law " + hash_hex(law).substr(0, 16);
}

} // namespace weft
