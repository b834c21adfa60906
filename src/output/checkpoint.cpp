#include "output/checkpoint.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/system/atomic_file.h"
#include "base/version.h"
#include "output/checkpoint_attributes.h"
#include "output/hdf5/hdf5_file.h"

namespace weft {

namespace {

constexpr const char *format_name = "weft checkpoint";
constexpr std::int64_t format_version = 7;
constexpr std::size_t most_states = 16; // more than any scheme keeps

std::string state_name(std::size_t i) {
  return fmt::format("/states/{}", i);
}

std::string text_of_settings(const std::map<std::string, std::string> &settings) {
  // Texts are UTF-8, but for what a C text may hold.
  return nlohmann::json(settings).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::map<std::string, std::string> read_settings(const Hdf5Reader &file) {
  try {
    return nlohmann::json::parse(file.text("/settings")).get<std::map<std::string, std::string>>();
  } catch (const nlohmann::json::exception &) {
    file.fail("the checkpoint's settings are damaged");
  }
}

} // namespace

void write_checkpoint(const std::string &path, Checkpoint checkpoint) {
  Hdf5Image image;
  image.set_attribute("format", std::string(format_name));
  image.set_attribute("format_version", format_version);
  image.set_attribute("weft_version", version());
  for_each_attribute(
      checkpoint, [&](const char *name, const auto &value) { image.set_attribute(name, value); });
  image.make_group("/states");
  for (std::size_t i = 0; i < checkpoint.state.states.size(); ++i) {
    image.add(state_name(i), checkpoint.state.states[i]);
    std::vector<double>().swap(checkpoint.state.states[i]); // the image grows as they go
  }
  image.add("/steps", checkpoint.state.steps);
  image.add("/field_scale", checkpoint.state.field_scale);
  image.add_text("/settings", text_of_settings(checkpoint.identity.settings));
  image.make_group("/first_times");
  for (const auto &[name, times] : checkpoint.first_times)
    image.add("/first_times/" + name, times);
  image.make_group("/texts");
  for (const auto &[name, text] : checkpoint.texts)
    image.add_text("/texts/" + name, text);
  const std::string_view bytes = image.finish();

  remove_abandoned_parts(path);
  AtomicFile file(path);
  file.write(bytes);
  file.commit_synced();
}

namespace {

struct AttributeReader {
  const Hdf5Reader &file;
  void operator()(const char *name, std::string &value) const { value = file.text_attribute(name); }
  void operator()(const char *name, double &value) const { value = file.real_attribute(name); }
  void operator()(const char *name, std::int64_t &value) const {
    value = file.integer_attribute(name);
  }
};

} // namespace

Checkpoint read_checkpoint(const std::string &path, std::int64_t longest) {
  const Hdf5Reader file(path);
  if (!file.has_attribute("format") || file.text_attribute("format") != format_name)
    file.fail("an HDF5 file, but no checkpoint of Weft");
  if (const std::int64_t found = file.integer_attribute("format_version"); found != format_version)
    file.fail(fmt::format("a checkpoint of format {}, written by Weft {}; this version reads "
                          "format {}",
                          found, file.text_attribute("weft_version"), format_version));
  Checkpoint checkpoint;
  for_each_attribute(checkpoint, AttributeReader{file});
  const std::size_t num_states = file.names("/states").size();
  if (num_states > most_states)
    file.fail("a checkpoint of more states than any scheme looks back on");
  for (std::size_t i = 0; i < num_states; ++i)
    checkpoint.state.states.push_back(file.values(state_name(i), longest));
  checkpoint.state.steps = file.values("/steps", most_states);
  checkpoint.state.field_scale = file.values("/field_scale", longest);
  checkpoint.identity.settings = read_settings(file);
  for (const std::string &name : file.names("/first_times"))
    checkpoint.first_times[name] = file.values("/first_times/" + name, longest);
  for (const std::string &name : file.names("/texts"))
    checkpoint.texts[name] = file.text("/texts/" + name);
  return checkpoint;
}

} // namespace weft
