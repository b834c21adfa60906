// Vectors on the device, and DLPack: others see them where they lie.
#include "weft/device_vector.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "arrays.h"
#include "bindings.h"
#include "weft/error.h"

namespace weft::python {

namespace {

struct Place {
  int device_type = 0; // DLPack's number
  int device = 0;
};

Place place_of(const DeviceVector &vector) {
  if (vector.on_host())
    return {nb::device::cpu::value, 0};
  if (vector.cuda_device() >= 0)
    return {nb::device::cuda::value, vector.cuda_device()};
  throw Error(ErrorKind::unsupported, {.what = "memory of this device can't be shown to others",
                                       .allowed = "CPUs, and GPUs by CUDA",
                                       .remedy = "copy it: set() and get()"});
}

// An array that sees the vector and keeps it; what writes to the vector is done.
template <typename Framework> nb::object shown(nb::handle self) {
  auto &vector = nb::cast<DeviceVector &>(self);
  const Place place = place_of(vector);
  {
    const nb::gil_scoped_release released;
    vector.finish();
  }
  const std::size_t size = vector.size();
  const nb::dlpack::dtype type =
      vector.bytes_per_entry() == sizeof(double) ? nb::dtype<double>() : nb::dtype<float>();
  return nb::cast(nb::ndarray<Framework>(vector.data(), 1, &size, self, nullptr, type,
                                         place.device_type, place.device),
                  nb::rv_policy::reference);
}

nb::object get(const DeviceVector &vector, const nb::object &out) {
  const Output to = output(out, vector.size());
  const nb::gil_scoped_release released;
  vector.get(span_of(to.target));
  return to.object;
}

// numpy's protocol. Memory of this process is seen; other is copied, as f64.
nb::object as_numpy(nb::handle self, const nb::object &dtype, const nb::object &copy) {
  const auto &vector = nb::cast<const DeviceVector &>(self);
  const bool is_copy = !vector.on_host();
  if (is_copy && !copy.is_none() && !nb::cast<bool>(copy))
    throw nb::value_error("this vector is on a device of its own: numpy has to copy it");
  const nb::object array = is_copy ? get(vector, nb::none()) : shown<nb::numpy>(self);
  const bool copies = !is_copy && !copy.is_none() && nb::cast<bool>(copy);
  if (dtype.is_none())
    return copies ? array.attr("copy")() : array;
  return array.attr("astype")(dtype, nb::arg("copy") = copies);
}

} // namespace

void bind_device_vector(nb::module_ &m) {
  nb::class_<DeviceVector>(
      m, "DeviceVector",
      "A vector of dofs where kernels read it, from Problem.device_vector(). It keeps its problem, "
      "and what sees its memory keeps it. numpy.from_dlpack() and numpy.asarray() see it without "
      "a copy on CPUs, CuPy's and PyTorch's from_dlpack() on CUDA devices.")
      .def("__len__", &DeviceVector::size)
      .def_prop_ro("bytes_per_entry", &DeviceVector::bytes_per_entry, "8 (f64) or 4 (f32).")
      .def_prop_ro("on_host", &DeviceVector::on_host, "It lies in the memory of this process.")
      .def("finish", &DeviceVector::finish, nb::call_guard<nb::gil_scoped_release>(),
           "Waits until what writes it is done.")
      .def(
          "set",
          [](DeviceVector &vector, const Values &values) {
            const nb::gil_scoped_release released;
            vector.set(span_of(values));
          },
          nb::arg("values"), "Copies, converting.")
      .def("get", &get, nb::arg("out") = nb::none(), "A copy in f64, or in out.",
           nb::sig("def get(self, out: numpy.typing.NDArray[numpy.float64] | None = None) -> "
                   "numpy.typing.NDArray[numpy.float64]"))
      .def(
          "__dlpack__",
          [](nb::handle self, const nb::kwargs &arguments) {
            return shown<nb::array_api>(self).attr("__dlpack__")(**arguments);
          },
          nb::sig("def __dlpack__(self, **kwargs) -> object"))
      .def("__dlpack_device__",
           [](const DeviceVector &vector) {
             const Place place = place_of(vector);
             return nb::make_tuple(place.device_type, place.device);
           })
      .def("__array__", &as_numpy, nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none());
}

} // namespace weft::python
