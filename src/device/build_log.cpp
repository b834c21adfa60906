#include "device/build_log.h"

#include <algorithm>
#include <fmt/format.h>
#include <regex>
#include <sstream>
#include <vector>

namespace weft {

namespace {

struct LogPlace {
  std::string file;
  int line = 0;
};

// Places of errors as compilers write them: "input.cl:12:5: error:", "kernel.cu(12): error:",
// "error: FOLDER/x.cl:12:5: ...".
std::vector<LogPlace> error_places(const std::string &log) {
  static const std::regex place(R"(([^\s:(]+)[:(](\d+)[:)])");
  std::vector<LogPlace> places;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (line.find("error") == std::string::npos || !std::regex_search(line, match, place))
      continue;
    const std::string digits = match[2];
    if (digits.size() > 8)
      continue;
    const LogPlace found{match[1], std::stoi(digits)};
    if (places.empty() || places.back().line != found.line)
      places.push_back(found);
  }
  return places;
}

// The numbered line and its neighbours, with a mark at the line itself.
std::string excerpt(const std::vector<std::string> &lines, int line) {
  std::string text;
  const int last = std::min<int>(line + 2, static_cast<int>(lines.size()));
  for (int i = std::max(1, line - 2); i <= last; ++i)
    text += fmt::format("\n  {} {:5} | {}", i == line ? '>' : ' ', i, lines[i - 1]);
  return text;
}

std::vector<std::string> split_lines(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

} // namespace

Error build_error(const ProgramSource &source, const std::string &device, const std::string &log) {
  const std::vector<LogPlace> places = error_places(log);
  for (const LogPlace &place : places)
    if (place.file.ends_with(".toml"))
      return Error(ErrorKind::input,
                   {.what = fmt::format("the C text of kernel '{}' does not compile", source.name),
                    .where = fmt::format("{}:{}", place.file, place.line),
                    .found = "compiler's log:\n" + log});
  constexpr std::size_t shown_places = 3;
  const std::vector<std::string> lines = split_lines(source.text);
  std::string excerpts;
  for (std::size_t i = 0; i < std::min(places.size(), shown_places); ++i)
    excerpts += excerpt(lines, places[i].line) + "\n";
  return Error(
      ErrorKind::invariant,
      {.what = fmt::format("kernel '{}' does not compile for {}", source.name, device),
       .found = fmt::format("{}\n  compiler's log:\n{}", excerpts, log),
       .remedy = "this is a bug in Weft, or in the directory WEFT_KERNEL_DIR names: please report "
                 "it with the case"});
}

} // namespace weft
