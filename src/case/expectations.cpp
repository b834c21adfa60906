// expect.toml: the values that a case must reach.
#include <filesystem>
#include <fmt/format.h>

#include "base/error.h"
#include "case/bindings.h"
#include "case/case_declarations.h"

namespace weft {

namespace {

// One entry, or one for each component of a list.
void read_expectation(std::vector<Expectation> &entries, const std::string &table, const Entry &e) {
  Expectation expectation{.name = fmt::format("{}.{}", table, e.key)};
  const auto number = [&](const char *key) -> std::optional<double> {
    const auto child = child_of(e, key);
    return child ? std::optional(real_of(*child)) : std::nullopt;
  };
  expectation.relative = number("relative");
  expectation.absolute = number("absolute");
  expectation.below = number("below");
  expectation.above = number("above");
  const auto value = child_of(e, "value");
  const bool has_tolerance = expectation.relative || expectation.absolute;
  const bool has_bound = expectation.below || expectation.above;
  if (value.has_value() != has_tolerance || (!value && !has_bound))
    throw Error(ErrorKind::input, {.what = "an expectation that cannot be checked",
                                   .where = e.where(),
                                   .allowed = "value with relative or absolute; below; above"});
  if (!value || !value->value->is_array()) {
    if (value)
      expectation.value = real_of(*value);
    entries.push_back(expectation);
    return;
  }
  for (const double component : reals_of(*value)) {
    ++expectation.component;
    expectation.value = component;
    entries.push_back(expectation);
  }
}

Declaration expectation_entry(std::string name, std::string description) {
  Declaration relative = declare_key("relative", type_real, "largest relative difference");
  Declaration absolute = declare_key("absolute", type_real, "largest difference");
  relative.range.at_least = absolute.range.at_least = 0;
  return declare_table(
      std::move(name), std::move(description),
      {declare_key("value", type_real | type_reals, "a number, or the components of a list"),
       relative, absolute, declare_key("below", type_real, "upper bound"),
       declare_key("above", type_real, "lower bound")});
}

Declaration expectation_table(const std::string &table, std::string name, std::string description,
                              std::vector<Expectation> &entries) {
  Declaration entry = expectation_entry(std::move(name), std::move(description));
  entry.read = [&entries, table](const Entry &e) { read_expectation(entries, table, e); };
  return declare_table(table, "What results.json must hold.", {entry});
}

Declaration stages_table(Expectations &expectations) {
  std::vector<Declaration> tables;
  for (const char *table : {"functionals", "functional_errors", "gradients", "errors"})
    tables.push_back(
        declare_table(table, "as those of the last stage",
                      {expectation_entry("<name>", "its value, as in the table of that name")}));
  Declaration stage = declare_table("<stage>", "a stage before the last", tables);
  stage.read = [&expectations](const Entry &e) {
    for (const Entry &table : entries_of(*e.value->as_table(), &e))
      for (const Entry &value : entries_of(*table.value->as_table(), &table))
        read_expectation(expectations.stages[e.key], table.key, value);
  };
  return declare_table("stages", "What the earlier stages of a case in stages must give.", {stage});
}

Declaration combinations_table(Expectations &expectations) {
  Declaration element = declare_table(
      "<element>", "an element that it has there",
      {expectation_entry("<FIELD.norm>", "`\"T.L2\"` or `\"T.H1\"` on the first mesh")});
  Declaration cell = declare_table("<cell>", "a type of cells", {element});
  cell.read = [&expectations](const Entry &e) {
    for (const Entry &of_element : entries_of(*e.value->as_table(), &e))
      for (const Entry &norm : entries_of(*of_element.value->as_table(), &of_element))
        read_expectation(expectations.combinations[e.key + " " + of_element.key], "errors", norm);
  };
  return declare_table(
      "verify", "What `weft verify CASE --expect` must find in the case's [verify] boxes.", {cell});
}

} // namespace

std::vector<Declaration> expectation_declarations(Expectations &e) {
  return {bind_text("source", e.source, "who published the values"),
          expectation_table("functionals", "<functional>", "its value", e.entries),
          expectation_table("functional_errors", "<functional>", "the size of its estimated error",
                            e.entries),
          expectation_table("gradients", "<functional.parameter>", "`\"M.G\"`", e.entries),
          expectation_table("errors", "<FIELD.norm>", "`\"T.L2\"` or `\"T.H1\"`", e.entries),
          stages_table(e),
          combinations_table(e)};
}

Expectations read_expectations(const std::string &path) {
  Expectations expectations;
  if (!std::filesystem::exists(path))
    return expectations;
  const toml::table root = parse_toml(read_toml_text(path, "file of expected values"), path);
  read_table(root, nullptr, expectation_declarations(expectations));
  return expectations;
}

} // namespace weft
