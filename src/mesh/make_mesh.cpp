#include "mesh/make_mesh.h"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include "base/error.h"
#include "mesh/assemble_cells.h"
#include "mesh/blocks.h"
#include "mesh/box.h"
#include "mesh/mesh_geometry.h"
#include "mesh/periodic.h"
#include "mesh/read_gmsh.h"
#include "mesh/topology.h"

namespace weft {

namespace {

void check_spec(const MeshSpec &spec) {
  const auto fail = [](const char *key, const std::string &found, const char *allowed) {
    throw Error(ErrorKind::input, {"The mesh's description is wrong.", std::string("[mesh] ") + key,
                                   found, allowed, ""});
  };
  if (spec.file.has_value() == spec.box.has_value())
    fail("file, box", spec.file ? "both" : "neither", "one of the two");
  if (spec.order != 1 && spec.order != 2)
    fail("order", std::to_string(spec.order), "1 or 2");
  if (!(spec.scale > 0) || !std::isfinite(spec.scale))
    fail("scale", fmt::format("{}", spec.scale), "a number above 0");
  if (spec.size && (!(*spec.size > 0) || !std::isfinite(*spec.size)))
    fail("size", fmt::format("{}", *spec.size), "a number above 0");
  if (spec.leaf_cells < 1 || spec.leaf_cells > 65536)
    fail("leaf_cells", std::to_string(spec.leaf_cells), "1 to 65536");
}

RawMesh get_raw_mesh(const MeshSpec &spec, Timings &timings) {
  if (spec.box) {
    const StageTimer stage(timings, "mesh_read");
    return make_box(*spec.box);
  }
  std::string path = *spec.file;
  if (!spec.file_place.empty() && !std::filesystem::exists(path))
    throw Error(ErrorKind::input, {"The mesh file does not exist.", spec.file_place, path,
                                   "a .msh, .geo, .step or .stp file",
                                   "check the path; it is relative to the case file"});
  if (is_geometry_file(path)) {
    const StageTimer stage(timings, "mesh_gmsh");
    path = mesh_geometry(path, spec.order, spec.size);
  }
  const StageTimer stage(timings, "mesh_read");
  RawMesh raw = read_gmsh(path);
  raw.file = *spec.file; // what the user knows, not the cache's file
  return raw;
}

} // namespace

Mesh make_mesh(const MeshSpec &spec, Timings &timings) {
  check_spec(spec);
  RawMesh raw = get_raw_mesh(spec, timings);
  Mesh mesh;
  {
    const StageTimer stage(timings, "mesh_read");
    mesh = assemble_cells(raw, spec.order, spec.scale);
  }
  {
    const StageTimer stage(timings, "mesh_blocks");
    order_cells(mesh, spec.leaf_cells);
  }
  const StageTimer stage(timings, "mesh_topology");
  find_facets(mesh, raw);
  find_periodic(mesh, raw, spec.periodic);
  return mesh;
}

Mesh read_mesh_as_it_is(const std::string &file, std::vector<std::vector<std::int64_t>> &tags) {
  MeshSpec spec;
  spec.file = file;
  Timings timings;
  RawMesh raw = get_raw_mesh(spec, timings);
  Mesh mesh = assemble_cells(raw, 0, 1.0, &tags);
  find_facets(mesh, raw);
  find_periodic(mesh, raw, {});
  return mesh;
}

} // namespace weft
