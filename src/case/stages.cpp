#include "case/stages.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "base/error.h"
#include "base/names.h"
#include "case/bindings.h"

namespace weft {

namespace {

constexpr const char *stage_key = "stage";
// What stages share, and what is not done in stages.
const std::vector<std::string> shared_keys = {"mesh", "stage", "verify"};

std::optional<Entry> stages_of(const toml::table &root) {
  for (const Entry &e : entries_of(root, nullptr))
    if (e.key == stage_key && e.value->is_array_of_tables())
      return e;
  return {};
}

// A folder is named after it.
bool is_word(const std::string &name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
}

std::string name_of(const Entry &stage, const std::vector<std::string> &earlier,
                    const std::vector<std::string> &taken) {
  const auto name = child_of(stage, "name");
  const auto refuse = [&](const char *what, const std::string &where, const std::string &found) {
    throw Error(ErrorKind::input,
                {.what = what,
                 .where = where,
                 .found = found,
                 .allowed = "a name of letters, digits, _ and -, no other stage's, no table's",
                 .remedy = "write name = \"heat\""});
  };
  if (!name || !name->value->is_string())
    refuse("a stage without a name", stage.where(), name ? describe(*name->value) : "none");
  const std::string text = text_of(*name);
  const auto is_among = [&](const std::vector<std::string> &list) {
    return std::find(list.begin(), list.end(), text) != list.end();
  };
  if (!is_word(text) || text == "previous")
    refuse("a name that no folder of results can have", name->where(), "\"" + text + "\"");
  if (is_among(earlier))
    refuse("two stages of one name", name->where(), "\"" + text + "\"");
  if (is_among(taken))
    refuse("a stage with the name of a table", name->where(), "\"" + text + "\"");
  return text;
}

void check_keys(const Entry &stage, const std::vector<std::string> &known) {
  for (const Entry &e : entries_of(*stage.value->as_table(), &stage)) {
    const auto is_among = [&](const std::vector<std::string> &list) {
      return std::find(list.begin(), list.end(), e.key) != list.end();
    };
    if (is_among(shared_keys))
      throw Error(ErrorKind::input,
                  {.what = fmt::format("[{}] of a single stage", e.key),
                   .where = e.where(),
                   .remedy = e.key == "verify" ? "verify the stages as cases of their own"
                                               : "write it once, outside of the stages"});
    if (e.key == "output" && e.value->is_table() && child_of(e, "directory"))
      throw Error(ErrorKind::input,
                  {.what = "a folder of results of a single stage",
                   .where = child_of(e, "directory")->where(),
                   .allowed = "[output] directory outside of the stages: the last one's results "
                              "are in it, those of others in folders of their names",
                   .remedy = "write it once, outside of the stages"});
    if (e.key == "name" || is_among(known))
      continue;
    const std::string nearest = nearest_name(e.key, known);
    throw Error(ErrorKind::input,
                {.what = fmt::format("unknown {} \"{}\" of a stage",
                                     e.value->is_table() ? "table" : "key", e.key),
                 .where = e.where(),
                 .allowed = "name, " + join_names(known),
                 .remedy = nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest)});
  }
}

const FieldSpec *find_field(const std::vector<FieldSpec> &fields, const std::string &name) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const FieldSpec &field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

// `value`: of the field, in the stage that solves for it.
void make_known(const FieldSpec &field, ValueSpec value, Case &c) {
  if (field.discontinuous && field.order > 0)
    throw Error(ErrorKind::unsupported,
                {.what = fmt::format("a discontinuous field of an earlier stage as a known field "
                                     "of the stage {}",
                                     c.stage),
                 .where = field.place,
                 .found = field.element(),
                 .allowed = "P1 to P8, DG0 and FV",
                 .remedy = "let the later stage solve for it, too"});
  c.form.auxiliary.push_back({.name = field.name,
                              .shape = field.shape,
                              .order = field.order,
                              .place = field.place,
                              .cells = field.cells});
  c.auxiliary_values.push_back(std::move(value));
}

} // namespace

std::vector<std::string> stage_names(const toml::table &root,
                                     const std::vector<Declaration> &tables) {
  const std::optional<Entry> stages = stages_of(root);
  if (!stages)
    return {};
  std::vector<std::string> taken, known, names;
  for (const Declaration &table : tables) {
    taken.push_back(table.key);
    if (std::find(shared_keys.begin(), shared_keys.end(), table.key) == shared_keys.end())
      known.push_back(table.key);
  }
  for (std::size_t i = 0; i < stages->value->as_array()->size(); ++i) {
    const Entry stage = element_of(*stages, i);
    names.push_back(name_of(stage, names, taken));
    check_keys(stage, known);
  }
  return names;
}

std::set<std::string> take_stage(toml::table &root, std::size_t stage) {
  toml::array stages = std::move(*root.get_as<toml::array>(stage_key));
  root.erase(stage_key);
  toml::table &own = *stages.get_as<toml::table>(stage);
  std::set<std::string> fields;
  if (const toml::table *initial = own.get_as<toml::table>("initial"))
    for (auto &&[field, value] : *initial)
      fields.emplace(field.str());
  own.erase("name");
  merge_tables(root, own);
  return fields;
}

void take_over_fields(const std::vector<Case> &earlier, const std::set<std::string> &own_initial,
                      Case &c) {
  std::set<std::string> taken;
  for (std::size_t s = earlier.size(); s-- > 0;) // the latest counts
    for (const FieldSpec &field : earlier[s].form.fields) {
      if (!taken.insert(field.name).second)
        continue;
      ValueSpec value{.name = field.name, .stage = earlier[s].stage};
      value.value.file = c.file;
      value.value.key = "[[stage]] " + c.stage;
      const FieldSpec *own = find_field(c.form.fields, field.name);
      if (own != nullptr && own->shape != field.shape)
        throw Error(ErrorKind::input, {.what = "a field of another shape than in an earlier stage",
                                       .where = own->place,
                                       .found = fmt::format("as at {}", field.place),
                                       .remedy = "call one of them otherwise"});
      if (own == nullptr) {
        if (find_field(c.form.auxiliary, field.name) == nullptr)
          make_known(field, std::move(value), c);
      } else if (!own_initial.contains(field.name)) {
        std::erase_if(c.initial, [&](const ValueSpec &spec) {
          return spec.name == field.name && !spec.of_rate;
        });
        c.initial.push_back(std::move(value));
      }
    }
}

Declaration stage_declaration() {
  Declaration stages = declare_key(
      "stage", type_tables,
      "stages that are solved one after another on one mesh, `[[stage]]` each: the case with the "
      "tables that follow (`[stage.fields]`, ...) merged in. Fields that an earlier stage solved "
      "for are known fields, or where a stage solves for them, too, begin as they were left");
  stages.children = {declare_key("name", type_text,
                                 "names the stage, and the folder of its "
                                 "results below that of the last stage"),
                     declare_key("<table>", type_table | type_text | type_texts,
                                 "any table or key below but mesh and verify")};
  return stages;
}

std::optional<std::string> override_of_stage(const std::string &argument,
                                             const std::vector<std::string> &names,
                                             const std::string &stage) {
  for (const std::string &name : names)
    if (argument.starts_with(name + "."))
      return name == stage ? std::optional(argument.substr(name.size() + 1)) : std::nullopt;
  return argument;
}

} // namespace weft
