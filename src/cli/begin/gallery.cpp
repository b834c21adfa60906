#include "cli/begin/gallery.h"

#include <sstream>

#include "base/embedded.h"

namespace weft {

namespace {

// "a | b |" to its columns, without blanks around them.
std::vector<std::string> columns_of(const std::string &row) {
  std::vector<std::string> columns;
  std::istringstream text(row);
  for (std::string column; std::getline(text, column, '|');) {
    const std::size_t begin = column.find_first_not_of(' ');
    const std::size_t end = column.find_last_not_of(' ');
    columns.push_back(begin == std::string::npos ? "" : column.substr(begin, end - begin + 1));
  }
  return columns;
}

} // namespace

// Rows begin with "| [`name`](name) |", below headings "## group".
std::vector<GalleryCase> gallery_cases() {
  std::vector<GalleryCase> cases;
  std::istringstream page(embedded_text("cases/README.md"));
  std::string group;
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("## ")) {
      group = line.substr(3);
    } else if (line.starts_with("| [`")) {
      const std::vector<std::string> columns = columns_of(line); // the first one is empty
      const std::size_t begin = columns.at(1).find('`') + 1;
      cases.push_back({.group = group,
                       .name = columns.at(1).substr(begin, columns.at(1).find('`', begin) - begin),
                       .solved = columns.at(2),
                       .how = columns.at(3)});
    }
  return cases;
}

std::vector<GalleryFile> gallery_files(const std::string &name) {
  const std::string folder = "cases/" + name + "/";
  std::vector<GalleryFile> files;
  for (const std::string &path : embedded_names(folder))
    files.push_back({.name = path.substr(folder.size()), .text = embedded_text(path)});
  return files;
}

} // namespace weft
