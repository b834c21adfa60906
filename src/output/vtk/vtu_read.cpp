#include "output/vtk/vtu_read.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/system/input_file.h"
#include "output/vtk/vtk_data.h"
#include "output/vtk/xml_tags.h"

namespace weft {

namespace {

constexpr std::uint64_t max_pvd_bytes = std::uint64_t{256} << 20;

class VtkFile {
public:
  VtkFile(std::string path, const char *allowed) : path_(std::move(path)), allowed_(allowed) {}

  [[noreturn]] void fail(const std::string &found) const {
    throw Error(ErrorKind::input,
                {.what = "a file of fields is damaged, or of a kind that is not read",
                 .where = path_,
                 .found = found,
                 .allowed = allowed_,
                 .remedy = "run the case again, or write the file as an unstructured grid of VTK"});
  }
  void check(bool condition, const std::string &found) const {
    if (!condition)
      fail(found);
  }
  template <typename Number> Number number(const std::string &text, const std::string &what) const {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    check(error == std::errc() && end == text.data() + text.size(),
          fmt::format("{} is \"{}\"", what, shortened(printable_line(text), 40)));
    return value;
  }

private:
  std::string path_;
  const char *allowed_;
};

// A DataArray element, and the section that it stands in.
struct ArrayHead {
  std::string section, name;
  std::int64_t components = 1;
  VtkData data;
  bool is_appended = false;
  std::uint64_t offset = 0; // of what is appended
};

struct PieceHead {
  std::int64_t num_points = 0, num_cells = 0;
  std::vector<ArrayHead> arrays;
};

// What the tags of a file say.
class HeadReader {
public:
  HeadReader(const VtkFile &file, std::string_view bytes) : file_(file), bytes_(bytes) {}

  std::vector<PieceHead> read() {
    bool is_vtk = false;
    for (auto tag = next_xml_tag(bytes_, 0); tag; tag = next_xml_tag(bytes_, tag->end)) {
      is_vtk = is_vtk || tag->name == "VTKFile";
      if (tag->name == "VTKFile")
        read_file(*tag);
      else if (tag->name == "Piece")
        pieces_.push_back({.num_points = count(*tag, "NumberOfPoints"),
                           .num_cells = count(*tag, "NumberOfCells"),
                           .arrays = {}});
      else if (tag->name == "DataArray" && !pieces_.empty())
        read_array(*tag);
      else if (tag->name == "AppendedData") {
        append_data(*tag);
        break;
      } else if (tag->name.ends_with("Data") || tag->name == "Points" || tag->name == "Cells")
        section_ = tag->name;
    }
    file_.check(is_vtk, "no <VTKFile>");
    file_.check(!pieces_.empty(), "no <Piece>");
    for (const PieceHead &piece : pieces_)
      for (const ArrayHead &array : piece.arrays)
        file_.check(!array.is_appended || !array.data.data.empty(), "no <AppendedData>");
    return std::move(pieces_);
  }

private:
  void read_file(const XmlTag &tag) {
    const std::string type = tag.attribute("type"), order = tag.attribute("byte_order"),
                      sizes = tag.attribute("header_type"), by = tag.attribute("compressor");
    file_.check(type == "UnstructuredGrid",
                "a file of " + shortened(printable_line(type), 40) + ", not of UnstructuredGrid");
    const bool little = std::endian::native == std::endian::little;
    file_.check(order.empty() || order == (little ? "LittleEndian" : "BigEndian"),
                "another machine's order of bytes");
    file_.check(sizes.empty() || sizes == "UInt32" || sizes == "UInt64",
                "sizes of type " + shortened(printable_line(sizes), 20));
    file_.check(by.empty() || by == "vtkZLibDataCompressor",
                "compression by " + shortened(printable_line(by), 40) + ", not by zlib");
    form_.wide_sizes = sizes == "UInt64";
    form_.compressed = !by.empty();
  }

  std::int64_t count(const XmlTag &tag, const char *name) const {
    const auto value = file_.number<std::int64_t>(tag.attribute(name), name);
    file_.check(value >= 0, fmt::format("{} is {}", name, value));
    return value;
  }

  void read_array(const XmlTag &tag) {
    ArrayHead array{
        .section = section_, .name = tag.attribute("Name"), .components = 1, .data = form_};
    array.data.type = tag.attribute("type");
    if (const std::string components = tag.attribute("NumberOfComponents"); !components.empty())
      array.components = file_.number<std::int64_t>(components, "NumberOfComponents");
    file_.check(array.components >= 1 && array.components <= 9,
                "an array of less than one or more than 9 components");
    const std::string format = tag.attribute("format");
    array.is_appended = format == "appended";
    if (array.is_appended)
      array.offset = file_.number<std::uint64_t>(tag.attribute("offset"), "offset");
    else {
      file_.check(format == "ascii" || format == "binary",
                  "an array of format " + shortened(printable_line(format), 20));
      array.data.encoding = format == "ascii" ? VtkEncoding::text : VtkEncoding::base64;
      const std::size_t end = bytes_.find('<', tag.end);
      file_.check(end != std::string_view::npos, "the file ends");
      array.data.data = bytes_.substr(tag.end, end - tag.end);
    }
    pieces_.back().arrays.push_back(std::move(array));
  }

  void append_data(const XmlTag &tag) {
    const std::string encoding = tag.attribute("encoding");
    file_.check(encoding == "raw" || encoding == "base64",
                "appended data in " + shortened(printable_line(encoding), 20));
    const std::size_t underscore = bytes_.find('_', tag.end);
    file_.check(underscore != std::string_view::npos, "no data behind <AppendedData>");
    const std::string_view data = bytes_.substr(underscore + 1);
    for (PieceHead &piece : pieces_)
      for (ArrayHead &array : piece.arrays) {
        if (!array.is_appended)
          continue;
        file_.check(array.offset < data.size(),
                    "the file ends before the array " + shortened(printable_line(array.name), 40));
        array.data.data = data.substr(array.offset);
        array.data.encoding = encoding == "raw" ? VtkEncoding::raw : VtkEncoding::base64;
      }
  }

  const VtkFile &file_;
  std::string_view bytes_;
  VtkData form_;
  std::string section_;
  std::vector<PieceHead> pieces_;
};

// Files of a collection lie in its folder or below: others would let a stranger's file name any
// file of the reader's.
std::string name_below(const VtkFile &file, const std::string &name) {
  const std::filesystem::path path(name);
  file.check(!name.empty() && path.is_relative() &&
                 std::find(path.begin(), path.end(), "..") == path.end(),
             "a file that is not in its folder: " + shortened(printable_line(name), 80));
  return name;
}

// Points and lines, which many programs write beside the cells of a mesh.
bool is_point_or_line(std::int64_t type) {
  constexpr std::int64_t types[] = {1, 2, 3, 4, 21, 35, 68};
  return std::find(std::begin(types), std::end(types), type) != std::end(types);
}

class PieceReader {
public:
  PieceReader(const VtkFile &file, const PieceHead &head) : file_(file), head_(head) {}

  VtuGrid read() {
    VtuGrid grid;
    const ArrayHead &points = find("Points");
    file_.check(points.components == 3, "points of other than 3 coordinates");
    grid.points = reals(points, head_.num_points);
    file_.check(std::all_of(grid.points.begin(), grid.points.end(),
                            [](double x) { return std::abs(x) < 1e300; }),
                "a point that is not finite");
    read_cells(grid);
    for (const ArrayHead &array : head_.arrays)
      if (array.section == "PointData")
        grid.point_arrays.push_back(
            {array.name, static_cast<int>(array.components), reals(array, head_.num_points)});
      else if (array.section == "CellData")
        grid.cell_arrays.push_back(of_kept_cells(array));
    return grid;
  }

private:
  std::uint64_t entries(const ArrayHead &array, std::int64_t tuples) const {
    const auto count = static_cast<std::uint64_t>(tuples);
    file_.check(count < std::uint64_t{1} << 48, "another number of entries");
    return count * static_cast<std::uint64_t>(array.components);
  }
  VtkFault fault_of(const ArrayHead &array) const {
    return [this, &array](const std::string &found) {
      file_.fail(found + " in the array " + shortened(printable_line(array.name), 40));
    };
  }
  std::vector<double> reals(const ArrayHead &array, std::int64_t tuples) const {
    return vtk_reals(array.data, entries(array, tuples), fault_of(array));
  }
  std::vector<std::int64_t> integers(const ArrayHead &array, std::int64_t tuples) const {
    return vtk_integers(array.data, entries(array, tuples), fault_of(array));
  }

  // By its name; the first one of a section without.
  const ArrayHead &find(const char *section, const char *name = nullptr) const {
    for (const ArrayHead &array : head_.arrays)
      if (array.section == section && (name == nullptr || array.name == name))
        return array;
    file_.fail(fmt::format("no array {} in <{}>", name == nullptr ? "of numbers" : name, section));
  }

  VtuArray of_kept_cells(const ArrayHead &array) const {
    const std::vector<double> all = reals(array, head_.num_cells);
    VtuArray result{array.name, static_cast<int>(array.components), {}};
    for (const std::int64_t cell : kept_) {
      const auto first = all.begin() + cell * array.components;
      result.values.insert(result.values.end(), first, first + array.components);
    }
    return result;
  }

  void read_cells(VtuGrid &grid) {
    const auto offsets = integers(find("Cells", "offsets"), head_.num_cells);
    const auto types = integers(find("Cells", "types"), head_.num_cells);
    std::int64_t first = 0;
    for (const std::int64_t end : offsets) {
      // Before it is subtracted: offsets are any numbers.
      file_.check(end > first && end - first < 10000, "offsets of cells that do not rise");
      first = end;
    }
    const auto points = integers(find("Cells", "connectivity"), first);
    for (const std::int64_t point : points)
      file_.check(point >= 0 && point < head_.num_points, "a cell's point that does not exist");
    std::map<std::pair<std::int64_t, std::int64_t>, std::optional<VtkCell>> known;
    first = 0;
    for (std::int64_t c = 0; c < head_.num_cells; ++c) {
      const std::pair key{types[c], offsets[c] - first};
      auto cell = known.find(key);
      if (cell == known.end())
        cell = known.emplace(key, vtk_cell_of(key.first, key.second)).first;
      if (cell->second || !is_point_or_line(types[c])) {
        file_.check(cell->second.has_value(),
                    fmt::format("a cell of type {} with {} points", key.first, key.second));
        kept_.push_back(c);
        grid.cells.push_back(*cell->second);
        grid.connectivity.insert(grid.connectivity.end(), points.begin() + first,
                                 points.begin() + offsets[c]);
        grid.offsets.push_back(static_cast<std::int64_t>(grid.connectivity.size()));
      }
      first = offsets[c];
    }
  }

  const VtkFile &file_;
  const PieceHead &head_;
  std::vector<std::int64_t> kept_; // cells that are no points or lines
};

// Pieces of a .pvtu file: names in its folder.
std::vector<std::string> pieces_in(const VtkFile &file, const std::string &text) {
  std::vector<std::string> pieces;
  for (std::optional<XmlTag> tag = next_xml_tag(text, 0); tag; tag = next_xml_tag(text, tag->end))
    if (tag->name == "Piece")
      pieces.push_back(name_below(file, tag->attribute("Source")));
  file.check(!pieces.empty(), "no <Piece>");
  return pieces;
}

// Cells and points of a piece behind those of the others, which have the same arrays.
void append(const VtkFile &file, VtuGrid &&piece, VtuGrid &grid) {
  const std::int64_t points = grid.num_points();
  const std::int64_t nodes = grid.offsets.empty() ? 0 : grid.offsets.back();
  for (const std::int64_t point : piece.connectivity)
    grid.connectivity.push_back(points + point);
  for (const std::int64_t offset : piece.offsets)
    grid.offsets.push_back(nodes + offset);
  grid.points.insert(grid.points.end(), piece.points.begin(), piece.points.end());
  grid.cells.insert(grid.cells.end(), piece.cells.begin(), piece.cells.end());
  for (const auto arrays : {&VtuGrid::point_arrays, &VtuGrid::cell_arrays}) {
    file.check((piece.*arrays).size() == (grid.*arrays).size(), "pieces with other arrays");
    for (std::size_t a = 0; a < (grid.*arrays).size(); ++a) {
      VtuArray &whole = (grid.*arrays)[a];
      const VtuArray &part = (piece.*arrays)[a];
      file.check(part.name == whole.name && part.components == whole.components,
                 "pieces with other arrays");
      whole.values.insert(whole.values.end(), part.values.begin(), part.values.end());
    }
  }
}

void add_piece(const VtkFile &file, VtuGrid piece, std::optional<VtuGrid> &grid) {
  if (grid)
    append(file, std::move(piece), *grid);
  else
    grid = std::move(piece);
}

VtuGrid read_pieces(const std::string &path) {
  constexpr const char *allowed = "a .pvtu file of unstructured grids";
  const VtkFile file(path, allowed);
  const std::string text = read_input_text(
      path, {.what = "file of fields in pieces", .allowed = allowed, .max_bytes = max_pvd_bytes});
  const std::string folder = std::filesystem::path(path).parent_path().string();
  std::optional<VtuGrid> grid;
  for (const std::string &name : pieces_in(file, text)) {
    file.check(name.ends_with(".vtu"), "a piece that is no .vtu file");
    add_piece(file, read_vtu((std::filesystem::path(folder) / name).string()), grid);
  }
  return std::move(*grid);
}

} // namespace

VtuGrid read_vtu(const std::string &path) {
  if (path.ends_with(".pvtu"))
    return read_pieces(path);
  constexpr const char *allowed = "a .vtu file";
  const HostArray<char> bytes =
      read_input_file(path, {.what = "file of fields", .allowed = allowed});
  const VtkFile file(path, allowed);
  std::optional<VtuGrid> grid;
  for (const PieceHead &piece : HeadReader(file, {bytes.data(), bytes.size()}).read())
    add_piece(file, PieceReader(file, piece).read(), grid);
  return std::move(*grid);
}

std::vector<std::pair<double, std::string>> read_pvd(const std::string &path) {
  constexpr const char *allowed = "a .pvd file";
  const VtkFile file(path, allowed);
  const std::string text = read_input_text(
      path, {.what = "collection of fields", .allowed = allowed, .max_bytes = max_pvd_bytes});
  std::vector<std::pair<double, std::string>> files;
  bool is_collection = false;
  for (std::optional<XmlTag> tag = next_xml_tag(text, 0); tag; tag = next_xml_tag(text, tag->end)) {
    is_collection = is_collection || tag->name == "Collection";
    if (tag->name != "DataSet")
      continue;
    files.emplace_back(file.number<double>(tag->attribute("timestep"), "timestep"),
                       name_below(file, tag->attribute("file")));
  }
  file.check(is_collection, "no <Collection>");
  return files;
}

} // namespace weft
