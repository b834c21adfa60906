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
constexpr std::int64_t format_version = 8;
constexpr std::size_t most_states = 16; // more than any scheme keeps

constexpr const char *states_group = "/states";
constexpr const char *rates_group = "/rates";

std::string member_name(const char *group, std::size_t i) {
  return fmt::format("{}/{}", group, i);
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
  const auto add_vectors = [&](const char *group, std::vector<std::vector<double>> &vectors) {
    image.make_group(group);
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      image.add(member_name(group, i), vectors[i]);
      std::vector<double>().swap(vectors[i]); // the image grows as they go
    }
  };
  add_vectors(states_group, checkpoint.state.states);
  add_vectors(rates_group, checkpoint.state.rates);
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
  const auto read_vectors = [&](const char *group) {
    std::vector<std::vector<double>> vectors;
    const std::size_t count = file.names(group).size();
    if (count > most_states)
      file.fail("a checkpoint of more states than any scheme looks back on");
    for (std::size_t i = 0; i < count; ++i)
      vectors.push_back(file.values(member_name(group, i), longest));
    return vectors;
  };
  checkpoint.state.states = read_vectors(states_group);
  checkpoint.state.rates = read_vectors(rates_group);
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
