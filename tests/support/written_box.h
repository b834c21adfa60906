// Fields on a box, written as a run does.
#pragma once

#include <functional>
#include <string>

#include "mesh/make/make_mesh.h"
#include "output/vtk/vtu.h"

namespace weft {

using FieldOfPlace = std::function<std::vector<double>(const double *x)>;

struct WrittenBox {
  std::string cell = "tetrahedron";
  int order = 1; // of the field's element
  bool discontinuous =
      false; // each cell has its points; values are those of the place all the same
  std::array<int, 3> cells = {3, 2, 2};
  std::array<double, 3> size = {1.5, 1, 2};
  double distort = 0;
};

// One VTU file with the field `u`.
inline void write_box(const std::string &path, const WrittenBox &box, const FieldOfPlace &f) {
  MeshSpec spec;
  spec.box = BoxSpec{};
  spec.box->cell = box.cell;
  spec.box->dim = box.cell == "triangle" || box.cell == "quadrilateral" ? 2 : 3;
  spec.box->cells = box.cells;
  spec.box->size = box.size;
  spec.box->distort = box.distort;
  Timings timings;
  const Mesh mesh = make_mesh(spec, timings);
  Discretisation d;
  d.mesh = &mesh;
  d.form.dim = mesh.dim;
  d.geometry = make_geometry_map(mesh);
  d.maps.push_back(make_node_map(mesh, box.order));
  OutputField field{.name = "u", .discontinuous = box.discontinuous, .order = box.order};
  const auto add = [&](std::int64_t node) {
    const auto value = f(&d.maps[0].coordinates[node * mesh.dim]);
    field.components = static_cast<int>(value.size());
    field.values.insert(field.values.end(), value.begin(), value.end());
  };
  if (box.discontinuous)
    for (const NodeMapSet &set : d.maps[0].sets)
      for (const std::int32_t node : set.nodes)
        add(node);
  else
    for (std::int64_t node = 0; node < d.maps[0].num_local; ++node)
      add(node);
  write_vtu(path, d, {field});
}

} // namespace weft
