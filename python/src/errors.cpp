// The library's errors as the exceptions of weft/errors.py, by kind.
#include <exception>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings.h"
#include "weft/error.h"

namespace weft::python {

namespace nb = nanobind;

namespace {

const char *class_name(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::input:
    return "InputError";
  case ErrorKind::unsupported:
    return "UnsupportedError";
  case ErrorKind::system:
    return "DeviceError";
  case ErrorKind::numerical:
    return "NumericalError";
  case ErrorKind::invariant:
    break;
  }
  return "InternalError";
}

void raise(const Error &error) {
  const Diagnostic &parts = error.diagnostic();
  const nb::object type = nb::module_::import_("weft.errors").attr(class_name(error.kind()));
  const nb::object raised =
      type(error.what(), nb::arg("what") = parts.what, nb::arg("where") = parts.where,
           nb::arg("found") = parts.found, nb::arg("allowed") = parts.allowed,
           nb::arg("remedy") = parts.remedy);
  PyErr_SetObject(type.ptr(), raised.ptr());
}

} // namespace

void bind_errors() {
  nb::register_exception_translator([](const std::exception_ptr &thrown, void *) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error &error) {
      try {
        raise(error);
      } catch (nb::python_error &none) { // the package is broken: its own error says how
        none.restore();
      }
    }
  });
}

} // namespace weft::python
