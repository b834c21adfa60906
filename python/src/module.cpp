// weft._weft: the C++ interface of include/weft as Python sees it. What is pure Python about the
// package is in python/weft, which most users meet in its place.
#include "bindings.h"

NB_MODULE(_weft, m) {
  // What others keep to the end of the process (VTK's arrays, a notebook) is no leak of ours.
  nanobind::set_leak_warnings(false);
  m.doc() = "The C++ interface of Weft. Use the package weft.";
  m.attr("__version__") = WEFT_PYTHON_VERSION;
  weft::python::bind_errors();
  weft::python::bind_results(m);
  weft::python::bind_cases(m);
  weft::python::bind_device_vector(m);
  weft::python::bind_problem(m);
  weft::python::bind_multigrid(m);
}
