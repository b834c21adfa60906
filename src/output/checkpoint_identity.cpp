#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <sstream>

#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/number.h"
#include "output/checkpoint.h"
#include "output/mesh_identity.h"

namespace weft {

namespace {

// One hash of many pieces, each with its length: pieces can't run into one another.
class Digest {
public:
  void add(std::string_view text) {
    pieces_ += fmt::format("{}:", text.size());
    pieces_ += text.size() < 64 ? std::string(text) : hash_hex(text);
  }
  void add(std::int64_t number) { add(fmt::to_string(number)); }
  std::string hash() const { return hash_hex(pieces_); }

private:
  std::string pieces_;
};

std::string mesh_name(const Case &c, const Mesh &mesh) {
  return fmt::format("{}, {} cells",
                     c.mesh.file  ? std::filesystem::path(*c.mesh.file).filename().string()
                     : c.mesh.box ? "box"
                                  : "in memory",
                     mesh.share ? mesh.share->num_whole_cells : mesh.num_cells());
}

std::string unknowns_hash(const Case &c, const Discretisation &d) {
  Digest digest;
  digest.add(d.num_global);
  for (std::size_t field = 0; field < d.field_map.size(); ++field) {
    const FieldSpec &spec = c.form.fields[field];
    digest.add(spec.name);
    digest.add(spec.components());
    digest.add(spec.element());
    for (const std::string &region : spec.cells)
      digest.add(region);
  }
  digest.add(connectivity_hash(*d.mesh, d.ranks));
  return digest.hash();
}

// Spaces count once, and numbers as numbers: "1.0" is 1.
std::string canonical(const std::string &text) {
  std::istringstream words(text);
  std::string result;
  for (std::string word; words >> word;)
    result += (result.empty() ? "" : " ") + word;
  double number = 0;
  const auto [end, failure] = std::from_chars(result.data(), result.data() + result.size(), number);
  const bool is_number = failure == std::errc() && end == result.data() + result.size();
  return is_number ? format_real(number) : result;
}

// What a case says, by its places.
class Settings {
public:
  void add(const std::string &key, const std::string &text) {
    std::string name = key;
    for (int i = 2; !all_.emplace(name, canonical(text)).second; ++i)
      name = fmt::format("{} ({})", key, i);
  }
  void add(const std::string &key, double number) { add(key, format_real(number)); }
  void add(const SourceText &source) { add(source.key, source.text); }
  void add(const std::optional<SourceText> &source) {
    if (source)
      add(*source);
  }
  void add(const TextByField &texts) {
    for (const auto &[field, text] : texts)
      add(text);
  }
  std::map<std::string, std::string> take() { return std::move(all_); }

private:
  std::map<std::string, std::string> all_;
};

void add_law(Settings &settings, const ConservationLawSpec &law) {
  for (const auto *texts : {&law.flux, &law.capacity, &law.source, &law.numerical_flux_of})
    settings.add(*texts);
  settings.add(law.numerical_flux);
  for (const auto &[name, texts] : law.fluxes)
    settings.add(texts);
  settings.add(law.wave_speed);
  for (const SourceText &text : law.positive)
    settings.add(text);
  settings.add("[conservation_law] limiter", law.limiter);
  settings.add("[conservation_law] reconstruction", law.reconstruction);
  settings.add("[conservation_law] diffusion", law.diffusion);
}

// Whose rows may change between runs.
std::string text_of(const TabulatedFunction &table) {
  std::string text =
      fmt::format("{} {}", table.cubic ? "cubic" : "linear", static_cast<int>(table.outside));
  for (std::size_t i = 0; i < table.at.size(); ++i)
    text += fmt::format(" {} {}", table.at[i], table.values[i]);
  return text;
}

void add_form(Settings &settings, const FormSpec &form) {
  for (const FieldSpec &field : form.fields)
    settings.add("[fields] " + field.name,
                 fmt::format("{} of {} components", field.element(), field.components()));
  for (const ParameterSpec &parameter : form.parameters) {
    settings.add(parameter.value);
    for (const auto &[group, value] : parameter.by_group)
      settings.add(value);
    for (const auto &[group, table] : parameter.tables)
      settings.add(parameter.name + (group.empty() ? "" : "." + group), text_of(table));
  }
  for (const DefinitionSpec &definition : form.definitions)
    settings.add(definition.value);
  for (const auto *integrals : {&form.integrals, &form.explicit_integrals})
    for (const IntegralSpec &integral : *integrals)
      settings.add(integral.integrand);
  for (const PointwiseSpec &pointwise : form.pointwise) {
    settings.add(pointwise.f0);
    settings.add(pointwise.f1);
  }
  if (form.law)
    add_law(settings, *form.law);
  for (const BoundarySpec &boundary : form.boundaries)
    for (const auto *texts : {&boundary.outer, &boundary.outer_gradient, &boundary.flux})
      settings.add(*texts);
}

// Without its end.
void add_time(Settings &settings, const TimeSpec &time) {
  for (const auto &[key, value] :
       {std::pair{"start", time.start},
        std::pair{"step", time.is_load() ? 0 : time.step}, // of a load the first one alone
        std::pair{"cfl", time.cfl}, std::pair{"adaptive.tolerance", time.tolerance.value_or(0)},
        std::pair{"adaptive.max_step", time.max_step},
        std::pair{"substeps", double(time.substeps.value_or(0))}})
    settings.add(fmt::format("[time] {}", key), value);
  settings.add("[load]", time.parameter + (time.arc_length ? " along the path" : ""));
  settings.add("[time] reactions", time.rush_larsen ? "rush_larsen" : "");
}

std::map<std::string, std::string> settings_of(const Case &c) {
  Settings settings;
  add_form(settings, c.form);
  for (const auto *values : {&c.auxiliary_values, &c.initial})
    for (const ValueSpec &value : *values)
      if (value.is_expression())
        settings.add(value.value);
      else
        settings.add(value.value.key, value.file.empty() ? "of stage " + value.stage
                                                         : value.name_in_file + " of a file");
  for (const DirichletSpec &value : c.dirichlet)
    settings.add(value.value);
  if (c.time)
    add_time(settings, *c.time);
  return settings.take();
}

// A value for a message, from near `place` on.
std::string shown(const std::string &text, std::size_t place) {
  constexpr std::size_t longest = 60, before = 20;
  if (text.empty())
    return "nothing";
  const std::size_t begin = text.size() <= longest || place < longest / 2 ? 0 : place - before;
  return (begin > 0 ? "..." : "") + text.substr(begin, longest) +
         (begin + longest < text.size() ? "..." : "");
}

std::string difference(const std::string &key, const std::string &then, const std::string &now) {
  const auto place = static_cast<std::size_t>(
      std::mismatch(then.begin(), then.end(), now.begin(), now.end()).first - then.begin());
  return fmt::format("{}: {} then, {} now", key, shown(then, place), shown(now, place));
}

// "[parameters] k: 2 then, 3 now", a difference a line; empty where there is none.
std::string differences(const CheckpointIdentity &then, const CheckpointIdentity &now) {
  constexpr std::size_t most = 8;
  const char *const next_line = "\n           ";
  std::map<std::string, std::pair<std::string, std::string>> all;
  for (const auto &[key, value] : then.settings)
    all[key].first = value;
  for (const auto &[key, value] : now.settings)
    all[key].second = value;
  std::vector<std::string> lines;
  if (then.mesh != now.mesh)
    lines.push_back(difference("[mesh]", then.mesh_name, now.mesh_name));
  for (const auto &[key, values] : all)
    if (values.first != values.second)
      lines.push_back(difference(key, values.first, values.second));
  if (lines.size() > most) {
    lines[most] = fmt::format("and {} more", lines.size() - most);
    lines.resize(most + 1);
  }
  return fmt::format("{}", fmt::join(lines, next_line));
}

[[noreturn]] void refuse(const std::string &path, const std::string &what, const std::string &found,
                         const std::string &allowed, const std::string &remedy) {
  throw Error(ErrorKind::input,
              {.what = what, .where = path, .found = found, .allowed = allowed, .remedy = remedy});
}

} // namespace

CheckpointIdentity checkpoint_identity(const Case &c, const Discretisation &d,
                                       const std::string &scheme) {
  return {.unknowns = unknowns_hash(c, d),
          .scheme = scheme,
          .mesh = mesh_hash(*d.mesh, d.ranks),
          .mesh_name = mesh_name(c, *d.mesh),
          .settings = settings_of(c)};
}

void check_belongs(const std::string &path, const Checkpoint &checkpoint,
                   const CheckpointIdentity &run, bool force) {
  const CheckpointIdentity &then = checkpoint.identity;
  const std::string differing = differences(then, run);
  if (then.unknowns != run.unknowns)
    refuse(path, "the checkpoint belongs to another mesh or other elements", differing,
           "the mesh that it was written with, cell for cell, and its [fields]",
           "use the case's mesh of that time, or start without --restart");
  if (then.scheme != run.scheme)
    refuse(path, "the checkpoint belongs to another scheme", then.scheme, run.scheme,
           fmt::format("set [time] scheme = \"{}\"", then.scheme));
  if (differing.empty())
    return;
  if (!force)
    refuse(path, "the checkpoint belongs to a run that was asked for something else", differing,
           "other [time] end, [output], [solver], [device]",
           "undo what was changed, start without --restart, or go on all the same with --force");
  log::notice("{}: goes on with something else than it was written with:\n           {}", path,
              differing);
}

} // namespace weft
