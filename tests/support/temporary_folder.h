// A folder of the test's own, removed at its end.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

namespace weft {

class TemporaryFolder {
public:
  TemporaryFolder() {
    static int counter = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("weft_output_" + std::to_string(getpid()) + "_" + std::to_string(counter++));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string file(const std::string &name) const { return (path_ / name).string(); }
  std::string read(const std::string &name) const {
    std::ifstream stream(file(name), std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  int num_files() const {
    int count = 0;
    for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(path_))
      ++count;
    return count;
  }

private:
  std::filesystem::path path_;
};

} // namespace weft
