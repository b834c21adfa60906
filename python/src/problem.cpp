// Problem: what it is of, its state, parameters, solves and results. python/weft/problem.py is
// derived from it and has the words for users.
#include "weft/problem.h"

#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"
#include "bound_problem.h"
#include "interruptible.h"

namespace weft::python {

namespace {

using Points = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

BoundProblem &of(nb::handle self) {
  return nb::cast<BoundProblem &>(self);
}

template <typename Source>
void construct(BoundProblem *self, const Source &source, const ProblemOptions &options) {
  interruptible([&] {
    const nb::gil_scoped_release released;
    return new (self) BoundProblem(source, options);
  });
}

// (points [point, dimension], [(VTK's type, nodes [cell, node] in VTK's order), ...])
nb::tuple mesh(nb::handle self) {
  MeshView mesh = of(self).problem.mesh();
  nb::list cells;
  for (MeshCells &of_type : mesh.cells) {
    const std::size_t n = of_type.nodes_per_cell, num_cells = of_type.nodes.size() / n;
    cells.append(
        nb::make_tuple(of_type.vtk_type, array_of(std::move(of_type.nodes), {num_cells, n})));
  }
  const std::size_t num_points = mesh.points.size() / mesh.dimension;
  return nb::make_tuple(view_of(mesh.points, {num_points, mesh.dimension}, self), cells);
}

Array<double> nodes(BoundProblem &p, const std::string &field) {
  const std::size_t num_nodes = p.problem.field(field).num_nodes;
  std::vector<double> coordinates = p.problem.node_coordinates(field);
  const std::size_t dimension = p.problem.mesh().dimension;
  return array_of(std::move(coordinates), {num_nodes, dimension});
}

void set_parameters(BoundProblem &p,
                    const std::vector<std::pair<std::string, std::vector<double>>> &values) {
  const auto hold = p.use.changing();
  const nb::gil_scoped_release released;
  p.state_changed();
  p.problem.set_parameters(values);
}

void set_state(BoundProblem &p, const Values &u) {
  const auto hold = p.use.changing();
  p.state_changed();
  p.problem.set_state(span_of(u));
}

bool set_first_guess(BoundProblem &p) {
  const auto hold = p.use.changing();
  const nb::gil_scoped_release released;
  p.state_changed();
  return p.problem.set_first_guess();
}

// `look`: called with each step, or None.
SolveResult solve(BoundProblem &p, const nb::object &look, bool must_converge) {
  const auto hold = p.use.changing();
  const InUse::Solving solving(p.use);
  p.state_changed();
  if (!look.is_none())
    p.problem.on_step([&look](const StepInfo &step) {
      const nb::gil_scoped_acquire acquired;
      look(step);
    });
  struct Forgotten {
    Problem &problem;
    ~Forgotten() { problem.on_step({}); }
  } const forgotten{p.problem};
  return interruptible([&] {
    const nb::gil_scoped_release released;
    return must_converge ? p.problem.solve() : p.problem.try_solve();
  });
}

StepInfo step(BoundProblem &p) {
  const auto hold = p.use.changing();
  p.state_changed();
  return interruptible([&] {
    const nb::gil_scoped_release released;
    return p.problem.step();
  });
}

std::vector<double> functional(BoundProblem &p, const std::string &name) {
  const auto hold = p.use.reading();
  const nb::gil_scoped_release released;
  return p.problem.functional_values(name);
}

std::vector<double> error_estimate(BoundProblem &p, const std::string &name) {
  const auto hold = p.use.changing();
  return interruptible([&] {
    const nb::gil_scoped_release released;
    return p.problem.error_estimate(name);
  });
}

std::vector<std::vector<double>> gradient(BoundProblem &p, const std::string &name,
                                          const std::vector<std::string> &parameters) {
  const auto hold = p.use.changing();
  return interruptible([&] {
    const nb::gil_scoped_release released;
    return p.problem.gradient(name, parameters);
  });
}

Array<double> values_at(BoundProblem &p, const Points &points, const std::string &expression) {
  const auto hold = p.use.reading();
  if (const std::size_t dimension = p.problem.mesh().dimension; points.shape(1) != dimension)
    throw Error(ErrorKind::input,
                {.what = "points of another dimension than the mesh",
                 .found = std::to_string(points.shape(1)) + " coordinates a point",
                 .allowed = std::to_string(dimension)});
  std::vector<double> values;
  {
    const nb::gil_scoped_release released;
    values = p.problem.values_at({points.data(), points.size()}, expression);
  }
  return values_of(std::move(values), points.shape(0));
}

Array<double> values_at_nodes(BoundProblem &p, const std::string &field,
                              const std::string &expression) {
  const auto hold = p.use.reading();
  return values_of(p.problem.values_at_nodes(field, expression), p.problem.field(field).num_nodes);
}

Array<double> values_at_mesh_points(BoundProblem &p, const std::string &expression) {
  const auto hold = p.use.reading();
  const MeshView mesh = p.problem.mesh();
  return values_of(p.problem.values_at_mesh_points(expression),
                   mesh.points.size() / mesh.dimension);
}

void bind_what_it_is_of(nb::class_<BoundProblem> &type) {
  type.def_prop_ro(
          "num_dofs", [](BoundProblem &p) { return p.problem.num_dofs(); },
          "Dofs of all fields: the length of states, residuals and directions.")
      // Both make the equations of a conservation law where they are not made yet.
      .def_prop_ro("is_linear",
                   [](BoundProblem &p) {
                     const auto hold = p.use.reading();
                     return p.problem.is_linear();
                   })
      .def_prop_ro(
          "is_symmetric",
          [](BoundProblem &p) {
            const auto hold = p.use.reading();
            return p.problem.is_symmetric();
          },
          "The Jacobian is known to be symmetric.")
      .def_prop_ro(
          "is_transient", [](BoundProblem &p) { return p.problem.is_transient(); },
          "The case has [time] or [load].")
      .def_prop_ro(
          "device", [](BoundProblem &p) { return p.problem.device(); },
          "The name of the device that computes.")
      .def("_fields", [](BoundProblem &p) { return p.problem.fields(); })
      .def("_field", [](BoundProblem &p, const std::string &name) { return p.problem.field(name); })
      .def("_mesh", &mesh)
      .def("nodes", &nodes, nb::arg("field"),
           "Coordinates of the nodes of a field, [node, dimension].")
      .def(
          "constrained_dofs",
          [](BoundProblem &p) {
            std::vector<std::size_t> dofs = p.problem.constrained_dofs();
            const std::size_t size = dofs.size();
            return array_of(std::vector<std::int64_t>(dofs.begin(), dofs.end()), {size});
          },
          "Dofs prescribed by [dirichlet], ascending: the residual there is u - value.")
      .def(
          "constrained_values",
          [](BoundProblem &p) {
            const auto hold = p.use.reading();
            std::vector<double> values(p.problem.constrained_dofs().size());
            p.problem.constrained_values(values);
            const std::size_t size = values.size();
            return array_of(std::move(values), {size});
          },
          "Their values, parallel to constrained_dofs(), at the time and with the parameters as "
          "they are now.");
}

void bind_state(nb::class_<BoundProblem> &type) {
  type.def("_parameters", [](BoundProblem &p) { return p.problem.parameters(); })
      .def("_parameter",
           [](BoundProblem &p, const std::string &name) { return p.problem.parameter(name); })
      .def("_set_parameters", &set_parameters);

  type.def("_state",
           [](nb::handle self) {
             const std::span<const double> state = of(self).problem.state();
             return view_of(state, {state.size()}, self);
           })
      .def("_set_state", &set_state)
      .def(
          "reset",
          [](BoundProblem &p) {
            const auto hold = p.use.changing();
            p.state_changed();
            p.problem.reset();
          },
          "Back to the initial values, and to the start of [time].")
      .def(
          "keep_solution",
          [](BoundProblem &p) {
            const auto hold = p.use.changing();
            p.problem.keep_solution();
          },
          "Keeps the state, the solution of a stationary problem, for set_first_guess(): the last "
          "four.")
      .def("set_first_guess", &set_first_guess,
           "Sets the state to that combination of the kept solutions whose residual is smallest "
           "with the parameters as they are now. Where parameters stand in loads and prescribed "
           "values of a linear problem alone, it is the solution from the third one on. False "
           "where none is kept, and the state stays.");

  type.def("_solve", &solve, nb::arg("look").none(), nb::arg("must_converge"))
      .def("step", &step, "One accepted step of a transient problem.")
      .def_ro("_state_number", &BoundProblem::state)
      .def_ro("_linearisation", &BoundProblem::linearisation)
      .def_ro("_preconditioner", &BoundProblem::preconditioner);
}

void bind_values(nb::class_<BoundProblem> &type) {
  type.def("functional_names", [](BoundProblem &p) { return p.problem.functional_names(); })
      .def("_functional", &functional)
      .def("_error_estimate", &error_estimate)
      .def("_gradient", &gradient)
      .def("values_at", &values_at, nb::arg("points"), nb::arg("expression"),
           "An expression in the language of cases, of fields, parameters and place, at points "
           "[point, dimension]: [point] of a scalar, else [point, component].")
      .def("values_at_nodes", &values_at_nodes, nb::arg("field"), nb::arg("expression"),
           "The same at the nodes of a field.")
      .def("values_at_mesh_points", &values_at_mesh_points, nb::arg("expression"),
           "The same at the points of mesh().")
      .def("_write",
           [](BoundProblem &p, const std::string &folder) {
             const auto hold = p.use.reading();
             const nb::gil_scoped_release released;
             p.problem.write(folder);
           })
      .def("_report", [](BoundProblem &p) {
        const auto hold = p.use.reading();
        return p.problem.report();
      });
}

} // namespace

void bind_problem(nb::module_ &m) {
  nb::class_<BoundProblem> type(m, "Problem", nb::dynamic_attr());
  type.def("__init__", &construct<std::string>, nb::arg("case_file"), nb::arg("options"))
      .def("__init__", &construct<CaseText>, nb::arg("case"), nb::arg("options"));
  bind_what_it_is_of(type);
  bind_state(type);
  bind_values(type);
  bind_equations(type);
}

} // namespace weft::python
