// VTU and PVD files that were written come back; damaged and forged ones are refused.
#include "output/vtk/vtu_read.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/temporary_folder.h"
#include "support/written_box.h"

namespace weft {
namespace {

std::vector<double> linear(const double *x) {
  return {x[0] + 2 * x[1]};
}

TEST(ReadVtu, GivesBackWhatWasWritten) {
  const TemporaryFolder folder;
  const std::string path = folder.file("fields.vtu");
  for (const char *cell :
       {"triangle", "quadrilateral", "tetrahedron", "pyramid", "prism", "hexahedron"})
    for (const int order : {1, 2, 3})
      for (const bool apart : {false, true}) {
        if (order > 2 && (std::string(cell) == "pyramid" || std::string(cell) == "prism"))
          continue;
        SCOPED_TRACE(std::string(cell) + std::to_string(order));
        write_box(path, {.cell = cell, .order = order, .discontinuous = apart}, linear);
        const VtuGrid grid = read_vtu(path);
        ASSERT_GT(grid.num_cells(), 0);
        EXPECT_EQ(to_string(grid.cells.back().cell), cell);
        EXPECT_EQ(grid.cells.back().order, order);
        ASSERT_EQ(grid.point_arrays.size(), 1U);
        EXPECT_EQ(grid.point_arrays[0].name, "u");
        ASSERT_EQ(grid.cell_arrays.size(), 1U);
        EXPECT_EQ(grid.cell_arrays[0].name, "region");
        for (std::int64_t i = 0; i < grid.num_points(); ++i)
          EXPECT_NEAR(grid.point_arrays[0].values[i],
                      grid.points[3 * i] + 2 * grid.points[3 * i + 1], 1e-12);
      }
}

TEST(ReadVtu, GivesVectorsThreeComponents) {
  const TemporaryFolder folder;
  write_box(folder.file("fields.vtu"), {.cell = "triangle"}, [](const double *x) {
    return std::vector{x[0], -x[1]};
  });
  const VtuGrid grid = read_vtu(folder.file("fields.vtu"));
  EXPECT_EQ(grid.point_arrays[0].components, 3);
  EXPECT_DOUBLE_EQ(grid.point_arrays[0].values[1], -grid.points[1]);
  EXPECT_DOUBLE_EQ(grid.point_arrays[0].values[2], 0);
}

// The message of reading a file of these bytes.
std::string refusal(const TemporaryFolder &folder, const std::string &bytes) {
  std::ofstream(folder.file("forged.vtu"), std::ios::binary) << bytes;
  try {
    read_vtu(folder.file("forged.vtu"));
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "it was read";
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// The bytes with one number of an array, counted from its size, put in another's place.
std::string with_entry(const std::string &bytes, const std::string &array, int entry,
                       std::int64_t value) {
  const std::size_t head = bytes.find("Name=\"" + array + "\"");
  const std::size_t offset = bytes.find("offset=\"", head) + 8;
  const std::size_t data = bytes.find("_", bytes.find("<AppendedData")) + 1 +
                           std::stoul(bytes.substr(offset)) + 8 * (entry + 1);
  std::string result = bytes;
  std::memcpy(&result[data], &value, sizeof value);
  return result;
}

TEST(ReadVtu, RefusesForgedFiles) {
  const TemporaryFolder folder;
  write_box(folder.file("fields.vtu"), {}, linear);
  const std::string whole = folder.read("fields.vtu");
  const auto expect = [&](const std::string &bytes, const std::string &words) {
    EXPECT_NE(refusal(folder, bytes).find(words), std::string::npos)
        << refusal(folder, bytes) << " lacks " << words;
  };
  expect("", "no <VTKFile>");
  expect("no xml at all", "no <VTKFile>");
  expect(whole.substr(0, whole.size() / 2), "the file ends");
  expect(replaced(whole, "raw", "base64"), "the file ends");
  expect(replaced(whole, "raw", "hex"), "appended data in hex");
  expect(replaced(whole, "UnstructuredGrid", "PolyData"), "a file of PolyData");
  expect(replaced(whole, "header_type", "compressor=\"vtkLZ4DataCompressor\" header_type"),
         "not by zlib");
  expect(replaced(whole, "header_type", "compressor=\"vtkZLibDataCompressor\" header_type"),
         "in the array");
  expect(replaced(whole, "<AppendedData", "<Append"), "no <AppendedData>");
  expect(replaced(whole, "LittleEndian", "BigEndian"), "order of bytes");
  expect(replaced(whole, "NumberOfPoints=\"", "NumberOfPoints=\"1"), "another number of entries");
  expect(replaced(whole, "NumberOfPoints=\"", "NumberOfPoints=\"-"), "NumberOfPoints is -");
  expect(replaced(whole, "NumberOfCells=\"", "NumberOfCells=\"x"), "NumberOfCells is");
  expect(replaced(whole, "NumberOfComponents=\"1\"", "NumberOfComponents=\"0\""), "components");
  expect(replaced(whole, "offset=\"0\"", "offset=\"999999999999\""), "the file ends before");
  expect(replaced(whole, "Name=\"connectivity\"", "Name=\"other\""), "no array connectivity");
  expect(with_entry(whole, "connectivity", 3, 1000000), "point that does not exist");
  expect(with_entry(whole, "connectivity", 3, -1), "point that does not exist");
  expect(with_entry(whole, "offsets", 2, -5), "do not rise");
  expect(with_entry(whole, "offsets", 2, INT64_MIN), "do not rise");
  expect(with_entry(whole, "offsets", -1, INT64_MAX), "another number of entries");
  expect(with_entry(whole, "offsets", 0, 5), "a cell of type 10 with 5 points");
  expect(with_entry(whole, "types", 0, 0x6363636363636363), "a cell of type 99");
}

TEST(ReadVtu, SaysThatThereIsNoFile) {
  const TemporaryFolder folder;
  EXPECT_THROW(read_vtu(folder.file("none.vtu")), Error);
  EXPECT_THROW(read_pvd(folder.file("none.pvd")), Error);
}

TEST(ReadPvd, GivesTimesAndFiles) {
  const TemporaryFolder folder;
  write_pvd(folder.file("fields.pvd"), {{0, "fields_0000.vtu"}, {0.1, "fields_0001.vtu"}});
  const auto files = read_pvd(folder.file("fields.pvd"));
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[1], std::pair(0.1, std::string("fields_0001.vtu")));
}

// A collection must not lead to files of the reader's elsewhere.
TEST(ReadPvd, RefusesFilesOutsideItsFolder) {
  const TemporaryFolder folder;
  for (const char *name : {"../fields.vtu", "/etc/passwd", ""}) {
    write_pvd(folder.file("fields.pvd"), {{0, name}});
    EXPECT_THROW(read_pvd(folder.file("fields.pvd")), Error) << name;
  }
  std::ofstream(folder.file("other.pvd")) << "<html></html>";
  EXPECT_THROW(read_pvd(folder.file("other.pvd")), Error);
}

} // namespace
} // namespace weft
