#include "mesh/make/make_mesh.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/names.h"
#include "mesh/build/assemble_cells.h"
#include "mesh/build/box.h"
#include "mesh/build/periodic.h"
#include "mesh/build/topology.h"
#include "mesh/gmsh/mesh_geometry.h"
#include "mesh/gmsh/read_gmsh.h"
#include "mesh/make/place_groups.h"
#include "mesh/order/blocks.h"
#include "mesh/refine/refine.h"

namespace weft {

namespace {

RawMesh get_raw_mesh(const MeshSpec &spec, Timings &timings) {
  if (spec.box) {
    const StageTimer stage(timings, "mesh_read");
    return make_box(*spec.box);
  }
  if (spec.in_memory)
    return *spec.in_memory;
  const std::string &path = *spec.file;
  if (!spec.file_place.empty() && !std::filesystem::exists(path))
    throw Error(ErrorKind::input, {"there is no such mesh file", spec.file_place, path,
                                   "a .msh, .geo, .step or .stp file",
                                   "check the path; it is relative to the case file"});
  std::optional<GmshSource> source;
  if (is_geometry_file(path)) {
    const StageTimer stage(timings, "mesh_gmsh");
    source = mesh_geometry(path, {.order = spec.order,
                                  .size = spec.size,
                                  .trust = spec.trust,
                                  .timeout_s = spec.gmsh_timeout_s});
  }
  const StageTimer stage(timings, "mesh_read");
  RawMesh raw = source ? read_gmsh(std::move(*source)) : read_gmsh(path);
  raw.file = path; // what the user knows, not the cache's file
  if (!raw.groups_without_elements.empty())
    log::notice("{}: physical groups without an element: {}; what they name is not in the mesh",
                path, join_names(raw.groups_without_elements));
  return raw;
}

// The cells, with the groups of the file and those by place.
Mesh make_cells(RawMesh &raw, const MeshSpec &spec, int order, Timings &timings) {
  const StageTimer stage(timings, "mesh_read");
  Mesh mesh = assemble_cells(raw, order, spec.scale);
  add_place_groups(spec, mesh, raw);
  return mesh;
}

// What is done with cells in their final places. Returns the periodic links.
std::vector<PeriodicLink> find_topology(Mesh &mesh, RawMesh &raw, const MeshSpec &spec,
                                        Timings &timings) {
  const StageTimer stage(timings, "mesh_topology");
  find_facets(mesh, raw);
  std::vector<PeriodicLink> links = periodic_links(mesh, raw, spec.periodic);
  mesh.periodic_master = joined_nodes(mesh, links);
  return links;
}

void finish(Mesh &mesh, RawMesh &raw, const MeshSpec &spec, Timings &timings) {
  {
    const StageTimer stage(timings, "mesh_blocks");
    order_cells(mesh, spec.leaf_cells);
  }
  find_topology(mesh, raw, spec, timings);
}

// Takes the places of vertices of a coarser box from those of the finer mesh.
void place_vertices(const Mesh &fine, CoarserMesh &level) {
  for (std::int64_t node = 0; node < fine.num_nodes(); ++node) {
    const auto parents = level.parents.of(node);
    if (parents.size() == 1)
      std::copy_n(&fine.coordinates[node * fine.dim], fine.dim,
                  &level.mesh.coordinates[std::int64_t(parents[0]) * fine.dim]);
  }
}

// The box with half the cells; none with groups by place, whose parts may straddle its cells.
std::optional<BoxSpec> next_box(const MeshSpec &spec) {
  return spec.box && spec.groups.empty() ? coarser_box(*spec.box) : std::nullopt;
}

// The coarser boxes under `finest`, the mesh of the box, from the finest of them.
std::vector<CoarserMesh> make_coarser_boxes(const MeshSpec &spec, const Mesh &finest,
                                            Timings &timings) {
  std::vector<CoarserMesh> levels;
  MeshSpec coarse = spec;
  coarse.order = 1;
  while (const auto box = next_box(coarse)) {
    const Mesh &finer = levels.empty() ? finest : levels.back().mesh;
    CoarserMesh level{{}, box_parents(*coarse.box)};
    level.parents.first.resize(finer.num_nodes() + 1, level.parents.first.back());
    coarse.box = box;
    RawMesh raw = make_box(*box);
    level.mesh = make_cells(raw, coarse, 1, timings);
    place_vertices(finer, level);
    finish(level.mesh, raw, coarse, timings);
    levels.push_back(std::move(level));
  }
  return levels;
}

} // namespace

void check_mesh_spec(const MeshSpec &spec) {
  const auto fail = [](const char *key, const std::string &found, const char *allowed) {
    throw Error(ErrorKind::input, {"The mesh's description is wrong.", std::string("[mesh] ") + key,
                                   found, allowed, ""});
  };
  if (!spec.in_memory && spec.file.has_value() == spec.box.has_value())
    fail("file, box", spec.file ? "both" : "neither", "one of the two");
  if (spec.order != 1 && spec.order != 2)
    fail("order", std::to_string(spec.order), "1 or 2");
  if (!(spec.scale > 0) || !std::isfinite(spec.scale))
    fail("scale", fmt::format("{}", spec.scale), "a number above 0");
  if (spec.size && (!(*spec.size > 0) || !std::isfinite(*spec.size)))
    fail("size", fmt::format("{}", *spec.size), "a number above 0");
  if (spec.refine < 0 || spec.refine > 12)
    fail("refine", std::to_string(spec.refine), "0 to 12");
  if (spec.leaf_cells < 1 || spec.leaf_cells > 65536)
    fail("leaf_cells", std::to_string(spec.leaf_cells), "1 to 65536");
}

Mesh make_mesh(const MeshSpec &spec, Timings &timings, std::vector<CoarserMesh> *coarser) {
  check_mesh_spec(spec);
  RawMesh raw = get_raw_mesh(spec, timings);
  Mesh mesh = make_cells(raw, spec, spec.order, timings);
  std::vector<CoarserMesh> levels; // from the coarsest
  for (int i = 0; i < spec.refine; ++i) {
    if (i == 0 || coarser) { // the first also finds what is wrong with the mesh
      RawMesh rest = raw;
      levels.push_back({mesh, {}});
      finish(levels.back().mesh, rest, spec, timings);
    }
    const StageTimer stage(timings, "mesh_refine");
    levels.back().parents = refine(mesh, raw);
  }
  finish(mesh, raw, spec, timings);
  if (coarser) {
    std::vector<CoarserMesh> boxes;
    if (spec.box)
      boxes = make_coarser_boxes(spec, levels.empty() ? mesh : levels.front().mesh, timings);
    coarser->assign(std::move_iterator(levels.rbegin()), std::move_iterator(levels.rend()));
    std::move(boxes.begin(), boxes.end(), std::back_inserter(*coarser));
  }
  return mesh;
}

WholeMesh make_whole_mesh(const MeshSpec &spec, std::int64_t least_cells, Timings &timings) {
  check_mesh_spec(spec);
  RawMesh raw = get_raw_mesh(spec, timings);
  WholeMesh whole;
  Mesh &mesh = whole.mesh;
  mesh = make_cells(raw, spec, spec.order, timings);
  whole.refinements_left = spec.refine;
  bool is_checked = false;
  for (; whole.refinements_left > 0 && mesh.num_cells() < least_cells; --whole.refinements_left) {
    if (!std::exchange(is_checked, true)) { // finds what is wrong with the mesh
      Mesh checked = mesh;
      RawMesh rest = raw;
      find_topology(checked, rest, spec, timings);
    }
    const StageTimer stage(timings, "mesh_refine");
    refine(mesh, raw);
  }
  whole.links = find_topology(mesh, raw, spec, timings);
  return whole;
}

Mesh make_whole_mesh(const MeshSpec &spec, Timings &timings) {
  return make_whole_mesh(spec, std::numeric_limits<std::int64_t>::max(), timings).mesh;
}

void require_coarser_mesh(const MeshSpec &spec) {
  if (spec.refine > 0 || next_box(spec))
    return;
  std::string found = "a mesh of a file, not refined";
  if (spec.box) {
    found = "a box of";
    for (int d = 0; d < spec.box->dim; ++d)
      found += fmt::format("{} {}", d > 0 ? " x" : "", spec.box->cells[d]);
    found += spec.groups.empty() ? " cells, not refined" : " cells with groups, not refined";
  }
  throw Error(ErrorKind::input,
              {"The mesh has no coarser one for geometric multigrid.", "[mesh]", found,
               "refine = 1 or more, or a box whose numbers of cells are even (in periodic "
               "directions 6 or more) and that has no [mesh] groups",
               "describe a coarser mesh and refine it, choose even numbers of cells, or let the "
               "matrix be coarsened by aggregation"});
}

Mesh make_mesh_as_it_is(const MeshSpec &spec, std::vector<std::vector<std::int64_t>> *tags,
                        std::vector<RawLabel> *labels) {
  Timings timings;
  RawMesh raw = get_raw_mesh(spec, timings);
  if (labels)
    *labels = raw.labels;
  Mesh mesh = assemble_cells(raw, 0, spec.scale, tags);
  add_place_groups(spec, mesh, raw);
  find_facets(mesh, raw);
  mesh.periodic_master = joined_nodes(mesh, raw.periodic);
  return mesh;
}

} // namespace weft
