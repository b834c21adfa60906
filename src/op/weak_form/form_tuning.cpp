#include "op/weak_form/form_tuning.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <fmt/format.h>
#include <map>

#include "base/error.h"
#include "base/hash.h"
#include "device/lanes.h"
#include "form/law/form_text.h"
#include "kernel/cell/generator.h"

namespace weft {

namespace {

constexpr const char *none = "-";
// Lanes of the widest vector type of the dialects.
constexpr int most_lanes = 16;
// Fraction of a device's memory that stored geometry may take.
constexpr double stored_fraction = 0.25;

std::vector<std::string> texts(std::vector<int> numbers, bool with_none) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::vector<std::string> texts;
  if (with_none)
    texts.push_back(none);
  for (const int number : numbers)
    texts.push_back(std::to_string(number));
  return texts;
}

// A parameter that only one strategy has.
Constraint only_with(const std::string &parameter, Strategy strategy) {
  return {fmt::format("{} only with strategy \"{}\", else \"-\"", parameter, to_string(strategy)),
          [=](const Variant &v) {
            return (v.value("strategy") == to_string(strategy)) == (v.value(parameter) != none);
          },
          {"strategy", parameter}};
}

} // namespace

std::string without_constants(const std::string &form) {
  std::string text;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const auto is = [](char c, const char *others) {
      return std::isalnum(static_cast<unsigned char>(c)) || std::strchr(others, c) != nullptr;
    };
    const bool number = std::isdigit(static_cast<unsigned char>(form[i])) &&
                        (text.empty() || !is(text.back(), "_[^."));
    if (!number) {
      text += form[i];
      continue;
    }
    text += '#';
    while (i + 1 < form.size() &&
           (is(form[i + 1], ".") || (form[i] == 'e' && (form[i + 1] == '-' || form[i + 1] == '+'))))
      ++i;
  }
  return text;
}

OperatorSettings settings_of(const Variant &variant, OperatorSettings base) {
  const auto number = [&](const char *parameter) -> std::optional<int> {
    const int found = variant.number(parameter, 0);
    return found > 0 ? std::optional(found) : std::nullopt;
  };
  base.strategy = strategy_from_name(variant.value("strategy"));
  base.geometry = variant.value("geometry") == to_string(GeometrySource::stored)
                      ? GeometrySource::stored
                      : GeometrySource::on_the_fly;
  const std::string sums = variant.value("sums");
  base.sums = sums.empty() ? Summation::points : summation_from_name(sums);
  base.lanes = number("lanes");
  base.leaves_per_block = number("leaves");
  base.groups_per_item = number("groups_per_item");
  base.num_blocks = number("num_blocks");
  base.num_batches = number("num_batches");
  return base;
}

Variant variant_of(const OperatorSettings &settings) {
  const auto text = [&](Strategy strategy, const std::optional<int> &number) {
    return *settings.strategy == strategy ? std::to_string(number.value()) : none;
  };
  return {{{"strategy", to_string(*settings.strategy)},
           {"geometry", to_string(settings.geometry)},
           {"sums", to_string(settings.sums.value_or(Summation::points))},
           {"lanes", std::to_string(*settings.lanes)},
           {"leaves", text(Strategy::block, settings.leaves_per_block)},
           {"groups_per_item", text(Strategy::cell, settings.groups_per_item)},
           {"num_blocks", text(Strategy::transposed, settings.num_blocks)},
           {"num_batches", text(Strategy::transposed, settings.num_batches)}}};
}

FormTuning::FormTuning(Device &device, const Discretisation &d, FormTuningOptions options)
    : device_(device), d_(d), options_([&] {
        if (!d.form.c_text.empty())
          options.kind = IntegralKind::residual;
        return std::move(options);
      }()),
      integrals_(d), prediction_(integrals_, device.info(), options_.kind) {
  OperatorSettings settings = options_.base;
  settings.lanes = 1;
  for (int set = 0; integrals_.has_cells() && set < static_cast<int>(d.mesh->sets.size()); ++set)
    for (const IntegralKind kind :
         {IntegralKind::residual, IntegralKind::linearised, IntegralKind::diagonal})
      if (kind == IntegralKind::residual || d.form.c_text.empty())
        cell_integrals_.push_back(integrals_.describe(kind, {.set = set}, settings));
  if (integrals_.has_cells()) {
    settings.geometry = GeometrySource::stored;
    stored_geometry_bytes_ = prediction_.stored_geometry_bytes(settings);
  }
  make_parameters();
  add_constraints();
}

FormTuning::~FormTuning() = default;

// N_bl that fits integrals of all kinds and sets.
int FormTuning::usual_num_blocks(int lanes) const {
  int blocks = 1 << 20;
  for (CellIntegral in : cell_integrals_) {
    in.lanes = lanes;
    blocks = std::min(blocks, default_num_blocks(in, device_.info()));
  }
  return blocks;
}

bool FormTuning::transposed_fits(const Variant &variant) const {
  return std::all_of(cell_integrals_.begin(), cell_integrals_.end(), [&](const CellIntegral &in) {
    GroupNeed need = transposed_need(in, variant.number("num_blocks", 1), device_.info());
    need.local_bytes *= variant.number("lanes", 1); // `in` has one lane
    return need.fits();
  });
}

void FormTuning::make_parameters() {
  const DeviceInfo &info = device_.info();
  const int lanes = default_lanes(info, options_.base.precision);
  std::vector<int> all_lanes = {lanes};
  if (info.is_cpu)
    for (const int other : {lanes / 2, 2 * lanes})
      if (other >= 1 && other <= most_lanes)
        all_lanes.push_back(other);
  std::vector<int> num_blocks = {1, 2, 4, 8, 16};
  if (integrals_.has_cells())
    num_blocks.push_back(usual_num_blocks(lanes));
  const std::vector<std::string> strategies =
      integrals_.has_cells() ? std::vector<std::string>{"block", "cell", "transposed"}
                             : std::vector<std::string>{"cell"};
  std::vector<std::string> sums = {to_string(Summation::points)};
  const bool second = integrals_.has_second_derivatives(Domain::cells);
  for (const CellSet &set : d_.mesh->sets)
    if (has_lines(set.type) && !second) {
      sums.push_back(to_string(Summation::lines));
      break;
    }
  OperatorSettings of_planes = options_.base;
  of_planes.lanes = lanes;
  if (!info.is_cpu && !second && planes_fit(integrals_, of_planes, info))
    sums.push_back(to_string(Summation::planes));
  space_ = {
      .kernel = form_kernel,
      .parameters = {
          {"strategy", strategies},
          {"geometry", {"on_the_fly", "stored"}},
          {"sums", sums},
          {"lanes", texts(all_lanes, false)},
          {"leaves",
           texts(info.is_cpu ? std::vector{1, 2, 4, 8, 16, 32, 64} : std::vector{1, 2, 4}, true)},
          {"groups_per_item", texts(info.is_cpu ? std::vector{16, 64, 256} : std::vector{1}, true)},
          {"num_blocks", texts(num_blocks, true)},
          {"num_batches", texts({4, 8, 16, 32}, true)}}};
  // Facets have no geometry to store, and none is stored for second derivatives on bent cells.
  const bool all_straight =
      std::all_of(d_.mesh->sets.begin(), d_.mesh->sets.end(),
                  [&](const CellSet &set) { return integrals_.is_straight(set.type); });
  if (!integrals_.has_cells() || (second && !all_straight))
    space_.parameters[1].values = {"on_the_fly"};
  // Among variants that are predicted alike the one nearest to the default comes first.
  const Variant usual = default_variant().value();
  for (Parameter &parameter : space_.parameters)
    std::stable_partition(parameter.values.begin(), parameter.values.end(),
                          [&](const std::string &v) { return v == usual.value(parameter.name); });
}

void FormTuning::add_constraints() {
  const DeviceInfo &info = device_.info();
  std::vector<Constraint> &all = space_.constraints;
  for (const auto &[parameter, value] : options_.fixed.choices)
    all.push_back({fmt::format("{} = {}, which is fixed", parameter, value),
                   [=, parameter = parameter, value = value](const Variant &v) {
                     return v.value(parameter) == value;
                   },
                   {parameter}});
  all.push_back({"sums by lines not with strategy \"transposed\"",
                 [](const Variant &v) {
                   return v.value("strategy") != to_string(Strategy::transposed) ||
                          v.value("sums") == to_string(Summation::points);
                 },
                 {"strategy", "sums"}});
  all.push_back({"sums by planes only with strategy \"cell\"",
                 [](const Variant &v) {
                   return v.value("sums") != to_string(Summation::planes) ||
                          v.value("strategy") == to_string(Strategy::cell);
                 },
                 {"strategy", "sums"}});
  all.push_back(only_with("leaves", Strategy::block));
  all.push_back(only_with("groups_per_item", Strategy::cell));
  all.push_back(only_with("num_blocks", Strategy::transposed));
  all.push_back(only_with("num_batches", Strategy::transposed));
  all.push_back({"no more leaves a block than the mesh has",
                 [this](const Variant &v) {
                   const int leaves = v.number("leaves", 1);
                   return leaves == 1 ||
                          prediction_.num_blocks(leaves) < prediction_.num_blocks(leaves / 2);
                 },
                 {"leaves"}});
  all.push_back({fmt::format("a block for each of the {} cores", info.compute_units),
                 [this, &info](const Variant &v) {
                   const int leaves = v.number("leaves", 1);
                   return leaves == 1 || prediction_.num_blocks(leaves) >= info.compute_units;
                 },
                 {"leaves"}});
  all.push_back({"at most 65536 nodes a block",
                 [this](const Variant &v) {
                   return v.value("leaves") == none ||
                          prediction_.most_block_nodes(v.number("leaves", 1)) <= 65536;
                 },
                 {"leaves"}});
  all.push_back({"stored geometry in a quarter of the device's memory",
                 [this, &info](const Variant &v) {
                   return v.value("geometry") != "stored" ||
                          stored_geometry_bytes_ <=
                              stored_fraction * static_cast<double>(info.memory_bytes);
                 },
                 {"geometry"}});
  all.push_back({"element vectors of fewer than 2^32 entries",
                 [this](const Variant &v) {
                   return v.value("strategy") == "block" ||
                          prediction_.num_element_vector_entries() <
                              (std::int64_t{1} << 32) - (1 << 20); // padding
                 },
                 {"strategy"}});
  all.push_back({"transposed work-groups within the device's work-items and local memory",
                 [this](const Variant &v) {
                   return v.value("strategy") != "transposed" || transposed_fits(v);
                 },
                 {"strategy", "lanes", "num_blocks"}});
}

std::optional<Variant> FormTuning::default_variant() {
  OperatorSettings settings = options_.base;
  for (const auto &[parameter, value] : options_.fixed.choices) {
    if (parameter == "strategy")
      settings.strategy = strategy_from_name(value);
    if (parameter == "geometry")
      settings.geometry = value == "stored" ? GeometrySource::stored : GeometrySource::on_the_fly;
    if (parameter == "sums")
      settings.sums = summation_from_name(value);
  }
  if (!integrals_.has_cells())
    settings.strategy = Strategy::cell;
  settings = with_choices(settings, integrals_, device_.info());
  if (settings.strategy == Strategy::transposed && !settings.num_blocks)
    settings.num_blocks = usual_num_blocks(*settings.lanes);
  return variant_of(settings);
}

double FormTuning::predict(const Variant &variant) {
  require(options_.model != nullptr, "a model to rank variants by");
  const OperatorSettings settings =
      with_choices(settings_of(variant, options_.base), integrals_, device_.info());
  return options_.model(prediction_.costs(settings));
}

const TrialInput &FormTuning::input() {
  if (!input_)
    input_ =
        std::make_unique<TrialInput>(make_trial_input(d_, options_.state, options_.base.precision));
  return *input_;
}

std::unique_ptr<TuningTrial> FormTuning::prepare(const Variant &variant) {
  return std::make_unique<FormTrial>(device_, d_, settings_of(variant, options_.base),
                                     options_.kind, input(), [this]() -> const ExpectedResult & {
                                       if (!expected_)
                                         expected_ = std::make_unique<ExpectedResult>(
                                             device_, d_, options_.base, options_.kind, input());
                                       return *expected_;
                                     });
}

TuningKey FormTuning::key() const {
  const auto cells = static_cast<std::uint64_t>(std::max<std::int64_t>(1, d_.mesh->num_cells()));
  return tuning_key(device_.info(), form_kernel, problem(),
                    std::to_string(std::bit_width(cells) - 1), kernel_generator());
}

// Readable words, then a hash of the form and of which parameters are the same everywhere, and so
// numbers in the text.
std::string FormTuning::problem() const {
  std::string words = to_string(options_.kind) + " " + to_string(options_.base.precision);
  std::map<CellType, bool> types;
  for (const CellSet &set : d_.mesh->sets)
    types[set.type] = true;
  for (const auto &[type, present] : types)
    words += fmt::format(" {}", to_string(type));
  words += fmt::format(" geometry {}", d_.mesh->geometry_order);
  for (const FieldSpec &field : d_.form.fields)
    words += fmt::format(" P{}x{}", field.order, field.components());
  words += fmt::format(" q{},{}{}", d_.cell_degree, d_.facet_degree,
                       d_.line_points == LinePoints::gauss ? "" : " gauss_lobatto");
  for (const auto &[parameter, value] : options_.fixed.choices)
    words += fmt::format(" {}={}", parameter, value);
  std::string form = without_constants(form_text(d_.form));
  for (const CTextFunction &function : d_.form.c_text.functions)
    for (const auto *text : {&function.f0, &function.f1})
      form += *text ? (*text)->text + "\n" : "-\n";
  for (const CellIntegral &in : cell_integrals_)
    for (const auto *table : {&in.cell_table, &in.facet_table})
      for (const auto &entry : *table)
        form += entry ? "u" : "c";
  return words + " form " + hash_hex(form).substr(0, 16);
}

} // namespace weft
