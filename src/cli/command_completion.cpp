#include "cli/command_completion.h"

#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "base/system/standard_output.h"

namespace weft {

namespace {

// A verb with what may follow it.
struct Verb {
  std::string path;                                       // "", "run", "mesh info"
  std::vector<std::pair<std::string, std::string>> words; // verbs and options, each with its help
};

std::string first_line(const std::string &text) {
  return text.substr(0, text.find('\n'));
}

void collect(const CLI::App &app, const std::string &path, std::vector<Verb> &verbs) {
  Verb verb{.path = path};
  const auto has_name = [](const CLI::App *sub) { return !sub->get_group().empty(); };
  for (const CLI::App *sub : app.get_subcommands(has_name))
    verb.words.emplace_back(sub->get_name(), first_line(sub->get_description()));
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      verb.words.emplace_back("--" + name, first_line(option->get_description()));
  verbs.push_back(verb);
  for (const CLI::App *sub : app.get_subcommands(has_name))
    collect(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name(), verbs);
}

std::string bash_script(const std::vector<Verb> &verbs) {
  std::string text = R"(# Completion of weft for bash: source <(weft completion bash)
_weft() {
  local verb="" word i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    case "${verb:+$verb }$word" in
)";
  for (const Verb &verb : verbs)
    if (!verb.path.empty())
      text += fmt::format("      \"{0}\") verb=\"{0}\" ;;\n", verb.path);
  text += "    esac\n  done\n  local words=\"\"\n  case \"$verb\" in\n";
  for (const Verb &verb : verbs) {
    std::string words;
    for (const auto &[word, help] : verb.words)
      words += (words.empty() ? "" : " ") + word;
    text += fmt::format("    \"{}\") words=\"{}\" ;;\n", verb.path, words);
  }
  return text + R"(  esac
  word=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _weft weft
)";
}

std::string zsh_script(const std::vector<Verb> &verbs) {
  return "# Completion of weft for zsh: source <(weft completion zsh)\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_script(verbs);
}

// A text in single quotes, as fish reads it.
std::string fish_quoted(const std::string &text) {
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return quoted + "'";
}

std::string fish_script(const std::vector<Verb> &verbs) {
  std::string text = "# Completion of weft for fish: weft completion fish | source\n";
  for (const Verb &verb : verbs) {
    std::string condition = "__fish_use_subcommand";
    if (!verb.path.empty()) {
      condition.clear();
      std::string rest = verb.path + " ";
      for (std::size_t end = rest.find(' '); end != std::string::npos; end = rest.find(' ')) {
        condition += (condition.empty() ? "" : "; and ") +
                     ("__fish_seen_subcommand_from " + rest.substr(0, end));
        rest.erase(0, end + 1);
      }
    }
    for (const auto &[word, help] : verb.words)
      text += fmt::format("complete -c weft -n {} {} -d {}\n", fish_quoted(condition),
                          word.starts_with("--") ? "-l " + word.substr(2) : "-a " + word,
                          fish_quoted(help));
  }
  return text;
}

} // namespace

void add_completion_command(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "completion", "print a script that completes weft's verbs and options in a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("");
  command->callback([&app, shell] {
    std::vector<Verb> verbs;
    collect(app, "", verbs);
    print_out(*shell == "bash"  ? bash_script(verbs)
              : *shell == "zsh" ? zsh_script(verbs)
                                : fish_script(verbs));
  });
}

} // namespace weft
