// HDF5 files of named arrays and texts, each with a check sum, behind HDF5's C interface.
//
// A file is made in memory and written as a whole: what fails on a disk (no space left, above all)
// then fails in our own code, where HDF5's would be left with a file it can neither finish nor
// close.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

// Datasets and attributes of the root are little-endian: f64, i64, and texts of fixed length.
class Hdf5Image {
public:
  Hdf5Image();
  ~Hdf5Image();
  Hdf5Image(const Hdf5Image &) = delete;
  Hdf5Image &operator=(const Hdf5Image &) = delete;

  void make_group(const std::string &name);
  // Attributes of the root.
  void set_attribute(const std::string &name, double value);
  void set_attribute(const std::string &name, std::int64_t value);
  void set_attribute(const std::string &name, const std::string &text);
  // Datasets of one dimension; the check sum becomes their attribute `xxh3`.
  void add(const std::string &name, const std::vector<double> &values);
  void add_text(const std::string &name, const std::string &text);

  // The bytes of the file, which live as long as this. Nothing can be added afterwards.
  std::string_view finish();

private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

class Hdf5Reader {
public:
  // All functions throw `input` with the path where the file is missing, no HDF5 file, truncated or
  // damaged, or lacks what is asked for.
  explicit Hdf5Reader(std::string path);
  ~Hdf5Reader();
  Hdf5Reader(const Hdf5Reader &) = delete;
  Hdf5Reader &operator=(const Hdf5Reader &) = delete;

  bool has_attribute(const std::string &name) const;
  double real_attribute(const std::string &name) const;
  std::int64_t integer_attribute(const std::string &name) const;
  std::string text_attribute(const std::string &name) const;
  // Names of the datasets of a group, sorted.
  std::vector<std::string> names(const std::string &group) const;
  // `most`: how many may be expected, whatever the file says.
  std::vector<double> values(const std::string &name, std::int64_t most) const;
  std::string text(const std::string &name) const;

  [[noreturn]] void fail(const std::string &what) const;

private:
  struct Handles;
  std::string path_;
  std::unique_ptr<Handles> handles_;
};

} // namespace weft
