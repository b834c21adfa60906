// [mesh], [device], [output]: what a case is solved on, and what comes out.
#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "base/number.h"
#include "case/bindings.h"
#include "case/case_declarations.h"

namespace weft {

namespace {

const std::vector<std::string> cells_2d = {"triangle", "quadrilateral"};
const std::vector<std::string> cells_3d = {"tetrahedron", "prism", "pyramid", "hexahedron"};

int dimension_of(const std::string &cell) {
  return std::find(cells_2d.begin(), cells_2d.end(), cell) != cells_2d.end() ? 2 : 3;
}

// Copies a list of one number a direction.
template <typename Number>
void read_directions(const std::optional<Entry> &e, int dim, std::array<Number, 3> &target) {
  if (!e)
    return;
  const std::vector<double> values = reals_of(*e);
  if (static_cast<int>(values.size()) != dim)
    throw Error(ErrorKind::input, {.what = "a list of the wrong length",
                                   .where = e->where(),
                                   .found = describe(*e->value),
                                   .allowed = fmt::format("{} numbers, one a direction", dim)});
  for (int d = 0; d < dim; ++d)
    target[d] = static_cast<Number>(values[d]);
}

void read_box_periodic(const Entry &e, BoxSpec &box) {
  for (const std::string &direction : texts_of(e)) {
    const int d = direction[0] - 'x';
    if (d >= box.dim)
      throw Error(ErrorKind::input, {.what = "a box of two dimensions has no direction z",
                                     .where = e.where(),
                                     .allowed = "x, y"});
    box.periodic[d] = true;
  }
}

Declaration box_key(Case &c) {
  Declaration box = declare_table("box",
                                  "instead of file: region `box`, sides `x0 x1 y0 y1 z0 z1`; lists "
                                  "have one entry a direction",
                                  box_keys());
  box.read = [&c](const Entry &e) {
    const auto cell = child_of(e, "cell");
    c.mesh.box = read_box(e, cell ? text_of(*cell) : BoxSpec().cell);
  };
  return box;
}

Declaration file_key(Case &c) {
  Declaration d =
      declare_key("file", type_text,
                  "`.msh`; `.geo`, `.step` and `.stp` go through gmsh, and the mesh is kept");
  d.read = [&c](const Entry &e) {
    c.mesh.file = text_of(e);
    c.mesh.file_place = e.where();
  };
  return d;
}

Declaration size_key(Case &c) {
  Declaration d = declare_key("size", type_real, "target cell size handed to gmsh");
  d.range.above = 0;
  d.read = [&c](const Entry &e) { c.mesh.size = real_of(e); };
  return d;
}

// `known`: the pairs before it.
void check_periodic_pair(const Entry &e, const std::vector<std::string> &pair,
                         const std::vector<std::pair<std::string, std::string>> &known) {
  const auto refuse = [&](const char *what, const char *remedy) {
    throw Error(ErrorKind::input,
                {.what = what,
                 .where = e.where(),
                 .found = fmt::format("[\"{}\", \"{}\"]", pair[0], pair[1]),
                 .allowed = "two groups of facets, of which one is the other moved",
                 .remedy = remedy});
  };
  if (pair[0].empty() || pair[1].empty())
    refuse("a periodic pair without a name", "name both groups");
  if (pair[0] == pair[1])
    refuse("a periodic pair of a group with itself", "name the group on the other side");
  for (const auto &[first, second] : known)
    if ((first == pair[0] && second == pair[1]) || (first == pair[1] && second == pair[0]))
      refuse("a periodic pair that is there already", "remove one of them");
}

Declaration periodic_key(Case &c) {
  Declaration d = declare_key("periodic", type_pairs, "pairs of facet groups that are one");
  d.read = [&c](const Entry &e) {
    c.mesh.periodic.clear();
    for (std::size_t i = 0; i < e.value->as_array()->size(); ++i) {
      const Entry element = element_of(e, i);
      const auto pair = texts_of(element);
      check_periodic_pair(element, pair, c.mesh.periodic);
      c.mesh.periodic.emplace_back(pair[0], pair[1]);
    }
  };
  return d;
}

Declaration device_table(Case &c) {
  DeviceSpec &d = c.device;
  return declare_table(
      "device", "Where the kernels run.",
      {bind_text("name", d.name, "as `--device`: `opencl`, `cuda:0`, part of a device's name"),
       bind_text("precision", d.precision, "of the kernels", {"f64", "f32"}),
       bind_integer(
           "threads", d.threads,
           "cores of a CPU device, at most those of the machine; 0: all that the process may use, "
           "shared with others of the same launcher. Another number may change last bits",
           {.at_least = 0}),
       bind_boolean("deterministic", d.deterministic,
                    "the same bits in every run with as many threads"),
       bind_text("strategy", d.strategy, "of the operator's kernels; default: Weft's choice",
                 {"transposed", "cell", "block"}),
       bind_text("geometry", d.geometry, "of the cells; default: Weft's choice",
                 {"on_the_fly", "stored"}),
       bind_text("matrix", d.matrix,
                 "format of an assembled operator's matrix: compressed rows, or sliced ELLPACK; "
                 "default: the one of fewer bytes",
                 {"csr", "sell"})});
}

LineSpec read_line(const Entry &e, const std::vector<LineSpec> &known) {
  const auto name = child_of(e, "name"), from = child_of(e, "from"), to = child_of(e, "to");
  if (!name || !from || !to)
    throw Error(ErrorKind::input,
                {.what = "a line needs a name and two ends",
                 .where = e.where(),
                 .remedy = "write { name = \"axis\", from = [0, 0], to = [1, 0] }"});
  LineSpec line{
      .name = text_of(*name), .from = reals_of(*from), .to = reals_of(*to), .place = e.where()};
  if (const auto points = child_of(e, "points"))
    line.points = integer_of(*points);
  if (const auto cells = child_of(e, "cells"))
    line.cells = texts_of(*cells);
  if (std::find(line.cells.begin(), line.cells.end(), "all") != line.cells.end())
    line.cells.clear();
  for (const LineSpec &other : known)
    if (other.name == line.name)
      throw Error(ErrorKind::input, {.what = "two lines of one name",
                                     .where = name->where(),
                                     .found = "\"" + line.name + "\"",
                                     .allowed = "names that tell the rows of lines.csv apart"});
  return line;
}

Declaration lines_key(OutputSpec &o) {
  const LineSpec standard;
  Declaration points = declare_key("points", type_integer, "along the line, its ends among them");
  points.default_text = std::to_string(standard.points);
  points.range = {.at_least = 2, .at_most = 1000000};
  Declaration cells = declare_key("cells", type_text | type_texts,
                                  "regions whose side of an interface the values are of");
  cells.default_text = "\"all\"";
  Declaration lines = declare_key(
      "lines", type_tables,
      "straight lines along which `fields` go to lines.csv: rows of points at equal distances; "
      "those outside of the mesh have none. Of runs in time at outputs of fields");
  lines.children = {declare_key("name", type_text, "of the line, in its rows"),
                    declare_key("from", type_reals, "where it begins"),
                    declare_key("to", type_reals, "where it ends"), points, cells};
  lines.read = [&o](const Entry &e) {
    o.lines.clear();
    for (std::size_t i = 0; i < e.value->as_array()->size(); ++i)
      o.lines.push_back(read_line(element_of(e, i), o.lines));
  };
  return lines;
}

Declaration output_table(Case &c) {
  OutputSpec &o = c.output;
  Declaration directory =
      bind_text("directory", o.directory,
                "for fields.pvd, results.json, probes.csv and lines.csv; what an earlier run left "
                "there is moved "
                "to its folder `previous`; below the folder of the case or the working folder, "
                "unless `--trust` is given");
  directory.read = [&o](const Entry &e) {
    o.directory = text_of(e);
    if (o.directory.empty())
      throw Error(ErrorKind::input, {.what = "a folder without a name",
                                     .where = e.where(),
                                     .found = "\"\"",
                                     .remedy = "write \".\" for the folder of the case"});
    o.directory_place = e.where();
    o.directory_is_users = is_of_command_line(e);
  };
  Declaration fields = declare_key(
      "fields", type_maths,
      "expressions to write; default: all fields. Those with gradients become discontinuous data");
  fields.read = [&o](const Entry &e) { o.fields = maths_of(e); };
  Declaration probes = declare_key("probes", type_points, "points whose values go to probes.csv");
  probes.read = [&o](const Entry &e) {
    o.probes.clear();
    o.probes_place = e.where();
    for (std::size_t i = 0; i < e.value->as_array()->size(); ++i)
      o.probes.push_back(reals_of(element_of(e, i)));
  };
  Declaration every = declare_key(
      "every", type_real, "time between outputs of fields; default: the start and the end only");
  every.range.above = 0;
  every.read = [&o](const Entry &e) { o.every = real_of(e); };
  Declaration times = declare_key("times", type_reals, "times of outputs, beside start and end");
  times.read = [&o](const Entry &e) { o.times = reals_of(e); };
  Declaration rows_every = declare_key(
      "rows_every", type_real,
      "time between rows of functionals.csv and probes.csv: one after each step that reaches a "
      "multiple, and at the end; default: one after each step");
  rows_every.range.above = 0;
  rows_every.read = [&o](const Entry &e) { o.rows_every = real_of(e); };
  Declaration checkpoint_every = declare_key(
      "checkpoint_every", type_real,
      "time between checkpoints (checkpoint.h5, for `weft run --restart`), of which one is also "
      "written when a run is interrupted; default: none");
  checkpoint_every.range.above = 0;
  checkpoint_every.read = [&o](const Entry &e) { o.checkpoint_every = real_of(e); };
  return declare_table(
      "output", "What is written, and where.",
      {directory, fields, probes, lines_key(o), every, times, rows_every, checkpoint_every});
}

} // namespace

std::vector<Declaration> box_keys() {
  const BoxSpec standard;
  Declaration origin =
      declare_key("origin", type_reals, "the corner with the smallest coordinates");
  origin.default_text = "[0, 0, 0]";
  Declaration size = declare_key("size", type_reals, "lengths of the sides");
  size.default_text = "[1, 1, 1]";
  size.range.above = 0;
  Declaration cells = declare_key("cells", type_integers, "cells in each direction");
  cells.range.at_least = 1;
  Declaration cell =
      declare_key("cell", type_text, "type of the cells; squares or cubes are split");
  cell.default_text = fmt::format("\"{}\"", standard.cell);
  cell.allowed = cells_2d;
  cell.allowed.insert(cell.allowed.end(), cells_3d.begin(), cells_3d.end());
  Declaration distort =
      declare_key("distort", type_real, "moves inner nodes by that share of a cell, reproducibly");
  distort.default_text = format_real(standard.distort);
  distort.range.at_least = 0;
  distort.range.at_most = 0.5;
  Declaration periodic = declare_key("periodic", type_texts, "directions whose ends are joined");
  periodic.allowed = {"x", "y", "z"};
  return {origin, size, cells, cell, distort, periodic};
}

BoxSpec read_box(const Entry &e, const std::string &cell) {
  BoxSpec box;
  box.cell = cell;
  box.dim = dimension_of(box.cell);
  const auto cells = child_of(e, "cells");
  if (!cells)
    throw Error(ErrorKind::input,
                {.what = "a box needs the number of its cells",
                 .where = e.where(),
                 .remedy = box.dim == 2 ? "add cells = [8, 8]" : "add cells = [8, 8, 8]"});
  read_directions(cells, box.dim, box.cells);
  read_directions(child_of(e, "origin"), box.dim, box.origin);
  read_directions(child_of(e, "size"), box.dim, box.size);
  if (const auto distort = child_of(e, "distort"))
    box.distort = real_of(*distort);
  if (const auto periodic = child_of(e, "periodic"))
    read_box_periodic(*periodic, box);
  return box;
}

Declaration mesh_declaration(Case &c) {
  Declaration mesh = declare_table(
      "mesh", "The cells: read, meshed by gmsh, or a box.",
      {file_key(c), box_key(c),
       bind_integer("order", c.mesh.order, "of the geometry; 2: isoparametric, curved cells",
                    {.at_least = 1, .at_most = 2}),
       bind_real("scale", c.mesh.scale, "multiplies all coordinates", {.above = 0}), size_key(c),
       bind_integer("refine", c.mesh.refine,
                    "times that every cell is split into cells of half its size",
                    {.at_least = 0, .at_most = 12}),
       periodic_key(c), groups_key(c)});
  mesh.read = [&c](const Entry &e) {
    if (c.mesh.in_memory) { // in place of them
      c.mesh.file.reset();
      c.mesh.box.reset();
    } else if (c.mesh.file.has_value() == c.mesh.box.has_value())
      throw Error(ErrorKind::input, {.what = "a mesh comes from a file or is a box",
                                     .where = e.where(),
                                     .found = c.mesh.file ? "both" : "neither",
                                     .allowed = "one of file, box"});
  };
  return mesh;
}

std::vector<Declaration> run_declarations(Case &c) {
  return {time_declaration(c), load_declaration(c),   solver_declaration(c),
          device_table(c),     verify_declaration(c), output_table(c)};
}

} // namespace weft
