// What problems are made of: options, cases in memory, meshes of arrays.
#include <cstdint>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "weft/problem.h"

namespace weft::python {

namespace nb = nanobind;

namespace {

template <typename T, std::size_t dimensions>
using Given = nb::ndarray<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

// Copies: a problem has the mesh in an order of its own.
template <typename T> std::vector<T> entries_of(const auto &array) {
  return {array.data(), array.data() + array.size()};
}

} // namespace

void bind_cases(nb::module_ &m) {
  nb::class_<ProblemOptions>(m, "ProblemOptions")
      .def(nb::init<>())
      .def_rw("device", &ProblemOptions::device)
      .def_rw("threads", &ProblemOptions::threads)
      .def_rw("overrides", &ProblemOptions::overrides)
      .def_rw("settable", &ProblemOptions::settable)
      .def_rw("combination", &ProblemOptions::combination)
      .def_rw("variants_file", &ProblemOptions::variants_file)
      .def_rw("tune", &ProblemOptions::tune)
      .def_rw("tune_budget_s", &ProblemOptions::tune_budget_s)
      .def_rw("trust", &ProblemOptions::trust)
      .def_rw("mesh_timeout_s", &ProblemOptions::mesh_timeout_s)
      .def_rw("kernel_timeout_s", &ProblemOptions::kernel_timeout_s);

  nb::class_<MeshArrays>(m, "MeshArrays")
      .def(
          "__init__",
          [](MeshArrays *self, const Given<double, 2> &points) {
            new (self) MeshArrays{.dimension = points.shape(1),
                                  .points = entries_of<double>(points),
                                  .cells = {},
                                  .groups = {}};
          },
          nb::arg("points"), "points: [point, dimension].")
      .def(
          "add_cells",
          [](MeshArrays &mesh, int vtk_type, const Given<std::int64_t, 2> &nodes) {
            mesh.cells.push_back({.vtk_type = vtk_type,
                                  .nodes_per_cell = nodes.shape(1),
                                  .nodes = entries_of<std::int64_t>(nodes)});
          },
          nb::arg("vtk_type"), nb::arg("nodes"),
          "nodes: [cell, node], in VTK's order, numbers of points from 0.")
      .def(
          "add_group",
          [](MeshArrays &mesh, std::string name, const Given<std::int64_t, 1> &cells) {
            mesh.groups.push_back(
                {.name = std::move(name), .cells = entries_of<std::int64_t>(cells)});
          },
          nb::arg("name"), nb::arg("cells"),
          "cells: numbers from 0, all blocks of cells one after the other.");

  nb::class_<CaseText>(m, "CaseText")
      .def(
          "__init__",
          [](CaseText *self, std::string text, std::string directory, std::string name,
             std::optional<MeshArrays> mesh) {
            new (self) CaseText{.text = std::move(text),
                                .directory = std::move(directory),
                                .name = std::move(name),
                                .mesh = std::move(mesh)};
          },
          nb::arg("text"), nb::arg("directory"), nb::arg("name"), nb::arg("mesh").none());
}

} // namespace weft::python
