#include "op/fv_tuning.h"

#include "op/operator_settings.h"

namespace weft {

namespace {

constexpr int fewest_entries_ahead = 64; // of what blocks copy; slices ahead are fewer
constexpr int gpu_rows_together = 32;    // that lie together are as many as work-items run in step

// Rows of which a slice has a whole number.
int slice_unit(int lanes, const DeviceInfo &device) {
  return device.is_cpu ? lanes : gpu_rows_together;
}

std::vector<std::string> number_texts(const std::vector<int> &numbers) {
  std::vector<std::string> result;
  for (const int number : numbers)
    result.push_back(std::to_string(number));
  return result;
}

bool is_staged(const Variant &variant) {
  return variant.value("form") == to_string(FvForm::staged);
}

} // namespace

SearchSpace fv_diffusion_space(const DeviceInfo &device, Precision precision) {
  const int widest = default_lanes(device, precision);
  std::vector<int> lanes = {widest};
  if (device.is_cpu && widest > 1)
    lanes.push_back(widest / 2);
  SearchSpace space{.kernel = fv_diffusion_kernel, .parameters = {}, .constraints = {}};
  const auto add = [&](const char *name, std::vector<std::string> values) {
    space.parameters.push_back({name, std::move(values)});
  };
  add("form", {to_string(FvForm::plain), to_string(FvForm::staged)});
  add("lanes", number_texts(lanes));
  add("slices", device.is_cpu ? number_texts({1, 2, 4}) : number_texts({1}));
  add("index_bits", {"32", "16"});
  add("loads", device.is_cpu ? std::vector<std::string>{"single", "gathered"}
                             : std::vector<std::string>{"single"});
  add("ahead",
      device.is_cpu ? number_texts({0, 1, 4, 8, 16, 32, 64, 128, 256}) : number_texts({0}));
  add("stores", {"cached", "streamed"});
  add("groups_per_item", device.is_cpu ? std::vector<std::string>{"-", "256", "1024", "4096"}
                                       : std::vector<std::string>{"-", "1", "4"});
  add("block_rows", device.is_cpu
                        ? std::vector<std::string>{"-", "2048", "4096", "8192", "16384", "32768"}
                        : std::vector<std::string>{"-", "512", "1024", "2048"});
  add("group_size", device.is_cpu ? number_texts({1}) : number_texts({64, 128, 256}));
  space.constraints = {
      {"staged indices are of 16 bits",
       [](const Variant &v) { return !is_staged(v) || v.value("index_bits") == "16"; },
       {"form", "index_bits"}},
      {"blocks are staged",
       [](const Variant &v) { return is_staged(v) == (v.value("block_rows") != "-"); },
       {"form", "block_rows"}},
      {"items do a number of groups where nothing is staged",
       [](const Variant &v) { return is_staged(v) == (v.value("groups_per_item") == "-"); },
       {"form", "groups_per_item"}},
      {"what blocks copy of others is asked for many entries ahead, or not",
       [](const Variant &v) {
         const int ahead = v.number("ahead", 0);
         return ahead == 0 || is_staged(v) == (ahead >= fewest_entries_ahead);
       },
       {"form", "ahead"}}};
  return space;
}

FvDiffusionSettings fv_settings_of(const Variant &variant, Precision precision,
                                   const DeviceInfo &device) {
  const bool staged = is_staged(variant);
  FvDiffusionSettings s{.precision = precision,
                        .form = fv_form_from_name(variant.value("form")),
                        .lanes = variant.number("lanes", 1)};
  s.slice = slice_unit(*s.lanes, device) * variant.number("slices", 1);
  s.index_bits = variant.number("index_bits", 32);
  s.gathered = variant.value("loads") == "gathered";
  s.ahead = variant.number("ahead", 0);
  s.stream = variant.value("stores") == "streamed";
  s.group_size = variant.number("group_size", 1);
  if (staged)
    s.block_rows = variant.number("block_rows", 0);
  else
    s.groups_per_item = variant.number("groups_per_item", 1);
  return s;
}

Variant variant_of(const FvDiffusionSettings &s, const DeviceInfo &device) {
  const bool staged = *s.form == FvForm::staged;
  return {{{"form", to_string(*s.form)},
           {"lanes", std::to_string(*s.lanes)},
           {"slices", std::to_string(*s.slice / slice_unit(*s.lanes, device))},
           {"index_bits", std::to_string(*s.index_bits)},
           {"loads", *s.gathered ? "gathered" : "single"},
           {"ahead", std::to_string(*s.ahead)},
           {"stores", *s.stream ? "streamed" : "cached"},
           {"groups_per_item", staged ? "-" : std::to_string(*s.groups_per_item)},
           {"block_rows", staged ? std::to_string(*s.block_rows) : "-"},
           {"group_size", std::to_string(*s.group_size)}}};
}

} // namespace weft
