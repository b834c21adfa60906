#include "output/hdf5/hdf5_file.h"

#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "base/hash.h"
#include "output/hdf5/hdf5_handle.h"

namespace weft {

namespace {

// In memory nothing but a lack of it can fail.
template <typename Status> Status checked(Status status) {
  if (status < 0)
    throw Error(ErrorKind::system, {.what = "HDF5 could not make a file in memory",
                                    .remedy = "is there enough memory left?"});
  return status;
}

Hdf5Handle text_type(std::size_t length) {
  Hdf5Handle type(checked(H5Tcopy(H5T_C_S1)), H5Tclose);
  checked(H5Tset_size(type.id(), length));
  checked(H5Tset_strpad(type.id(), H5T_STR_NULLPAD));
  return type;
}

void set_attribute_of(hid_t object, const std::string &name, hid_t file_type, hid_t memory_type,
                      const void *value) {
  const Hdf5Handle space(checked(H5Screate(H5S_SCALAR)), H5Sclose);
  const Hdf5Handle attribute(
      checked(H5Acreate2(object, name.c_str(), file_type, space.id(), H5P_DEFAULT, H5P_DEFAULT)),
      H5Aclose);
  checked(H5Awrite(attribute.id(), memory_type, value));
}

// HDF5 has no texts of length 0: a null byte stands for them.
void set_text_attribute(hid_t object, const std::string &name, const std::string &text) {
  const std::string padded = text.empty() ? std::string(1, '\0') : text;
  const Hdf5Handle type = text_type(padded.size());
  set_attribute_of(object, name, type.id(), type.id(), padded.data());
}

} // namespace

// The memory of a file. HDF5 1.10 hands out a copy of it on request, with a wrong check sum; so its
// own is taken when the file is closed and nothing more will be changed.
struct ImageMemory {
  void *bytes = nullptr;
  ~ImageMemory() { std::free(bytes); }
};

namespace {

using ImageUse = H5FD_file_image_op_t;

void *allocate(std::size_t size, ImageUse, void *) {
  return std::malloc(size);
}

void *reallocate(void *bytes, std::size_t size, ImageUse, void *) {
  return std::realloc(bytes, size);
}

herr_t keep_at_close(void *bytes, ImageUse use, void *memory) {
  if (use == H5FD_FILE_IMAGE_OP_FILE_CLOSE)
    static_cast<ImageMemory *>(memory)->bytes = bytes;
  else
    std::free(bytes);
  return 0;
}

void *copy_user_data(void *memory) {
  return memory;
}
herr_t free_user_data(void *) {
  return 0;
}

// How a file, group or dataset is made: without the time of day, so that the same content has the
// same bytes.
Hdf5Handle creation(hid_t kind) {
  Hdf5Handle properties(checked(H5Pcreate(kind)), H5Pclose);
  checked(H5Pset_obj_track_times(properties.id(), false));
  return properties;
}

} // namespace

struct Hdf5Image::Handles {
  ImageMemory memory; // must outlive the file
  Hdf5Handle file;
};

Hdf5Image::Hdf5Image() : handles_(std::make_unique<Handles>()) {
  silence_hdf5();
  constexpr std::size_t increment = std::size_t{1} << 20;
  const Hdf5Handle access(checked(H5Pcreate(H5P_FILE_ACCESS)), H5Pclose);
  checked(H5Pset_fapl_core(access.id(), increment, false));
  // This format has check sums over all that is not data.
  checked(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_V18));
  H5FD_file_image_callbacks_t callbacks{.image_malloc = allocate,
                                        .image_memcpy = nullptr,
                                        .image_realloc = reallocate,
                                        .image_free = keep_at_close,
                                        .udata_copy = copy_user_data,
                                        .udata_free = free_user_data,
                                        .udata = &handles_->memory};
  checked(H5Pset_file_image_callbacks(access.id(), &callbacks));
  const Hdf5Handle made(creation(H5P_FILE_CREATE));
  handles_->file =
      Hdf5Handle(checked(H5Fcreate("weft.h5", H5F_ACC_TRUNC, made.id(), access.id())), H5Fclose);
}

Hdf5Image::~Hdf5Image() = default;

void Hdf5Image::make_group(const std::string &name) {
  const Hdf5Handle made(creation(H5P_GROUP_CREATE));
  const Hdf5Handle group(
      checked(H5Gcreate2(handles_->file.id(), name.c_str(), H5P_DEFAULT, made.id(), H5P_DEFAULT)),
      H5Gclose);
}

void Hdf5Image::set_attribute(const std::string &name, double value) {
  set_attribute_of(handles_->file.id(), name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

void Hdf5Image::set_attribute(const std::string &name, std::int64_t value) {
  set_attribute_of(handles_->file.id(), name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

void Hdf5Image::set_attribute(const std::string &name, const std::string &text) {
  set_text_attribute(handles_->file.id(), name, text);
}

void Hdf5Image::add(const std::string &name, const std::vector<double> &values) {
  const hsize_t length = values.size();
  const Hdf5Handle space(checked(H5Screate_simple(1, &length, nullptr)), H5Sclose);
  const Hdf5Handle made(creation(H5P_DATASET_CREATE));
  const Hdf5Handle data(checked(H5Dcreate2(handles_->file.id(), name.c_str(), H5T_IEEE_F64LE,
                                           space.id(), H5P_DEFAULT, made.id(), H5P_DEFAULT)),
                        H5Dclose);
  if (length > 0)
    checked(H5Dwrite(data.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  const std::string_view bytes(reinterpret_cast<const char *>(values.data()),
                               values.size() * sizeof(double));
  set_text_attribute(data.id(), "xxh3", hash_hex(bytes));
}

void Hdf5Image::add_text(const std::string &name, const std::string &text) {
  const Hdf5Handle type = text_type(text.empty() ? 1 : text.size());
  const Hdf5Handle space(checked(H5Screate(H5S_SCALAR)), H5Sclose);
  const Hdf5Handle made(creation(H5P_DATASET_CREATE));
  const Hdf5Handle data(checked(H5Dcreate2(handles_->file.id(), name.c_str(), type.id(), space.id(),
                                           H5P_DEFAULT, made.id(), H5P_DEFAULT)),
                        H5Dclose);
  checked(H5Dwrite(data.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                   text.empty() ? "" : text.data()));
  set_text_attribute(data.id(), "xxh3", hash_hex(text));
}

std::string_view Hdf5Image::finish() {
  const hid_t file = handles_->file.id();
  checked(H5Fflush(file, H5F_SCOPE_GLOBAL));
  const ssize_t size = checked(H5Fget_file_image(file, nullptr, 0));
  checked(handles_->file.close() ? 0 : -1);
  return {static_cast<const char *>(handles_->memory.bytes), static_cast<std::size_t>(size)};
}

} // namespace weft
