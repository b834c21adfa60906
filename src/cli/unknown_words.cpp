#include "cli/unknown_words.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/names.h"

namespace weft {

namespace {

// The innermost verb that was parsed: "mesh blocks".
const CLI::App &parsed_verb(const CLI::App &app) {
  const std::vector<CLI::App *> verbs = app.get_subcommands();
  return verbs.empty() ? app : parsed_verb(*verbs.front());
}

// "--out": of a verb and of all that it is a part of, each once.
std::vector<std::string> options_of(const CLI::App *verb) {
  std::vector<std::string> options;
  for (; verb != nullptr; verb = verb->get_parent())
    for (const CLI::Option *option : verb->get_options())
      for (const std::string &name : option->get_lnames())
        if (std::find(options.begin(), options.end(), "--" + name) == options.end())
          options.push_back("--" + name);
  return options;
}

std::string whole_name(const CLI::App &verb) {
  return verb.get_parent() == nullptr ? verb.get_name()
                                      : whole_name(*verb.get_parent()) + " " + verb.get_name();
}

// The option meant by "--output" or "-o"; empty: none is near.
std::string nearest_option(const std::string &word, const std::vector<std::string> &options) {
  if (word.size() == 2) {
    const auto option = std::find_if(options.begin(), options.end(), [&](const std::string &o) {
      return o[2] == word[1]; // as "--out" begins
    });
    return option == options.end() ? "" : *option;
  }
  std::vector<std::string> names; // without the dashes, which all have in common
  for (const std::string &option : options)
    names.push_back(option.substr(2));
  const std::string nearest = nearest_name(word.substr(word.find_first_not_of('-')), names);
  return nearest.empty() ? "" : "--" + nearest;
}

} // namespace

std::string unknown_verb(const CLI::App &app, int argc, char **argv) {
  std::vector<std::string> verbs;
  for (const CLI::App *verb :
       app.get_subcommands([](const CLI::App *s) { return !s->get_group().empty(); }))
    verbs.push_back(verb->get_name());
  if (argc == 1)
    return Error(ErrorKind::input, {.what = "no verb",
                                    .allowed = join_names(verbs),
                                    .remedy = "see weft --help; weft new NAME makes a case"})
        .what();
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.empty() || word[0] == '-')
      continue;
    if (word == "reference" || word == "compile-ahead" ||
        std::find(verbs.begin(), verbs.end(), word) != verbs.end())
      return {};
    const std::string nearest = nearest_name(word, verbs);
    return Error(ErrorKind::input,
                 {.what = "unknown verb \"" + word + "\"",
                  .allowed = join_names(verbs),
                  .remedy = nearest.empty() ? "see weft --help" : "did you mean " + nearest + "?"})
        .what();
  }
  return {};
}

std::string unknown_argument(const CLI::App &app, int argc, char **argv) {
  const std::vector<std::string> extras = app.remaining(true);
  const auto word = std::find_if(argv + 1, argv + argc, [&](const char *argument) {
    return std::find(extras.begin(), extras.end(), argument) != extras.end();
  });
  if (word == argv + argc)
    return {};
  const CLI::App &verb = parsed_verb(app);
  const std::string help = "see " + whole_name(verb) + " --help";
  const std::string name = std::string(*word).substr(0, std::string(*word).find('='));
  if (name.find_first_not_of('-') == std::string::npos || name[0] != '-')
    return Error(ErrorKind::input, {.what = "unexpected argument \"" + std::string(*word) + "\"",
                                    .where = whole_name(verb),
                                    .remedy = help})
        .what();
  const std::vector<std::string> options = options_of(&verb);
  const std::string nearest = nearest_option(name, options);
  return Error(ErrorKind::input,
               {.what = "unknown option " + name,
                .where = whole_name(verb),
                .allowed = join_names(options),
                .remedy = nearest.empty() ? help : "did you mean " + nearest + "?"})
      .what();
}

} // namespace weft
