// Arrays between Python and the library.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace weft::python {

namespace nb = nanobind;

// What a call reads: [entry], copied only where it is no contiguous f64.
using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
// What a call writes to.
using Target = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
// What a call returns.
template <typename T> using Array = nb::ndarray<nb::numpy, T>;

inline std::span<const double> span_of(const Values &values) {
  return {values.data(), values.size()};
}

inline std::span<double> span_of(const Target &target) {
  return {target.data(), target.size()};
}

// A numpy array whose memory is that of `values`.
template <typename T> Array<T> array_of(std::vector<T> values, std::vector<std::size_t> shape) {
  auto *kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
  return Array<T>(kept->data(), shape.size(), shape.data(), owner);
}

// The same without components where there is one: [entry] or [entry, component].
inline Array<double> values_of(std::vector<double> values, std::size_t num_entries) {
  const std::size_t components = num_entries == 0 ? 1 : values.size() / num_entries;
  return components == 1 ? array_of(std::move(values), {num_entries})
                         : array_of(std::move(values), {num_entries, components});
}

// [size], with nothing written into it.
inline Target new_array(std::size_t size) {
  auto *kept = new double[size];
  const nb::capsule owner(kept, [](void *p) noexcept { delete[] static_cast<double *>(p); });
  return Target(kept, 1, &size, owner);
}

// What a call writes to, and the object for it that the call returns.
struct Output {
  nb::object object;
  Target target;
};

// `out` of the caller's, or a new array where it is None.
inline Output output(const nb::object &out, std::size_t size) {
  Output result{.object = out, .target = {}};
  if (out.is_none()) {
    result.target = new_array(size);
    result.object = nb::cast(Array<double>(result.target));
  } else if (!nb::try_cast(out, result.target, false)) {
    throw nb::type_error("out has to be an array [entry] of float64, contiguous and writable");
  }
  return result;
}

// A read-only numpy array that sees `values` where they are, and keeps their owner.
template <typename T>
Array<const T> view_of(std::span<const T> values, std::initializer_list<std::size_t> shape,
                       nb::handle owner) {
  return Array<const T>(values.data(), shape.size(), shape.begin(), owner);
}

} // namespace weft::python
