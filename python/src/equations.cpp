// Problem: its equations as functions of arrays and of vectors on the device.
#include <cstdint>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"
#include "bound_problem.h"
#include "interruptible.h"

namespace weft::python {

namespace {

using Product = void (Problem::*)(std::span<const double>, std::span<double>);
using DeviceProduct = void (Problem::*)(const DeviceVector &, DeviceVector &);

// From an array to an array, or a new one.
template <Product function>
nb::object product(BoundProblem &p, const Values &from, const nb::object &out) {
  const auto hold = p.use.changing();
  const Output result = output(out, p.problem.num_dofs());
  const nb::gil_scoped_release released;
  (p.problem.*function)(span_of(from), span_of(result.target));
  return result.object;
}

template <DeviceProduct function>
DeviceVector &device_product(BoundProblem &p, const DeviceVector &from, DeviceVector &out) {
  const auto hold = p.use.changing();
  const nb::gil_scoped_release released;
  (p.problem.*function)(from, out);
  return out;
}

void linearise(BoundProblem &p, const Values &u) {
  const auto hold = p.use.changing();
  const nb::gil_scoped_release released;
  p.linearised();
  p.problem.linearise(span_of(u));
}

void linearise_on_device(BoundProblem &p, const DeviceVector &u) {
  const auto hold = p.use.changing();
  const nb::gil_scoped_release released;
  p.linearised();
  p.problem.linearise(u);
}

nb::object diagonal(BoundProblem &p, const nb::object &out) {
  const auto hold = p.use.changing();
  const Output result = output(out, p.problem.num_dofs());
  const nb::gil_scoped_release released;
  p.problem.diagonal(span_of(result.target));
  return result.object;
}

template <typename T> Array<T> copy_of(std::span<const T> view) {
  return array_of(std::vector<T>(view.begin(), view.end()), {view.size()});
}

// (row_start, columns, values): copies, since the library's arrays go with the next change.
nb::tuple matrix(BoundProblem &p) {
  const auto hold = p.use.changing();
  MatrixView view;
  {
    const nb::gil_scoped_release released;
    view = p.problem.matrix();
  }
  return nb::make_tuple(copy_of(view.row_start), copy_of(view.columns), copy_of(view.values));
}

void set_up_preconditioner(BoundProblem &p) {
  const auto hold = p.use.changing();
  p.preconditioner_made();
  interruptible([&] {
    const nb::gil_scoped_release released;
    p.problem.set_up_preconditioner();
    return true;
  });
}

// [(VTK's type, dofs [cell, row], values [cell, row, column]), ...]
nb::list cell_matrices(BoundProblem &p, const Values &u) {
  const auto hold = p.use.changing();
  std::vector<CellMatrices> all;
  {
    const nb::gil_scoped_release released;
    all = p.problem.cell_matrices(span_of(u));
  }
  nb::list result;
  for (CellMatrices &of_type : all) {
    const std::size_t cells = of_type.num_cells, size = of_type.size;
    result.append(nb::make_tuple(of_type.vtk_type, array_of(std::move(of_type.dofs), {cells, size}),
                                 array_of(std::move(of_type.values), {cells, size, size})));
  }
  return result;
}

Array<double> near_null_space(BoundProblem &p) {
  const auto hold = p.use.reading();
  const std::vector<std::vector<double>> vectors = p.problem.near_null_space();
  std::vector<double> flat;
  for (const std::vector<double> &vector : vectors)
    flat.insert(flat.end(), vector.begin(), vector.end());
  return array_of(std::move(flat), {vectors.size(), p.problem.num_dofs()});
}

} // namespace

void bind_equations(nb::class_<BoundProblem> &type) {
  const auto none = nb::none();
  type.def("residual", &device_product<static_cast<DeviceProduct>(&Problem::residual)>,
           nb::arg("u"), nb::arg("out"), nb::rv_policy::reference)
      .def("residual", &product<static_cast<Product>(&Problem::residual)>, nb::arg("u"),
           nb::arg("out") = none,
           "F(u), [dof], in a new array or in out; of vectors on the device without a copy.")
      .def("linearise", &linearise_on_device, nb::arg("u"))
      .def("linearise", &linearise, nb::arg("u"),
           "Takes the Jacobian at u for apply(), diagonal() and set_up_preconditioner(). "
           "jacobian() does so by itself.")
      .def("apply", &device_product<static_cast<DeviceProduct>(&Problem::apply)>, nb::arg("x"),
           nb::arg("out"), nb::rv_policy::reference)
      .def("apply", &product<static_cast<Product>(&Problem::apply)>, nb::arg("x"),
           nb::arg("out") = none,
           "The Jacobian taken last times x; rows and columns of constrained dofs are those of "
           "the identity.")
      .def("diagonal", &diagonal, nb::arg("out") = none, "That of the Jacobian taken last.")
      .def("_matrix", &matrix)
      .def("set_up_preconditioner", &set_up_preconditioner,
           "For the Jacobian taken last. preconditioner() does so by itself.")
      .def("precondition", &product<&Problem::precondition>, nb::arg("r"), nb::arg("out") = none,
           "z ~ F'(u)^-1 r by the preconditioner of [solver], or Weft's choice.")
      .def("_cell_matrices", &cell_matrices)
      .def("near_null_space", &near_null_space,
           "[vector, dof], orthonormal: constants of each component, of elastic forms rigid "
           "motions; 0 at constrained dofs. PyAMG's B is its transpose.")
      .def(
          "device_vector",
          [](BoundProblem &p) {
            const auto hold = p.use.reading();
            return p.problem.device_vector();
          },
          nb::keep_alive<0, 1>(),
          "A vector on the device, for residual(), linearise() and apply().")
      .def_prop_rw(
          "time", [](BoundProblem &p) { return p.problem.time(); },
          [](BoundProblem &p, double time) {
            const auto hold = p.use.changing();
            p.equations_changed();
            p.problem.set_time(time);
          },
          "The time of the equations; that of the end after a solve.")
      .def(
          "set_rate",
          [](BoundProblem &p, const Values &offset, double shift) {
            const auto hold = p.use.changing();
            p.equations_changed();
            p.problem.set_rate(span_of(offset), shift);
          },
          nb::arg("offset"), nb::arg("shift"),
          "What dt(u) stands for in residual() and the Jacobian: shift*u + offset, as implicit "
          "schemes want it.");
}

} // namespace weft::python
