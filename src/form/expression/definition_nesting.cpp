#include "form/expression/definition_nesting.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <vector>

namespace weft {

namespace {

class NestingCheck {
public:
  NestingCheck(const FormSpec &spec, const NameTable &names) : spec_(spec), names_(names) {}

  // Levels below a name, the deepest of its texts, which are read once; `above`: levels down to it.
  int levels_of(const std::string &name, int above) {
    if (const auto known = known_.find(name); known != known_.end())
      return known->second;
    const std::vector<const SourceText *> texts = texts_of(name);
    if (std::find(active_.begin(), active_.end(), name) != active_.end())
      fail_circle(name, *texts.front());
    active_.push_back(name);
    int levels = 0;
    for (const SourceText *text : texts)
      levels = std::max(levels, levels_of(parse(*text), *text, above));
    active_.pop_back();
    return known_[name] = levels;
  }

private:
  int levels_of(const SyntaxNode &node, const SourceText &text, int above) {
    int below = 0;
    if (above < max_nested_levels) {
      for (const SyntaxNode &child : node.children)
        below = std::max(below, levels_of(child, text, above + 1));
      if (node.kind == SyntaxKind::name)
        below = std::max(below, levels_of(node.text, above + 1));
    }
    if (above + 1 + below > max_nested_levels)
      fail_at(text, node.span, "definitions and parameters nest too deeply",
              fmt::format("{} levels of operations, from one text to the next", max_nested_levels),
              "use fewer levels of definitions");
    return below + 1;
  }

  // Empty for names without texts of their own.
  std::vector<const SourceText *> texts_of(const std::string &name) const {
    const Named named = names_.find(name);
    if (named.kind == NameKind::definition)
      return {&spec_.definitions[named.index].value};
    std::vector<const SourceText *> texts;
    if (named.kind == NameKind::parameter) {
      const ParameterSpec &parameter = spec_.parameters[named.index];
      if (parameter.value)
        texts.push_back(&*parameter.value);
      for (const auto &[group, text] : parameter.by_group)
        texts.push_back(&text);
    }
    return texts;
  }

  [[noreturn]] void fail_circle(const std::string &name, const SourceText &text) const {
    std::string circle;
    for (auto it = std::find(active_.begin(), active_.end(), name); it != active_.end(); ++it)
      circle += *it + " -> ";
    fail_at(text, {0, static_cast<int>(text.text.size())},
            fmt::format("`{}` is defined by itself: {}{}", name, circle, name), "",
            "give one of them a value that does not need the others");
  }

  const FormSpec &spec_;
  const NameTable &names_;
  std::map<std::string, int> known_;
  std::vector<std::string> active_; // the names on the way down
};

} // namespace

void check_nesting(const FormSpec &spec, const NameTable &names) {
  NestingCheck check(spec, names);
  for (const ParameterSpec &parameter : spec.parameters)
    check.levels_of(parameter.name, 0);
  for (const DefinitionSpec &definition : spec.definitions)
    check.levels_of(definition.name, 0);
}

} // namespace weft
