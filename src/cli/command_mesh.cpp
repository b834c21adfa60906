#include "cli/command_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <set>

#include "base/error.h"
#include "case/user_settings.h"
#include "mesh/build/assemble_cells.h"
#include "mesh/build/cell_graph.h"
#include "mesh/build/unjoined_facets.h"
#include "mesh/gmsh/write_gmsh.h"
#include "mesh/make/make_mesh.h"
#include "mesh/order/cell_order.h"
#include "mesh/statistics/block_statistics.h"
#include "mesh/statistics/group_measures.h"
#include "mesh/statistics/order_statistics.h"
#include "mesh/statistics/quality.h"
#include "options/mesh_timeout_option.h"
#include "options/option_checks.h"
#include "options/trust_option.h"
#include "run/input/user_case.h"

namespace weft {

namespace {

std::string position_text(const double *x, int dim) {
  std::string text;
  for (int d = 0; d < dim; ++d)
    text += fmt::format("{}{:.6g}", d > 0 ? ", " : "", x[d]);
  return "(" + text + ")";
}

void print_counts(const Mesh &mesh) {
  fmt::print("dimension       {}\ngeometry order  {}\nnodes           {}\ncells           {}\n",
             mesh.dim, mesh.geometry_order, mesh.num_nodes(), mesh.num_cells());
  for (const auto &set : mesh.sets)
    fmt::print("  {:<14}{}\n", to_string(set.type), set.num_cells());
  fmt::print("boundary facets {}\n", mesh.num_boundary_facets);
  if (!mesh.periodic_master.empty())
    fmt::print("periodic nodes  {}\n", mesh.periodic_master.size());
  const UnjoinedFacets unjoined = find_unjoined_facets(mesh);
  if (!unjoined.doubled.empty())
    fmt::print("double facets   {} pairs, {} double nodes\n", unjoined.doubled.size(),
               unjoined.double_nodes.size());
  if (!unjoined.overlapping.empty())
    fmt::print("overlapping     {} facets on others, {} hanging nodes\n",
               unjoined.overlapping.size(), unjoined.hanging_nodes.size());
  std::array<double, 3> low = {}, high = {};
  for (std::int64_t i = 0; i < mesh.num_nodes(); ++i)
    for (int d = 0; d < mesh.dim; ++d) {
      const double x = mesh.coordinates[i * mesh.dim + d];
      low[d] = i == 0 ? x : std::min(low[d], x);
      high[d] = i == 0 ? x : std::max(high[d], x);
    }
  fmt::print("extent          {} to {}\n", position_text(low.data(), mesh.dim),
             position_text(high.data(), mesh.dim));
}

// "surfaces 3 7": of the geometry, by which Gmsh's window knows them; empty where the file has
// none.
std::string entities_text(const std::vector<RawLabel> &labels, const std::string &group, int dim) {
  std::set<std::int64_t> entities;
  for (const RawLabel &label : labels)
    if (label.dim == dim && label.entity > 0 &&
        std::find(label.groups.begin(), label.groups.end(), group) != label.groups.end())
      entities.insert(label.entity);
  if (entities.empty())
    return "";
  std::string text = fmt::format(", {}{}", entity_kind(dim), entities.size() > 1 ? "s" : "");
  constexpr std::size_t shown = 8;
  std::size_t count = 0;
  for (const std::int64_t entity : entities)
    if (count++ < shown)
      text += fmt::format(" {}", entity);
  return count > shown ? text + " ..." : text;
}

// What rounding leaves of nothing is nothing.
std::string rounded_position_text(Position x, double scale, int dim) {
  for (double &component : x)
    component = std::abs(component) < 1e-12 * scale ? 0 : component;
  return position_text(x.data(), dim);
}

void print_group(const Mesh &mesh, const GroupMeasure &group, const std::string &entities) {
  static const char *const measures[] = {"", "length", "area", "volume"};
  const char *part = group.dim == mesh.dim       ? "cell"
                     : group.dim == mesh.dim - 1 ? "facet"
                     : group.dim == 1            ? "edge"
                                                 : "point";
  double extent = 0;
  for (const double x : mesh.coordinates)
    extent = std::max(extent, std::abs(x));
  const std::string centre = rounded_position_text(group.centre, extent, mesh.dim);
  fmt::print("  {:<20} {} {}{}", group.name.empty() ? "(no group)" : group.name, group.count, part,
             group.count == 1 ? "" : "s");
  if (group.dim == 0)
    fmt::print("{} at {}", group.count == 1 ? "" : ", their middle", centre);
  else
    fmt::print(", {} {:.6g}, centre {}", measures[group.dim], group.measure, centre);
  if (group.dim == mesh.dim - 1)
    fmt::print(", mean normal {}", rounded_position_text(group.normal, 1, mesh.dim));
  fmt::print("{}\n", entities);
}

void print_groups(const Mesh &mesh, const std::vector<RawLabel> &labels) {
  int dim = mesh.dim + 1;
  for (const GroupMeasure &group : group_measures(mesh)) {
    if (group.dim != dim)
      fmt::print("{}\n", group.dim == mesh.dim       ? "regions"
                         : group.dim == mesh.dim - 1 ? "facet groups"
                         : group.dim == 1            ? "curves"
                                                     : "points");
    dim = group.dim;
    print_group(mesh, group, entities_text(labels, group.name, dim));
  }
}

void print_worst(const Mesh &mesh, const std::vector<std::vector<std::int64_t>> &tags,
                 const char *figure, const QualityRange &range) {
  fmt::print("worst cells by {}\n", figure);
  for (const auto &worst : range.worst) {
    const CellSet &set = mesh.sets[worst.set];
    std::array<double, 3> centre = {};
    const int vertices = num_vertices(set.type);
    for (int v = 0; v < vertices; ++v)
      for (int d = 0; d < mesh.dim; ++d)
        centre[d] += mesh.coordinates[static_cast<std::int64_t>(
                                          set.nodes[worst.cell * set.nodes_per_cell + v]) *
                                          mesh.dim +
                                      d] /
                     vertices;
    const std::vector<std::int64_t> &of_set = tags[worst.set]; // none of a box
    fmt::print("  {:<12.4g} {} {} at {}\n", worst.value, to_string(set.type),
               of_set.empty() ? worst.cell + 1 : of_set[worst.cell],
               position_text(centre.data(), mesh.dim));
  }
}

// The mesh that the command line names.
struct MeshFile {
  std::string file;
  bool trust = false;
  double timeout_s = 3600;

  // Of a case, [mesh] before it is refined, with its groups.
  MeshSpec spec() const {
    if (std::filesystem::path(file).extension() == ".toml") {
      ProblemOptions options;
      options.trust = trust;
      options.mesh_timeout_s = timeout_s;
      return read_user_case(file, options).mesh;
    }
    MeshSpec spec;
    spec.file = file;
    spec.trust = trusts_foreign_code(trust);
    spec.gmsh_timeout_s = timeout_s;
    return spec;
  }
};

void add_mesh_file(CLI::App &command, MeshFile &mesh) {
  command.add_option("file", mesh.file, "Mesh (.msh), geometry (.geo, .step), or a case (.toml)")
      ->required();
  add_trust_option(command, mesh.trust);
  add_mesh_timeout_option(command, mesh.timeout_s);
}

void mesh_info(const MeshSpec &spec, int num_worst) {
  std::vector<std::vector<std::int64_t>> tags;
  std::vector<RawLabel> labels;
  const Mesh mesh = make_mesh_as_it_is(spec, &tags, spec.file ? &labels : nullptr);
  fmt::print("mesh            {}\n", spec.file ? *spec.file : "box");
  print_counts(mesh);
  print_groups(mesh, labels);
  const MeshQuality quality = mesh_quality(mesh, num_worst);
  fmt::print("quality           {:>12} {:>12} {:>12}\n", "min", "mean", "max");
  const auto row = [](const char *name, const QualityRange &range) {
    fmt::print("  {:<16}{:>12.4g} {:>12.4g} {:>12.4g}\n", name, range.minimum, range.mean,
               range.maximum);
  };
  row("volume", quality.volume);
  row("aspect ratio", quality.aspect_ratio);
  row("scaled Jacobian", quality.scaled_jacobian);
  print_worst(mesh, tags, "scaled Jacobian", quality.scaled_jacobian);
  print_worst(mesh, tags, "aspect ratio", quality.aspect_ratio);
  print_worst(mesh, tags, "volume", quality.volume);
}

void mesh_blocks(MeshSpec spec, int leaf_cells) {
  spec.leaf_cells = leaf_cells;
  Timings timings;
  const Mesh mesh = make_mesh(spec, timings);
  fmt::print("{} cells, {} nodes, leaves of {} cells\n", mesh.num_cells(), mesh.num_nodes(),
             leaf_cells);
  fmt::print("{:>7} {:>9} {:>13} {:>10} {:>13} {:>16}\n", "merged", "blocks", "cells", "max nodes",
             "shared nodes", "blocks per node");
  for (int merged = 1; merged <= 256; merged *= 4) {
    const BlockStatistics blocks = block_statistics(mesh, merged);
    fmt::print("{:>7} {:>9} {:>13} {:>10} {:>12.1f}% {:>16.3f}\n", merged, blocks.num_blocks,
               fmt::format("{}..{}", blocks.smallest_cells, blocks.largest_cells),
               blocks.largest_nodes, 100 * blocks.shared_share(mesh), blocks.repetition(mesh));
  }
  for (const auto &[stage, seconds] : timings.stages())
    fmt::print("{}_s {:.3f}\n", stage, seconds);
}

// Blocks of about so many cells that are neighbours through facets: in the file's order, and after
// a partition.
void mesh_partition(const MeshSpec &spec, std::int64_t block_cells) {
  const Mesh mesh = make_mesh_as_it_is(spec);
  const CellGraph graph = make_cell_graph(mesh);
  const CellAdjacency adjacency = make_adjacency(graph.neighbour, graph.num_cells, graph.width);
  const LineReads reads{.width = graph.width};
  fmt::print("{} cells, {} entries, blocks of about {} cells\n", adjacency.num_cells(),
             adjacency.num_entries(), block_cells);
  fmt::print("{:<8} {:>9} {:>15} {:>15} {:>13} {:>15}\n", "order", "blocks", "cells",
             "entries outside", "lines a cell", "effective block");
  const auto row = [&](CellOrder order) {
    const CellOrdering ordering = cell_order(order, adjacency, {}, mesh.dim, block_cells);
    const CellAdjacency ordered = reordered(adjacency, ordering.cells);
    const BlockShare blocks = block_share(
        ordered, ordering.block_offset.empty() ? even_blocks(adjacency.num_cells(), block_cells)
                                               : ordering.block_offset);
    const double lines = line_accesses(ordered, reads);
    fmt::print("{:<8} {:>9} {:>15} {:>14.2f}% {:>13.3f} {:>15.0f}\n", to_string(order),
               blocks.num_blocks,
               fmt::format("{}..{}", blocks.smallest_cells, blocks.largest_cells),
               100 * blocks.outside_share(), lines,
               effective_block_size(lines, adjacency.num_cells(), reads));
  };
  row(CellOrder::natural);
  row(CellOrder::blocks);
  fmt::print("{} bytes a line; a cell reads {:.2f} lines at best, {:.2f} at worst\n",
             reads.line_bytes, reads.fewest_lines(), reads.most_lines());
}

// What the command line says about a box.
struct BoxOptions {
  BoxSpec box;
  std::vector<int> cells;
  std::vector<double> size, origin;
  std::vector<std::string> periodic;
  int order = 1;
  bool ascii = false;
  std::string file;
};

template <typename T>
void copy_per_direction(const char *option, const std::vector<T> &values, int dim,
                        std::array<T, 3> &out) {
  if (values.empty())
    return;
  if (static_cast<int>(values.size()) != dim)
    throw Error(ErrorKind::input, {"The option has the wrong number of values.", option,
                                   std::to_string(values.size()), std::to_string(dim), ""});
  std::copy(values.begin(), values.end(), out.begin());
}

// What is wrong with a box is named by its key of a case: here it is an option.
Mesh make_box_mesh(const MeshSpec &spec, Timings &timings) {
  try {
    return make_mesh(spec, timings);
  } catch (const Error &error) {
    const std::string key = "[mesh] box, ";
    Diagnostic diagnostic = error.diagnostic();
    if (diagnostic.where.starts_with(key))
      diagnostic.where = "--" + diagnostic.where.substr(key.size());
    throw Error(error.kind(), diagnostic);
  }
}

void mesh_box(BoxOptions &options) {
  MeshSpec spec;
  spec.order = options.order;
  BoxSpec &box = options.box;
  box.dim = dimension(cell_type_from_name(box.cell));
  copy_per_direction("--cells", options.cells, box.dim, box.cells);
  copy_per_direction("--size", options.size, box.dim, box.size);
  copy_per_direction("--origin", options.origin, box.dim, box.origin);
  for (const auto &name : options.periodic) {
    const auto direction = std::string("xyz").find(name);
    if (name.size() != 1 || direction == std::string::npos ||
        static_cast<int>(direction) >= box.dim)
      throw Error(ErrorKind::input, {"There is no such direction.", "--periodic", name,
                                     box.dim == 2 ? "x, y" : "x, y, z", ""});
    box.periodic[direction] = true;
  }
  spec.box = box;
  Timings timings;
  const Mesh mesh = make_box_mesh(spec, timings);
  write_gmsh(mesh, options.file, !options.ascii);
  fmt::print("{}: {} {} cells, {} nodes\n", options.file, mesh.num_cells(), box.cell,
             mesh.num_nodes());
}

void add_info(CLI::App &mesh) {
  auto *info = mesh.add_subcommand(
      "info", "Counts, groups and where they are, extent and quality of a mesh");
  auto file = std::make_shared<MeshFile>();
  add_mesh_file(*info, *file);
  auto worst = std::make_shared<int>(5);
  info->add_option("--worst", *worst, "How many of the worst cells are listed")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  info->callback([=] { mesh_info(file->spec(), *worst); });
}

void add_blocks(CLI::App &mesh) {
  auto *blocks = mesh.add_subcommand("blocks", "Blocks of cells and what they share");
  auto file = std::make_shared<MeshFile>();
  add_mesh_file(*blocks, *file);
  auto leaf = std::make_shared<int>(256);
  CLI::Option *of_leaf = blocks->add_option("--leaf", *leaf, "Cells of a leaf block")
                             ->check(number_in(1, 65536))
                             ->capture_default_str();
  auto size = std::make_shared<std::int64_t>(0);
  CLI::Option *of_size =
      blocks
          ->add_option("--size", *size,
                       "Blocks of a partition instead, of about so many cells: entries outside of "
                       "them and cache lines a cell, before and after")
          ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 31))
          ->excludes(of_leaf);
  blocks->callback([=] {
    if (of_size->count() > 0)
      mesh_partition(file->spec(), *size);
    else
      mesh_blocks(file->spec(), *leaf);
  });
}

void add_box(CLI::App &mesh) {
  auto *box = mesh.add_subcommand("box", "Writes the mesh of a box as a Gmsh file");
  auto options = std::make_shared<BoxOptions>();
  box->add_option("-o,--output", options->file, "File to write (MSH 4.1)")->required();
  box->add_option("--cell", options->box.cell,
                  "triangle quadrilateral tetrahedron prism pyramid hexahedron")
      ->check(CLI::IsMember(
          {"triangle", "quadrilateral", "tetrahedron", "prism", "pyramid", "hexahedron"}))
      ->capture_default_str();
  box->add_option("--cells", options->cells, "Box cells in each direction")->required();
  box->add_option("--size", options->size, "Lengths of the sides (1)");
  box->add_option("--origin", options->origin, "Lowest corner (0)");
  box->add_option("--distort", options->box.distort,
                  "Share of a box cell by which inner nodes move, 0 to 0.25")
      ->capture_default_str();
  box->add_option("--periodic", options->periodic, "Periodic directions: x y z");
  box->add_option("--order", options->order, "Order of the geometry, 1 or 2")
      ->check(number_in(1, 2))
      ->capture_default_str();
  box->add_flag("--ascii", options->ascii, "ASCII instead of binary");
  box->callback([=] { mesh_box(*options); });
}

} // namespace

void add_mesh_command(CLI::App &app) {
  auto *mesh = app.add_subcommand("mesh", "Looks at meshes and makes simple ones");
  mesh->require_subcommand(1);
  add_info(*mesh);
  add_box(*mesh);
  add_blocks(*mesh);
}

} // namespace weft
