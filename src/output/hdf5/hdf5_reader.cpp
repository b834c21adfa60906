#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>

#include "base/error.h"
#include "base/hash.h"
#include "base/system/input_file.h"
#include "output/hdf5/hdf5_file.h"
#include "output/hdf5/hdf5_handle.h"

namespace weft {

namespace {

// A text of fixed length without the null bytes that fill it up.
std::string without_padding(std::string text) {
  text.resize(std::min(text.size(), text.find('\0')));
  return text;
}

} // namespace

struct Hdf5Reader::Handles {
  Hdf5Handle file;
};

void Hdf5Reader::fail(const std::string &what) const {
  throw Error(ErrorKind::input,
              {.what = what,
               .where = path_,
               .remedy = "give a checkpoint that Weft wrote: checkpoint.h5 in a run's output"});
}

Hdf5Reader::Hdf5Reader(std::string path)
    : path_(std::move(path)), handles_(std::make_unique<Handles>()) {
  silence_hdf5();
  require_input_file(path_, {.what = "checkpoint",
                             .allowed = "an HDF5 file that Weft wrote",
                             .remedy = "give checkpoint.h5 of a run's output"});
  if (H5Fis_hdf5(path_.c_str()) <= 0)
    fail("not an HDF5 file");
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  // Files are never changed in place, and some file systems have no locks.
  H5Pset_file_locking(access.id(), false, true);
  handles_->file = Hdf5Handle(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose);
  if (!handles_->file.valid())
    fail("the HDF5 file is truncated or damaged");
}

Hdf5Reader::~Hdf5Reader() = default;

bool Hdf5Reader::has_attribute(const std::string &name) const {
  return H5Aexists(handles_->file.id(), name.c_str()) > 0;
}

namespace {

Hdf5Handle open_attribute(hid_t object, const std::string &name, H5T_class_t kind) {
  Hdf5Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
  if (!attribute.valid())
    return {};
  const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose);
  if (H5Tget_class(type.id()) != kind || H5Sget_simple_extent_npoints(space.id()) != 1)
    return {};
  return attribute;
}

template <typename Value>
bool read_number(hid_t object, const std::string &name, H5T_class_t kind, hid_t type,
                 Value &value) {
  const Hdf5Handle attribute = open_attribute(object, name, kind);
  return attribute.valid() && H5Aread(attribute.id(), type, &value) >= 0;
}

constexpr std::size_t longest_attribute = 65536; // bytes of a text: ours are hashes and names
constexpr std::size_t longest_text = std::size_t{1} << 30; // of tables that grow with a run

// Texts of variable length, which other programs write, are not ours. HDF5 reads for ever where the
// length is 0.
bool is_fixed_text(const Hdf5Handle &type) {
  return H5Tget_class(type.id()) == H5T_STRING && H5Tis_variable_str(type.id()) == 0 &&
         H5Tget_size(type.id()) > 0;
}

bool read_text(hid_t object, const std::string &name, std::string &text) {
  const Hdf5Handle attribute = open_attribute(object, name, H5T_STRING);
  if (!attribute.valid())
    return false;
  const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose);
  if (!is_fixed_text(type) || H5Tget_size(type.id()) > longest_attribute)
    return false;
  text.assign(H5Tget_size(type.id()), '\0');
  if (H5Aread(attribute.id(), type.id(), text.data()) < 0)
    return false;
  text = without_padding(std::move(text));
  return true;
}

bool check_sum_fits(hid_t data, std::string_view bytes) {
  std::string sum;
  return read_text(data, "xxh3", sum) && sum == hash_hex(bytes);
}

// A damaged or foreign file may claim any size.
bool fits_into_file(std::int64_t bytes, const std::string &path) {
  std::error_code failure;
  const std::uintmax_t size = std::filesystem::file_size(path, failure);
  return !failure && bytes >= 0 && static_cast<std::uintmax_t>(bytes) <= size;
}

// Not in files beside it that it names, nor put together from other datasets, nor never written,
// where HDF5 would make values up.
bool lies_in_file(const Hdf5Handle &data, std::int64_t bytes) {
  const Hdf5Handle properties(H5Dget_create_plist(data.id()), H5Pclose);
  const H5D_layout_t layout = H5Pget_layout(properties.id());
  const bool written = layout == H5D_COMPACT || bytes == 0 ||
                       (layout == H5D_CONTIGUOUS && H5Dget_offset(data.id()) != HADDR_UNDEF);
  return (layout == H5D_COMPACT || layout == H5D_CONTIGUOUS) && written &&
         H5Pget_external_count(properties.id()) == 0;
}

// Every part of a path is in the file itself: links may lead to other files.
bool leads_nowhere_else(const Hdf5Handle &file, const std::string &name) {
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    H5L_info_t link;
    if (H5Lget_info(file.id(), name.substr(0, end).c_str(), &link, H5P_DEFAULT) < 0 ||
        link.type != H5L_TYPE_HARD)
      return false;
    if (end == std::string::npos)
      return true;
  }
}

Hdf5Handle open_dataset(const Hdf5Handle &file, const std::string &name) {
  if (!leads_nowhere_else(file, name))
    return {};
  return {H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose};
}

herr_t add_name(hid_t, const char *name, const H5L_info_t *, void *list) {
  static_cast<std::vector<std::string> *>(list)->emplace_back(name);
  return 0;
}

} // namespace

double Hdf5Reader::real_attribute(const std::string &name) const {
  double value = 0;
  if (!read_number(handles_->file.id(), name, H5T_FLOAT, H5T_NATIVE_DOUBLE, value))
    fail(fmt::format("the HDF5 file has no number `{}`", name));
  return value;
}

std::int64_t Hdf5Reader::integer_attribute(const std::string &name) const {
  std::int64_t value = 0;
  if (!read_number(handles_->file.id(), name, H5T_INTEGER, H5T_NATIVE_INT64, value))
    fail(fmt::format("the HDF5 file has no whole number `{}`", name));
  return value;
}

std::string Hdf5Reader::text_attribute(const std::string &name) const {
  std::string text;
  if (!read_text(handles_->file.id(), name, text))
    fail(fmt::format("the HDF5 file has no text `{}`", name));
  return text;
}

std::vector<std::string> Hdf5Reader::names(const std::string &group) const {
  std::vector<std::string> list;
  if (!leads_nowhere_else(handles_->file, group))
    fail(fmt::format("the HDF5 file has no group `{}`", group));
  const Hdf5Handle id(H5Gopen2(handles_->file.id(), group.c_str(), H5P_DEFAULT), H5Gclose);
  if (!id.valid() || H5Literate(id.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &list) < 0)
    fail(fmt::format("the HDF5 file has no group `{}`", group));
  std::sort(list.begin(), list.end());
  return list;
}

std::vector<double> Hdf5Reader::values(const std::string &name, std::int64_t most) const {
  const Hdf5Handle data = open_dataset(handles_->file, name);
  if (!data.valid())
    fail(fmt::format("the HDF5 file has no dataset `{}`", name));
  const Hdf5Handle type(H5Dget_type(data.id()), H5Tclose);
  const Hdf5Handle space(H5Dget_space(data.id()), H5Sclose);
  if (H5Tequal(type.id(), H5T_IEEE_F64LE) <= 0 || H5Sget_simple_extent_ndims(space.id()) != 1)
    fail(fmt::format("dataset `{}` is no list of numbers in f64", name));
  const hssize_t length = H5Sget_simple_extent_npoints(space.id());
  if (length < 0 || length > most)
    fail(fmt::format("dataset `{}` is longer than the run's", name));
  if (!fits_into_file(length * 8, path_))
    fail(fmt::format("dataset `{}` is longer than the file", name));
  if (!lies_in_file(data, length))
    fail(fmt::format("dataset `{}` does not lie in the file itself", name));
  std::vector<double> list(static_cast<std::size_t>(length));
  if (!list.empty() &&
      H5Dread(data.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, list.data()) < 0)
    fail(fmt::format("dataset `{}` can't be read: the file is truncated or damaged", name));
  if (!check_sum_fits(data.id(),
                      {reinterpret_cast<const char *>(list.data()), list.size() * sizeof(double)}))
    fail(fmt::format("dataset `{}` is damaged: its check sum does not fit", name));
  return list;
}

std::string Hdf5Reader::text(const std::string &name) const {
  const Hdf5Handle data = open_dataset(handles_->file, name);
  if (!data.valid())
    fail(fmt::format("the HDF5 file has no dataset `{}`", name));
  const Hdf5Handle type(H5Dget_type(data.id()), H5Tclose);
  const Hdf5Handle space(H5Dget_space(data.id()), H5Sclose);
  if (!is_fixed_text(type) || H5Sget_simple_extent_npoints(space.id()) != 1)
    fail(fmt::format("dataset `{}` is no text", name));
  const std::size_t size = H5Tget_size(type.id());
  if (size > longest_text || !fits_into_file(static_cast<std::int64_t>(size), path_))
    fail(fmt::format("dataset `{}` is longer than the file", name));
  if (!lies_in_file(data, static_cast<std::int64_t>(size)))
    fail(fmt::format("dataset `{}` does not lie in the file itself", name));
  std::string text(size, '\0');
  if (H5Dread(data.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0)
    fail(fmt::format("dataset `{}` can't be read: the file is truncated or damaged", name));
  text = without_padding(std::move(text));
  if (!check_sum_fits(data.id(), text))
    fail(fmt::format("dataset `{}` is damaged: its check sum does not fit", name));
  return text;
}

} // namespace weft
