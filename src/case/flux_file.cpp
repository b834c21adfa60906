#include "case/flux_file.h"

#include <filesystem>
#include <fmt/format.h>

#include "base/embedded.h"
#include "case/bindings.h"

namespace weft {

namespace {

const std::string flux_folder = "physics/flux/";

std::vector<Declaration> flux_declarations(FluxFile &file) {
  Declaration needs = declare_key("needs", type_texts, "names that a law must have");
  needs.read = [&file](const Entry &e) { file.needs = texts_of(e); };
  Declaration definition = declare_key("<name>", type_math, "a named expression");
  definition.read = [&file](const Entry &e) { file.definitions.push_back({e.key, math_of(e)}); };
  Declaration flux = declare_key("<field>", type_math, "of that field; `every`: of all others");
  flux.read = [&file](const Entry &e) { file.numerical_flux[e.key] = math_of(e); };
  return {needs, declare_table("definitions", "named expressions", {definition}),
          declare_table("numerical_flux", "the normal flux", {flux})};
}

} // namespace

std::vector<std::string> flux_file_names() {
  std::vector<std::string> names;
  for (const std::filesystem::path path : embedded_names(flux_folder))
    if (path.extension() == ".toml")
      names.push_back(path.stem().string());
  return names;
}

FluxFile read_flux_file(const std::string &name) {
  const std::string path = fmt::format("{}{}.toml", flux_folder, name);
  FluxFile file;
  const toml::table root = parse_toml(embedded_text(path), path);
  read_table(root, nullptr, flux_declarations(file));
  return file;
}

} // namespace weft
