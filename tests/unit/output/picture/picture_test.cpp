// Pictures of runs' folders: integers for places and values, times, bounds of size, the still.
#include "output/picture/picture.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <zlib.h>

#include "base/error.h"
#include "output/picture/colour_map.h"
#include "output/picture/png.h"
#include "output/picture/still.h"
#include "support/temporary_folder.h"
#include "support/written_box.h"

namespace weft {
namespace {

TEST(Quantised, IsWithinHalfAStep) {
  const ValueRange range{-2, 6};
  for (const double value : {-2.0, -1.9999, 0.0, 3.14159, 6.0})
    EXPECT_NEAR(value_of(quantised(value, range), range), value, 8 / 65534. / 2 * 1.0001);
  EXPECT_EQ(quantised(-2, range), 0);
  EXPECT_EQ(quantised(6, range), 65534);
  EXPECT_EQ(quantised(std::nan(""), range), no_value);
  EXPECT_TRUE(std::isnan(value_of(no_value, range)));
  EXPECT_EQ(quantised(5, {5, 5}), 0); // a constant
  EXPECT_EQ(value_of(0, {5, 5}), 5);
}

// Files of so many times, whose field is that of x at time 0 and grows by one a time.
void write_times(const TemporaryFolder &folder, const WrittenBox &box, int num_times) {
  std::vector<std::pair<double, std::string>> files;
  for (int t = 0; t < num_times; ++t) {
    const std::string name = "fields_" + std::to_string(t) + ".vtu";
    write_box(folder.file(name), box, [&](const double *x) { return std::vector{x[0] + t}; });
    files.emplace_back(0.5 * t, name);
  }
  write_pvd(folder.file("fields.pvd"), files);
}

TEST(Picture, HasTheFieldAtItsPlaces) {
  const TemporaryFolder folder;
  write_times(folder, {}, 2);
  const Picture picture = read_picture(folder.file(""));
  EXPECT_EQ(picture.dim, 3);
  EXPECT_EQ(picture.times, (std::vector{0.0, 0.5}));
  ASSERT_EQ(picture.fields.size(), 1U);
  EXPECT_EQ(picture.fields[0].name, "u");
  EXPECT_DOUBLE_EQ(picture.fields[0].ranges[0].least, 0);
  EXPECT_DOUBLE_EQ(picture.fields[0].ranges[0].most, 2.5);
  ASSERT_EQ(picture.sheets.size(), 4U); // the surface, three slices
  EXPECT_EQ(picture.sheets[1].name, "x = 0.75");
  EXPECT_FALSE(picture.thinned);
  for (const PictureSheet &sheet : picture.sheets)
    for (std::size_t t = 0; t < 2; ++t)
      for (std::size_t v = 0; v < sheet.num_vertices(); ++v)
        EXPECT_NEAR(value_of(sheet.values[picture.column(t, 0, 0)][v], picture.fields[0].ranges[0]),
                    value_of(sheet.places[0][v], picture.box[0]) + static_cast<double>(t), 1e-4);
}

// Points that each cell has for itself are one where all that is drawn of them is equal.
TEST(Picture, SharesVerticesOfCells) {
  const TemporaryFolder shared, apart;
  write_times(shared, {.discontinuous = false}, 1);
  write_times(apart, {.discontinuous = true}, 1);
  const Picture a = read_picture(shared.file("")), b = read_picture(apart.file(""));
  EXPECT_EQ(a.sheets[0].num_vertices(), 4U * 3 * 3 - 2); // all nodes of the box, but two within
  EXPECT_EQ(b.sheets[0].num_vertices(), a.sheets[0].num_vertices());
  EXPECT_EQ(b.sheets[0].triangles.size(), a.sheets[0].triangles.size());
}

TEST(Picture, DrawsSomeOfManyTimesWithTheFirstAndTheLast) {
  const TemporaryFolder folder;
  write_times(folder, {.cell = "triangle"}, 25);
  const Picture picture = read_picture(folder.file(""), {.slices = {}, .max_times = 4});
  EXPECT_EQ(picture.times, (std::vector{0.0, 4.0, 8.0, 12.0}));
  EXPECT_EQ(picture.num_times, 25U);
}

TEST(Picture, CutsWhereItIsAsked) {
  const TemporaryFolder folder;
  write_times(folder, {}, 1);
  const Picture picture = read_picture(folder.file(""), {.slices = {{2, 0.25}}});
  ASSERT_EQ(picture.sheets.size(), 2U);
  EXPECT_EQ(picture.sheets[1].name, "z = 0.25");
  for (const std::uint16_t z : picture.sheets[1].places[2])
    EXPECT_NEAR(value_of(z, picture.box[2]), 0.25, 1e-4);
}

TEST(Picture, IsThinnedToItsBound) {
  const TemporaryFolder folder;
  write_times(folder, {.cell = "triangle", .cells = {60, 60, 1}}, 1);
  const Picture whole = read_picture(folder.file(""));
  EXPECT_EQ(whole.sheets[0].num_vertices(), 61U * 61);
  const Picture thin = read_picture(folder.file(""), {.slices = {}, .max_bytes = 20000});
  EXPECT_TRUE(thin.thinned);
  EXPECT_LT(thin.sheets[0].num_vertices() * 8 + thin.sheets[0].triangles.size() * 4, 20000U);
  EXPECT_GT(thin.sheets[0].triangles.size(), 500U);
}

TEST(Picture, RefusesFilesOfSeveralMeshes) {
  const TemporaryFolder folder;
  write_times(folder, {}, 2);
  write_box(folder.file("fields_0.vtu"), {.cells = {2, 2, 2}},
            [](const double *) { return std::vector{0.0}; });
  EXPECT_THROW(read_picture(folder.file("")), Error);
}

TEST(ColourMap, RisesInLightness) {
  const std::vector<Colour> colours = colour_map(64);
  const auto luminance = [](const Colour &colour) {
    double sum = 0;
    for (int k = 0; k < 3; ++k)
      sum += std::array{0.2126, 0.7152, 0.0722}[k] * std::pow(colour[k] / 255.0, 2.2);
    return sum;
  };
  for (std::size_t i = 1; i < colours.size(); ++i)
    EXPECT_GT(luminance(colours[i]), luminance(colours[i - 1])) << i;
}

TEST(Png, HoldsItsPixels) {
  std::vector<std::uint8_t> pixels;
  for (int i = 0; i < 3 * 2 * 4; ++i)
    pixels.push_back(static_cast<std::uint8_t>(7 * i));
  const std::string png = png_of(3, 2, pixels);
  EXPECT_EQ(png.substr(0, 8), std::string("\x89PNG\r\n\x1a\n", 8));
  const std::size_t data = png.find("IDAT") + 4;
  std::vector<std::uint8_t> rows(2 * (1 + 12));
  uLongf size = rows.size();
  ASSERT_EQ(uncompress(rows.data(), &size, reinterpret_cast<const Bytef *>(&png[data]),
                       png.size() - data - 16),
            Z_OK);
  ASSERT_EQ(size, rows.size());
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(rows[1 + i], pixels[i]);
    EXPECT_EQ(static_cast<std::uint8_t>(rows[14 + i] + rows[1 + i]),
              pixels[12 + i]); // less the row above
  }
}

// A square that fills the height: light to the right, nothing beside it.
TEST(Still, ShowsTheSurface) {
  const TemporaryFolder folder;
  write_times(folder, {.cell = "quadrilateral", .size = {1, 1, 1}}, 1);
  const auto [pixels, range] = draw_still(read_picture(folder.file("")), 0, 100, 50);
  EXPECT_DOUBLE_EQ(range.most, 1);
  ASSERT_EQ(pixels.size(), 100U * 50 * 4);
  const auto at = [&, &bytes = pixels](int column, int row) {
    return &bytes[4 * (100 * row + column)];
  };
  EXPECT_EQ(at(50, 25)[3], 255);
  EXPECT_EQ(at(10, 25)[3], 0);
  EXPECT_LT(at(30, 25)[1], at(50, 25)[1]);
  EXPECT_LT(at(50, 25)[1], at(70, 25)[1]);
}

} // namespace
} // namespace weft
