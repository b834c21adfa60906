// VTU files are read back with VTK itself: tests/output/check_vtu.py, run with Debian's Python.
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>

#include "mesh/make/make_mesh.h"
#include "output/vtk/vtk_cells.h"
#include "output/vtk/vtu.h"
#include "support/temporary_folder.h"

namespace weft {
namespace {

using Function = std::function<std::vector<double>(const double *x)>;

double sum(const double *x, int dim) {
  return x[0] + 2 * x[1] - (dim == 3 ? x[2] : 0);
}

Mesh box(const std::string &cell, int geometry_order = 1, double distort = 0, bool periodic = false,
         std::array<int, 3> cells = {3, 2, 2}, std::array<double, 3> size = {1.5, 1, 2}) {
  MeshSpec spec;
  spec.box = BoxSpec{};
  spec.box->cell = cell;
  spec.box->dim = cell == "triangle" || cell == "quadrilateral" ? 2 : 3;
  spec.box->cells = cells;
  spec.box->size = size;
  spec.box->distort = distort;
  spec.box->periodic[0] = periodic;
  spec.order = geometry_order;
  Timings timings;
  return make_mesh(spec, timings);
}

// A discretisation with the node maps that output needs, and nothing else.
Discretisation discretise(const Mesh &mesh, const std::vector<int> &orders) {
  Discretisation d;
  d.mesh = &mesh;
  d.form.dim = mesh.dim;
  d.geometry = make_geometry_map(mesh);
  for (const int order : orders)
    d.maps.push_back(make_node_map(mesh, order));
  return d;
}

OutputField continuous(const std::string &name, const Discretisation &d, std::size_t map,
                       const Function &f) {
  OutputField field{.name = name, .order = d.maps[map].order};
  for (std::int64_t i = 0; i < d.maps[map].num_local; ++i) {
    const auto value = f(&d.maps[map].coordinates[i * d.mesh->dim]);
    field.components = static_cast<int>(value.size());
    field.values.insert(field.values.end(), value.begin(), value.end());
  }
  return field;
}

// Values at each cell's own nodes, from those at the nodes of a map, plus the number of the cell.
OutputField discontinuous(const std::string &name, const Discretisation &d, std::size_t map,
                          const Function &f) {
  OutputField field{.name = name, .discontinuous = true, .order = d.maps[map].order};
  double cell_number = 0;
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s) {
    const NodeMapSet &set = d.maps[map].sets[s];
    const int n = set.element.num_nodes();
    for (std::int64_t c = 0; c < d.mesh->sets[s].num_cells(); ++c, ++cell_number)
      for (int i = 0; i < n; ++i)
        field.values.push_back(f(&d.maps[map].coordinates[set.nodes[c * n + i] * d.mesh->dim])[0] +
                               cell_number);
  }
  return field;
}

// The same on a map of nodal elements; `step`: what each cell adds to the one before.
OutputField nodal(const std::string &name, const Mesh &mesh, const NodeMap &map, double step,
                  const Function &f) {
  OutputField field{.name = name, .discontinuous = true, .nodal = true, .order = map.order};
  double cell_number = 0;
  for (const NodeMapSet &set : map.sets) {
    const int n = set.element.num_nodes();
    for (std::size_t i = 0; i < set.nodes.size(); ++i) {
      for (const double value : f(&map.coordinates[set.nodes[i] * mesh.dim]))
        field.values.push_back(value + step * cell_number);
      cell_number += (i + 1) % n == 0 ? 1 : 0;
    }
  }
  field.components = static_cast<int>(field.values.size() / map.num_local);
  return field;
}

void check(const std::string &path, const Mesh &mesh, std::int64_t points,
           const std::string &options) {
  const std::string command =
      fmt::format("/usr/bin/python3 " WEFT_SOURCE_DIR "/tests/output/check_vtu.py {} --cells {} "
                  "--points {} --dim {} {}",
                  path, mesh.num_cells(), points, mesh.dim, options);
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

struct CellAndOrder {
  const char *cell;
  int order;
};

class VtuContinuous : public testing::TestWithParam<CellAndOrder> {};

// A polynomial of the element's degree comes out exactly at VTK's parametric points, which only the
// right order of the nodes gives; a vector and a matrix go with it.
TEST_P(VtuContinuous, VtkReadsIt) {
  const auto [cell, order] = GetParam();
  const Mesh mesh = box(cell);
  const Discretisation d = discretise(mesh, {order});
  const int dim = mesh.dim;
  const auto power = [&](const double *x) { return std::vector{std::pow(sum(x, dim), order)}; };
  const auto vector = [&](const double *x) { return std::vector<double>(x, x + dim); };
  const auto matrix = [&](const double *x) {
    std::vector<double> values;
    for (int i = 1; i <= dim; ++i)
      for (int j = 1; j <= dim; ++j)
        values.push_back(i * j * sum(x, dim));
    return values;
  };
  const TemporaryFolder folder;
  const std::string path = folder.file("fields.vtu");
  write_vtu(path, d,
            {continuous("power", d, 0, power), continuous("vector", d, 0, vector),
             continuous("matrix", d, 0, matrix)});
  EXPECT_EQ(folder.num_files(), 1);
  const std::string measure = order > 1 ? "" : dim == 2 ? "--measure 1.5" : "--measure 3";
  check(path, mesh, d.maps[0].num_local,
        fmt::format("--degree {} --affine --exact {}", order, measure));
}

INSTANTIATE_TEST_SUITE_P(
    All, VtuContinuous,
    testing::Values(CellAndOrder{"triangle", 1}, CellAndOrder{"triangle", 2},
                    CellAndOrder{"triangle", 3}, CellAndOrder{"triangle", 4},
                    CellAndOrder{"quadrilateral", 1}, CellAndOrder{"quadrilateral", 2},
                    CellAndOrder{"quadrilateral", 3}, CellAndOrder{"quadrilateral", 4},
                    CellAndOrder{"tetrahedron", 1}, CellAndOrder{"tetrahedron", 2},
                    CellAndOrder{"tetrahedron", 3}, CellAndOrder{"tetrahedron", 4},
                    CellAndOrder{"hexahedron", 1}, CellAndOrder{"hexahedron", 2},
                    CellAndOrder{"hexahedron", 3}, CellAndOrder{"hexahedron", 4},
                    CellAndOrder{"prism", 1}, CellAndOrder{"prism", 2}, CellAndOrder{"pyramid", 1},
                    CellAndOrder{"pyramid", 2}, CellAndOrder{"triangle", 6},
                    CellAndOrder{"quadrilateral", 7}, CellAndOrder{"hexahedron", 5},
                    CellAndOrder{"hexahedron", 8}, CellAndOrder{"prism", 5}),
    [](const auto &info) { return fmt::format("{}_{}", info.param.cell, info.param.order); });

class VtuNodal : public testing::TestWithParam<CellAndOrder> {};

// Values at the nodes of nodal elements become those at the nodes of Lagrange cells.
TEST_P(VtuNodal, VtkReadsIt) {
  const auto [cell, order] = GetParam();
  // Values of size 1, so that the tolerances of the check hold for any order.
  const Mesh mesh = box(cell, 1, 0, false, {2, 1, 1}, {0.4, 0.2, 0.3});
  Discretisation d = discretise(mesh, {});
  d.maps.push_back(make_discontinuous_map(mesh, order));
  const int dim = mesh.dim;
  const auto power = [&](const double *x) { return std::vector{std::pow(sum(x, dim), order)}; };
  const auto linear = [&](const double *x) { return std::vector{sum(x, dim)}; };
  const auto vector = [&](const double *x) { return std::vector<double>(x, x + dim); };
  const TemporaryFolder folder;
  const std::string path = folder.file("fields.vtu");
  write_vtu(path, d,
            {nodal("power", mesh, d.maps[0], 0, power), nodal("jump", mesh, d.maps[0], 1, linear),
             nodal("vector", mesh, d.maps[0], 0, vector)});
  check(path, mesh, d.maps[0].num_local, fmt::format("--degree {} --affine --exact", order));
}

std::vector<CellAndOrder> nodal_elements() {
  std::vector<CellAndOrder> result;
  for (const char *cell : {"triangle", "quadrilateral", "tetrahedron", "prism", "hexahedron"})
    for (const int order : {1, 2, 3, 5, 6, 9})
      result.push_back({cell, order});
  return result;
}

INSTANTIATE_TEST_SUITE_P(All, VtuNodal, testing::ValuesIn(nodal_elements()), [](const auto &info) {
  return fmt::format("{}_{}", info.param.cell, info.param.order);
});

// A nodal field of order 0 is cell data; on curved geometry the grid is of its order.
TEST(Vtu, NodalOrder0) {
  const Mesh mesh = box("prism", 2);
  Discretisation d = discretise(mesh, {2});
  d.maps.push_back(make_discontinuous_map(mesh, 0));
  const auto zero = [](const double *) { return std::vector{0.0}; };
  const TemporaryFolder folder;
  const std::string path = folder.file("fields.vtu");
  write_vtu(path, d, {nodal("cell_value", mesh, d.maps[1], 1, zero)});
  check(path, mesh, d.maps[0].num_local, "--affine");
}

class VtuCells : public testing::TestWithParam<const char *> {};

TEST_P(VtuCells, DiscontinuousDataGivesEachCellItsOwnPoints) {
  const Mesh mesh = box(GetParam(), 1, 0.2);
  const Discretisation d = discretise(mesh, {1, 2});
  const auto linear = [&](const double *x) { return std::vector{sum(x, mesh.dim)}; };
  const TemporaryFolder folder;
  const std::string path = folder.file("fields.vtu");
  write_vtu(path, d, {continuous("linear", d, 1, linear), discontinuous("jump", d, 0, linear)});
  const auto nodes = vtk_nodes(mesh.sets[0].type, 2).size() / mesh.dim;
  check(path, mesh, mesh.num_cells() * static_cast<std::int64_t>(nodes), "");
}

TEST_P(VtuCells, LinearFieldOnCurvedGeometry) {
  Mesh mesh = box(GetParam(), 2);
  for (std::size_t i = 0; i < mesh.coordinates.size(); i += mesh.dim)
    mesh.coordinates[i + 1] += 0.1 * mesh.coordinates[i] * mesh.coordinates[i];
  const Discretisation d = discretise(mesh, {2, 1});
  const auto linear = [&](const double *x) { return std::vector{sum(x, mesh.dim)}; };
  const auto square = [&](const double *x) { return std::vector{std::pow(sum(x, mesh.dim), 2)}; };
  const TemporaryFolder folder;
  const std::string path = folder.file("fields.vtu");
  write_vtu(path, d, {continuous("linear", d, 0, linear), continuous("power", d, 0, square)});
  check(path, mesh, d.maps[0].num_local, "--degree 2");
}

TEST_P(VtuCells, FieldOfLowerOrderIsInterpolated) {
  const Mesh mesh = box(GetParam());
  const Discretisation d = discretise(mesh, {2, 1});
  const auto linear = [&](const double *x) { return std::vector{sum(x, mesh.dim)}; };
  const auto square = [&](const double *x) { return std::vector{std::pow(sum(x, mesh.dim), 2)}; };
  OutputField cell_value{.name = "cell_value", .discontinuous = true, .order = 0};
  for (int c = 0; c < mesh.num_cells(); ++c)
    cell_value.values.push_back(c);
  const TemporaryFolder folder;
  const std::string path = folder.file("fields.vtu");
  write_vtu(path, d,
            {continuous("linear", d, 1, linear), continuous("power", d, 0, square), cell_value});
  check(path, mesh, d.maps[0].num_local, "--degree 2 --affine");
}

INSTANTIATE_TEST_SUITE_P(All, VtuCells,
                         testing::Values("triangle", "quadrilateral", "tetrahedron", "hexahedron",
                                         "prism", "pyramid"),
                         [](const auto &info) { return std::string(info.param); });

// The ends of a periodic box share their nodes; in the file each cell has its own points.
TEST(Vtu, PeriodicBoxIsNotFolded) {
  const Mesh mesh = box("quadrilateral", 1, 0, true);
  const Discretisation d = discretise(mesh, {1});
  const auto y = [](const double *x) { return std::vector{x[1]}; };
  const TemporaryFolder folder;
  const std::string path = folder.file("fields.vtu");
  write_vtu(path, d, {continuous("height", d, 0, y)});
  check(path, mesh, 4 * mesh.num_cells(), "--affine --measure 1.5");
}

const char *const mixed_mesh = R"msh($MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
5
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
5 2 0.5 0
$EndNodes
$Elements
2
1 3 2 1 1 1 2 3 4
2 2 2 2 2 2 5 3
$EndElements
)msh";

TEST(Vtu, SeveralCellTypes) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("mixed.msh")) << mixed_mesh;
  MeshSpec spec;
  spec.file = folder.file("mixed.msh");
  Timings timings;
  const Mesh mesh = make_mesh(spec, timings);
  const Discretisation d = discretise(mesh, {3, 1});
  const auto linear = [](const double *x) { return std::vector{sum(x, 2)}; };
  const auto cube = [](const double *x) { return std::vector{std::pow(sum(x, 2), 3)}; };
  write_vtu(folder.file("shared.vtu"), d,
            {continuous("power", d, 0, cube), continuous("linear", d, 1, linear)});
  check(folder.file("shared.vtu"), mesh, d.maps[0].num_local, "--degree 3 --affine --exact");
  write_vtu(folder.file("apart.vtu"), d,
            {continuous("power", d, 0, cube), discontinuous("jump", d, 1, linear)});
  check(folder.file("apart.vtu"), mesh, 16 + 10, "--degree 3 --affine --exact");
}

TEST(Vtu, NamesAreEscaped) {
  const Mesh mesh = box("triangle");
  const Discretisation d = discretise(mesh, {1});
  const TemporaryFolder folder;
  const auto one = [](const double *) { return std::vector{1.0}; };
  write_vtu(folder.file("fields.vtu"), d, {continuous("a<b & \"c\"", d, 0, one)});
  check(folder.file("fields.vtu"), mesh, d.maps[0].num_local, "--affine");
}

TEST(Pvd, ListsTimesAndFiles) {
  const TemporaryFolder folder;
  write_pvd(folder.file("fields.pvd"), {{0, "fields_0.vtu"}, {0.1, "fields_1.vtu"}});
  const std::string text = folder.read("fields.pvd");
  EXPECT_NE(text.find("<DataSet timestep=\"0.1\" part=\"0\" file=\"fields_1.vtu\"/>"),
            std::string::npos)
      << text;
}

} // namespace
} // namespace weft
