#include "output/vtk/vtu.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/markup.h"
#include "base/number.h"
#include "base/parallel.h"
#include "base/system/atomic_file.h"
#include "output/vtk/cell_interpolation.h"
#include "output/vtk/vtk_cells.h"

namespace weft {

namespace {

// A run of equal tuples of an array: fill(i, out) writes the i-th.
struct Segment {
  std::int64_t tuples = 0;
  std::int64_t tuple_bytes = 0;
  std::function<void(std::int64_t, char *)> fill;
};

// A DataArray element: its bytes are made while they are written, so that a mesh is never held
// twice.
struct DataArray {
  std::string name;
  const char *type = "Float64";
  int components = 1;
  std::vector<Segment> segments;

  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const Segment &s : segments)
      sum += static_cast<std::uint64_t>(s.tuples) * static_cast<std::uint64_t>(s.tuple_bytes);
    return sum;
  }
};

template <typename T> void put(char *&out, T value) {
  std::memcpy(out, &value, sizeof value);
  out += sizeof value;
}

// The cells of a set as VTK's grid has them.
struct GridSet {
  const CellSet *cells = nullptr;
  std::int64_t num_cells = 0; // of this rank: the first ones of the set
  int vtk_type = 0;
  int num_nodes = 0;            // of a cell in VTK
  std::vector<int> order;       // [vtk node]: node of the shared map's element; shared only
  std::int64_t first_cell = 0;  // of all cells
  std::int64_t first_point = 0; // apart only
};

// Points: those of a node map, shared by cells, or each cell's own ("apart").
struct Grid {
  const Discretisation *d = nullptr;
  int order = 1;
  const NodeMap *shared = nullptr; // null: apart
  std::vector<std::int32_t> nodes; // of a part of a mesh: [point]: its node of the shared map
  std::vector<std::int32_t> point_of_node; // parallel to the nodes of the map; -1: no cell's
  std::vector<GridSet> sets;
  std::int64_t num_cells = 0;
  std::int64_t num_points = 0;

  std::int64_t point(std::int32_t node) const {
    return point_of_node.empty() ? node : point_of_node[node];
  }
};

// The continuous map of an order.
const NodeMap *find_map(const Discretisation &d, int order) {
  for (const NodeMap &map : d.maps)
    if (map.order == order && !map.discontinuous)
      return &map;
  return d.geometry.order == order ? &d.geometry : nullptr;
}

// The nodes that cells of this rank have are the points, in their order.
void leave_out_nodes_of_others(Grid &grid) {
  grid.point_of_node.assign(grid.shared->num_local, -1);
  for (std::size_t s = 0; s < grid.sets.size(); ++s) {
    const NodeMapSet &map = grid.shared->sets[s];
    const std::int64_t count = grid.sets[s].num_cells * map.element.num_nodes();
    for (std::int64_t i = 0; i < count; ++i)
      grid.point_of_node[map.nodes[i]] = 0;
  }
  for (std::size_t node = 0; node < grid.point_of_node.size(); ++node)
    if (grid.point_of_node[node] == 0) {
      grid.point_of_node[node] = static_cast<std::int32_t>(grid.nodes.size());
      grid.nodes.push_back(static_cast<std::int32_t>(node));
    }
}

Grid make_grid(const Discretisation &d, const std::vector<OutputField> &fields) {
  Grid grid;
  grid.d = &d;
  grid.order = d.mesh->geometry_order;
  // Joined by periodicity, the two ends of the domain have one node, which has one place only.
  bool apart = !d.mesh->periodic_master.empty();
  for (const OutputField &field : fields) {
    grid.order = std::max(grid.order, field.order);
    apart = apart || (field.discontinuous && field.order > 0);
  }
  if (!apart)
    grid.shared = find_map(d, grid.order);
  for (const CellSet &cells : d.mesh->sets) {
    GridSet set;
    set.cells = &cells;
    set.num_cells = num_own_cells(*d.mesh, grid.sets.size());
    set.vtk_type = vtk_cell_type(cells.type, grid.order);
    set.num_nodes = static_cast<int>(vtk_nodes(cells.type, grid.order).size()) / d.mesh->dim;
    if (grid.shared != nullptr)
      set.order = vtk_node_order(grid.shared->sets[grid.sets.size()].element);
    set.first_cell = grid.num_cells;
    set.first_point = grid.num_points;
    grid.num_cells += set.num_cells;
    grid.num_points += set.num_cells * set.num_nodes;
    grid.sets.push_back(std::move(set));
  }
  if (grid.shared != nullptr && d.mesh->share)
    leave_out_nodes_of_others(grid);
  if (grid.shared != nullptr)
    grid.num_points =
        d.mesh->share ? static_cast<std::int64_t>(grid.nodes.size()) : grid.shared->num_local;
  return grid;
}

// VTK's vectors have three components and its tensors nine.
int padded_components(int components, int dim) {
  return dim == 2 && components == 2 ? 3 : dim == 2 && components == 4 ? 9 : components;
}

void put_padded(char *&out, const double *values, int components, int dim) {
  const int padded = padded_components(components, dim);
  if (padded == components) {
    std::memcpy(out, values, components * sizeof(double));
    out += components * sizeof(double);
    return;
  }
  // Rows of two in rows of three: a vector is one row.
  for (int k = 0; k < padded; ++k) {
    const int row = k / 3, column = k % 3;
    put(out, row < 2 && column < 2 && 2 * row < components ? values[2 * row + column] : 0.0);
  }
}

// One tuple after the other.
Segment values_in_order(std::int64_t count, const double *values, int components, int dim) {
  return {count, padded_components(components, dim) * 8, [=](std::int64_t i, char *out) {
            put_padded(out, values + i * components, components, dim);
          }};
}

// Values at nodes shared by cells, [node, component], at the grid's points.
Segment shared_values(const Grid &grid, const double *values, int components, int dim) {
  if (grid.nodes.empty())
    return values_in_order(grid.num_points, values, components, dim);
  return {grid.num_points, padded_components(components, dim) * 8,
          [=, nodes = grid.nodes.data()](std::int64_t i, char *out) {
            put_padded(out, values + std::int64_t{nodes[i]} * components, components, dim);
          }};
}

// The same, for values that are made here and kept by the segment.
Segment owned_values(const Grid &grid, std::vector<double> values, int components, int dim) {
  const auto kept = std::make_shared<std::vector<double>>(std::move(values));
  Segment segment = shared_values(grid, kept->data(), components, dim);
  segment.fill = [kept, fill = std::move(segment.fill)](std::int64_t i, char *out) {
    fill(i, out);
  };
  return segment;
}

// One cell's values at the grid's nodes: value(i) is at element node i, out is [vtk node,
// component].
template <typename Value>
void interpolate(const CellInterpolation &interpolation, int components, Value value, double *out) {
  thread_local std::vector<double> at_nodes;
  at_nodes.resize(static_cast<std::size_t>(interpolation.num_nodes()) * components);
  for (int i = 0; i < interpolation.num_nodes(); ++i)
    std::copy_n(value(i), components, &at_nodes[static_cast<std::size_t>(i) * components]);
  interpolation.apply(at_nodes.data(), components, out);
}

// The same for each cell of a set, as a segment: value(cell, i) is at element node i.
template <typename Value>
Segment cell_values(const GridSet &set, const Element &element, int vtk_order, int components,
                    int dim, Value value) {
  const int n = set.num_nodes;
  return {set.num_cells, std::int64_t{8} * n * padded_components(components, dim),
          [=, interpolation = CellInterpolation(element, vtk_order)](std::int64_t cell, char *out) {
            thread_local std::vector<double> at_points;
            at_points.resize(static_cast<std::size_t>(n) * components);
            interpolate(
                interpolation, components, [&](int i) { return value(cell, i); }, at_points.data());
            for (int v = 0; v < n; ++v)
              put_padded(out, &at_points[v * components], components, dim);
          }};
}

// Values on a node map, at the grid's nodes of each cell.
Segment mapped_cell_values(const GridSet &set, const NodeMapSet &map, int vtk_order,
                           const double *values, int components, int dim) {
  const std::int32_t *nodes = map.nodes.data();
  const int per_cell = map.element.num_nodes();
  return cell_values(set, map.element, vtk_order, components, dim, [=](std::int64_t cell, int i) {
    return values + std::int64_t{nodes[cell * per_cell + i]} * components;
  });
}

// Of each node of the shared grid one cell that has it, numbered over all sets.
std::vector<std::int32_t> cells_of_nodes(const Grid &grid) {
  std::vector<std::int32_t> cells(grid.shared->num_local, -1);
  for (std::size_t s = 0; s < grid.sets.size(); ++s) {
    const NodeMapSet &shared = grid.shared->sets[s];
    const int per_cell = shared.element.num_nodes();
    for (std::int64_t i = 0; i < grid.sets[s].num_cells * per_cell; ++i)
      cells[shared.nodes[i]] = static_cast<std::int32_t>(grid.sets[s].first_cell + i / per_cell);
  }
  return cells;
}

// Values on `map` at all nodes of the shared grid, whose order is higher or whose nodes are not at
// equal distances.
std::vector<double> values_on_shared_nodes(const Grid &grid, const NodeMap &map,
                                           const double *values, int components) {
  std::vector<double> result(grid.shared->num_local * components);
  const std::vector<std::int32_t> cell_of = cells_of_nodes(grid);
  for (std::size_t s = 0; s < grid.sets.size(); ++s) {
    const GridSet &set = grid.sets[s];
    const NodeMapSet &from = map.sets[s], &shared = grid.shared->sets[s];
    const int per_cell = from.element.num_nodes(), shared_per_cell = shared.element.num_nodes();
    const CellInterpolation interpolation(from.element, grid.order);
    const auto fill = [&](std::int64_t begin, std::int64_t end, int) {
      std::vector<double> at_points(static_cast<std::size_t>(set.num_nodes) * components);
      for (std::int64_t c = begin; c < end; ++c) {
        interpolate(
            interpolation, components,
            [&](int i) { return &values[std::int64_t{from.nodes[c * per_cell + i]} * components]; },
            at_points.data());
        for (int v = 0; v < set.num_nodes; ++v) {
          const std::int64_t node = shared.nodes[c * shared_per_cell + set.order[v]];
          if (cell_of[node] == set.first_cell + c)
            std::copy_n(&at_points[v * components], components, &result[node * components]);
        }
      }
    };
    parallel_ranges(set.num_cells, fill);
  }
  return result;
}

DataArray points_array(const Grid &grid) {
  DataArray array{.name = "Points", .components = 3};
  const int dim = grid.d->mesh->dim;
  const NodeMap &geometry = grid.d->geometry;
  if (grid.shared != nullptr) {
    if (grid.order <= highest_equispaced_order)
      array.segments = {shared_values(grid, grid.shared->coordinates.data(), dim, dim)};
    else
      array.segments = {owned_values(
          grid, values_on_shared_nodes(grid, geometry, geometry.coordinates.data(), dim), dim,
          dim)};
    return array;
  }
  for (std::size_t s = 0; s < grid.sets.size(); ++s)
    array.segments.push_back(mapped_cell_values(grid.sets[s], geometry.sets[s], grid.order,
                                                geometry.coordinates.data(), dim, dim));
  return array;
}

DataArray connectivity_array(const Grid &grid) {
  DataArray array{.name = "connectivity", .type = "Int64"};
  for (std::size_t s = 0; s < grid.sets.size(); ++s) {
    const GridSet &set = grid.sets[s];
    const int n = set.num_nodes;
    Segment segment{set.num_cells, std::int64_t{8} * n, {}};
    if (grid.shared == nullptr)
      segment.fill = [first = set.first_point, n](std::int64_t cell, char *out) {
        for (int v = 0; v < n; ++v)
          put(out, first + cell * n + v);
      };
    else
      segment.fill = [&grid, &set, nodes = grid.shared->sets[s].nodes.data(),
                      per_cell = grid.shared->sets[s].element.num_nodes()](std::int64_t cell,
                                                                           char *out) {
        for (const int i : set.order)
          put(out, grid.point(nodes[cell * per_cell + i]));
      };
    array.segments.push_back(std::move(segment));
  }
  return array;
}

DataArray offsets_array(const Grid &grid) {
  DataArray array{.name = "offsets", .type = "Int64"};
  std::int64_t first = 0;
  for (const GridSet &set : grid.sets) {
    const std::int64_t n = set.num_nodes;
    array.segments.push_back({set.num_cells, 8, [first, n](std::int64_t cell, char *out) {
                                put(out, first + (cell + 1) * n);
                              }});
    first += set.num_cells * n;
  }
  return array;
}

DataArray types_array(const Grid &grid) {
  DataArray array{.name = "types", .type = "UInt8"};
  for (const GridSet &set : grid.sets)
    array.segments.push_back({set.num_cells, 1, [type = set.vtk_type](std::int64_t, char *out) {
                                *out = static_cast<char>(type);
                              }});
  return array;
}

DataArray region_array(const Grid &grid) {
  DataArray array{.name = "region", .type = "Int32"};
  for (const GridSet &set : grid.sets)
    array.segments.push_back(
        {set.num_cells, 4, [regions = set.cells->region.data()](std::int64_t c, char *out) {
           put(out, regions[c]);
         }});
  return array;
}

DataArray field_array(const Grid &grid, const OutputField &field) {
  const int dim = grid.d->mesh->dim, components = field.components;
  DataArray array{.name = field.name, .components = padded_components(components, dim)};
  if (field.discontinuous || field.order == 0) {
    // Each cell's own nodes; order 0: one value a cell, as cell data.
    const double *values = field.values.data();
    for (const GridSet &set : grid.sets) {
      const Element element = field.nodal ? make_nodal_element(set.cells->type, field.order)
                                          : make_element(set.cells->type, field.order);
      const int n = element.num_nodes();
      array.segments.push_back(field.order == 0
                                   ? values_in_order(set.num_cells, values, components, dim)
                                   : cell_values(set, element, grid.order, components, dim,
                                                 [=](std::int64_t cell, int i) {
                                                   return values + (cell * n + i) * components;
                                                 }));
      values += set.cells->num_cells() * n * components;
    }
    return array;
  }
  const NodeMap *map = find_map(*grid.d, field.order);
  require(map != nullptr, "a continuous output field lies on a node map of the discretisation");
  if (grid.shared == nullptr)
    for (std::size_t s = 0; s < grid.sets.size(); ++s)
      array.segments.push_back(mapped_cell_values(grid.sets[s], map->sets[s], grid.order,
                                                  field.values.data(), components, dim));
  else if (map == grid.shared && grid.order <= highest_equispaced_order)
    array.segments = {shared_values(grid, field.values.data(), components, dim)};
  else
    array.segments = {
        owned_values(grid, values_on_shared_nodes(grid, *map, field.values.data(), components),
                     components, dim)};
  return array;
}

struct Section {
  const char *name; // of the XML element
  std::vector<DataArray> arrays;
};

std::vector<Section> make_sections(const Grid &grid, const std::vector<OutputField> &fields) {
  std::vector<Section> sections = {
      {"PointData", {}},
      {"CellData", {}},
      {"Points", {}},
      {"Cells", {}},
  };
  for (const OutputField &field : fields)
    sections[field.order == 0 ? 1 : 0].arrays.push_back(field_array(grid, field));
  sections[1].arrays.push_back(region_array(grid));
  sections[2].arrays.push_back(points_array(grid));
  sections[3].arrays = {connectivity_array(grid), offsets_array(grid), types_array(grid)};
  return sections;
}

// Attributes of an array, in a piece and in the file that names the pieces.
std::string array_attributes(const DataArray &array) {
  return fmt::format("type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"", array.type,
                     markup_text(array.name), array.components);
}

// Since version 2.2 the nodes on the vertical edges of Lagrange hexahedra are in VTK 9's order.
std::string file_attributes(const char *kind) {
  return fmt::format("type=\"{}\" version=\"2.2\" byte_order=\"{}\" header_type=\"UInt64\"", kind,
                     std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian");
}

// Everything before the binary data; each array's offset counts from the first byte after '_'.
std::string header(const Grid &grid, const std::vector<Section> &sections) {
  std::string text =
      fmt::format("<?xml version=\"1.0\"?>\n<VTKFile {}>\n<UnstructuredGrid>\n"
                  "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
                  file_attributes("UnstructuredGrid"), grid.num_points, grid.num_cells);
  std::uint64_t offset = 0;
  for (const Section &section : sections) {
    text += fmt::format("<{}>\n", section.name);
    for (const DataArray &array : section.arrays) {
      text += fmt::format("<DataArray {} format=\"appended\" offset=\"{}\"/>\n",
                          array_attributes(array), offset);
      offset += sizeof(std::uint64_t) + array.bytes();
    }
    text += fmt::format("</{}>\n", section.name);
  }
  return text + "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";
}

void write_array(AtomicFile &file, const DataArray &array) {
  constexpr std::int64_t buffer_bytes = 8 << 20;
  const std::uint64_t bytes = array.bytes();
  file.write(&bytes, sizeof bytes);
  std::vector<char> buffer;
  for (const Segment &segment : array.segments) {
    const std::int64_t most =
        std::max<std::int64_t>(1, buffer_bytes / std::max<std::int64_t>(1, segment.tuple_bytes));
    for (std::int64_t first = 0; first < segment.tuples; first += most) {
      const std::int64_t count = std::min(most, segment.tuples - first);
      buffer.resize(count * segment.tuple_bytes);
      parallel_ranges(count, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t i = begin; i < end; ++i)
          segment.fill(first + i, buffer.data() + i * segment.tuple_bytes);
      });
      file.write(buffer.data(), buffer.size());
    }
  }
}

} // namespace

void write_vtu(const std::string &path, const Discretisation &d,
               const std::vector<OutputField> &fields) {
  const Grid grid = make_grid(d, fields);
  const std::vector<Section> sections = make_sections(grid, fields);
  AtomicFile file(path);
  file.write(header(grid, sections));
  for (const Section &section : sections)
    for (const DataArray &array : section.arrays)
      write_array(file, array);
  file.write("\n</AppendedData>\n</VTKFile>\n");
  file.commit();
}

void write_pvtu(const std::string &path, const Discretisation &d,
                const std::vector<OutputField> &fields, const std::vector<std::string> &pieces) {
  const Grid grid = make_grid(d, fields);
  std::string text = fmt::format("<?xml version=\"1.0\"?>\n<VTKFile {}>\n"
                                 "<PUnstructuredGrid GhostLevel=\"0\">\n",
                                 file_attributes("PUnstructuredGrid"));
  for (const Section &section : make_sections(grid, fields)) {
    if (section.name == std::string_view("Cells"))
      continue; // pieces alone have them
    text += fmt::format("<P{}>\n", section.name);
    for (const DataArray &array : section.arrays)
      text += fmt::format("<PDataArray {}/>\n", array_attributes(array));
    text += fmt::format("</P{}>\n", section.name);
  }
  for (const std::string &piece : pieces)
    text += fmt::format("<Piece Source=\"{}\"/>\n", markup_text(piece));
  write_text_file(path, text + "</PUnstructuredGrid>\n</VTKFile>\n");
}

void write_pvd(const std::string &path, const std::vector<std::pair<double, std::string>> &files) {
  std::string text = "<?xml version=\"1.0\"?>\n"
                     "<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n";
  for (const auto &[time, file] : files)
    text += fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", format_real(time),
                        markup_text(file));
  write_text_file(path, text + "</Collection>\n</VTKFile>\n");
}

} // namespace weft
