#include "output/vtk/vtu_read.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/system/input_file.h"
#include "output/vtk/xml_tags.h"

namespace weft {

namespace {

constexpr std::uint64_t max_pvd_bytes = std::uint64_t{256} << 20;

class VtkFile {
public:
  VtkFile(std::string path, const char *allowed) : path_(std::move(path)), allowed_(allowed) {}

  [[noreturn]] void fail(const std::string &found) const {
    throw Error(ErrorKind::input, {.what = "a file of fields is damaged, or none of Weft's",
                                   .where = path_,
                                   .found = found,
                                   .allowed = allowed_,
                                   .remedy = "run the case again"});
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
  std::string section, name, type;
  std::int64_t components = 1;
  std::uint64_t offset = 0;
};

struct Head {
  std::int64_t num_points = 0, num_cells = 0;
  std::vector<ArrayHead> arrays;
  std::size_t data = 0; // where offsets count from
};

Head read_head(const VtkFile &file, std::string_view bytes) {
  Head head;
  std::string section;
  bool has_piece = false;
  for (std::size_t at = 0;;) {
    const std::optional<XmlTag> tag = next_xml_tag(bytes, at);
    file.check(tag.has_value(), "no <AppendedData>");
    at = tag->end;
    if (tag->name == "VTKFile") {
      const bool little = std::endian::native == std::endian::little;
      file.check(tag->attribute("byte_order") == (little ? "LittleEndian" : "BigEndian"),
                 "another machine's order of bytes");
      file.check(tag->attribute("header_type") == "UInt64" && tag->attribute("compressor").empty(),
                 "another header than UInt64, or compression");
    } else if (tag->name == "Piece") {
      file.check(!has_piece, "more than one piece");
      has_piece = true;
      head.num_points =
          file.number<std::int64_t>(tag->attribute("NumberOfPoints"), "NumberOfPoints");
      head.num_cells = file.number<std::int64_t>(tag->attribute("NumberOfCells"), "NumberOfCells");
    } else if (tag->name == "PointData" || tag->name == "CellData" || tag->name == "Points" ||
               tag->name == "Cells") {
      section = tag->name;
    } else if (tag->name == "DataArray") {
      file.check(tag->attribute("format") == "appended", "an array that is not appended");
      head.arrays.push_back(
          {section, tag->attribute("Name"), tag->attribute("type"),
           file.number<std::int64_t>(tag->attribute("NumberOfComponents"), "NumberOfComponents"),
           file.number<std::uint64_t>(tag->attribute("offset"), "offset")});
    } else if (tag->name == "AppendedData") {
      file.check(tag->attribute("encoding") == "raw", "appended data that are not raw");
      file.check(has_piece, "no <Piece>");
      const std::size_t underscore = bytes.find('_', at);
      file.check(underscore != std::string_view::npos, "no data behind <AppendedData>");
      head.data = underscore + 1;
      return head;
    }
  }
}

// The bytes of an array of so many tuples.
std::string_view array_bytes(const VtkFile &file, std::string_view bytes, const Head &head,
                             const ArrayHead &array, std::int64_t tuples, int entry_bytes) {
  const std::string name = shortened(printable_line(array.name), 40);
  const std::string_view data = bytes.substr(head.data);
  std::uint64_t size = 0;
  file.check(array.offset <= data.size() && data.size() - array.offset >= sizeof size,
             "the file ends before the array " + name);
  std::memcpy(&size, data.data() + array.offset, sizeof size);
  file.check(size <= data.size() - array.offset - sizeof size,
             "the file ends in the array " + name);
  // Division, as a product of what the file says could overflow.
  const std::uint64_t tuple_bytes = static_cast<std::uint64_t>(array.components) * entry_bytes;
  file.check(tuples >= 0 && size % tuple_bytes == 0 &&
                 size / tuple_bytes == static_cast<std::uint64_t>(tuples),
             "another number of entries in the array " + name);
  return data.substr(array.offset + sizeof size, size);
}

// Weft's own files lie beside one another; others would let a stranger's file name any file of the
// reader's.
std::string name_beside(const VtkFile &file, const std::string &name) {
  file.check(!name.empty() && name.find('/') == std::string::npos,
             "a file that is not in its folder: " + shortened(printable_line(name), 80));
  return name;
}

template <typename To, typename From> std::vector<To> numbers_of(std::string_view bytes) {
  std::vector<From> numbers(bytes.size() / sizeof(From));
  if (!numbers.empty())
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
  if constexpr (std::is_same_v<To, From>)
    return numbers;
  else
    return std::vector<To>(numbers.begin(), numbers.end());
}

class GridReader {
public:
  GridReader(const std::string &path, std::string_view bytes)
      : file_(path, "a .vtu file that weft run wrote"), bytes_(bytes),
        head_(read_head(file_, bytes)) {
    for (const ArrayHead &array : head_.arrays)
      file_.check(array.components >= 1 && array.components <= 9,
                  "an array of more than 9 components");
  }

  VtuGrid read() {
    VtuGrid grid;
    const ArrayHead &points = find("Points", "Points", "Float64");
    file_.check(points.components == 3, "points of other than 3 coordinates");
    grid.points = numbers_of<double, double>(data(points, head_.num_points, 8));
    file_.check(std::all_of(grid.points.begin(), grid.points.end(),
                            [](double x) { return std::abs(x) < 1e300; }),
                "a point that is not finite");
    read_cells(grid);
    for (const ArrayHead &array : head_.arrays) {
      const bool at_points = array.section == "PointData";
      if (!at_points && array.section != "CellData")
        continue;
      const std::int64_t tuples = at_points ? head_.num_points : head_.num_cells;
      (at_points ? grid.point_arrays : grid.cell_arrays)
          .push_back({array.name, static_cast<int>(array.components), reals(array, tuples)});
    }
    return grid;
  }

private:
  std::string_view data(const ArrayHead &array, std::int64_t tuples, int entry_bytes) const {
    return array_bytes(file_, bytes_, head_, array, tuples, entry_bytes);
  }

  std::vector<double> reals(const ArrayHead &array, std::int64_t tuples) const {
    if (array.type == "Float64")
      return numbers_of<double, double>(data(array, tuples, 8));
    if (array.type == "Int32")
      return numbers_of<double, std::int32_t>(data(array, tuples, 4));
    file_.fail("an array of type " + shortened(printable_line(array.type), 20));
  }

  const ArrayHead &find(const char *section, const char *name, const char *type) const {
    for (const ArrayHead &array : head_.arrays)
      if (array.section == section && array.name == name && array.type == type)
        return array;
    file_.fail(fmt::format("no array {} of type {} in <{}>", name, type, section));
  }

  void read_cells(VtuGrid &grid) const {
    grid.offsets = numbers_of<std::int64_t, std::int64_t>(
        data(find("Cells", "offsets", "Int64"), head_.num_cells, 8));
    const auto types = numbers_of<std::uint8_t, std::uint8_t>(
        data(find("Cells", "types", "UInt8"), head_.num_cells, 1));
    grid.connectivity = numbers_of<std::int64_t, std::int64_t>(data(
        find("Cells", "connectivity", "Int64"), grid.offsets.empty() ? 0 : grid.offsets.back(), 8));
    for (const std::int64_t point : grid.connectivity)
      file_.check(point >= 0 && point < head_.num_points, "a cell's point that does not exist");
    std::map<std::pair<int, std::int64_t>, std::optional<VtkCell>> known;
    std::int64_t first = 0;
    for (std::int64_t c = 0; c < head_.num_cells; ++c) {
      // Before it is subtracted: offsets are any numbers.
      file_.check(grid.offsets[c] > first && grid.offsets[c] - first < 10000,
                  "offsets of cells that do not rise");
      const std::pair key{int{types[c]}, grid.offsets[c] - first};
      auto cell = known.find(key);
      if (cell == known.end())
        cell = known.emplace(key, vtk_cell_of(key.first, key.second)).first;
      file_.check(cell->second.has_value(),
                  fmt::format("a cell of type {} with {} points", key.first, key.second));
      grid.cells.push_back(*cell->second);
      first = grid.offsets[c];
    }
  }

  VtkFile file_;
  std::string_view bytes_;
  Head head_;
};

} // namespace

namespace {

// Pieces of a .pvtu file: names in its folder.
std::vector<std::string> pieces_in(const VtkFile &file, const std::string &text) {
  std::vector<std::string> pieces;
  for (std::optional<XmlTag> tag = next_xml_tag(text, 0); tag; tag = next_xml_tag(text, tag->end))
    if (tag->name == "Piece")
      pieces.push_back(name_beside(file, tag->attribute("Source")));
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

VtuGrid read_pieces(const std::string &path) {
  constexpr const char *allowed = "a .pvtu file that weft run wrote";
  const VtkFile file(path, allowed);
  const std::string text = read_input_text(
      path, {.what = "file of fields in pieces", .allowed = allowed, .max_bytes = max_pvd_bytes});
  const std::string folder = std::filesystem::path(path).parent_path().string();
  std::optional<VtuGrid> grid;
  for (const std::string &name : pieces_in(file, text)) {
    file.check(name.ends_with(".vtu"), "a piece that is no .vtu file");
    VtuGrid piece = read_vtu((std::filesystem::path(folder) / name).string());
    if (grid)
      append(file, std::move(piece), *grid);
    else
      grid = std::move(piece);
  }
  return std::move(*grid);
}

} // namespace

VtuGrid read_vtu(const std::string &path) {
  if (path.ends_with(".pvtu"))
    return read_pieces(path);
  const HostArray<char> bytes = read_input_file(
      path, {.what = "file of fields", .allowed = "a .vtu file that weft run wrote"});
  return GridReader(path, {bytes.data(), bytes.size()}).read();
}

std::vector<std::pair<double, std::string>> read_pvd(const std::string &path) {
  constexpr const char *allowed = "a .pvd file that weft run wrote";
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
                       name_beside(file, tag->attribute("file")));
  }
  file.check(is_collection, "no <Collection>");
  return files;
}

} // namespace weft
