#include "form/law/numerical_flux.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "base/names.h"
#include "case/flux_file.h"
#include "form/expression/name_table.h"

namespace weft {

namespace {

bool contains(const std::vector<std::string> &names, const std::string &name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// All names that the case gives to its things.
std::vector<std::string> own_names(const FormSpec &spec) {
  std::vector<std::string> names;
  const auto add = [&](const auto &list) {
    for (const auto &entry : list)
      names.push_back(entry.name);
  };
  add(spec.fields);
  add(spec.auxiliary);
  add(spec.parameters);
  add(spec.definitions);
  return names;
}

void check_needs(const FormSpec &spec, const FluxFile &file, const std::string &name,
                 const std::string &where) {
  std::vector<std::string> known = own_names(spec), missing;
  for (const std::string &law_name : law_names())
    if (law_name != "normal_speed" || only_scalar_with_flux(spec) >= 0)
      known.push_back(law_name);
  for (const std::string &need : file.needs)
    if (!contains(known, need))
      missing.push_back(need);
  if (missing.empty())
    return;
  const bool derived = contains(missing, "normal_speed");
  throw Error(
      ErrorKind::input,
      {.what = fmt::format("the numerical flux `{}` needs what this law does not have", name),
       .where = where,
       .found = "no " + join_names(missing),
       .remedy = derived ? fmt::format("it is derived for a single scalar field; give a system's "
                                       "own in [numerical_fluxes.{}]",
                                       name)
                         : "add fields or [definitions] of these names, or choose another flux"});
}

// The expressions of the flux that is named, and their definitions into `spec`.
TextByField named_flux(FormSpec &spec) {
  const ConservationLawSpec &law = *spec.law;
  const SourceText name =
      law.numerical_flux.value_or(SourceText{.text = default_numerical_flux, .key = law.place});
  if (const auto own = law.fluxes.find(name.text); own != law.fluxes.end())
    return own->second;
  std::vector<std::string> known = flux_file_names();
  if (!contains(known, name.text)) {
    for (const auto &[own, texts] : law.fluxes)
      if (!contains(known, own))
        known.push_back(own);
    const std::string nearest = nearest_name(name.text, known);
    throw Error(ErrorKind::input,
                {.what = "an unknown numerical flux",
                 .where = name.where(),
                 .found = fmt::format("\"{}\"", name.text),
                 .allowed = join_names(known) + ", or a table of expressions by field",
                 .remedy = nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest)});
  }
  const FluxFile file = read_flux_file(name.text);
  check_needs(spec, file, name.text, name.where());
  const std::vector<std::string> taken = own_names(spec);
  for (const DefinitionSpec &definition : file.definitions)
    if (!contains(taken, definition.name))
      spec.definitions.push_back(definition);
  return file.numerical_flux;
}

// One expression for each field with a flux.
TextByField by_field(const FormSpec &spec, const TextByField &texts, const std::string &where) {
  TextByField result;
  std::vector<std::string> missing, fields;
  for (const FieldSpec &field : spec.fields) {
    if (!spec.law->flux.contains(field.name))
      continue;
    fields.push_back(field.name);
    const auto own = texts.find(texts.contains(field.name) ? field.name : every_field);
    if (own == texts.end())
      missing.push_back(field.name);
    else
      result[field.name] = own->second;
  }
  if (!missing.empty())
    throw Error(ErrorKind::input, {.what = "a numerical flux that lacks fields of the law",
                                   .where = where,
                                   .found = "nothing for " + join_names(missing),
                                   .remedy = "add expressions for them, or one for `every`"});
  for (const auto &[name, text] : texts)
    if (name != every_field && !contains(fields, name))
      throw Error(ErrorKind::input,
                  {.what = fmt::format("a numerical flux of `{}`, which has no flux", name),
                   .where = text.where(),
                   .allowed = join_names(fields)});
  return result;
}

} // namespace

int only_scalar_with_flux(const FormSpec &spec) {
  int found = -1;
  for (std::size_t i = 0; i < spec.fields.size(); ++i) {
    if (!spec.law->flux.contains(spec.fields[i].name))
      continue;
    if (found >= 0 || !spec.fields[i].shape.empty())
      return -1;
    found = static_cast<int>(i);
  }
  return found;
}

FormSpec with_numerical_flux(const FormSpec &given) {
  FormSpec spec = given;
  ConservationLawSpec &law = *spec.law;
  const bool of_fields = !law.numerical_flux_of.empty();
  const TextByField texts = of_fields ? law.numerical_flux_of : named_flux(spec);
  const std::string where = of_fields            ? law.numerical_flux_of.begin()->second.where()
                            : law.numerical_flux ? law.numerical_flux->where()
                                                 : law.place;
  law.numerical_flux_of = by_field(spec, texts, where);
  law.fluxes.clear();
  return spec;
}

} // namespace weft
