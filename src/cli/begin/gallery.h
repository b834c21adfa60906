// The cases that come with the program: their list and their files, as cases/README.md has them.
#pragma once

#include <string>
#include <vector>

namespace weft {

struct GalleryCase {
  std::string group;  // "Heat, stationary and in time"
  std::string name;   // "heat_sink"
  std::string solved; // "a chip heats a copper base with aluminium fins"
  std::string how;    // "P1 on tetrahedra; conductivity by region"
};

// In the order of cases/README.md.
std::vector<GalleryCase> gallery_cases();

struct GalleryFile {
  std::string name; // "case.toml"
  std::string text;
};

// What a folder of the gallery holds but for its README and pictures; empty for an unknown name.
std::vector<GalleryFile> gallery_files(const std::string &name);

} // namespace weft
