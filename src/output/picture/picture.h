// What a picture of fields is drawn from: sheets of triangles with places and values as integers of
// 16 bits.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace weft {

// Values from `least` to `most` are the integers from 0 to 65534; 65535 is no finite value.
struct ValueRange {
  double least = 0, most = 0;
};
constexpr std::uint16_t no_value = 65535;
std::uint16_t quantised(double value, const ValueRange &range);
double value_of(std::uint16_t integer, const ValueRange &range); // NaN of no_value

struct PictureField {
  std::string name;
  int components = 1;
  std::vector<ValueRange>
      ranges; // [component], over all times of the picture; equal ends: a constant
};

struct PictureSheet {
  std::string name;                                 // "surface", "x = 0.5"
  int axis = -1;                                    // of a slice, that it is normal to
  std::array<std::vector<std::uint16_t>, 3> places; // [direction][vertex], within the picture's box
  std::vector<std::vector<std::uint16_t>> values;   // [column][vertex]; see Picture::column()
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<std::uint8_t> outlines; // [triangle], as in Sheet

  std::size_t num_vertices() const { return places[0].size(); }
};

struct Picture {
  int dim = 3;
  std::vector<double> times;       // of the states drawn
  std::size_t num_times = 0;       // that the run wrote
  std::array<ValueRange, 3> box{}; // of all points
  std::vector<PictureField> fields;
  std::vector<PictureSheet> sheets;           // the surface, then slices
  std::int64_t num_cells = 0, num_points = 0; // of the grid
  bool thinned = false; // vertices that lie close together are drawn as one, to bound the size

  int num_components() const; // of all fields
  // Of a sheet's values: [time][field, component].
  std::size_t column(std::size_t time, std::size_t field, int component) const;
};

struct SliceAt {
  int axis = 0;
  double position = 0;
};

struct PictureOptions {
  std::vector<SliceAt> slices;       // of 3D grids; empty: three, through the middle
  std::size_t max_times = 12;        // the first and the last among them
  std::size_t max_bytes = 3'500'000; // of integers and indices, about
};

// Reads fields.pvd of a run's folder and the files that it names. Errors: input (missing, damaged).
Picture read_picture(const std::string &folder, const PictureOptions &options = {});

} // namespace weft
