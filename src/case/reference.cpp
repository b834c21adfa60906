// The reference page: declarations as Markdown.
#include <fmt/format.h>

#include "base/names.h"
#include "case/case_declarations.h"

namespace weft {

namespace {

// Text inside a cell of a Markdown table.
std::string cell_text(const std::string &text) {
  std::string result;
  for (const char c : text) {
    if (c == '|')
      result += '\\';
    result += c;
  }
  return result;
}

std::string allowed_text(const Declaration &d) {
  std::string text = d.allowed.empty() ? d.range.text() : join_names(d.allowed);
  if (!d.later.empty())
    text += fmt::format("; not yet: {}", join_names(d.later));
  return text;
}

void add_row(std::string &page, const std::string &prefix, const Declaration &d) {
  page +=
      fmt::format("| `{}{}` | {} | {} | {} | {} |\n", prefix, d.key, cell_text(type_names(d.types)),
                  d.default_text.empty() ? "" : fmt::format("`{}`", cell_text(d.default_text)),
                  cell_text(allowed_text(d)), cell_text(d.description));
  for (const auto &child : d.children)
    add_row(page, prefix + d.key + ".", child);
}

const char *const table_head = "| key | type | default | allowed | meaning |\n"
                               "|---|---|---|---|---|\n";

} // namespace

std::string markdown_of(const std::vector<Declaration> &declarations) {
  std::string page = table_head;
  for (const auto &d : declarations)
    if (d.types != type_table)
      add_row(page, "", d);
  for (const auto &d : declarations) {
    if (d.types != type_table)
      continue;
    page += fmt::format("\n## [{}]\n\n{}\n\n{}", d.key, d.description, table_head);
    for (const auto &child : d.children)
      add_row(page, "", child);
  }
  return page;
}

std::string case_reference_markdown() {
  Case standard;
  Expectations expectations;
  return "# Case reference\n\n"
         "Written by `weft reference > docs/reference/case.md` from the declarations that the "
         "reader uses; edit those in `src/case/`.\n"
         "Names in `<>` are the user's. An expression may be a number, a text, or an array of "
         "them.\n"
         "*Not yet*: part of the language, recognised, and refused by this version.\n\n"
         "# Case files\n\n" +
         markdown_of(case_declarations(standard)) +
         "\n# expect.toml\n\n"
         "Lies beside a case; `weft run CASE --expect` checks it, and `weft verify CASE --expect` "
         "its errors on the first mesh.\n\n" +
         markdown_of(expectation_declarations(expectations));
}

} // namespace weft
